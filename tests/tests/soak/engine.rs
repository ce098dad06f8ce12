//! An engine whose every step is watched: it may neither allocate nor go on without end.

use super::catalog::{Desk, SOAK, number};
use allocation_counter::measure;
use midge::{Config, Event, HmacSealer, Io, Kind, Millis, Outcome, Server, Storage, Ticket};
use std::collections::{HashMap, VecDeque};

/// Runs a step of the engine's.
fn free<T>(step: impl FnOnce() -> T) -> T {
    let mut out = None;
    let info = measure(|| out = Some(step()));
    assert_eq!((info.count_total, info.count_current), (0, 0), "the engine called the allocator");
    out.expect("it ran")
}

/// What one run of a handler sent: bytes `from..to` of the output.
pub struct Run {
    pub from: u64,
    pub to: u64,
    pub call: u64,
}

/// How a deferred call is gone on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Finish,
    Fail,
    Refuse,
    Talk,
    PutOff,
}

/// What polling came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// All is done and sent.
    Idle,
    /// Bytes wait to be sent.
    Send,
    Ended,
}

pub struct Engine<'b> {
    server: Server<'b>,
    pub desk: Desk,
    pub now: u64,
    /// What was sent and not looked at.
    pub out: Vec<u8>,
    /// Bytes sent in all.
    pub sent: u64,
    pub runs: VecDeque<Run>,
    /// When the handler of a call ran last.
    pub ran: HashMap<u64, u64>,
    /// Calls that the client gave up, as the engine says.
    pub cancelled: u64,
    /// Deferred calls whose deadline has passed, as the engine says.
    pub expired: u64,
}

impl<'b> Engine<'b> {
    pub fn new(storage: Storage<'b>, config: Config, sealer: &'b HmacSealer) -> Self {
        let mut server = Server::new(&SOAK, storage, config).expect("memory");
        server.seal_with(sealer);
        let out = Vec::with_capacity(1 << 16);
        Self {
            server,
            desk: Desk::new(),
            now: 0,
            out,
            sent: 0,
            runs: VecDeque::new(),
            ran: HashMap::new(),
            cancelled: 0,
            expired: 0,
        }
    }

    pub fn server(&self) -> &Server<'b> {
        &self.server
    }

    /// Hands over the front of `bytes`; how many.
    pub fn feed(&mut self, bytes: &[u8]) -> usize {
        let server = &mut self.server;
        free(|| {
            let room = server.recv_buf();
            let n = room.len().min(bytes.len());
            room[..n].copy_from_slice(&bytes[..n]);
            server.recv_ack(n);
            n
        })
    }

    pub fn end(&mut self) {
        self.server.recv_end();
    }

    /// The place in the output behind all that is made.
    fn made(&self) -> u64 {
        self.sent + self.server.send_buf().1.len() as u64
    }

    /// Polls until something must be sent, or received.
    pub fn poll(&mut self) -> Rest {
        for _ in 0..10_000 {
            let (from, now) = (self.made(), self.now);
            let server = &mut self.server;
            let ticket = match free(|| server.poll(Millis(now))) {
                Event::Idle => return Rest::Idle,
                Event::Send => return Rest::Send,
                Event::Ended => return Rest::Ended,
                Event::Call(call) => {
                    let (id, desk) = (number(call.reply.id()), &mut self.desk);
                    free(|| SOAK.run(call, desk, None));
                    let to = self.made();
                    self.runs.push_back(Run { from, to, call: id });
                    self.ran.insert(id, now);
                    continue;
                }
                Event::Cancelled(ticket) => {
                    self.cancelled += 1;
                    ticket
                }
                Event::Expired(ticket) => {
                    self.expired += 1;
                    ticket
                }
            };
            assert!(!self.server.is_waiting(ticket), "the ticket of a call that is over is stale");
        }
        panic!("the engine does not come to rest");
    }

    /// Sends up to `most` of the bytes that are there; how many.
    pub fn take(&mut self, most: usize) -> usize {
        let (_, bytes) = self.server.send_buf();
        let n = most.min(bytes.len());
        self.out.extend_from_slice(&bytes[..n]);
        self.sent += n as u64;
        let server = &mut self.server;
        free(|| server.send_ack(n));
        n
    }

    /// Goes on with a deferred call.
    pub fn resume(&mut self, ticket: Ticket, how: How) -> Result<(), Kind> {
        let server = &mut self.server;
        free(|| {
            let mut io = Io::resume(server, ticket).map_err(|e| e.kind)?;
            match how {
                How::Finish => {
                    io.text("held");
                    io.finish(Outcome::Done);
                }
                How::Fail => io.finish(Outcome::Fail("gave up")),
                How::Refuse => io.protocol_error(-32001, |w| w.text("refused")),
                How::Talk => {
                    // Not wanted, or without room: nothing of it may change the answer.
                    let _ = io.progress(1, None, "still there");
                    let _ = io.log(midge::Level::Error, "still there");
                }
                How::PutOff => {
                    io.text("not yet");
                    assert_eq!(io.defer(), ticket, "one call, one ticket");
                }
            }
            Ok(())
        })
    }

    /// Whose run made the message that begins at `place` of the output.
    pub fn run_at(&mut self, place: u64) -> Option<u64> {
        while self.runs.front().is_some_and(|run| run.to <= place) {
            self.runs.pop_front();
        }
        self.runs.front().filter(|run| run.from <= place).map(|run| run.call)
    }
}
