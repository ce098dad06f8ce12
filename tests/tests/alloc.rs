//! The engine never allocates: every transcript runs under an allocator that counts.

use allocation_counter::{AllocationInfo, measure};
use midge::client::{
    Call, Client, Config as ClientConfig, Ending, Event as ClientEvent, Filter, Given, Options,
    Storage as ClientStorage,
};
use midge::dispatch::{Args, Tool, ToolDef};
use midge::json::Raw;
use midge::session::rows::{List, Rows};
use midge::session::server::Parts;
use midge::session::slots::Shape;
use midge::sink::Flush;
use midge::{Buf, Buffers, Catalog, Config, Event, Io, Millis, Outcome, Server, Ticket};
use midge_examples::everything::CATALOG;
use midge_tests::pair::{EVERYTHING, ME};
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

/// What happens to a client, one thing after another.
enum Then {
    /// The server says this.
    Hear(&'static str),
    /// The application does this.
    Do(fn(&mut Client<'_>) -> bool),
    /// The question that was asked last is answered.
    Answer(&'static str),
    /// So much time goes by.
    Wait(u64),
}

use Then::{Answer, Do, Hear, Wait};

const AS_TASK: Options<'static> = Options { task_ms: Some(9), progress: true, ..ONE };
const ONE: Options<'static> = Options {
    timeout_ms: 50,
    max_ms: 0,
    progress: false,
    progress_extends: true,
    log_level: None,
    task_ms: None,
    slices: true,
    meta: None,
};

fn tool(client: &mut Client<'_>) -> bool {
    Raw::new(b"{\"a\": \"\\u00e9\"}").is_some_and(|a| client.call_tool("t", a, ONE).is_ok())
}

fn task(client: &mut Client<'_>) -> bool {
    Raw::new(b"{}").is_some_and(|a| client.call_tool("t", a, AS_TASK).is_ok())
}

const BOTH: [Then; 9] = [
    Do(tool),
    Hear(r#"{"jsonrpc":"2.0","id":#,"result":{"content":[{"type":"text","text":"\u00e9\n"}]}}"#),
    Do(|client| client.list(List::Tools, ONE).is_ok()),
    Hear(r#"{"jsonrpc":"2.0","id":#,"result":{"tools":[],"nextCursor":"c\n"}}"#),
    Hear(r#"{"jsonrpc":"2.0","id":#,"result":{"tools":[]}}"#),
    Do(|client| client.get_prompt("p", &[("a", "b\n")], ONE).is_ok()),
    Hear(r#"{"jsonrpc":"2.0","id":#,"error":{"code":-32602,"message":"m"}}"#),
    Hear("no message at all"),
    Hear(r#"{"jsonrpc":"2.0","id":#,"result":{"content":[]}}"#),
];

const PER_REQUEST: [Then; 15] = [
    Hear(
        r#"{"jsonrpc":"2.0","id":#,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}"#,
    ),
    Do(tool),
    Hear(
        r#"{"jsonrpc":"2.0","id":#,"result":{"resultType":"input_required","requestState":"s","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"properties":{"a":{"default":"x\n"}}}}}}}}"#,
    ),
    Answer("{\"b\":1}"),
    Hear(r#"{"jsonrpc":"2.0","id":#,"result":{"resultType":"task","taskId":"t","status":"working"}}"#),
    Wait(1_000),
    Hear(
        r#"{"jsonrpc":"2.0","id":#,"result":{"taskId":"t","status":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"m"}}}}}"#,
    ),
    Answer("{}"),
    Hear(r#"{"jsonrpc":"2.0","id":#,"result":{}}"#),
    Wait(1_000),
    Wait(60),
    Do(|client| client.listen(Filter { uris: &["a:b"], ..Filter::default() }).is_ok()),
    Hear(
        r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":#},"notifications":{}}}"#,
    ),
    Hear(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":#}}"#),
    Do(|client| client.notify("n", |w| w.member("a", "b")).is_ok()),
];

const HANDSHAKE: [Then; 13] = [
    Hear(r#"{"jsonrpc":"2.0","id":#,"error":{"code":-32601,"message":"no"}}"#),
    Hear(r#"{"jsonrpc":"2.0","id":#,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}"#),
    Hear(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#),
    Hear(
        r#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"m","requestedSchema":{"properties":{"a":{"default":[1]}}}}}"#,
    ),
    Answer("{}"),
    Hear(r#"{"jsonrpc":"2.0","id":8,"method":"unknown"}"#),
    Do(task),
    Hear(r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":#,"progress":1}}"#),
    Hear(r#"{"jsonrpc":"2.0","id":#,"result":{"task":{"taskId":"t","status":"working"}}}"#),
    Wait(1_000),
    Hear(r#"{"jsonrpc":"2.0","id":#,"result":{"taskId":"t","status":"completed"}}"#),
    Hear(r#"{"jsonrpc":"2.0","id":#,"result":{"content":[]}}"#),
    Wait(60),
];

/// A client of fixed memory, of which every call is counted.
fn client_does(steps: &[&[Then]]) -> (usize, usize) {
    let (mut rx, mut tx, mut park, mut meta) = ([0; 512], [0; 1024], [0; 512], [0; 512]);
    let mut calls = [Call::FREE; 4];
    let (rx, tx) = (Buf::from(&mut rx), Buf::from(&mut tx));
    let storage = ClientStorage { rx, tx, calls: &mut calls, park: &mut park, meta: &mut meta };
    let config = ClientConfig::default();
    let mut client = free(|| Client::new(&ME, EVERYTHING, storage, config)).expect("memory");
    let (mut now, mut question, mut events, mut sent) = (0, None, 0, 0);
    let (mut last_id, slices) = (String::new(), "x".repeat(2_000));
    let long = format!(r#"{{"jsonrpc":"2.0","id":#,"result":{{"text":"{slices}"}}}}"#);
    let mut run = |client: &mut Client<'_>, now: u64, question: &mut Option<_>, last_id: &mut String| loop {
        let before = client.send_buf().len();
        let event = {
            let client = &mut *client;
            free(move || client.poll(Millis(now)))
        };
        match event {
            ClientEvent::Idle => return before,
            ClientEvent::Send => {
                let text = String::from_utf8_lossy(client.send_buf()).into_owned();
                for id in text
                    .lines()
                    .filter(|line| line.contains("\"method\""))
                    .filter_map(|line| line.split("\"id\":").nth(1))
                {
                    *last_id = id.chars().take_while(char::is_ascii_digit).collect();
                }
                sent += text.len();
                free(|| client.send_ack(text.len()));
                continue;
            }
            ClientEvent::Asked(asked) => *question = Some(asked.id),
            ClientEvent::Done(_, Ending::Result(body)) => {
                free(|| body.members().count());
            }
            _ => {}
        }
        events += 1;
    };
    run(&mut client, now, &mut question, &mut last_id);
    for step in steps.iter().flat_map(|steps| steps.iter()).chain(&[Do(tool), Hear("LONG")]) {
        match step {
            Wait(ms) => now += ms,
            Do(what) => assert!(free(|| what(&mut client))),
            Answer(json) => {
                let raw = Raw::new(json.as_bytes()).expect("JSON");
                let id = question.take().expect("something was asked");
                free(|| client.answer(id, Given::Accept(raw))).expect("it is open");
            }
            Hear(line) => {
                let line = if *line == "LONG" { long.as_str() } else { line };
                let line = line.replace('#', &last_id) + "\n";
                let mut rest = line.as_bytes();
                while !rest.is_empty() {
                    let room = free(|| client.recv_buf());
                    let n = room.len().min(rest.len());
                    room[..n].copy_from_slice(&rest[..n]);
                    free(|| client.recv_ack(n));
                    rest = &rest[n..];
                    run(&mut client, now, &mut question, &mut last_id);
                }
            }
        }
        run(&mut client, now, &mut question, &mut last_id);
    }
    assert_eq!(free(|| client.calls_waiting()), 0, "every call has ended");
    (events, sent)
}

/// The whole life of a client in both eras, in memory of fixed size.
#[test]
fn a_client_does_not_allocate() {
    let (events, sent) = client_does(&[&PER_REQUEST, &BOTH]);
    assert!(events > 15 && sent > 3_000, "{events} events, {sent} bytes");
    let (events, sent) = client_does(&[&HANDSHAKE, &BOTH]);
    assert!(events > 15 && sent > 1_000, "{events} events, {sent} bytes");
}
