//! A client and its server in one: lines in, lines out, every step of the engine counted.

use midge::session::slots::Ticket;
use midge::sink::Flush;
use midge::{Buf, Catalog, Config, Event, Millis, Server, Slot, Storage};
use serde_json::Value;

/// `_meta` of a request of 2026-07-28, as a member.
pub const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// Sizes of a server's memory, in bytes and slots.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub rx: usize,
    pub tx: usize,
    pub slots: usize,
    pub subscriptions: usize,
    pub scratch: usize,
    pub park: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { rx: 4096, tx: 4096, slots: 4, subscriptions: 256, scratch: 64, park: 256 }
    }
}

/// The memory itself.
pub struct Memory {
    rx: Vec<u8>,
    tx: Vec<u8>,
    slots: Vec<Slot>,
    subscriptions: Vec<u8>,
    scratch: Vec<u8>,
    park: Vec<u8>,
}

impl From<Sizes> for Memory {
    fn from(sizes: Sizes) -> Self {
        Self {
            rx: vec![0; sizes.rx],
            tx: vec![0; sizes.tx],
            slots: vec![Slot::FREE; sizes.slots],
            subscriptions: vec![0; sizes.subscriptions],
            scratch: vec![0; sizes.scratch],
            park: vec![0; sizes.park],
        }
    }
}

impl Memory {
    pub fn storage(&mut self) -> Storage<'_> {
        Storage {
            rx: Buf::from(&mut self.rx[..]),
            tx: Buf::from(&mut self.tx[..]),
            slots: &mut self.slots,
            subscriptions: &mut self.subscriptions,
            scratch: &mut self.scratch,
            park: &mut self.park,
        }
    }
}

struct Out<'o>(&'o mut Vec<u8>);

impl Flush for Out<'_> {
    fn flush(&mut self, bytes: &[u8]) -> bool {
        self.0.extend_from_slice(bytes);
        true
    }
}

/// A server under test, and what it sent.
pub struct Peer<'b, C: 'static> {
    pub server: Server<'b>,
    pub catalog: &'static Catalog<C>,
    pub state: C,
    /// Everything that was sent.
    pub out: Vec<u8>,
    /// Tickets that the engine took back.
    pub stopped: Vec<Ticket>,
    pub now: u64,
    /// Full buffers are handed over while a handler runs.
    pub flush: bool,
    read: usize,
}

impl<'b, C> Peer<'b, C> {
    pub fn new(memory: &'b mut Memory, catalog: &'static Catalog<C>, state: C) -> Self {
        Self::with(memory.storage(), catalog, state)
    }

    pub fn with(storage: Storage<'b>, catalog: &'static Catalog<C>, state: C) -> Self {
        let server = Server::new(catalog, storage, Config::default()).expect("memory");
        let (out, stopped) = (Vec::new(), Vec::new());
        Self { server, catalog, state, out, stopped, now: 0, flush: false, read: 0 }
    }

    /// One step of the engine, and what it asks for; whether it was the last for now.
    fn step(&mut self) -> bool {
        let (rest, send) = self.poll_one();
        assert!(!send || self.take(usize::MAX) > 0, "Send means that there is something to send");
        rest
    }

    /// One step of the engine; whether it was the last for now, and whether something is to be sent.
    pub fn poll_one(&mut self) -> (bool, bool) {
        match self.server.poll(Millis(self.now)) {
            Event::Idle | Event::Ended => return (true, false),
            Event::Send => return (false, true),
            Event::Call(call) => {
                let mut out = Out(&mut self.out);
                let flush: Option<&mut dyn Flush> = if self.flush { Some(&mut out) } else { None };
                self.catalog.run(call, &mut self.state, flush);
            }
            Event::Cancelled(ticket) | Event::Expired(ticket) => self.stopped.push(ticket),
        }
        (false, false)
    }

    /// Takes `n` bytes of what is to be sent.
    pub fn take(&mut self, n: usize) -> usize {
        let (_, bytes) = self.server.send_buf();
        let n = n.min(bytes.len());
        self.out.extend_from_slice(&bytes[..n]);
        self.server.send_ack(n);
        n
    }

    /// Polls and sends until nothing is left to do.
    pub fn settle(&mut self) {
        // Each step sends bytes, or ends or starts a call, so this many are enough for any test; more is a stall.
        for _ in 0..100_000 {
            if self.step() && self.take(usize::MAX) == 0 {
                return;
            }
        }
        panic!("the engine does not come to rest");
    }

    /// Feeds `bytes` in pieces of at most `most`.
    pub fn feed(&mut self, mut bytes: &[u8], most: usize) {
        while !bytes.is_empty() {
            let room = self.server.recv_buf();
            assert!(!room.is_empty(), "there is room when the engine is idle");
            let n = room.len().min(most).min(bytes.len());
            room[..n].copy_from_slice(&bytes[..n]);
            self.server.recv_ack(n);
            bytes = &bytes[n..];
            self.settle();
        }
    }

    /// Sends a line and gives every message that comes for it.
    pub fn ask(&mut self, line: &str) -> Vec<Value> {
        self.feed(line.as_bytes(), usize::MAX);
        self.feed(b"\n", 1);
        self.news()
    }

    /// [`ask`](Self::ask), where exactly one message must come.
    pub fn one(&mut self, line: &str) -> Value {
        let mut all = self.ask(line);
        assert_eq!(all.len(), 1, "{line} is answered by one message: {all:?}");
        all.remove(0)
    }

    /// Calls a tool with id 9 and gives its `result`.
    pub fn call(&mut self, name: &str, arguments: &str) -> Value {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{{"name":"{name}","arguments":{arguments}}}}}"#
        );
        let answer = self.one(&line);
        assert_eq!(answer["id"], 9);
        assert!(answer.get("result").is_some(), "{name}: {answer}");
        answer["result"].clone()
    }

    /// The messages that came since the last look; each must be a line of its own.
    pub fn news(&mut self) -> Vec<Value> {
        self.settle();
        let text = std::str::from_utf8(&self.out[self.read..]).expect("what is sent is UTF-8");
        assert!(text.is_empty() || text.ends_with('\n'), "a message ends in a newline: {text}");
        self.read = self.out.len();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("not JSON ({e}): {line}")))
            .collect()
    }

    /// Shakes hands for `revision`.
    pub fn init(&mut self, revision: &str) -> Value {
        let answer = self.one(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{{}},"clientInfo":{{"name":"t","version":"0"}}}}}}"#
        ));
        assert!(self.ask(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).is_empty());
        answer["result"].clone()
    }
}
