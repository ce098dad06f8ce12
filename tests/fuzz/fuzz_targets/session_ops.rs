//! Any sequence of calls of the engine's interface, with handlers that do anything: no panic, no stall, every line is one
//! JSON message, no id is answered more often than it was sent, and no ticket answers twice.

#![no_main]

#[path = "../shared/mod.rs"]
mod shared;

use libfuzzer_sys::fuzz_target;
use midge::dispatch::{Args, Prompt, PromptDef, Resource, ResourceDef, Source, Template, Tool, ToolDef};
use midge::proto::input::{Content, Message};
use midge::{
    Ask, Catalog, Config, Event, Features, Field, Io, Kind, Level, Millis, Outcome, Server, Task,
    TaskSupport, Ticket,
};
use shared::{Client, Toy, entropy};

/// Lines of a session; `#` stands for an id, `%` for that of an earlier line, `@` for the script of a handler.
const LINES: [&str; 24] = [
    r#"{"jsonrpc":"2.0","id":#,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{},"tasks":{}}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{"sampling":{},"roots":{}}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"tools/call","params":{"name":"any","arguments":{"s":"@"},"_meta":{"progressToken":"p"}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"tools/call","params":{META,"name":"any","arguments":{"s":"@"}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"tools/call","params":{META,"name":"any","arguments":{"s":"@"},"requestState":"STATE","inputResponses":{"a":{"action":"accept","content":{"v":"\n"}},"b":{}}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"tools/call","params":{META,"inputResponses":{"a":3},"name":"any","arguments":{"s":"@"}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"prompts/get","params":{"name":"any","arguments":{"s":"@"}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"resources/read","params":{"uri":"any:///r"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"resources/read","params":{"uri":"any:///t/@%20"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"resources/read","params":{META,"uri":"any:///t/@","requestState":"STATE"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"any"},"argument":{"name":"s","value":"@"}}}"#,
    r#"[{"jsonrpc":"2.0","id":#,"method":"tools/call","params":{"name":"any","arguments":{"s":"@"}}},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%}},{"jsonrpc":"2.0","id":#,"method":"ping"}]"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"resources/subscribe","params":{"uri":"any:///r"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"subscriptions/listen","params":{META,"notifications":{"toolsListChanged":true,"resourceSubscriptions":["any:///r","any:///t/a"]}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"logging/setLevel","params":{"level":"debug"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"tools/list","params":{}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"tools/call","params":{"name":"long","arguments":{"s":"@"},"task":{"ttl":900}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"tools/call","params":{META,"name":"long","arguments":{"s":"@"}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"tasks/result","params":{"taskId":"TASK"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"tasks/get","params":{META,"taskId":"TASK"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"tasks/update","params":{META,"taskId":"TASK","inputResponses":{"a":{"action":"accept","content":{"v":"x"}}}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"tasks/cancel","params":{"taskId":"TASK"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"method":"tasks/list","params":{}}"#,
];

#[derive(Default)]
struct Desk {
    tickets: Vec<Ticket>,
}

const FIELDS: &[Field<'_>] = &[Field::text("v")];
const MODEL: Ask<'_> = Ask::sample(&[Message::user(&[Content::Text("?")])], 9);

/// Does what the letters of `script` say, and comes back as the last one says.
fn act(desk: &mut Desk, script: &[u8], io: &mut Io<'_>) -> Outcome {
    for letter in script.iter().take(12) {
        match letter {
            b'a' => drop(io.ask("a", &Ask::form("m", FIELDS))),
            b'b' => drop(io.ask("b", &MODEL)),
            b'c' => drop(io.ask("c", &Ask::Roots)),
            b'd' => drop(io.ask("d", &Ask::url("m", "https://example.com/", "u"))),
            b'e' if io.ask("a", &Ask::form("m", FIELDS)).is_none() => return Outcome::NeedInput,
            b'f' if io.ask("f", &MODEL).is_none() => return Outcome::NeedInput,
            b'g' => desk.tickets.push(io.defer()),
            b'h' => {
                let deadline = io.now().after(40);
                desk.tickets.push(io.defer_until(deadline));
            }
            b'i' => io.text("text"),
            b'j' => io.text_with(|w| (0..40).for_each(|_| w.text("much of it, "))),
            b'k' => io.text_chunks(|n, w| {
                w.text("piece \u{e9}\n");
                n < 60
            }),
            b'l' => io.blob_chunks(|n, put| {
                put(&[n as u8; 7]);
                n < 50
            }),
            b'm' => io.structured_items("n", |n, w| {
                let more = n < 30;
                if more {
                    w.u64(n.into());
                }
                more
            }),
            b'n' => drop(io.progress(1, Some(2), "half")),
            b'o' => drop(io.progress(2, None, "")),
            b'p' => drop(
                io.log(Level::Error, "a log message of some length, so that it fills what room there is"),
            ),
            b'q' => io.tools_changed(),
            b'r' => {
                io.resource_updated("any:///r");
            }
            b's' => io.protocol_error(-5, |w| w.text("no")),
            b't' => drop(io.fail("no")),
            b'u' => drop(io.not_found()),
            b'v' => io.finish(Outcome::Done),
            b'w' => return Outcome::Fail("failed"),
            b'x' => return Outcome::Deferred,
            b'y' => return Outcome::NeedInput,
            _ => {}
        }
    }
    Outcome::Done
}

/// The letters that a call brought along.
fn called<'e>(desk: &mut Desk, args: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let text = args.open().text();
    let script = text.windows(5).position(|w| w == b"\"s\":\"").map_or(&b""[..], |at| &text[at + 5..]);
    let end = script.iter().position(|b| *b == b'"').unwrap_or(0);
    act(desk, &script[..end], io)
}

fn read<'e>(desk: &mut Desk, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let uri = io.uri();
    act(desk, uri.strip_prefix("any:///").unwrap_or("").as_bytes(), io)
}

static TOOLS: &[Tool<Desk>] = &[
    Tool { def: ToolDef::new("any"), run: called },
    Tool { def: ToolDef::new("long").task(TaskSupport::Optional), run: called },
];
static RESOURCES: &[Resource<Desk>] =
    &[Resource { def: ResourceDef::new("any:///r", "r"), source: Source::Read(read) }];
static TEMPLATES: &[Template<Desk>] =
    &[Template { def: ResourceDef::new("any:///t/{s}", "t"), read, complete: Some(called) }];
static PROMPTS: &[Prompt<Desk>] =
    &[Prompt { def: PromptDef::new("any"), get: called, complete: Some(called) }];
static ANY: Catalog<Desk> = Catalog::new("any", "1")
    .tools(TOOLS)
    .resources(RESOURCES)
    .templates(TEMPLATES)
    .prompts(PROMPTS)
    .features(
        Features::LOGGING
            .and(Features::TOOLS_CHANGE)
            .and(Features::RESOURCES_CHANGE)
            .and(Features::SUBSCRIBE),
    );

fuzz_target!(|input: (u8, u8, u8, u8, &[u8], &[u8])| {
    let (tx, park, memory, reply_max, answers, ops) = input;
    let (mut rx, mut tx) = (vec![0; 1024], vec![0; 64 + usize::from(tx) * 5]);
    let mut slots = vec![midge::Slot::FREE; 1 + usize::from(memory & 3)];
    let mut subscriptions = vec![0; usize::from(memory >> 2) * 2];
    let (mut scratch, mut park) = ([0; 32], vec![0; usize::from(park) * 4]);
    let mut tasks = vec![Task::FREE; usize::from(memory >> 6)];
    let storage = midge::Storage {
        rx: (&mut rx[..]).into(),
        tx: (&mut tx[..]).into(),
        slots: &mut slots,
        subscriptions: &mut subscriptions,
        scratch: &mut scratch,
        park: &mut park,
    };
    let reply_max = if reply_max < 128 { usize::MAX } else { usize::from(reply_max - 128) * 4 };
    let config = Config { ask_ms: 50, reply_max, ..Config::default() };
    let mut server = Server::new(&ANY, storage, config).expect("memory is there");
    let (sealer, entropy) = (Toy, entropy());
    if memory & 4 == 0 {
        server.seal_with(&sealer);
    }
    server.offer_tasks(&mut tasks, &entropy);
    let mut session = Session {
        desk: Desk::default(),
        client: Client::new(answers),
        now: 0,
        input: Vec::new(),
        next: 0,
        ops,
    };
    while let Some(op) = session.op() {
        session.step(&mut server, op);
    }
    session.end(&mut server);
});

struct Session<'a> {
    desk: Desk,
    client: Client<'a>,
    now: u64,
    /// What was said and not received.
    input: Vec<u8>,
    next: u64,
    ops: &'a [u8],
}

impl Session<'_> {
    fn op(&mut self) -> Option<u8> {
        let (first, rest) = self.ops.split_first()?;
        self.ops = rest;
        Some(*first)
    }

    fn arg(&mut self) -> u8 {
        self.op().unwrap_or(0)
    }

    fn step(&mut self, server: &mut Server<'_>, op: u8) {
        match op % 16 {
            0..=4 => self.say(),
            5 => {
                let n = usize::from(self.arg()) * 4;
                self.receive(server, n);
            }
            6 => drop(self.poll(server)),
            7 => {
                let n = usize::from(self.arg());
                self.take(server, n);
            }
            8 | 9 => self.resume(server),
            10 => self.now += u64::from(self.arg()),
            11 => match self.arg() % 5 {
                0 => server.tools_changed(),
                1 => server.prompts_changed(),
                2 => server.resources_changed(),
                3 => drop(server.resource_updated("any:///r")),
                _ => server.close_subscriptions(),
            },
            12 => {
                let answers = self.client.answers();
                self.input.extend_from_slice(answers.as_bytes());
            }
            13 => {
                let _ = (server.deadline(), server.calls_waiting(), server.stats());
            }
            _ => self.settle(server),
        }
    }

    /// One line of the table, with letters from the input for a handler.
    fn say(&mut self) {
        let line = LINES[usize::from(self.arg()) % LINES.len()];
        let mut line = self.client.line(line);
        while let Some(at) = line.find("\":#") {
            self.next += 1;
            line.replace_range(at + 2..at + 3, &format!("\"id-{}\"", self.next));
        }
        while let Some(at) = line.find(":%}") {
            let back = u64::from(self.arg() % 8);
            line.replace_range(at + 1..at + 2, &format!("\"id-{}\"", self.next.saturating_sub(back)));
        }
        if line.contains('@') {
            let len = usize::from(self.arg() % 8);
            let script: String = (0..len).map(|_| char::from(b'a' + self.arg() % 26)).collect();
            line = line.replace('@', &script);
        }
        self.input.extend_from_slice(line.as_bytes());
    }

    fn receive(&mut self, server: &mut Server<'_>, n: usize) -> usize {
        let room = server.recv_buf();
        let n = n.min(self.input.len()).min(room.len());
        room[..n].copy_from_slice(&self.input[..n]);
        server.recv_ack(n);
        self.client.said(&self.input[..n]);
        self.input.drain(..n);
        n
    }

    /// One step; whether there is nothing to do.
    fn poll(&mut self, server: &mut Server<'_>) -> bool {
        match server.poll(Millis(self.now)) {
            Event::Call(call) => ANY.run(call, &mut self.desk, None),
            Event::Cancelled(ticket) | Event::Expired(ticket) => {
                assert!(!server.is_waiting(ticket), "the ticket is stale");
            }
            Event::Send => {
                assert!(!server.send_buf().1.is_empty(), "Send means that there is something to send")
            }
            Event::Idle | Event::Ended => return true,
        }
        false
    }

    fn take(&mut self, server: &mut Server<'_>, n: usize) -> usize {
        let (_, bytes) = server.send_buf();
        let n = n.min(bytes.len());
        self.client.heard(&bytes[..n]);
        server.send_ack(n);
        n
    }

    /// Goes on with a call that was put off, or is over, or never was.
    fn resume(&mut self, server: &mut Server<'_>) {
        if self.desk.tickets.is_empty() {
            return;
        }
        let (which, len) = (usize::from(self.arg()), usize::from(self.arg() % 6));
        let ticket = self.desk.tickets[which % self.desk.tickets.len()];
        let script: Vec<u8> = (0..len).map(|_| b'a' + self.arg() % 26).collect();
        let waits = server.is_waiting(ticket);
        match Io::resume(server, ticket) {
            Ok(mut io) => {
                assert!(waits, "a stale ticket answers");
                let outcome = act(&mut self.desk, &script, &mut io);
                io.finish(outcome);
            }
            Err(error) => assert!(error.kind == if waits { Kind::Busy } else { Kind::Stale }),
        }
        if self.desk.tickets.len() > 64 {
            self.desk.tickets.drain(..32);
        }
    }

    /// Receives, works and sends until nothing is left to do.
    fn settle(&mut self, server: &mut Server<'_>) {
        for _ in 0..200_000 {
            let rests = self.poll(server);
            let sent = self.take(server, usize::MAX);
            if rests && sent == 0 {
                if self.input.is_empty() {
                    return;
                }
                assert!(self.receive(server, usize::MAX) > 0, "there is room when the engine is idle");
            }
        }
        panic!("the engine does not come to rest");
    }

    /// Everything is answered, and the stream ends.
    fn end(&mut self, server: &mut Server<'_>) {
        self.settle(server);
        for ticket in std::mem::take(&mut self.desk.tickets) {
            if let Ok(mut io) = Io::resume(server, ticket) {
                io.finish(Outcome::Done);
            }
            self.settle(server);
        }
        self.now += 10_000_000;
        self.settle(server);
        self.input.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":\"last one\",\"method\":\"ping\"}\n");
        self.settle(server);
        let last = self.client.last();
        assert!(last.contains("\"id\":\"last one\",\"result\":"), "the stream goes on: {last}");
        server.recv_end();
        for _ in 0..1000 {
            if let Event::Ended = server.poll(Millis(self.now)) {
                return self.client.check();
            }
            self.take(server, usize::MAX);
        }
        panic!("the stream does not end");
    }
}
