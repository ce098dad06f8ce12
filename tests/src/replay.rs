//! Replays a transcript through the engine: whole, byte by byte, in any cut, with any transmit buffer.

use crate::transcript::{Act, Head, Step, Transcript};
use midge::session::rows::Rows;
use midge::session::server::{Entropy, Parts};
use midge::sink::Flush;
use midge::{Buf, Config, Event, HmacSealer, Millis, Revisions, Server, Slot, Storage, Task, Ticket};
use midge_examples::everything::{CATALOG, Everything};
use midge_examples::stdio::Work;
use std::sync::atomic::{AtomicU8, Ordering};

/// How the input is cut.
#[derive(Clone, Copy, Debug)]
pub enum Cut {
    /// As much at once as there is room for.
    Whole,
    /// One line of the transcript at a time.
    Steps,
    /// One byte at a time.
    Bytes,
    /// Pieces of random size, by this seed; what is sent is taken in pieces of random size too.
    Random(u64),
}

/// What transcripts are sealed with: the same for all, so that a state can stand in one.
pub const KEY: &[u8; 32] = b"a key that everyone knows, 32 B.";

/// One way to replay a transcript.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// How the input is cut.
    pub cut: Cut,
    /// Transmit buffer, in bytes.
    pub tx: usize,
    /// Full buffers are handed over while a handler runs, as the blocking loop does.
    pub flush: bool,
}

/// What serves the calls of a transcript.
pub trait Host {
    /// The catalog.
    fn rows(&self) -> &'static dyn Rows;
    /// Runs a call.
    fn run<'e>(&mut self, call: Parts<'e>, flush: Option<&'e mut dyn Flush>);
    /// Goes on with deferred calls; gives the moment it wants to run again.
    fn work(&mut self, server: &mut Server<'_>, now: Millis, flush: Option<&mut dyn Flush>)
    -> Option<Millis>;
    /// A deferred call is over.
    fn stopped(&mut self, ticket: Ticket);
    /// Stands around everything that the engine does by itself.
    fn engine<T>(&mut self, run: impl FnOnce() -> T) -> T {
        run()
    }
}

/// The fixture server of the conformance suite.
#[derive(Default)]
pub struct Fixture(Everything);

impl Host for Fixture {
    fn rows(&self) -> &'static dyn Rows {
        &CATALOG
    }

    fn run<'e>(&mut self, call: Parts<'e>, flush: Option<&'e mut dyn Flush>) {
        CATALOG.run(call, &mut self.0, flush);
    }

    fn work(
        &mut self,
        server: &mut Server<'_>,
        now: Millis,
        flush: Option<&mut dyn Flush>,
    ) -> Option<Millis> {
        self.0.go_on(server, now, flush)
    }

    fn stopped(&mut self, ticket: Ticket) {
        Work::stopped(&mut self.0, ticket);
    }
}

/// A server's memory, as a transcript's head asks for it.
pub struct Memory {
    rx: Vec<u8>,
    tx: Vec<u8>,
    slots: Vec<Slot>,
    subscriptions: Vec<u8>,
    scratch: Vec<u8>,
    park: Vec<u8>,
}

impl Memory {
    /// Memory for the transcript with this head, and a transmit buffer of `tx` bytes.
    pub fn new(head: &Head, tx: usize) -> Self {
        Self {
            rx: vec![0; head.rx],
            tx: vec![0; tx],
            slots: vec![Slot::FREE; head.slots],
            subscriptions: vec![0; head.subscriptions],
            scratch: vec![0; 256],
            park: vec![0; head.park],
        }
    }

    /// The memory, for [`Server::new`].
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

/// The choices that a transcript's head makes.
pub fn config(head: &Head) -> Config {
    Config {
        page_bytes: head.page_bytes,
        revisions: match head.revisions.as_deref() {
            None | Some("all") => Revisions::ALL,
            Some("handshake") => Revisions::HANDSHAKE,
            Some("per_request") => Revisions::PER_REQUEST,
            Some(other) => panic!("revisions: {other}"),
        },
        // 2026-07-28, noon.
        epoch_ms: 1_785_240_000_000,
        ..Config::default()
    }
}

/// What a server has besides its memory, as a transcript's head asks for it.
pub struct Gear {
    sealer: Option<HmacSealer>,
    tasks: Vec<Task>,
    ids: Box<Entropy<'static>>,
}

impl Gear {
    /// The gear for the transcript with this head; the ids of its tasks are 01…, 02… and so on.
    pub fn new(head: &Head) -> Self {
        let count = AtomicU8::new(0);
        Self {
            sealer: head.seal.then(|| HmacSealer::new(KEY).expect("the key is long enough")),
            tasks: vec![Task::FREE; head.tasks],
            ids: Box::new(move |id| id.fill(count.fetch_add(1, Ordering::Relaxed) + 1)),
        }
    }

    /// Gives it to `server`.
    pub fn fit<'g>(&'g mut self, server: &mut Server<'g>) {
        if let Some(sealer) = &self.sealer {
            server.seal_with(sealer);
        }
        if !self.tasks.is_empty() {
            server.offer_tasks(&mut self.tasks, &*self.ids);
        }
    }
}

struct Out(Vec<u8>);

impl Flush for Out {
    fn flush(&mut self, bytes: &[u8]) -> bool {
        self.0.extend_from_slice(bytes);
        true
    }
}

/// A small generator, the same on every machine (xorshift64*).
pub struct Random(u64);

impl Random {
    /// One that begins with `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number from 1 to `most`.
    pub fn upto(&mut self, most: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % most.max(1) + 1
    }
}

/// An engine in the middle of a transcript.
pub struct Run<'r, 'b, H> {
    server: Server<'b>,
    host: &'r mut H,
    way: Way,
    random: Random,
    out: Out,
    now: Millis,
    ended: bool,
}

impl<H: Host> Run<'_, '_, H> {
    fn feed(&mut self, mut input: &[u8]) {
        while !input.is_empty() {
            let most = match self.way.cut {
                Cut::Whole | Cut::Steps => input.len(),
                Cut::Bytes => 1,
                Cut::Random(_) => self.random.upto(61),
            };
            let server = &mut self.server;
            let n = self.host.engine(|| {
                let room = server.recv_buf();
                assert!(!room.is_empty(), "there is always room");
                let n = most.min(input.len()).min(room.len());
                room[..n].copy_from_slice(&input[..n]);
                server.recv_ack(n);
                n
            });
            input = &input[n..];
            self.settle();
        }
    }

    /// Polls until nothing is left to do with what was received.
    fn settle(&mut self) {
        loop {
            let Self { server, host, now, .. } = self;
            match host.engine(|| server.poll(*now)) {
                Event::Idle => break,
                Event::Send => self.take(),
                Event::Call(call) => {
                    let flush: Option<&mut dyn Flush> =
                        if self.way.flush { Some(&mut self.out) } else { None };
                    host.run(call, flush);
                }
                Event::Cancelled(ticket) | Event::Expired(ticket) => self.host.stopped(ticket),
                Event::Ended => {
                    self.ended = true;
                    break;
                }
            }
        }
        while !self.server.send_buf().1.is_empty() {
            self.take();
        }
    }

    /// Takes what is to be sent, or some of it.
    fn take(&mut self) {
        let (_, bytes) = self.server.send_buf();
        let n = match self.way.cut {
            Cut::Random(_) => self.random.upto(bytes.len()),
            _ => bytes.len(),
        };
        self.out.0.extend_from_slice(&bytes[..n]);
        assert!(self.out.0.len() < 1 << 22, "the engine sends without end");
        let server = &mut self.server;
        self.host.engine(|| server.send_ack(n));
    }

    fn at(&mut self, now: Millis) {
        self.now = now;
        self.settle();
        loop {
            let flush: Option<&mut dyn Flush> = if self.way.flush { Some(&mut self.out) } else { None };
            let wanted = self.host.work(&mut self.server, now, flush);
            self.settle();
            if wanted.is_none_or(|wanted| wanted > now) {
                return;
            }
        }
    }

    fn act(&mut self, act: Act) {
        perform(act, &mut self.server);
        self.settle();
    }

    fn end(&mut self) {
        self.server.recv_end();
        self.settle();
        assert!(self.ended, "the engine ends when its stream has ended");
    }
}

/// Does what the application does on its own.
pub fn perform(act: Act, server: &mut Server<'_>) {
    match act {
        Act::CloseSubscriptions => server.close_subscriptions(),
        Act::ToolsChanged => server.tools_changed(),
        Act::PromptsChanged => server.prompts_changed(),
        Act::ResourcesChanged => server.resources_changed(),
        Act::WatchedUpdated => {
            server.resource_updated("test://watched-resource");
        }
    }
}

/// Replays `transcript` with `host` and gives what the server sent after each step; the number of steps stands for the
/// end of the stream. With [`Cut::Steps`] each step stands for itself, else all bytes up to a change of the clock are one.
pub fn replay<H: Host>(transcript: &Transcript, way: Way, host: &mut H) -> Vec<(usize, Vec<u8>)> {
    let mut memory = Memory::new(&transcript.head, way.tx);
    let mut config = config(&transcript.head);
    if way.flush {
        config.reply_max = 0;
    }
    let seed = if let Cut::Random(seed) = way.cut { seed } else { 0 };
    let mut gear = Gear::new(&transcript.head);
    let mut server = Server::new(host.rows(), memory.storage(), config).expect("memory");
    gear.fit(&mut server);
    let mut run = Run {
        server,
        host,
        way,
        random: Random::new(seed),
        // Room for all that a transcript may say, so that nothing is allocated while it is replayed.
        out: Out(Vec::with_capacity(1 << 18)),
        now: Millis(0),
        ended: false,
    };
    let mut sent = Vec::new();
    let mut input = Vec::new();
    for (at, (step, _)) in transcript.steps.iter().enumerate() {
        match step {
            Step::Expect(_) => continue,
            Step::Send(bytes) if matches!(way.cut, Cut::Steps) => run.feed(bytes),
            Step::Send(bytes) => {
                input.extend_from_slice(bytes);
                continue;
            }
            Step::At(ms) => {
                run.feed(&std::mem::take(&mut input));
                run.at(Millis(*ms));
            }
            Step::Do(act) => {
                run.feed(&std::mem::take(&mut input));
                run.act(*act);
            }
        }
        sent.push((at, std::mem::replace(&mut run.out.0, Vec::with_capacity(1 << 18))));
    }
    run.feed(&input);
    run.end();
    sent.push((transcript.steps.len(), run.out.0));
    sent
}

/// [`replay`], with the fixture server: all bytes in one.
pub fn bytes_out(transcript: &Transcript, way: Way) -> Vec<u8> {
    replay(transcript, way, &mut Fixture::default()).into_iter().flat_map(|(_, bytes)| bytes).collect()
}
