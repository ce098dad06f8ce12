//! Giving calls up.

use super::Client;
use super::call::{Farewell, Phase, Ticket};
use crate::error::{Error, Kind};

impl Client<'_> {
    /// Gives a call up: it is over at once, no event follows, and its slot is free as soon as the server was told. An
    /// answer that is on its way shows as [`Stray::Response`](super::Stray::Response).
    ///
    /// # Errors
    /// `Stale` when the call is over.
    pub fn cancel(&mut self, ticket: Ticket) -> Result<(), Error> {
        let number = usize::from(ticket.slot);
        let Some(call) = self.calls.get_mut(number).filter(|c| c.is(ticket)) else {
            return Err(Error::new(Kind::Stale, 0));
        };
        let unsure = call.wants.task && call.phase == Phase::Sent;
        call.restart(self.now);
        let deadline = call.deadline;
        let farewell = self.farewell(number);
        let phase = match farewell {
            // A call that may be a task is cancelled as one, by a name that is not known yet (2025-11-25
            // basic/utilities/tasks).
            Farewell::Cancelled if unsure => Phase::Forgotten,
            Farewell::None => {
                self.over(ticket);
                return Ok(());
            }
            farewell => Phase::Leaving(farewell),
        };
        self.turn(ticket.slot, phase);
        self.wake_by(deadline);
        Ok(())
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
