//! Calls in flight.

use crate::proto::client::Can;
use crate::proto::level::Level;
use crate::proto::revision::Revision;
use crate::rpc::id::{Id, ProgressToken};
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Free,
    /// Handed to a handler, which has not come back.
    Open,
    /// Put off by its handler; a ticket answers it.
    Deferred,
    /// To be answered by the engine.
    Failed(Failed),
}

impl State {
    /// Whether an answer is owed to a call that was put off.
    pub(crate) fn waits(self) -> bool {
        matches!(self, Self::Deferred | Self::Failed(_))
    }
}

/// Why the engine answers a call itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failed {
    /// The handler came back without an answer.
    Unanswered,
    /// The reply needs this many bytes, and there is no room for them.
    TooLarge(u32),
    /// The deadline passed.
    Late,
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
        self.id.clear();
        self.token.clear();
        self.generation = self.generation.wrapping_add(1);
    }
}

/// The slot of a ticket, while its call waits.
pub(crate) fn deferred(slots: &mut [Slot], ticket: Ticket) -> Option<&mut Slot> {
    slots.get_mut(usize::from(ticket.slot)).filter(|slot| slot.waits_for(ticket))
}
