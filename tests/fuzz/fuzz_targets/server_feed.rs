//! The whole server: any bytes in any cut. It never stalls or panics, every line it writes is one JSON message, no id is
//! answered that was not asked, and a good request afterwards is answered.

#![no_main]

use libfuzzer_sys::fuzz_target;
use midge::{Config, Event, Millis, Server};
use midge_examples::everything::{CATALOG, Everything};
use midge_examples::stdio::Work;

fuzz_target!(|input: (u8, u8, &[u8])| {
    let (cut, tx, bytes) = input;
    let (mut rx, mut tx) = (vec![0; 512], vec![0; 64 + usize::from(tx) * 8]);
    let mut slots = vec![midge::Slot::FREE; 3];
    let (mut subscriptions, mut scratch, mut park) = ([0; 96], [0; 32], [0; 192]);
    let storage = midge::Storage {
        rx: (&mut rx[..]).into(),
        tx: (&mut tx[..]).into(),
        slots: &mut slots,
        subscriptions: &mut subscriptions,
        scratch: &mut scratch,
        park: &mut park,
    };
    let mut server = Server::new(&CATALOG, storage, Config::default()).expect("memory is there");
    let mut session = Session { state: Everything::default(), out: Vec::new(), now: 0 };
    for chunk in bytes.chunks(usize::from(cut) + 1) {
        session.feed(&mut server, chunk);
    }
    session.feed(&mut server, b"\n");
    session.now += 1_000_000;
    session.feed(&mut server, b"\n");
    session.feed(&mut server, b"{\"jsonrpc\":\"2.0\",\"id\":\"last one\",\"method\":\"no/such\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}\n");
    let out = String::from_utf8(session.out).expect("what is written is UTF-8");
    assert!(out.is_empty() || out.ends_with('\n'), "messages end in a newline: {}", &out[out.len().saturating_sub(900)..]);
    for line in out.lines() {
        let value: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("each line is JSON: {e}: {line}"));
        assert!(value.is_object() || value.is_array(), "each line is a message");
    }
    let last = out.lines().last().unwrap_or("");
    assert!(last.starts_with("{\"jsonrpc\":\"2.0\",\"id\":\"last one\",\"error\":"), "the stream goes on: {last}");
});

struct Session {
    state: Everything,
    out: Vec<u8>,
    now: u64,
}

impl Session {
    fn feed(&mut self, server: &mut Server<'_>, mut bytes: &[u8]) {
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
        self.out.extend_from_slice(server.send_buf().1);
        server.send_ack(n);
    }
}
