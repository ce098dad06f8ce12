//! Calls in flight.

use crate::proto::client::Can;
use crate::proto::level::Level;
use crate::proto::revision::Revision;
use crate::rpc::id::{Id, ProgressToken};
use crate::session::rows::List;
use crate::session::tasks::NONE;
use crate::time::Millis;

/// What kind of call it is, and so what its result looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Shape {
    /// `tools/call`
    Tool,
    /// `resources/read` of a listed resource
    Resource,
    /// `resources/read` through a template
    Template,
    /// `prompts/get`
    Prompt,
    /// `completion/complete` of a prompt's argument
    PromptCompletion,
    /// `completion/complete` of a template's variable
    TemplateCompletion,
}

impl Shape {
    /// Whether the client may be asked from inside such a call (2026-07-28 basic/patterns/mrtr: nowhere else).
    pub fn may_ask(self) -> bool {
        !matches!(self, Self::PromptCompletion | Self::TemplateCompletion)
    }

    /// The list that what was called stands in.
    pub fn list(self) -> List {
        match self {
            Self::Tool => List::Tools,
            Self::Resource => List::Resources,
            Self::Template | Self::TemplateCompletion => List::Templates,
            Self::Prompt | Self::PromptCompletion => List::Prompts,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Free,
    /// Handed to a handler, which has not come back.
    Open,
    /// Put off by its handler; a ticket answers it.
    Deferred,
    /// Its handler has asked the client, and has not come back with anything else.
    Asked,
    /// The client has answered; the handler is to be run again.
    Ready,
    /// A part of its answer is out; the handler is to be run again for the next, before anything else.
    Streaming,
    /// It becomes a task: the client is to be told, before the handler runs.
    Creating,
    /// The client is told.
    Created,
    /// `tasks/result`: waits for a task to be over.
    Awaits,
    /// To be answered by the engine.
    Failed(Failed),
}

impl State {
    /// Whether an answer is owed to a call whose handler has come back.
    pub(crate) fn waits(self) -> bool {
        matches!(self, Self::Deferred | Self::Asked | Self::Ready | Self::Awaits | Self::Failed(_))
    }
}

impl State {
    /// Whether the client may still give the call up.
    pub(crate) fn can_be_cancelled(self) -> bool {
        matches!(self, Self::Deferred | Self::Asked | Self::Ready | Self::Awaits)
    }
}

/// Whether a handler is run once more for what it could not ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    No,
    /// Something could not be asked yet: as soon as there is room.
    Due,
    /// It is, with all the room there is: what leaves none for the first question is its own.
    Now,
}

/// Why the engine answers a call itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failed {
    /// The handler came back without an answer.
    Unanswered,
    /// The reply needs this many bytes, and there is no room for them.
    TooLarge(u32),
    /// What is to be kept while the client is asked needs this many bytes, and there is no room for them.
    NoPark(u32),
    /// The deadline passed.
    Late,
    /// The answer was broken off: a handler that is run again for the next part did not come to it.
    Torn,
}

/// Names a deferred call. Eight bytes; answers nothing once the call is over, also when its slot is in use again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket {
    pub(crate) slot: u16,
    pub(crate) generation: u32,
}

/// One call in flight. Declare an array of them for [`Storage`](crate::session::server::Storage).
#[derive(Clone, Debug)]
pub struct Slot {
    pub(crate) id: Id,
    pub(crate) token: ProgressToken,
    pub(crate) deadline: Option<Millis>,
    pub(crate) progress: Option<u64>,
    pub(crate) generation: u32,
    pub(crate) index: u16,
    pub(crate) number: u16,
    pub(crate) state: State,
    pub(crate) shape: Shape,
    pub(crate) revision: Revision,
    pub(crate) level: Option<Level>,
    pub(crate) can: Can,
    /// Rounds in which the client was asked.
    pub(crate) rounds: u8,
    pub(crate) again: Again,
    /// The handler is run for its questions alone; content is left out.
    pub(crate) only_asks: bool,
    /// Members of `inputResponses` that the handler has looked at, as bits.
    pub(crate) used: u32,
    /// The task it works on, or waits for (then `used` is the task's generation).
    pub(crate) task: u16,
}

impl Slot {
    /// A free slot.
    pub const FREE: Self = Self {
        id: Id::new(),
        token: ProgressToken::new(),
        deadline: None,
        progress: None,
        generation: 0,
        index: 0,
        number: 0,
        state: State::Free,
        shape: Shape::Tool,
        revision: Revision::V2024_11_05,
        level: None,
        can: Can::NOTHING,
        rounds: 0,
        again: Again::No,
        only_asks: false,
        used: 0,
        task: NONE,
    };

    pub(crate) fn ticket(&self) -> Ticket {
        Ticket { slot: self.number, generation: self.generation }
    }

    /// A ticket that answers nothing.
    pub(crate) fn stale(&self) -> Ticket {
        Ticket { slot: self.number, generation: self.generation.wrapping_sub(1) }
    }

    /// Whether `ticket` answers the call in this slot.
    pub(crate) fn waits_for(&self, ticket: Ticket) -> bool {
        self.state == State::Deferred && self.generation == ticket.generation
    }

    /// Ends the call. Every ticket for it is stale from here on.
    pub(crate) fn free(&mut self) {
        self.state = State::Free;
        self.deadline = None;
        self.progress = None;
        self.rounds = 0;
        self.again = Again::No;
        self.only_asks = false;
        self.used = 0;
        self.task = NONE;
        self.id.clear();
        self.token.clear();
        self.generation = self.generation.wrapping_add(1);
    }
}
