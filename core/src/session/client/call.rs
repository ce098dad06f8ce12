//! Calls of the client's.

use super::event::Failure;
use crate::error::Error;
use crate::proto::level::Level;
use crate::proto::method::Method;
use crate::session::rows::List;
use crate::time::Millis;

pub use crate::session::slots::Ticket;

/// What a call is, as far as the engine treats it differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `tools/call`, `prompts/get`, `resources/read`: the server may ask before it answers.
    Asks(Method),
    /// A list that is read whole.
    Pages(List),
    /// `subscriptions/listen`
    Listen,
    /// Any other.
    Plain,
}

/// Where a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Free,
    /// Its request is out.
    Sent,
    /// The server has asked; answers are missing.
    Asking,
    /// The answers are there: to be sent again with them.
    Retry,
    /// The next page is to be asked for, by the message that holds its cursor.
    NextPage,
    /// It is a task, to be looked at when it is time.
    Task,
    /// It is time: `tasks/get` is to be sent.
    Look,
    /// `tasks/get` is out.
    Looking,
    /// The task's result is to be fetched (2025-11-25).
    Fetch,
    /// `tasks/result` is out.
    Fetching,
    /// Answers are to be given to the task (2026-07-28).
    Update,
    /// `tasks/update` is out.
    Updating,
    /// It failed; the application is to be told, and then the server.
    Failed(Failure, Farewell),
    /// The server is to be told that nobody waits any more.
    Leaving(Farewell),
    /// Given up before it was known whether it is a task: `tasks/cancel` follows when it is.
    Forgotten,
}

/// What a server is told of a call that is over on this side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Farewell {
    /// Nothing.
    None,
    /// `notifications/cancelled`
    Cancelled,
    /// `tasks/cancel`
    CancelTask,
}

impl Phase {
    /// Whether a request of the call is out.
    pub fn waits(self) -> bool {
        matches!(self, Self::Sent | Self::Looking | Self::Fetching | Self::Updating | Self::Forgotten)
    }

    /// Whether the call is the engine's own now: no ticket names it.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Free | Self::Failed(..) | Self::Leaving(_) | Self::Forgotten)
    }

    /// Whether the engine has something to do for it as soon as it can.
    pub fn is_due(self) -> bool {
        matches!(
            self,
            Self::Retry | Self::Look | Self::Fetch | Self::Update | Self::Failed(..) | Self::Leaving(_)
        )
    }

    /// Whether the server has only so much time for what is out. A task's result takes as long as the task does.
    pub fn is_timed(self) -> bool {
        self.waits() && self != Self::Fetching
    }
}

/// Which of its times begin with the next poll: those of calls that the application has moved on in between, when what
/// the engine last knew of the time may be long ago.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    /// None.
    Runs,
    /// The time to the next answer.
    Again,
    /// All.
    New,
}

/// One call in flight. Declare an array of them for [`Storage`](super::Storage).
#[derive(Clone, Debug)]
pub struct Call {
    pub(super) number: u16,
    pub(super) generation: u32,
    pub(super) phase: Phase,
    pub(super) kind: Kind,
    /// Of the request that is out, or was last.
    pub(super) id: u64,
    /// Of the first request: what progress is reported under, also when the request is made again.
    pub(super) token: u64,
    pub(super) deadline: Option<Millis>,
    /// No progress moves the deadline past this.
    pub(super) limit: Option<Millis>,
    pub(super) timeout_ms: u64,
    pub(super) clock: Clock,
    /// When the task is looked at next.
    pub(super) look_at: Millis,
    pub(super) poll_ms: u64,
    pub(super) wants: Wants,
    pub(super) log_level: Option<Level>,
    /// Its params could not be kept.
    pub(super) unkept: Option<Error>,
    /// Times the server has asked.
    pub(super) rounds: u8,
    /// Questions that are not answered.
    pub(super) open: u8,
    /// Pages read, and what the repetition of a cursor is found by: one of them, and when the next takes its place.
    pub(super) pages: u16,
    pub(super) landmark: u64,
    pub(super) next_landmark: u16,
}

/// Choices of a call, as bits of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wants {
    pub progress: bool,
    pub extends: bool,
    pub slices: bool,
    /// It asked to become a task (2025-11-25), or is one.
    pub task: bool,
}

impl Call {
    /// No call.
    pub const FREE: Self = Self {
        number: 0,
        generation: 0,
        phase: Phase::Free,
        kind: Kind::Plain,
        id: 0,
        token: 0,
        deadline: None,
        limit: None,
        timeout_ms: 0,
        clock: Clock::Runs,
        look_at: Millis(0),
        poll_ms: 0,
        wants: Wants { progress: false, extends: false, slices: false, task: false },
        log_level: None,
        unkept: None,
        rounds: 0,
        open: 0,
        pages: 0,
        landmark: 0,
        next_landmark: 0,
    };

    pub(super) fn ticket(&self) -> Ticket {
        Ticket { slot: self.number, generation: self.generation }
    }

    /// Whether `ticket` names this call, and it is not over.
    pub(super) fn is(&self, ticket: Ticket) -> bool {
        self.generation == ticket.generation && !self.phase.is_over()
    }

    /// Starts the time to the next answer.
    pub(super) fn restart(&mut self, now: Millis) {
        let deadline = (self.timeout_ms < u64::MAX).then(|| now.after(self.timeout_ms));
        self.deadline = [deadline, self.limit].into_iter().flatten().min();
        self.clock = Clock::Runs;
    }

    /// Starts that time with the next poll.
    pub(super) fn restart_later(&mut self) {
        if self.clock == Clock::Runs {
            self.clock = Clock::Again;
        }
    }

    /// Stops that time: somebody else is to do something.
    pub(super) fn stop(&mut self) {
        self.deadline = self.limit;
        self.clock = Clock::Runs;
    }

    /// Ends the call. Every ticket for it is stale from here on.
    pub(super) fn free(&mut self) {
        let (number, generation) = (self.number, self.generation.wrapping_add(1));
        *self = Self { number, generation, ..Self::FREE };
    }

    /// Takes note of a page's cursor; whether it was seen before.
    ///
    /// Brent's way: one cursor is kept, at pages 1, 2, 4, 8 and so on, so a circle of any length is found after at most
    /// twice its length, and no memory is needed for the others.
    pub(super) fn repeats(&mut self, cursor: &[u8]) -> bool {
        let mut hash = 0xCBF2_9CE4_8422_2325_u64;
        for c in cursor {
            hash = (hash ^ u64::from(*c)).wrapping_mul(0x100_0000_01B3);
        }
        let seen = self.pages > 0 && hash == self.landmark;
        if self.pages >= self.next_landmark {
            self.landmark = hash;
            self.next_landmark = self.next_landmark.saturating_mul(2).max(1);
        }
        self.pages = self.pages.saturating_add(1);
        seen
    }
}

/// `calls`, each with its number and none in use. The number behind the last stands for questions that belong to no call.
pub(super) fn numbered(calls: &mut [Call]) -> &mut [Call] {
    let most = calls.len().min(usize::from(u16::MAX));
    let calls = calls.get_mut(..most).unwrap_or_default();
    for (number, call) in calls.iter_mut().enumerate() {
        *call = Call { number: number as u16, ..Call::FREE };
    }
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_of_cursors_are_found() {
        for (lead, circle) in [(0, 1), (0, 2), (3, 1), (5, 7), (1, 100)] {
            let mut call = Call::FREE;
            let name = |i: u32| if i < lead { i } else { lead + (i - lead) % circle };
            let found = (0..1000).find(|i| call.repeats(&name(*i).to_le_bytes()));
            assert!(found.is_some_and(|i| i <= 3 * (lead + circle) + 1), "{lead} {circle} {found:?}");
        }
        let mut call = Call::FREE;
        assert!(!(0..1000_u32).any(|i| call.repeats(&i.to_le_bytes())));
    }
}
