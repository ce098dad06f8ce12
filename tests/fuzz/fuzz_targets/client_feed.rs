//! A server that says anything, to a client that does anything: no panic, no stall, every line of the client's is one JSON
//! message, no id is used twice, every call ends exactly once, and no question is handed out twice.

#![no_main]

use libfuzzer_sys::fuzz_target;
use midge::client::{
    Call, Client, Config, Event, Filter, Given, Options, QuestionId, Reference, Start, Storage, Ticket,
};
use midge::json::Raw;
use midge::session::rows::List;
use midge::{Buf, Can, Info, Kind, Level, Millis, Revision, Revisions};
use std::collections::HashSet;

const ME: Info = Info::new("fuzz", "1");
const CAN: Can =
    Can::ELICIT.and(Can::ELICIT_URL).and(Can::SAMPLE_WITH_TOOLS).and(Can::LIST_ROOTS).and(Can::TASKS);

/// What the server says; `#` stands for the id of a request that is out, `%` for a number that grows.
const LINES: [&str; 32] = [
    r#"{"jsonrpc":"2.0","id":#,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"error":{"code":-32601,"message":"no"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"result":{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"result":{"content":[{"type":"text","text":"t\n"}]}}"#,
    r#"{"jsonrpc":"2.0","id":#,"result":{"tools":[{"name":"a"}],"nextCursor":"c%"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"result":{"tools":[{"name":"a"}],"nextCursor":"c\n"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"result":{"resultType":"input_required","requestState":"s\u00e9%"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"m\n","requestedSchema":{"type":"object","properties":{"v":{"type":"string","default":"d"}}}}},"b":{"method":"roots/list"},"c":{"method":"sampling/createMessage","params":{"tools":[]}}},"requestState":"%"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"x/y"}}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"result":{"resultType":"task","taskId":"t%","status":"working","pollIntervalMs":1}}"#,
    r#"{"jsonrpc":"2.0","id":#,"result":{"task":{"taskId":"t","status":"working","pollInterval":1}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"result":{"taskId":"t","status":"working"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"result":{"taskId":"t","status":"completed","result":{"content":[]}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"result":{"taskId":"t","status":"failed","error":{"code":1,"message":"m"}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"result":{"taskId":"t","status":"cancelled"}}"#,
    r#"{"jsonrpc":"2.0","id":#,"result":{"taskId":"t","status":"input_required","inputRequests":{"k%":{"method":"elicitation/create","params":{"message":"m"}},"k":{"method":"roots/list"}}}}"#,
    r#"{"jsonrpc":"2.0","id":#,"result":[]}"#,
    r#"{"jsonrpc":"2.0","id":#,"result":{},"error":{"code":1,"message":"m"}}"#,
    r#"{"jsonrpc":"2.0","id":%,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"properties":{"v":{"default":[1,{"a":"\u00e9"}]}}}}}"#,
    r#"{"jsonrpc":"2.0","id":"%","method":"roots/list"}"#,
    r#"{"jsonrpc":"2.0","id":%,"method":"sampling/createMessage","params":{}}"#,
    r#"{"jsonrpc":"2.0","id":%,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":%,"method":"p\u0069ng"}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":#}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":#,"progress":1}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t","status":"completed"}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":#},"notifications":{}}}"#,
    r#"[{"jsonrpc":"2.0","id":#,"result":{"tools":[],"nextCursor":"b%"}},{"jsonrpc":"2.0","id":%,"method":"ping"},{"jsonrpc":"2.0","id":#,"result":{}},3]"#,
    r#"{"jsonrpc":"2.0","id":#,"result":{"content":[{"type":"text","text":"LONG"}]}}"#,
    r#"not json {"#,
];

#[derive(Default)]
struct Desk {
    open: HashSet<Ticket>,
    ids: Vec<u64>,
    seen: HashSet<u64>,
    questions: Vec<QuestionId>,
    handed: HashSet<QuestionId>,
    out: Vec<u8>,
    count: u64,
    ended: bool,
}

impl Desk {
    fn sent(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
        while let Some(end) = self.out.iter().position(|c| *c == b'\n') {
            let line: Vec<u8> = self.out.drain(..=end).collect();
            let said: serde_json::Value = serde_json::from_slice(&line)
                .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&line)));
            assert_eq!(said["jsonrpc"], "2.0");
            if said.get("method").is_some() && said.get("id").is_some() {
                let id = said["id"].as_u64().expect("ids are numbers");
                assert!(self.seen.insert(id), "an id is used once");
                self.ids.push(id);
            }
        }
    }

    fn line(&mut self, which: u8, pick: u8) -> Vec<u8> {
        self.count += 1;
        let at = usize::from(pick) % self.ids.len().max(1);
        let id = self.ids.get(at).copied().unwrap_or(1).to_string();
        let text = LINES[usize::from(which) % LINES.len()].replace('#', &id);
        let long = "x\\n".repeat(usize::from(pick) * 8);
        let text = text.replace('%', &self.count.to_string()).replace("LONG", &long);
        format!("{text}\n").into_bytes()
    }
}

/// Polls until there is nothing to do.
fn settle(client: &mut Client<'_>, desk: &mut Desk, now: Millis) {
    for turn in 0.. {
        assert!(turn < 20_000, "the engine does not come to rest");
        match client.poll(now) {
            Event::Idle => {
                let spins = client.deadline().is_some_and(|at| at <= now);
                assert!(!spins, "the next moment is to come");
                return;
            }
            Event::Send => {
                let bytes = client.send_buf().to_vec();
                assert!(!bytes.is_empty(), "there is something to send");
                desk.sent(&bytes);
                client.send_ack(bytes.len());
            }
            Event::Ended => {
                desk.ended = true;
                return;
            }
            Event::Done(ticket, _) => assert!(desk.open.remove(&ticket), "a call ends once"),
            Event::Page(ticket, body) => {
                assert!(desk.open.contains(&ticket));
                let _ = body.members().count();
            }
            Event::Slice(ticket, slice) => assert!(desk.open.contains(&ticket) && !slice.is_empty()),
            Event::Progress(ticket, body) | Event::Task(ticket, body) | Event::Listening(ticket, body) => {
                assert!(desk.open.contains(&ticket));
                let _ = body.softened();
            }
            Event::Asked(question) => {
                assert!(desk.handed.insert(question.id), "a question is handed out once");
                desk.questions.push(question.id);
                let _ = question.params.members().count();
            }
            Event::Withdrawn(id) => desk.questions.retain(|question| *question != id),
            _ => {}
        }
    }
}

fn call(client: &mut Client<'_>, desk: &mut Desk, what: u8, how: u8) {
    let options = Options {
        timeout_ms: if how & 1 == 0 { 0 } else { 40 },
        max_ms: if how & 2 == 0 { 0 } else { 90 },
        progress: how & 4 != 0,
        progress_extends: how & 8 != 0,
        log_level: (how & 16 != 0).then_some(Level::Info),
        task_ms: (how & 32 != 0).then_some(500),
        slices: how & 64 != 0,
        meta: (how & 128 != 0).then(|| Raw::new(b"{\"a\": [1],\"progressToken\":9}").expect("JSON")),
    };
    let arguments = Raw::new(b"{\"a\": [1,\n\"\\u00e9\"]}").expect("JSON");
    let filter = Filter { tools: true, prompts: false, resources: true, uris: &["a:b"] };
    let ticket = match what % 10 {
        0..=2 => client.call_tool("t", arguments, options),
        3 => client.list(List::Tools, options),
        4 => client.get_prompt("p\n", &[("a", "b")], options),
        5 => client.read_resource("a:b", options),
        6 => client.complete(Reference::Resource("a:{b}"), ("b", ""), &[("c", "d")], options),
        7 => client.listen(filter),
        8 => client.ping(options),
        _ => client.request("tasks/list", options, |_| {}),
    };
    match ticket {
        Ok(ticket) => assert!(desk.open.insert(ticket), "a ticket is new"),
        Err(error) => assert!(matches!(
            error.kind,
            Kind::Busy | Kind::TxFull | Kind::SlotsFull | Kind::NotConnected | Kind::NotInRevision
        )),
    }
}

fn answer(client: &mut Client<'_>, desk: &mut Desk, which: u8, how: u8) {
    let Some(id) = desk.questions.get(usize::from(which) % desk.questions.len().max(1)).copied() else { return };
    let json = |text| Raw::new(text).expect("JSON");
    let given = match how % 5 {
        0 => Given::Accept(json(b"{\"v\":\"x\"}")),
        1 => Given::Accept(json(b"{ }")),
        2 => Given::Result(json(b"{\"roots\":[]}")),
        3 => Given::Cancel,
        _ => Given::Error(-1, "no"),
    };
    match client.answer(id, given) {
        Ok(()) => desk.questions.retain(|question| *question != id),
        Err(error) => assert!(matches!(error.kind, Kind::Stale | Kind::Busy | Kind::TxFull | Kind::ParkFull)),
    }
}

fn feed(client: &mut Client<'_>, desk: &mut Desk, bytes: &[u8], cut: usize, now: Millis) {
    let mut rest = bytes;
    while !rest.is_empty() && !desk.ended {
        let room = client.recv_buf();
        assert!(!room.is_empty(), "there is room after the engine has come to rest");
        let n = room.len().min(rest.len()).min(cut.max(1));
        room[..n].copy_from_slice(&rest[..n]);
        client.recv_ack(n);
        rest = &rest[n..];
        settle(client, desk, now);
    }
}

fuzz_target!(|input: (u8, u8, u8, u8, &[u8])| {
    let (rx, tx, park, choice, ops) = input;
    let (mut rx, mut tx) = (vec![0; 128 + usize::from(rx) * 4], vec![0; 300 + usize::from(tx) * 8]);
    let (mut park, mut meta) = (vec![0; usize::from(park) * 8], [0; 400]);
    let mut calls = vec![Call::FREE; 1 + usize::from(choice & 7)];
    let storage = Storage {
        rx: Buf::from(&mut rx[..]),
        tx: Buf::from(&mut tx[..]),
        calls: &mut calls,
        park: &mut park,
        meta: &mut meta,
    };
    let revisions = match choice >> 3 & 3 {
        0 => Revisions::ALL,
        1 => Revisions::PER_REQUEST,
        2 => Revisions::NONE.with(Revision::V2025_03_26),
        _ => Revisions::HANDSHAKE,
    };
    let start = [Start::Probe, Start::Handshake, Start::PerRequest][usize::from(choice >> 5) % 3];
    let config = Config { revisions, start, probe_ms: 50, connect_ms: 100, ..Config::default() };
    let mut client = Client::new(&ME, CAN, storage, config).expect("memory");
    let mut desk = Desk::default();
    let mut now = Millis(0);
    settle(&mut client, &mut desk, now);
    for op in ops.chunks_exact(3) {
        if desk.ended {
            break;
        }
        let [what, a, b] = [op[0], op[1], op[2]];
        match what % 8 {
            0..=2 => {
                let line = desk.line(a, b);
                feed(&mut client, &mut desk, &line, usize::from(what >> 3), now);
            }
            3 => feed(&mut client, &mut desk, &[a, b], 2, now),
            4 => call(&mut client, &mut desk, a, b),
            5 => answer(&mut client, &mut desk, a, b),
            6 => {
                if let Some(ticket) = desk.open.iter().next().copied().filter(|_| a & 1 == 0) {
                    assert_eq!(client.cancel(ticket), Ok(()));
                    assert!(client.cancel(ticket).is_err() && !client.is_waiting(ticket));
                    desk.open.remove(&ticket);
                }
            }
            _ => now = now.after(u64::from(a)),
        }
        settle(&mut client, &mut desk, now);
    }
    client.recv_end();
    settle(&mut client, &mut desk, now);
    assert!(desk.ended && desk.open.is_empty(), "every call has ended: {} are open", desk.open.len());
});
