//! The client engine: calls in, bytes out, and what a server says in between.

mod asked;
mod call;
mod cancel;
mod connect;
mod due;
mod event;
mod forms;
mod message;
mod notices;
mod questions;
mod response;
mod send;
mod slices;
mod step;
mod tasks;
mod write;

use crate::bytes::part;
use crate::error::{Error, Kind};
use crate::limits::{ASK_ROUNDS_MAX, CALL_MS, CONNECT_MS, PROBE_MS, TASK_POLL_MS};
use crate::proto::caps::Features;
use crate::proto::client::Can;
use crate::proto::info::Info;
use crate::proto::revision::{Revision, Revisions};
use crate::rpc::params::Span;
use crate::session::park::Park;
use crate::sink::{Buf, Fill};
use crate::time::Millis;
use crate::wire::line::Lines;

pub use call::{Call, Ticket};
pub use event::{Asks, Body, Ending, Event, Failure, Given, PeerError, Question, QuestionId, Refusal, Stray};
pub use send::{Filter, Options, Reference};

/// The memory of a client, all of it the caller's.
pub struct Storage<'b> {
    /// Received bytes: the longest message, in bytes. Results that are longer can be had [in slices](Options::slices).
    pub rx: Buf<'b>,
    /// Bytes to send: every request must fit, with all that goes with it when it is made again.
    pub tx: Buf<'b>,
    /// Calls in flight.
    pub calls: &'b mut [Call],
    /// What calls leave behind while the server asks: their params, its questions and the answers, with 16 bytes for each;
    /// the names of tasks.
    pub park: &'b mut [u8],
    /// What every request of 2026-07-28 says of this client: about 200 bytes and the name.
    pub meta: &'b mut [u8],
}

/// What a client does where the protocol leaves a choice.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// The revisions it speaks.
    pub revisions: Revisions,
    /// How it finds out which one the server speaks.
    pub start: Start,
    /// How long a server has to answer `server/discover` before it is taken for one of the handshake revisions, in
    /// milliseconds.
    pub probe_ms: u64,
    /// How long it has to answer `initialize`, in milliseconds.
    pub connect_ms: u64,
    /// How long it has for a call that sets no time of its own, in milliseconds.
    pub call_ms: u64,
    /// How often the server may ask before it answers one call.
    pub rounds: u8,
    /// How often a task is looked at whose server names no interval, in milliseconds. No interval below an eighth of it
    /// is followed.
    pub poll_ms: u64,
}

/// How a client finds out what the server speaks (2026-07-28 basic/versioning).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Asks by `server/discover`, and falls back to `initialize`.
    Probe,
    /// Begins with `initialize`: the server is known to speak a handshake revision only.
    Handshake,
    /// Asks by `server/discover`, and does not fall back.
    PerRequest,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            revisions: Revisions::ALL,
            start: Start::Probe,
            probe_ms: PROBE_MS,
            connect_ms: CONNECT_MS,
            call_ms: CALL_MS,
            rounds: ASK_ROUNDS_MAX,
            poll_ms: TASK_POLL_MS,
        }
    }
}

/// Where the connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    /// Nothing is out.
    New,
    /// `server/discover` is out.
    Probing,
    /// `initialize` is to be sent.
    Falling,
    /// `initialize` is out.
    Shaking,
    /// Requests may be made.
    Up,
    /// There will be none.
    Down,
}

/// A message in the receive buffer.
#[derive(Clone, Copy, Debug, Default)]
struct Msg {
    start: usize,
    end: usize,
}

impl Msg {
    fn of<'r>(&self, rx: &'r Buf<'_>) -> &'r [u8] {
        part(rx.bytes(), self.start, self.end)
    }
}

/// What is still to be done with the message that the last event showed.
#[derive(Clone, Copy, Debug)]
enum After {
    /// There is none.
    Nothing,
    /// It is done with.
    Consume,
    /// More of its questions are to be handed out: those of this call, from this byte on.
    Questions(u16, usize),
    /// The next page of this call is to be asked for, by the cursor that stands there.
    Page(u16, Span),
    /// A slice was handed out: the bytes up to there are done with; whether the line ends there.
    Slice(usize, bool),
}

/// A client over one byte stream.
///
/// # Memory
/// The struct holds no buffers; see `docs/sizes.md` for its size. It must stay where it is only as long as an
/// [`Event`] borrows it.
pub struct Client<'b> {
    info: &'b Info,
    can: Can,
    config: Config,
    rx: Buf<'b>,
    tx: Buf<'b>,
    calls: &'b mut [Call],
    park: Park<'b>,
    meta: &'b [u8],
    lines: Lines,
    fill: Fill,
    link: Link,
    revision: Option<Revision>,
    offers: Features,
    /// The id of the last request.
    last_id: u64,
    /// The request of ours that makes the connection, and when it is given up.
    connect_id: u64,
    connect_by: Option<Millis>,
    /// The server has refused the handshake that it was taken to want.
    contradicted: bool,
    /// The number of the last question.
    asked: u32,
    /// Questions of a handshake server that are not answered: while a user thinks no call is late.
    open: u16,
    /// Calls that the engine has something to do for.
    owed: u16,
    /// The first moment at which something may be late, or is to be looked at.
    wake: Option<Millis>,
    after: After,
    /// The message that was shown last.
    msg: Msg,
    /// What is left of the array of messages that the line holds (2025-03-26).
    batch: Option<Msg>,
    /// Where in the message the questions stand that are handed out.
    requests: Span,
    /// The number of the question that was handed out last.
    handed: u32,
    slices: Option<slices::Slicing>,
    now: Millis,
    /// Calls were started or moved on since the last poll: their time begins with the next.
    started: bool,
    /// What the engine owes to calls waits for room to send.
    stuck: bool,
}

impl<'b> Client<'b> {
    /// A client that introduces itself by `info` and can do what `can` says, in the caller's memory.
    ///
    /// # Errors
    /// `Declaration` when a buffer is empty; `at` says which: 0 receive, 1 transmit, 2 calls. `TxFull` when what every
    /// request says does not fit into [`Storage::meta`]; `at` is the size needed.
    pub fn new(info: &'b Info, can: Can, storage: Storage<'b>, config: Config) -> Result<Self, Error> {
        let Storage { rx, tx, calls, park, meta } = storage;
        for (which, empty) in [rx.cap() == 0, tx.cap() == 0, calls.is_empty()].into_iter().enumerate() {
            if empty {
                return Err(Error::new(Kind::Declaration, which));
            }
        }
        Ok(Self {
            info,
            can,
            config,
            rx,
            tx,
            calls: call::numbered(calls),
            park: Park::new(park),
            meta: write::meta(meta, info, can)?,
            lines: Lines::default(),
            fill: Fill::default(),
            link: Link::New,
            revision: None,
            offers: Features::NONE,
            last_id: 0,
            connect_id: 0,
            connect_by: None,
            contradicted: false,
            asked: 0,
            open: 0,
            owed: 0,
            wake: None,
            after: After::Nothing,
            msg: Msg::default(),
            batch: None,
            requests: Span::ABSENT,
            handed: 0,
            slices: None,
            now: Millis(0),
            started: false,
            stuck: false,
        })
    }

    /// Where received bytes go. Never empty after [`Event::Idle`]; before that it may be, for what the last event shows
    /// stands in it.
    pub fn recv_buf(&mut self) -> &mut [u8] {
        let pinned = !matches!(self.after, After::Nothing) || self.batch.is_some();
        self.lines.room(&mut self.rx, pinned)
    }

    /// Gives memory back that buffers which grow have taken, down to `keep` bytes each, where nothing is in them; to be
    /// called when the engine is idle.
    #[cfg(feature = "alloc")]
    pub fn shed(&mut self, keep: usize) {
        if matches!(self.after, After::Nothing) && self.batch.is_none() && self.lines.waiting() == 0 {
            self.rx.shed(keep);
        }
        if self.fill.len == 0 {
            self.tx.shed(keep);
        }
    }

    /// `n` bytes were put at the front of [`recv_buf`](Self::recv_buf).
    pub fn recv_ack(&mut self, n: usize) {
        self.lines.received(n, self.rx.len());
    }

    /// No more bytes will come. Every call ends; then [`Event::Ended`].
    pub fn recv_end(&mut self) {
        self.lines.end();
    }

    /// Bytes to send; empty when there are none.
    pub fn send_buf(&self) -> &[u8] {
        part(self.tx.bytes(), self.fill.sent, self.fill.ready())
    }

    /// The first `n` bytes of [`send_buf`](Self::send_buf) are sent.
    pub fn send_ack(&mut self, n: usize) {
        self.fill.advance(n);
        self.stuck &= n == 0;
    }

    /// Works on what was received, and on what is due, until there is something to tell.
    pub fn poll(&mut self, now: Millis) -> Event<'_> {
        let before = core::mem::replace(&mut self.now, now);
        if core::mem::take(&mut self.started) {
            self.start_clocks(now.0.saturating_sub(before.0));
        }
        let step = self.advance();
        self.event(step)
    }

    /// When to call [`poll`](Self::poll) at the latest, if nothing is received or sent before. A moment that is over means at
    /// once: so it is after a call was made, cancelled or answered, for the time of calls begins with the next poll.
    pub fn deadline(&self) -> Option<Millis> {
        match self.link {
            Link::Down => None,
            Link::New => Some(self.now),
            _ if self.started || (self.owed > 0 && !self.stuck) => Some(self.now),
            _ => [self.connect_by, self.wake].into_iter().flatten().min(),
        }
    }

    /// The revision that is spoken; `None` before [`Event::Connected`].
    pub fn revision(&self) -> Option<Revision> {
        self.revision.filter(|_| self.link == Link::Up)
    }

    /// What the server offers.
    pub fn offers(&self) -> Features {
        self.offers
    }

    /// The choices made at the start. How long calls may take can be changed at any time.
    pub fn config_mut(&mut self) -> &mut Config {
        &mut self.config
    }
}
