//! The whole server: any bytes in any cut, with answers to what it asks. It never stalls or panics, every line it writes is
//! one JSON message, no id is answered more often than it was sent, and a good request afterwards is answered.

#![no_main]

#[path = "../shared/mod.rs"]
mod shared;

use libfuzzer_sys::fuzz_target;
use midge::{Config, Event, Millis, Server, Task};
use midge_examples::everything::{CATALOG, Everything};
use midge_examples::stdio::Work;
use shared::{Client, Toy, entropy};

/// Whole lines, each for two bytes of the input (255 and its number): what any bytes would find only after days. `STATE`
/// stands for what was last received as `requestState`, `TASK` for the last task id.
const LINES: [&str; 16] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}}}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{"sampling":{},"roots":{}}}}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"test_elicitation","arguments":{"message":"?"}}}"#,
    r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"test_sampling","arguments":{"prompt":"?"}}}"#,
    r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"test_input_required_result_multiple_inputs"}}"#,
    r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"test_input_required_result_multi_round"}}"#,
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{META,"name":"test_input_required_result_multi_round"}}"#,
    r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{META,"name":"test_input_required_result_multi_round","requestState":"STATE","inputResponses":{"step1":{"action":"accept","content":{"name":"n"}}}}}"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"inputResponses":{"step2":{"action":"accept","content":{"color":"c"}}},"requestState":"STATE","name":"test_input_required_result_multi_round",META}}"#,
    r#"{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{META,"name":"test_input_required_result_multiple_inputs","inputResponses":{"client_roots":{"roots":[]},"user_name":3}}}"#,
    r#"{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"test_slow","arguments":{"ms":5},"_meta":{"progressToken":1}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}}"#,
    r#"{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"test_slow","arguments":{"ms":5},"task":{"ttl":1000}}}"#,
    r#"{"jsonrpc":"2.0","id":13,"method":"tasks/result","params":{"taskId":"TASK"}}"#,
    r#"{"jsonrpc":"2.0","id":14,"method":"tasks/cancel","params":{META,"taskId":"TASK"}}"#,
];

fuzz_target!(|input: (u8, u8, u8, &[u8], &[u8])| {
    let (cut, tx, park, answers, bytes) = input;
    let (mut rx, mut tx) = (vec![0; 512], vec![0; 64 + usize::from(tx) * 8]);
    let mut slots = vec![midge::Slot::FREE; 3];
    let (mut subscriptions, mut scratch, mut park) = ([0; 96], [0; 32], vec![0; usize::from(park) * 4]);
    let mut tasks = [Task::FREE; 2];
    let storage = midge::Storage {
        rx: (&mut rx[..]).into(),
        tx: (&mut tx[..]).into(),
        slots: &mut slots,
        subscriptions: &mut subscriptions,
        scratch: &mut scratch,
        park: &mut park,
    };
    let config = Config { ask_ms: 5_000, ..Config::default() };
    let mut server = Server::new(&CATALOG, storage, config).expect("memory is there");
    let (sealer, entropy) = (Toy, entropy());
    server.seal_with(&sealer);
    server.offer_tasks(&mut tasks, &entropy);
    let mut session = Session {
        state: Everything::default(),
        client: Client::new(answers),
        now: 0,
        cut: usize::from(cut) + 1,
    };
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|b| *b == 255) {
        session.feed(&mut server, &rest[..at]);
        let line = LINES[usize::from(*rest.get(at + 1).unwrap_or(&0)) % LINES.len()];
        let line = session.client.line(line);
        session.feed(&mut server, line.as_bytes());
        session.now += 1;
        rest = &rest[(at + 2).min(rest.len())..];
    }
    session.feed(&mut server, rest);
    session.feed(&mut server, b"\n");
    session.now += 1_000_000;
    session.feed(&mut server, b"\n");
    session.feed(&mut server, b"{\"jsonrpc\":\"2.0\",\"id\":\"last one\",\"method\":\"no/such\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}\n");
    session.client.check();
    let last = session.client.last();
    assert!(
        last.starts_with("{\"jsonrpc\":\"2.0\",\"id\":\"last one\",\"error\":"),
        "the stream goes on: {last}"
    );
});

struct Session<'a> {
    state: Everything,
    client: Client<'a>,
    now: u64,
    cut: usize,
}

impl Session<'_> {
    fn feed(&mut self, server: &mut Server<'_>, bytes: &[u8]) {
        for chunk in bytes.chunks(self.cut) {
            self.feed_at_once(server, chunk);
        }
        // Between two lines only: an answer in the middle of one would be a part of it.
        if self.client.is_between_lines() {
            for _ in 0..4 {
                let answers = self.client.answers();
                if answers.is_empty() {
                    return;
                }
                self.feed_at_once(server, answers.as_bytes());
            }
        }
    }

    fn feed_at_once(&mut self, server: &mut Server<'_>, mut bytes: &[u8]) {
        self.client.said(bytes);
        loop {
            self.run(server);
            if bytes.is_empty() {
                return;
            }
            let room = server.recv_buf();
            assert!(!room.is_empty(), "there is always room");
            let n = midge::bytes::copy(room, bytes);
            server.recv_ack(n);
            bytes = &bytes[n..];
        }
    }

    fn run(&mut self, server: &mut Server<'_>) {
        // Each step consumes input, sends bytes or ends a call, so this many are enough; more is a stall.
        for _ in 0..20_000 {
            match server.poll(Millis(self.now)) {
                Event::Call(call) => CATALOG.run(call, &mut self.state, None),
                Event::Cancelled(ticket) | Event::Expired(ticket) => self.state.stopped(ticket),
                Event::Send => self.send(server),
                Event::Idle | Event::Ended => {
                    self.state.idle(server, Millis(self.now));
                    if server.send_buf().1.is_empty() {
                        return;
                    }
                    self.send(server);
                }
            }
        }
        panic!("the engine does not come to rest");
    }

    fn send(&mut self, server: &mut Server<'_>) {
        let n = server.send_buf().1.len();
        assert!(n > 0, "Send means that there is something to send");
        self.client.heard(server.send_buf().1);
        server.send_ack(n);
    }
}
