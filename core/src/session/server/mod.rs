//! The server engine: bytes in, bytes out, and calls for the application in between.

mod answer;
mod asked;
mod batch;
mod calls;
mod changes;
mod failed;
mod given;
mod handshake;
mod input;
mod lists;
mod message;
mod notices;
mod perrequest;
mod prepare;
mod settle;
mod task_result;
mod tasks;

use crate::bytes::part;
use crate::error::{Error, Kind};
use crate::limits::{ASK_MS, JUNK_ANSWERS_MAX, TASK_POLL_MS, TASK_TTL_MS};
use crate::proto::caps::Features;
use crate::proto::client::Can;
use crate::proto::level::Level;
use crate::proto::revision::{Revision, Revisions};
use crate::rpc::emit::Framing;
use crate::session::park::Park;
use crate::session::reply::Reply;
use crate::session::rows::Rows;
use crate::session::seal::Sealer;
use crate::session::slots::{Failed, Slot, Ticket};
use crate::session::subs::Subs;
use crate::session::tasks::{ID_BYTES, Status, Task};
use crate::sink::{Buf, Fill, Sink};
use crate::time::Millis;
use crate::wire::line::Lines;

pub use calls::Parts;

/// The memory of an engine, all of it the caller's.
pub struct Storage<'b> {
    /// Received bytes: the longest message, in bytes.
    pub rx: Buf<'b>,
    /// Bytes to send. A reply to a call must fit, unless it is made piece by piece or the loop hands over full buffers; so must
    /// a question (all of a round in 2026-07-28). Everything else may be larger.
    pub tx: Buf<'b>,
    /// Calls in flight: deferred, waiting for their client, working on a task, waiting for one (`tasks/result`); one that
    /// is being handled takes a slot too.
    pub slots: &'b mut [Slot],
    /// Subscriptions: about 10 bytes and the URI for each.
    pub subscriptions: &'b mut [u8],
    /// Template variables with percent escapes are decoded here: as long as the longest URI of a template.
    pub scratch: &'b mut [u8],
    /// What calls leave behind while their client is asked (handshake revisions, and tasks): the arguments, the questions'
    /// keys, and the answers as they come, with 16 bytes for each; and the results of tasks until they are forgotten.
    /// `docs/asking.md` has the rule. Empty: nothing can be asked there, and no task has a result.
    pub park: &'b mut [u8],
}

/// What a server does where the protocol leaves a choice.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// The revisions it speaks.
    pub revisions: Revisions,
    /// A page of a list ends before it exceeds this many bytes, unless one item alone does.
    pub page_bytes: usize,
    /// A call is handed out when this many bytes of the transmit buffer are free; more than there are means: when it is
    /// empty. A loop that hands over full buffers needs none.
    pub reply_max: usize,
    /// Log messages below this are not sent before the client chooses (handshake revisions).
    pub log_level: Level,
    /// Error answers in a row to lines that are no message.
    pub junk_answers: u8,
    /// How long a client has to answer what a handler asks, in milliseconds: after it the handler is told; and how long a
    /// `requestState` is good.
    pub ask_ms: u64,
    /// How long a task is kept at most, from its start, in milliseconds.
    pub task_ttl_ms: u64,
    /// How often clients should look at a task, in milliseconds.
    pub task_poll_ms: u64,
    /// Unix time at the zero of the clock that [`Server::poll`] is given, in milliseconds: tasks say when they began.
    pub epoch_ms: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            revisions: Revisions::ALL,
            page_bytes: usize::MAX,
            reply_max: usize::MAX,
            log_level: Level::Info,
            junk_answers: JUNK_ANSWERS_MAX,
            ask_ms: ASK_MS,
            task_ttl_ms: TASK_TTL_MS,
            task_poll_ms: TASK_POLL_MS,
            epoch_ms: 0,
        }
    }
}

/// Fills an id with bytes that nobody can guess.
pub type Entropy<'e> = dyn Fn(&mut [u8; ID_BYTES]) + Sync + 'e;

/// What went by without an answer, so that nothing is lost silently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Lines that were no message.
    pub junk_lines: u32,
    /// Messages longer than the receive buffer.
    pub too_long: u32,
    /// Responses that nobody waited for.
    pub responses: u32,
    /// Notifications that are unknown or make no sense.
    pub notifications: u32,
}

/// What the engine wants next.
#[allow(
    clippy::large_enum_variant,
    reason = "there is one at a time, on the stack, and no memory to box it in"
)]
pub enum Event<'e> {
    /// Nothing: receive more, or wait for [`Server::deadline`].
    Idle,
    /// Send what is in [`Server::send_buf`], then ask again.
    Send,
    /// A call for the application.
    Call(Parts<'e>),
    /// This call is given up: by the client (also `tasks/cancel`), or because the stream has ended. It was deferred, or
    /// waited for its client. Its ticket is stale; stop the work.
    Cancelled(Ticket),
    /// This deferred call's deadline passed and it was answered with an error; or it worked on a task whose time is over.
    /// Its ticket is stale; stop the work.
    Expired(Ticket),
    /// The stream has ended, and all that was owed is sent.
    Ended,
}

/// Whose bytes these are, for transports with a stream per request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// One stream carries everything.
    Stream,
}

/// What a reply is made again from when the transmit buffer was too small for it.
#[derive(Clone, Copy, Debug, Default)]
struct Replay {
    /// Bytes of it that are out or in the buffer.
    skip: usize,
    /// The list item to go on with, and the byte of the reply it starts at; 0 for the start.
    item: usize,
    at: usize,
    /// Whose message it is, if it answers no line: nothing else may be written before its end.
    notice: Option<Notice>,
}

/// A message that the server writes on its own.
#[derive(Clone, Copy, Debug)]
enum Notice {
    /// The engine's answer to the deferred call in that slot.
    Failed(u16, Failed),
    /// A changed list (one of [`wants`]), for a handshake client.
    Change(u8),
    /// One thing that is due on the subscription record at that place.
    Record(usize, u8),
    /// A question of ours that nobody waits for any more.
    Withdrawn(u32),
    /// A `tasks/result` whose task is over.
    Awaited(u16),
    /// The status of a task.
    Task(u16),
}

struct Session {
    revision: Option<Revision>,
    level: Level,
    can: Can,
}

struct Batch {
    /// Next byte of the array to look at, from the start of its line.
    next: usize,
    count: u16,
}

/// A server over one byte stream.
///
/// # Memory
/// The struct holds no buffers; see `docs/sizes.md` for its size. It must stay where it is only as long as an
/// [`Event`] borrows it.
pub struct Server<'b> {
    rows: &'b dyn Rows,
    /// What `rows` offers: asked once, for every request depends on it.
    features: Features,
    config: Config,
    rx: Buf<'b>,
    tx: Buf<'b>,
    slots: &'b mut [Slot],
    subs: Subs<'b>,
    scratch: &'b mut [u8],
    park: Park<'b>,
    /// The number of our last request.
    asked: u32,
    sealer: Option<&'b dyn Sealer>,
    principal: &'b [u8],
    tasks: &'b mut [Task],
    /// Entries of the table in use: none is the usual case, and then it is not searched.
    tasks_kept: u16,
    entropy: Option<&'b Entropy<'b>>,
    /// Bytes of the answer to the call that is handed out, if they were counted.
    counted: usize,
    /// How far the record is filled that a task's result becomes.
    task_fill: Fill,
    lines: Lines,
    fill: Fill,
    framing: Framing,
    replay: Replay,
    session: Session,
    batch: Option<Batch>,
    /// The call that was handed out.
    current: Option<calls::Prepared>,
    /// Slots that hold a call whose handler has come back without its answer.
    waiting: u16,
    /// Strings of the current message were unescaped in place.
    softened: bool,
    /// Lists that changed, for handshake clients.
    changed: u8,
    junk: u8,
    stats: Stats,
    now: Millis,
}

/// What one step of the engine came to.
enum Step {
    Next,
    Idle,
    Send,
    Ended,
    Call,
    Cancelled(Ticket),
    Expired(Ticket),
}

impl<'b> Server<'b> {
    /// A server of `rows` in the caller's memory.
    ///
    /// # Errors
    /// `Declaration` when a buffer is empty: the engine could not make a step. `at` says which: 0 receive, 1 transmit,
    /// 2 slots.
    pub fn new(rows: &'b dyn Rows, storage: Storage<'b>, config: Config) -> Result<Self, Error> {
        let Storage { rx, tx, slots, subscriptions, scratch, park } = storage;
        for (which, empty) in [rx.cap() == 0, tx.cap() == 0, slots.is_empty()].into_iter().enumerate() {
            if empty {
                return Err(Error::new(Kind::Declaration, which));
            }
        }
        for (number, slot) in slots.iter_mut().enumerate() {
            *slot = Slot { number: number as u16, ..Slot::FREE };
        }
        Ok(Self {
            rows,
            features: rows.features().without_tasks(),
            config,
            rx,
            tx,
            slots,
            subs: Subs::new(subscriptions),
            scratch,
            park: Park::new(park),
            asked: 0,
            sealer: None,
            principal: b"",
            tasks: &mut [],
            tasks_kept: 0,
            entropy: None,
            counted: 0,
            task_fill: Fill::default(),
            lines: Lines::default(),
            fill: Fill::default(),
            framing: Framing::default(),
            replay: Replay::default(),
            session: Session { revision: None, level: config.log_level, can: Can::NOTHING },
            batch: None,
            current: None,
            waiting: 0,
            softened: false,
            changed: 0,
            junk: 0,
            stats: Stats::default(),
            now: Millis(0),
        })
    }

    /// Where received bytes go. Never empty after [`Event::Idle`]; before that it is while the buffer is full of messages
    /// that were not looked at, or a call is not done with.
    pub fn recv_buf(&mut self) -> &mut [u8] {
        // The arguments of a call that was handed out are read again where they stand, until its end.
        let pinned = self.current.is_some_and(|call| !call.parked);
        self.lines.room(&mut self.rx, pinned)
    }

    /// `n` bytes were put at the front of [`recv_buf`](Self::recv_buf).
    pub fn recv_ack(&mut self, n: usize) {
        self.lines.received(n, self.rx.len());
    }

    /// No more bytes will come. What is owed is still answered; then [`Event::Ended`].
    pub fn recv_end(&mut self) {
        self.lines.end();
    }

    /// Bytes to send; empty when there are none.
    pub fn send_buf(&self) -> (Lane, &[u8]) {
        (Lane::Stream, part(self.tx.bytes(), self.fill.sent, self.fill.ready()))
    }

    /// The first `n` bytes of [`send_buf`](Self::send_buf) are sent.
    pub fn send_ack(&mut self, n: usize) {
        self.fill.advance(n);
    }

    /// Works on what was received until the application is needed.
    pub fn poll(&mut self, now: Millis) -> Event<'_> {
        self.now = now;
        self.tidy();
        match self.advance() {
            Step::Idle | Step::Next => Event::Idle,
            Step::Send => Event::Send,
            Step::Ended => Event::Ended,
            Step::Cancelled(ticket) => Event::Cancelled(ticket),
            Step::Expired(ticket) => Event::Expired(ticket),
            Step::Call => match self.parts() {
                Some(parts) => Event::Call(parts),
                None => Event::Idle,
            },
        }
    }

    /// When to call [`poll`](Self::poll) at the latest, if nothing is received before.
    pub fn deadline(&self) -> Option<Millis> {
        if self.is_quiet() {
            return None;
        }
        // What the application has done since the last poll may be owed to the client: now.
        if self.next_notice().is_some() {
            return Some(self.now);
        }
        let slots = self.slots.iter().filter(|s| s.state.waits()).filter_map(|s| s.deadline);
        let tasks = self.tasks.iter().filter(|t| t.status != Status::Free).map(Task::end);
        slots.chain(tasks).min()
    }

    /// The answer to a deferred call.
    ///
    /// # Errors
    /// `Stale` when the call is over; `Busy` while another message is half written, or while what waits to be sent leaves
    /// less than [`Config::reply_max`]: send, [`poll`](Self::poll), try again.
    pub fn resume(&mut self, ticket: Ticket) -> Result<Reply<'_>, Error> {
        self.tidy();
        let stale = Error::new(Kind::Stale, 0);
        if !self.is_waiting(ticket) {
            return Err(stale);
        }
        self.quiet()?;
        self.reply(ticket.slot, None).map(|parts| parts.reply).ok_or(stale)
    }

    /// Seals every `requestState` with `sealer` (2026-07-28). Without one a handler can ask in one round only, for there is
    /// nowhere to keep the answers.
    ///
    /// A state says when it expires in Unix time by [`Config::epoch_ms`]: servers that share a key, and runs of one that keep
    /// it, must set that, or an old state is good for longer than [`Config::ask_ms`].
    pub fn seal_with(&mut self, sealer: &'b dyn Sealer) {
        self.sealer = Some(sealer);
    }

    /// Lets tools run as tasks that say so in the catalog: at most `tasks.len()` at once, their results in the park memory
    /// until their time is over. `entropy` fills an id with random bytes; whoever knows an id can fetch the result.
    ///
    /// # Memory
    /// An entry is held from its task's start for [`Config::task_ttl_ms`], whether or not its result was fetched: as many
    /// entries as tasks begin in that time.
    pub fn offer_tasks(&mut self, tasks: &'b mut [Task], entropy: &'b Entropy<'b>) {
        for task in tasks.iter_mut() {
            *task = Task::FREE;
        }
        self.features = self.rows.features();
        self.tasks = tasks;
        self.tasks_kept = 0;
        self.entropy = Some(entropy);
    }

    /// Says who is on the other side, as far as it is known: a `requestState` or a task that was made for one principal is
    /// refused from another. Empty at first, which is a principal like any other.
    pub fn set_principal(&mut self, principal: &'b [u8]) {
        self.principal = principal;
    }

    /// How many calls are put off, or wait for their client.
    pub fn calls_waiting(&self) -> usize {
        self.waiting.into()
    }

    /// Whether a deferred call still waits for its answer.
    pub fn is_waiting(&self, ticket: Ticket) -> bool {
        self.slots.get(usize::from(ticket.slot)).is_some_and(|slot| slot.waits_for(ticket))
    }

    fn quiet(&self) -> Result<(), Error> {
        let quiet = self.replay.skip == 0 && self.batch.is_none() && self.current.is_none();
        // The loops that hand full buffers on do so for handlers only, and set `reply_max` to 0.
        let wanted = if self.config.reply_max == 0 { usize::MAX } else { self.config.reply_max };
        if quiet && self.has_room(wanted) { Ok(()) } else { Err(Error::new(Kind::Busy, 0)) }
    }

    /// Whether the transmit buffer has `wanted` bytes left, or all it can ever have.
    fn has_room(&self, wanted: usize) -> bool {
        self.fill.len == 0 || self.tx.cap().saturating_sub(self.fill.len) >= wanted
    }

    /// Takes back what a reply that was let go before its end has left behind.
    fn tidy(&mut self) {
        if self.fill.open {
            self.framing.open &= !self.fill.flushed;
            Sink::new(self.tx.reborrow(), &mut self.fill, None).abandon();
        }
    }

    /// How long the answer is to the call that is handed out, its newline included, in bytes; 0 before
    /// [`Reply::count`](crate::session::reply::Reply::count) has counted it.
    pub fn counted(&self) -> usize {
        self.counted
    }

    /// The handshake revision agreed on; `None` before `initialize`, and for clients that never send it.
    pub fn revision(&self) -> Option<Revision> {
        self.session.revision
    }

    /// What went by without an answer.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// The choices made at the start.
    pub fn config_mut(&mut self) -> &mut Config {
        &mut self.config
    }
}
