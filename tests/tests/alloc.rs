//! The engine never allocates: every transcript runs under an allocator that counts.

use allocation_counter::{AllocationInfo, measure};
use midge::dispatch::{Args, Tool, ToolDef};
use midge::session::rows::{List, Rows};
use midge::session::server::Parts;
use midge::session::slots::Shape;
use midge::sink::Flush;
use midge::{Buffers, Catalog, Config, Event, Io, Millis, Outcome, Server, Ticket};
use midge_examples::everything::CATALOG;
use midge_tests::replay::{Cut, Fixture, Host, Way, replay};
use midge_tests::transcript::Transcript;

/// Runs `what` and counts every call of the allocator.
fn counted<T>(what: impl FnOnce() -> T) -> (T, AllocationInfo) {
    let mut out = None;
    let info = measure(|| out = Some(what()));
    (out.expect("it ran"), info)
}

fn free<T>(what: impl FnOnce() -> T) -> T {
    let (out, info) = counted(what);
    assert_eq!((info.count_total, info.count_current), (0, 0), "the engine called the allocator");
    out
}

/// Handlers of the fixture server that format or keep something; what they write through the engine is left out.
const FORMATTING: [&str; 12] = [
    "test_tool_with_logging",
    "test_tool_with_progress",
    "test_slow",
    "test_cancelled_count",
    "test_prompt_with_arguments",
    "greet",
    "slow_compute",
    "failing_job",
    "protocol_error_job",
    "confirm_delete",
    "multi_input",
    "test_tool_with_task",
];

#[derive(Default)]
struct Counted {
    fixture: Fixture,
    steps: usize,
    calls: usize,
}

impl Host for Counted {
    fn rows(&self) -> &'static dyn Rows {
        &CATALOG
    }

    fn run<'e>(&mut self, call: Parts<'e>, flush: Option<&'e mut dyn Flush>) {
        let index = call.reply.index();
        let name = match call.reply.shape() {
            Shape::Tool => CATALOG.key(List::Tools, index),
            Shape::Prompt => CATALOG.key(List::Prompts, index),
            _ => "",
        };
        if FORMATTING.contains(&name) {
            return self.fixture.run(call, flush);
        }
        self.calls += 1;
        free(|| self.fixture.run(call, flush));
    }

    fn work(
        &mut self,
        server: &mut Server<'_>,
        now: Millis,
        flush: Option<&mut dyn Flush>,
    ) -> Option<Millis> {
        self.fixture.work(server, now, flush)
    }

    fn stopped(&mut self, ticket: Ticket) {
        self.fixture.stopped(ticket);
    }

    fn engine<T>(&mut self, run: impl FnOnce() -> T) -> T {
        self.steps += 1;
        free(run)
    }
}

#[test]
fn no_transcript_allocates() {
    let mut host = Counted::default();
    for transcript in Transcript::every() {
        for (cut, tx, flush) in
            [(Cut::Whole, 64, true), (Cut::Random(1), 4096, true), (Cut::Random(2), 4096, false)]
        {
            let sent = replay(&transcript, Way { cut, tx, flush }, &mut host);
            assert!(!sent.is_empty());
        }
    }
    assert!(host.steps > 10_000 && host.calls > 500, "{} steps, {} calls", host.steps, host.calls);
}

#[test]
fn the_counter_counts() {
    let (_, planted) = counted(|| Vec::<u8>::with_capacity(1));
    assert_eq!(planted.count_total, 1);
    let kept = Box::new([0_u8; 8]);
    let (_, given_back) = counted(move || drop(kept));
    assert_eq!(given_back.count_current, -1);
}

struct Kept {
    ticket: Option<Ticket>,
}

static LATER: [Tool<Kept>; 1] = [Tool { def: ToolDef::new("later").about("Answers later"), run: later }];
static KEEPS: Catalog<Kept> = Catalog::new("keeps", "1").tools(&LATER);

fn later<'e>(kept: &mut Kept, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    kept.ticket = Some(io.defer());
    Outcome::Deferred
}

/// Putting a call off, its progress, its log messages and its answer, with memory of fixed size from start to end.
#[test]
fn deferred_calls_do_not_allocate() {
    const META: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"debug","progressToken":1}"#;
    let request = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"_meta":{META},"name":"later"}}}}"#
    ) + "\n";
    let mut kept = Kept { ticket: None };
    let sent = free(|| {
        let mut memory = Buffers::<512, 1024, 2, 64, 16, 256>::new();
        let mut server = Server::new(&KEEPS, memory.storage(), Config::default()).expect("memory");
        let room = &mut server.recv_buf()[..request.len()];
        room.copy_from_slice(request.as_bytes());
        server.recv_ack(request.len());
        let Event::Call(call) = server.poll(Millis(0)) else { panic!("a call is due") };
        KEEPS.run(call, &mut kept, None);
        assert!(matches!(server.poll(Millis(1)), Event::Idle));
        let ticket = kept.ticket.expect("the call waits");
        let mut io = Io::resume(&mut server, ticket).expect("it still waits");
        assert_eq!(io.progress(1, Some(2), "half"), Ok(true));
        assert_eq!(io.log(midge::Level::Info, "half"), Ok(true));
        io.text("done");
        io.finish(Outcome::Done);
        assert!(!server.is_waiting(ticket));
        let (_, bytes) = server.send_buf();
        bytes.len()
    });
    assert!(sent > 300, "{sent} bytes");
}
