//! What the client engine tells the application.

use super::call::Ticket;
use crate::bytes::find;
use crate::error::Error;
use crate::json::Raw;
use crate::json::num::to_i64;
use crate::json::text::{content, soften};
use crate::json::view::Members;
use crate::proto::revision::Revision;
use crate::rpc::code;
use crate::rpc::params::{Fault, Span};
use crate::session::rows::List;

/// What the engine wants next, or has learnt.
///
/// # Memory
/// What an event borrows stands in the receive buffer, until the next [`poll`](super::Client::poll).
pub enum Event<'e> {
    /// Nothing: receive more, or wait for [`Client::deadline`](super::Client::deadline).
    Idle,
    /// Send what is in [`Client::send_buf`](super::Client::send_buf), then ask again.
    Send,
    /// The server is there and speaks `revision`: requests may be made. `said` is the result of `initialize` or
    /// `server/discover`.
    Connected {
        /// What is spoken from here on; worth remembering for the next connection to this server.
        revision: Revision,
        /// `capabilities`, `instructions`, `serverInfo` (from 2026-07-28 in `_meta`).
        said: Body<'e>,
    },
    /// No connection can be made. [`Event::Ended`] follows.
    Refused(Refusal<'e>),
    /// A call is over; its ticket is stale.
    Done(Ticket, Ending<'e>),
    /// A page of a list that is read whole. The next is asked for; the last comes as [`Event::Done`].
    Page(Ticket, Body<'e>),
    /// A slice of a result that is larger than the receive buffer: JSON text, in order and without gaps.
    Slice(Ticket, &'e [u8]),
    /// A call goes on: `progress`, `total`, `message`.
    Progress(Ticket, Body<'e>),
    /// A call has become a task, or the task has moved on: `taskId`, `status`, `statusMessage`.
    Task(Ticket, Body<'e>),
    /// What the server granted of a [`listen`](super::Client::listen).
    Listening(Ticket, Body<'e>),
    /// The server asks something. Answer now or later: [`Client::answer`](super::Client::answer).
    Asked(Question<'e>),
    /// The server does not wait for the answer any more; forget the question.
    Withdrawn(QuestionId),
    /// A log message: `level`, `logger`, `data`.
    Log(Body<'e>),
    /// A list has changed.
    Changed(List),
    /// A resource has changed, or a part of it: `uri`.
    Updated(Body<'e>),
    /// A notification that the engine does not know; its method and its params.
    Notified(Body<'e>, Body<'e>),
    /// Something that is not followed, for a log: nothing is lost silently.
    Stray(Stray<'e>),
    /// The stream has ended, or no connection could be made. Every call is over.
    Ended,
}

/// One JSON value as it was received.
///
/// # Memory
/// Borrows the receive buffer.
pub struct Body<'e>(pub(super) &'e mut [u8]);

impl<'e> Body<'e> {
    /// The JSON text, as it came: unread numbers, order, and spelling.
    pub fn raw(&self) -> &[u8] {
        self.0
    }

    /// The members of the object, to be read one by one; none if it is no object. Escapes are taken out where they stand.
    pub fn members(self) -> Members<'e> {
        Members::of(self.softened())
    }

    /// The value, if it is a string.
    pub fn text(self) -> Option<&'e str> {
        content(self.softened())
    }

    /// The value, [softened](crate::json::text::soften): for [`from_value`](crate::json::from_value) and
    /// [`Writer::value`](crate::json::Writer::value).
    pub fn softened(self) -> &'e [u8] {
        // Most text has no escapes, and to find none is cheaper than to walk through it all.
        if find(self.0, b'\\').is_some() {
            soften(self.0);
        }
        self.0
    }
}

/// How a call ended.
pub enum Ending<'e> {
    /// With its result.
    Result(Body<'e>),
    /// All of a result that was larger than the receive buffer was handed out in slices.
    Sliced,
    /// With the server's error.
    Error(PeerError<'e>),
    /// On this side.
    Failed(Failure),
}

/// A JSON-RPC error that the server answered with.
pub struct PeerError<'e> {
    /// The code.
    pub code: i64,
    /// The whole error: `code`, `message`, `data`.
    pub body: Body<'e>,
}

impl<'e> PeerError<'e> {
    /// The error at `body`; `None` when it is none.
    pub(super) fn of(body: &'e mut [u8]) -> Option<Self> {
        let code = code_of(body, Span::new(0, body.len()))?;
        Some(Self { code, body: Body(body) })
    }

    /// Whether there is no such resource: there are two codes for it, and servers mix them up
    /// (2026-07-28 server/resources: -32002 is still to be understood).
    pub fn is_not_found(&self) -> bool {
        let b = self.body.raw();
        let data = Fault::of(b, Span::new(0, b.len())).data;
        self.code == i64::from(code::RESOURCE_NOT_FOUND)
            || self.code == i64::from(code::INVALID_PARAMS) && !Fault::of(b, data).uri.is_absent()
    }
}

/// The code of the error object at `span` of `b`.
pub(super) fn code_of(b: &[u8], span: Span) -> Option<i64> {
    to_i64(Fault::of(b, span).code.of(b)).ok()
}

/// Why a call ended on this side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Nothing came in time; the server was told to stop.
    TimedOut,
    /// The stream has ended.
    Closed,
    /// The result has this many bytes, and the receive buffer has not.
    TooLarge(u32),
    /// The answer breaks the protocol; the words say how.
    Invalid(&'static str),
    /// There is no room for what is to be sent or kept; `at` is the size needed, in bytes.
    NoRoom(Error),
    /// The server asked more often than [`Config::rounds`](super::Config::rounds).
    TooManyRounds,
    /// A list has more than [`PAGES_MAX`](crate::limits::PAGES_MAX) pages.
    TooManyPages,
    /// A list comes back to a cursor it gave before: it would never end, and pages came twice.
    PagesRepeat,
    /// The application refused what the server asked for this call (2026-07-28).
    Withheld,
    /// The task was cancelled.
    TaskCancelled,
    /// The server ended the subscription.
    Ended,
}

impl Failure {
    /// One phrase for people.
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::TimedOut => "no answer came in time",
            Self::Closed => "the stream ended before the answer came",
            Self::TooLarge(_) => "the answer is larger than the receive buffer",
            Self::Invalid(words) => words,
            Self::NoRoom(error) => error.kind.phrase(),
            Self::TooManyRounds => "the server asks again and again",
            Self::TooManyPages => "the list has too many pages",
            Self::PagesRepeat => "the list gives the same cursor again: it would never end",
            Self::Withheld => "what the server asked for was refused",
            Self::TaskCancelled => "the task was cancelled",
            Self::Ended => "the server ended the subscription",
        }
    }
}

/// Why there is no connection.
pub enum Refusal<'e> {
    /// The server answered `initialize` or `server/discover` with an error.
    Error(PeerError<'e>),
    /// The server speaks no revision that this client speaks; what it said.
    Revision(Body<'e>),
    /// The answer breaks the protocol; the words say how.
    Invalid(&'static str),
    /// No answer came in time.
    TimedOut,
    /// The stream ended. `true`: while the client probed for the revision. Servers of the handshake revisions do that to a
    /// message they don't know (rust-sdk before 0.9): start it anew, and with [`Start::Handshake`](super::Start::Handshake).
    Closed(bool),
    /// The transmit buffer is too small for the first message; `at` is the size needed, in bytes.
    NoRoom(Error),
}

/// Names a question of the server's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QuestionId(pub(super) u32);

/// What the server asks.
pub struct Question<'e> {
    /// Names it.
    pub id: QuestionId,
    /// The call it is asked for, if that is known (2026-07-28, and tasks of its extension).
    pub call: Option<Ticket>,
    /// What kind of question it is.
    pub kind: Asks,
    /// Its params: what is asked.
    pub params: Body<'e>,
}

/// Kinds of questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// `elicitation/create` in form mode: `message`, `requestedSchema`.
    Form,
    /// `elicitation/create` in URL mode: `message`, `url`. Show all of the URL, and open it only if the user agrees.
    Url,
    /// `sampling/createMessage`
    Sample,
    /// `roots/list`
    Roots,
}

/// An answer to a [`Question`].
#[derive(Clone, Copy)]
pub enum Given<'a> {
    /// The user agrees. For a form `content`, a JSON object, holds the fields; those it leaves out get their defaults.
    Accept(Raw<'a>),
    /// The user says no.
    Decline,
    /// The user dismissed the question.
    Cancel,
    /// The result object, as JSON text: of sampling or roots.
    Result(Raw<'a>),
    /// An error. In 2026-07-28 nothing is sent: the call is over with [`Failure::Withheld`].
    Error(i32, &'a str),
}

/// Something that was received and is not followed.
pub enum Stray<'e> {
    /// A line that is no message. Servers print logs where only messages belong.
    Line(&'e [u8]),
    /// A line that broke off or is no JSON, though it begins as a message, and why.
    Broken(&'e [u8], Error),
    /// A message longer than the receive buffer that answers no call; its length in bytes.
    TooLong(usize),
    /// A response that nobody waits for: late, a second one, or with an id that is not ours.
    Response(&'e [u8]),
    /// A request that this client does not serve. It was refused, where the revision has a way to.
    Request(&'e [u8]),
    /// An error that says nothing of which request it answers.
    Error(PeerError<'e>),
}
