//! Giving calls up.

use super::Client;
use super::call::{Farewell, Phase, Ticket};
use crate::error::{Error, Kind};
use crate::limits::CALL_MS;

impl Client<'_> {
    /// Gives a call up: it is over at once, no event follows, and its slot is free as soon as the server was told. An
    /// answer that is on its way shows as [`Stray::Response`](super::Stray::Response).
    ///
    /// # Errors
    /// `Stale` when the call is over.
    pub fn cancel(&mut self, ticket: Ticket) -> Result<(), Error> {
        let number = usize::from(ticket.slot);
        let Some(call) = self.calls.get(number).filter(|c| c.is(ticket)) else {
            return Err(Error::new(Kind::Stale, 0));
        };
        let unsure = call.wants.task && call.phase == Phase::Sent;
        self.let_go(ticket);
        match self.farewell(number) {
            Farewell::None => self.over(ticket),
            Farewell::Cancelled if unsure => self.forget(ticket),
            farewell => {
                self.turn(ticket.slot, Phase::Leaving(farewell));
                // Now if there is room, so that it stands before the next request; else as soon as there is.
                let _ = self.leave(ticket, farewell);
                self.started = true;
            }
        }
        Ok(())
    }

    /// Gives a call up that may be a task: it is cancelled as one, by a name that is not known yet (2025-11-25
    /// basic/utilities/tasks). Its slot is taken until then, but not for ever.
    pub(super) fn forget(&mut self, ticket: Ticket) {
        self.turn(ticket.slot, Phase::Forgotten);
        let Some(call) = self.calls.get_mut(usize::from(ticket.slot)) else { return };
        (call.timeout_ms, call.limit) = (call.timeout_ms.min(CALL_MS), None);
        call.restart_later();
        self.started = true;
    }

    /// Whether a call is not over.
    pub fn is_waiting(&self, ticket: Ticket) -> bool {
        self.calls.get(usize::from(ticket.slot)).is_some_and(|c| c.is(ticket))
    }

    /// How many calls are not over.
    pub fn calls_waiting(&self) -> usize {
        self.calls.iter().filter(|c| !c.phase.is_over()).count()
    }
}
