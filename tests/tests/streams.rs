//! The drive loops over streams that are short, slow, interrupted, deaf, or end anywhere.

use midge::dispatch::{Args, Tool, ToolDef};
use midge::io::{blocking, nonblocking};
use midge::{Catalog, Config, Error, Io, Kind, Millis, Outcome, Server, Ticket};
use midge_examples::everything::{CATALOG, Everything};
use midge_examples::stdio::Work;
use midge_tests::replay::{Gear, Memory, config};
use midge_tests::script::{Shared, Turn};
use midge_tests::transcript::{Head, Transcript};
use std::future::Future;
use std::io::ErrorKind;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

const TX_BYTES: usize = 4096;

struct Stream(Shared);

/// `std`'s kinds as embedded-io's errors.
#[derive(Debug)]
struct Fault(ErrorKind);

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl std::error::Error for Fault {}

impl embedded_io::Error for Fault {
    fn kind(&self) -> embedded_io::ErrorKind {
        self.0.into()
    }
}

impl embedded_io::ErrorType for Stream {
    type Error = Fault;
}

impl embedded_io::Read for Stream {
    fn read(&mut self, room: &mut [u8]) -> Result<usize, Fault> {
        Ok(self.0.read(room).map_err(Fault)?.expect("the loop waits before it reads"))
    }
}

impl embedded_io::Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Fault> {
        self.0.write(bytes).map_err(Fault)
    }

    fn flush(&mut self) -> Result<(), Fault> {
        Ok(())
    }
}

impl embedded_io_async::Read for Stream {
    async fn read(&mut self, room: &mut [u8]) -> Result<usize, Fault> {
        std::future::poll_fn(|_| match self.0.read(room) {
            Ok(Some(n)) => Poll::Ready(Ok(n)),
            Ok(None) => Poll::Pending,
            Err(kind) => Poll::Ready(Err(Fault(kind))),
        })
        .await
    }
}

impl embedded_io_async::Write for Stream {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, Fault> {
        let mut late = true;
        std::future::poll_fn(|_| match std::mem::take(&mut late) {
            true => Poll::Pending,
            false => Poll::Ready(self.0.write(bytes).map_err(Fault)),
        })
        .await
    }

    async fn flush(&mut self) -> Result<(), Fault> {
        Ok(())
    }
}

/// The application, and how often it was asked.
struct App(Shared, usize);

impl App {
    fn asked(&mut self) {
        self.1 += 1;
        assert!(self.1 < 100_000, "the loop turns without end");
    }
}

impl blocking::App<Everything, Stream> for App {
    fn now(&mut self) -> Millis {
        self.0.now()
    }

    fn idle(&mut self, server: &mut Server<'_>, state: &mut Everything, now: Millis) -> Option<Millis> {
        self.asked();
        assert_eq!(now, self.0.now());
        self.0.idle(server, |server| state.idle(server, now));
        None
    }

    fn wait(&mut self, stream: &mut Stream, _: Option<Millis>) -> bool {
        !stream.0.advance()
    }

    fn stopped(&mut self, state: &mut Everything, ticket: Ticket) {
        state.stopped(ticket);
    }
}

impl nonblocking::App<Everything> for App {
    fn now(&mut self) -> Millis {
        self.0.now()
    }

    async fn wake(&mut self, _: Option<Millis>) {
        std::future::poll_fn(|_| if self.0.advance() { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    fn idle(&mut self, server: &mut Server<'_>, state: &mut Everything, now: Millis) -> Option<Millis> {
        self.asked();
        assert_eq!(now, self.0.now());
        self.0.idle(server, |server| state.idle(server, now));
        None
    }

    fn stopped(&mut self, state: &mut Everything, ticket: Ticket) {
        state.stopped(ticket);
    }
}

/// An executor for one future: polls until it is ready.
fn run<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..1_000_000 {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
    panic!("the future never completes");
}

fn plain() -> Head {
    serde_json::from_str(r#"{"about":"a stream"}"#).expect("a head")
}

fn block(script: &Shared, head: &Head, tx: usize) -> Result<(), Error> {
    let mut memory = Memory::new(head, tx);
    let mut gear = Gear::new(head);
    let mut server = Server::new(&CATALOG, memory.storage(), config(head)).expect("memory");
    gear.fit(&mut server);
    let (mut stream, mut app) = (Stream(script.clone()), App(script.clone(), 0));
    blocking::serve(&mut server, &CATALOG, &mut Everything::default(), &mut stream, &mut app)
}

fn wait(script: &Shared, head: &Head) -> Result<(), Error> {
    wait_with(script, head, TX_BYTES, config(head))
}

fn wait_with(script: &Shared, head: &Head, tx: usize, config: Config) -> Result<(), Error> {
    let mut memory = Memory::new(head, tx);
    let mut gear = Gear::new(head);
    let mut server = Server::new(&CATALOG, memory.storage(), config).expect("memory");
    gear.fit(&mut server);
    let (mut reader, mut writer) = (Stream(script.clone()), Stream(script.clone()));
    let (mut app, mut state) = (App(script.clone(), 0), Everything::default());
    let halves = (&mut reader, &mut writer);
    run(nonblocking::serve(&mut server, &CATALOG, &mut state, halves, &mut app))
}

fn check(name: &str, transcript: &Transcript, script: &Shared, end: Result<(), Error>) {
    assert_eq!(end, Ok(()), "{name}, {}", transcript.name());
    let (got, expected) = (script.written(), transcript.expected());
    let (got, expected) = (String::from_utf8_lossy(&got), String::from_utf8_lossy(&expected));
    assert_eq!(got, expected, "{name}, {}", transcript.name());
}

#[test]
fn the_blocking_loop_gives_every_transcript() {
    for transcript in Transcript::every() {
        let smooth = Shared::of(&transcript);
        check("smooth", &transcript, &smooth, block(&smooth, &transcript.head, TX_BYTES));
        let rough = Shared::of(&transcript).rough();
        check("rough", &transcript, &rough, block(&rough, &transcript.head, TX_BYTES));
    }
}

#[test]
fn the_async_loop_gives_every_transcript() {
    for transcript in Transcript::every() {
        let smooth = Shared::of(&transcript);
        check("smooth", &transcript, &smooth, wait(&smooth, &transcript.head));
        let choppy = Shared::of(&transcript).choppy();
        check("choppy", &transcript, &choppy, wait(&choppy, &transcript.head));
    }
}

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

fn call(id: usize, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{{META},"name":"{tool}","arguments":{arguments}}}}}"#
    )
}

fn bytes(text: impl Into<Vec<u8>>) -> Turn {
    Turn::Bytes(text.into())
}

/// Replies to what came in one read leave in one write. The async loop cannot hand over a full buffer while a handler
/// runs, so it has to be told how large replies are; else each leaves by itself.
#[test]
fn one_read_one_write() {
    let burst = |from: usize| {
        let lines = (from..from + 5).map(|id| call(id, "echo", r#"{"text":"x"}"#) + "\n");
        bytes(lines.collect::<String>())
    };
    let lines_of = |serve: &dyn Fn(&Shared) -> Result<(), Error>| -> Vec<usize> {
        let script = Shared::new([burst(0), burst(5), burst(10)]);
        assert_eq!(serve(&script), Ok(()));
        assert_eq!(script.look(|s| s.reads), 3);
        script.look(|s| s.writes.iter().map(|w| w.iter().filter(|b| **b == b'\n').count()).collect())
    };
    let told = Config { reply_max: 512, ..Config::default() };
    assert_eq!(lines_of(&|s| block(s, &plain(), TX_BYTES)), [5; 3]);
    assert_eq!(lines_of(&|s| wait_with(s, &plain(), TX_BYTES, told)), [5; 3]);
    assert_eq!(lines_of(&|s| wait(s, &plain())), [1; 15]);
}

/// A reply larger than the buffer leaves in pieces of the buffer's size, and whole.
#[test]
fn a_reply_larger_than_the_buffer_leaves_in_pieces() {
    let script = Shared::new([bytes(call(1, "test_multiple_content_types", "{}") + "\n")]);
    assert_eq!(block(&script, &plain(), 64), Ok(()));
    let pieces: Vec<usize> = script.look(|s| s.writes.iter().map(Vec::len).collect());
    assert!(pieces.len() > 5 && pieces.iter().all(|n| *n <= 64), "{pieces:?}");
    assert!(serde_json::from_slice::<serde_json::Value>(&script.written()).is_ok());
}

/// Without a way to hand bytes over, the caller is told what is needed.
#[test]
fn a_reply_that_never_fits_is_an_error_that_says_so() {
    let script = Shared::new([bytes(call(1, "test_multiple_content_types", "{}") + "\n")]);
    assert_eq!(wait_with(&script, &plain(), 128, Config::default()), Ok(()));
    let answer: serde_json::Value = serde_json::from_slice(&script.written()).expect("one line");
    assert_eq!(answer["error"]["code"], -32603);
    assert_eq!(answer["error"]["data"]["limit"], "tx");
    assert_eq!(answer["error"]["data"]["limitBytes"], 128);
    assert!(answer["error"]["data"]["neededBytes"].as_u64().is_some_and(|n| n > 128 && n < 1024));
}

/// A stream that accepts nothing ends the loop; it does not turn for ever, and does not panic.
#[test]
fn a_stream_that_accepts_nothing_is_an_error() {
    let one = || [bytes(call(1, "echo", r#"{"text":"x"}"#) + "\n")];
    let deaf = Shared::new(one()).deaf();
    assert_eq!(block(&deaf, &plain(), TX_BYTES).map_err(|e| e.kind), Err(Kind::Stream));
    let deaf = Shared::new(one()).deaf();
    assert_eq!(block(&deaf, &plain(), 64).map_err(|e| e.kind), Err(Kind::Stream), "while a handler runs");
    let deaf = Shared::new(one()).deaf();
    assert_eq!(wait(&deaf, &plain()).map_err(|e| e.kind), Err(Kind::Stream));
}

/// `Interrupted` and `TimedOut` are no end; other errors are, after what was read before them was answered.
#[test]
fn read_errors() {
    let echo = |id| bytes(call(id, "echo", r#"{"text":"x"}"#) + "\n");
    for kind in [ErrorKind::Interrupted, ErrorKind::TimedOut] {
        let script = Shared::new([echo(1), Turn::Fails(kind), echo(2)]);
        assert_eq!(block(&script, &plain(), TX_BYTES), Ok(()));
        assert_eq!(String::from_utf8_lossy(&script.written()).lines().count(), 2);
    }
    for asynchronous in [false, true] {
        let script = Shared::new([echo(1), Turn::Fails(ErrorKind::ConnectionReset), echo(2)]);
        let end = if asynchronous { wait(&script, &plain()) } else { block(&script, &plain(), TX_BYTES) };
        assert_eq!(end.map_err(|e| e.kind), Err(Kind::Stream));
        assert_eq!(String::from_utf8_lossy(&script.written()).lines().count(), 1);
    }
}

/// The stream ends in the middle of a line: a whole message is answered, half of one is an error.
#[test]
fn the_end_in_the_middle_of_a_line() {
    let whole = call(7, "echo", r#"{"text":"last"}"#);
    for asynchronous in [false, true] {
        for (text, code) in [(whole.as_str(), None), (&whole[..60], Some(-32700)), ("  \r", None)] {
            let script = Shared::new([bytes(text)]);
            let end = if asynchronous { wait(&script, &plain()) } else { block(&script, &plain(), TX_BYTES) };
            assert_eq!(end, Ok(()), "{text}");
            let written = script.written();
            if text == "  \r" {
                assert!(written.is_empty());
                continue;
            }
            let answer: serde_json::Value = serde_json::from_slice(&written).expect("one line");
            match code {
                None => assert_eq!(answer["id"], 7),
                Some(code) => assert_eq!(answer["error"]["code"], code),
            }
        }
    }
}

/// The stream ends while a call is deferred: what was answered is sent, the loop comes back, and nobody waits.
#[test]
fn b30_the_end_while_a_call_is_deferred() {
    for asynchronous in [false, true] {
        let lines = call(1, "test_slow", r#"{"ms":600000}"#) + "\n" + &call(2, "echo", r#"{"text":"x"}"#);
        let script = Shared::new([bytes(lines)]);
        let end = if asynchronous { wait(&script, &plain()) } else { block(&script, &plain(), TX_BYTES) };
        assert_eq!(end, Ok(()));
        let written = String::from_utf8(script.written()).expect("text");
        assert_eq!(written.lines().count(), 1, "{written}");
        assert!(written.contains("\"id\":2"), "{written}");
    }
    let empty = Shared::new([]);
    assert_eq!((block(&empty, &plain(), TX_BYTES), empty.written().len()), (Ok(()), 0));
}

#[derive(Default)]
struct Late {
    ticket: Option<Ticket>,
    stopped: Option<Ticket>,
}

static LATE: [Tool<Late>; 1] = [Tool { def: ToolDef::new("late").about("Comes too late"), run: late }];
static TOO_LATE: Catalog<Late> = Catalog::new("late", "1").tools(&LATE);

fn late<'e>(late: &mut Late, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    late.ticket = Some(io.defer_until(io.now().after(50)));
    Outcome::Deferred
}

/// A clock that shows the moment that was waited for.
struct Clock {
    now: Millis,
    waits: Vec<Option<Millis>>,
}

impl blocking::App<Late, Stream> for Clock {
    fn now(&mut self) -> Millis {
        self.now
    }

    fn wait(&mut self, _: &mut Stream, until: Option<Millis>) -> bool {
        self.waits.push(until);
        self.now = until.unwrap_or(self.now);
        until.is_none()
    }

    fn stopped(&mut self, state: &mut Late, ticket: Ticket) {
        state.stopped = Some(ticket);
    }
}

/// The loop waits for the deadline of a deferred call; then the engine answers it, the application is told, and the
/// ticket is stale.
#[test]
fn a_deadline_that_passes_is_answered() {
    let head = plain();
    let script = Shared::new([bytes(call(1, "late", "{}") + "\n")]);
    let mut memory = Memory::new(&head, TX_BYTES);
    let mut server = Server::new(&TOO_LATE, memory.storage(), Config::default()).expect("memory");
    let mut state = Late::default();
    let mut clock = Clock { now: Millis(7), waits: Vec::new() };
    let end = blocking::serve(&mut server, &TOO_LATE, &mut state, &mut Stream(script.clone()), &mut clock);
    assert_eq!(end, Ok(()));
    assert_eq!(clock.waits, [None, Some(Millis(57)), None]);
    let answer: serde_json::Value = serde_json::from_slice(&script.written()).expect("one line");
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&1.into(), &(-32603).into()));
    let ticket = state.ticket.expect("it was put off");
    assert_eq!(state.stopped, Some(ticket));
    assert_eq!(Io::resume(&mut server, ticket).err().map(|e| e.kind), Some(Kind::Stale));
}
