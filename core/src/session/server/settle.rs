//! Ends of calls: what is left to do when a handler has come back, and when the stream has ended.

use super::calls::Prepared;
use super::{Server, Step};
use crate::proto::revision::Feature;
use crate::session::slots::{Failed, Shape, State};
use crate::session::tasks::NONE;

impl Server<'_> {
    /// Ends the call that was handed out last: its message is consumed, and it is answered if the handler did not.
    pub(super) fn settle(&mut self) -> Step {
        let Some(call) = self.current else { return Step::Next };
        let step = self.outcome(call);
        if let Step::Next = step {
            self.current = None;
            self.counted = 0;
            if !call.parked {
                self.consumed();
            }
        }
        step
    }

    /// What is left to do for a call whose handler has come back.
    fn outcome(&mut self, call: Prepared) -> Step {
        let now = self.now;
        let Some(slot) = self.slots.get_mut(usize::from(call.slot)) else { return Step::Next };
        match slot.state {
            State::Free => return Step::Next,
            State::Deferred => {
                // What was read is named in its contents; with no room for it the listed name has to do.
                if slot.shape == Shape::Template && !call.parked {
                    let _ = self.park_args(&call);
                }
                return Step::Next;
            }
            State::Creating | State::Created => return self.create_task(call),
            State::Awaits => return Step::Next,
            State::Streaming if self.fill.len > 0 => return Step::Send,
            State::Streaming => {
                slot.state = State::Open;
                return Step::Call;
            }
            State::Open => slot.state = State::Failed(Failed::Unanswered),
            State::Failed(_) => {}
            State::Asked if !slot.revision.has(Feature::Handshake) && slot.task == NONE => {
                return self.input_required(call);
            }
            State::Asked | State::Ready => {
                slot.deadline = Some(now.after(self.config.ask_ms));
                let kept = if call.parked { Ok(()) } else { self.park_args(&call) };
                let Err(full) = kept else { return Step::Next };
                if let Some(slot) = self.slots.get_mut(usize::from(call.slot)) {
                    slot.state = State::Failed(Failed::NoPark(full.at));
                }
            }
        }
        match self.slots.get(usize::from(call.slot)).map(|s| s.state) {
            Some(State::Failed(why)) => self.failed(call.slot, why),
            _ => Step::Next,
        }
    }

    /// The message at hand is done.
    pub(super) fn consumed(&mut self) {
        self.softened = false;
        if self.batch.is_none() {
            self.lines.consume();
        }
    }

    /// The stream has ended: what is written is sent, and calls that wait have nobody left to answer to.
    pub(super) fn over(&mut self) -> Step {
        if self.fill.len > 0 {
            return Step::Send;
        }
        let Some(number) = self.slots.iter().find(|s| s.state.can_be_cancelled()).map(|s| s.number) else {
            return Step::Ended;
        };
        // Nobody is told either that a question is withdrawn.
        self.park.remove(|_| true);
        self.let_go(number)
    }

    /// Ends a call that waits, without an answer.
    pub(super) fn let_go(&mut self, number: u16) -> Step {
        let Some(slot) = self.slots.get_mut(usize::from(number)) else { return Step::Next };
        let (ticket, awaits) = (slot.ticket(), slot.state == State::Awaits);
        slot.free();
        self.waiting = self.waiting.saturating_sub(1);
        // A request that only waits for a task has nothing to stop.
        if awaits { Step::Next } else { Step::Cancelled(ticket) }
    }
}
