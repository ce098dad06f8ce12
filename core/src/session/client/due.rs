//! What the engine does without being told: what is late, what is to be sent again, what the server is to be told.

use super::call::{Clock, Farewell, Kind, Phase, Ticket};
use super::event::Failure;
use super::step::{End, Step};
use super::write::Marks;
use super::{Client, Link};
use crate::error::{Error, Kind as Fault};
use crate::rpc::params::Span;
use crate::session::park::Held;
use crate::time::Millis;

impl Client<'_> {
    /// Does what is due, one thing at a time.
    pub(super) fn due(&mut self) -> Step {
        if self.wake.is_some_and(|wake| wake <= self.now) {
            self.look_for_late();
        }
        while self.owed > 0 {
            let Some(number) = self.next_due() else {
                self.owed = 0;
                break;
            };
            match self.act(number) {
                Step::Next => {}
                Step::Send => {
                    // Lines are read all the same: a server that is busy saying something may not read until it has.
                    self.stuck = true;
                    break;
                }
                other => return other,
            }
        }
        Step::Next
    }

    /// The call to do something for. Those that failed come first: that needs no room, and must not wait for a server that
    /// does not read.
    fn next_due(&self) -> Option<u16> {
        let due = || self.calls.iter().filter(|c| c.phase.is_due());
        due().find(|c| matches!(c.phase, Phase::Failed(..))).or_else(|| due().next()).map(|c| c.number)
    }

    /// Moves a call on, and keeps count of those the engine owes something to.
    pub(super) fn turn(&mut self, number: u16, phase: Phase) {
        let Some(call) = self.calls.get_mut(usize::from(number)) else { return };
        let (was, is) = (call.phase.is_due(), phase.is_due());
        call.phase = phase;
        if phase == Phase::Free {
            call.free();
        }
        self.stuck &= !is;
        self.owed = match (was, is) {
            (false, true) => self.owed.saturating_add(1),
            (true, false) => self.owed.saturating_sub(1),
            _ => self.owed,
        };
    }

    /// Lets a call fail; the application hears of it with the next event.
    pub(super) fn fail(&mut self, number: u16, why: Failure, farewell: Farewell) {
        if let Some(ticket) = self.calls.get(usize::from(number)).map(|c| c.ticket()) {
            self.let_go(ticket);
        }
        self.turn(number, Phase::Failed(why, farewell));
    }

    /// Forgets what a call was asked and told that is given up. Its task is still to be cancelled, by its name.
    pub(super) fn let_go(&mut self, ticket: Ticket) {
        self.park.remove(|r| r.ticket == ticket && r.held != Held::Task);
    }

    fn act(&mut self, number: u16) -> Step {
        let Some(call) = self.calls.get(usize::from(number)) else { return Step::Next };
        let (phase, ticket) = (call.phase, call.ticket());
        let sent = match phase {
            Phase::Failed(why, farewell) => return self.failed(ticket, why, farewell),
            Phase::Leaving(farewell) => self.leave(ticket, farewell),
            Phase::Retry => self.retry(ticket),
            Phase::Look => self.look_at_task(ticket),
            Phase::Fetch => self.fetch_task(ticket),
            Phase::Update => self.update_task(ticket),
            _ => return Step::Next,
        };
        match sent {
            Ok(()) => Step::Next,
            Err(error) if error.kind == Fault::Busy => Step::Send,
            Err(_) if matches!(phase, Phase::Leaving(_)) => {
                // It can never be said; the server finds out by itself.
                self.over(ticket);
                Step::Next
            }
            Err(error) => {
                let farewell = self.farewell(usize::from(number));
                self.fail(number, Failure::NoRoom(error), farewell);
                Step::Next
            }
        }
    }

    /// Tells the application that a call is over on this side.
    fn failed(&mut self, ticket: Ticket, why: Failure, farewell: Farewell) -> Step {
        let unsure = self.calls.get(usize::from(ticket.slot)).is_some_and(|c| c.wants.task);
        match farewell {
            Farewell::None => self.over(ticket),
            Farewell::Cancelled if unsure => self.forget(ticket),
            _ => self.turn(ticket.slot, Phase::Leaving(farewell)),
        }
        Step::Done(ticket, End::Failed(why))
    }

    /// Frees a call and what it has left.
    pub(super) fn over(&mut self, ticket: Ticket) {
        self.park.remove(|r| r.ticket == ticket);
        self.turn(ticket.slot, Phase::Free);
    }

    pub(super) fn leave(&mut self, ticket: Ticket, farewell: Farewell) -> Result<(), Error> {
        let id = self.calls.get(usize::from(ticket.slot)).map_or(0, |c| c.id);
        if farewell == Farewell::CancelTask {
            self.cancel_task(ticket)?;
        } else if self.link == Link::Up {
            self.write_notification("notifications/cancelled", |w| {
                w.key("requestId");
                w.u64(id);
                w.member("reason", "the client does not wait any more");
            })?;
        }
        self.over(ticket);
        Ok(())
    }

    /// Looks through all calls for those whose time has come, and for the next such moment.
    fn look_for_late(&mut self) {
        let (now, thinking, most) = (self.now, self.open > 0, self.config.rounds);
        self.wake = None;
        for number in 0..self.calls.len() {
            let Some(call) = self.calls.get_mut(number) else { return };
            let is_past = |moment: Option<Millis>| moment.is_some_and(|moment| moment <= now);
            if thinking && call.rounds <= most && call.phase.is_timed() && !is_past(call.limit) {
                // The server may be waiting for the very answer that a user thinks about.
                call.restart(now);
            }
            let (phase, ticket, late) = (call.phase, call.ticket(), is_past(call.deadline));
            match phase {
                Phase::Free | Phase::Failed(..) | Phase::Leaving(_) => continue,
                Phase::Forgotten if late => {
                    self.over(ticket);
                    continue;
                }
                _ if late => {
                    let farewell = self.farewell(number);
                    self.fail(ticket.slot, Failure::TimedOut, farewell);
                    continue;
                }
                Phase::Task if call.look_at <= now => {
                    call.restart(now);
                    self.turn(ticket.slot, Phase::Look);
                }
                Phase::Task => {
                    let at = call.look_at;
                    self.wake_by(Some(at));
                }
                _ => {}
            }
            let deadline = self.calls.get(number).and_then(|c| c.deadline);
            self.wake_by(deadline);
        }
    }

    /// Begins the times that were to begin with this poll, `gone` milliseconds after the one before.
    pub(super) fn start_clocks(&mut self, gone: u64) {
        let now = self.now;
        for number in 0..self.calls.len() {
            let Some(call) = self.calls.get_mut(number) else { return };
            if call.clock == Clock::New {
                call.limit = call.limit.map(|limit| limit.after(gone));
            }
            if call.clock != Clock::Runs {
                call.restart(now);
                let deadline = call.deadline;
                self.wake_by(deadline);
            }
        }
    }

    /// What the server is to be told when the call is given up now.
    pub(super) fn farewell(&self, number: usize) -> Farewell {
        let Some(call) = self.calls.get(number) else { return Farewell::None };
        match call.phase {
            Phase::Task
            | Phase::Look
            | Phase::Looking
            | Phase::Fetch
            | Phase::Fetching
            | Phase::Update
            | Phase::Updating => Farewell::CancelTask,
            Phase::Asking if self.has_task(call.ticket()) => Farewell::CancelTask,
            Phase::Sent => Farewell::Cancelled,
            _ => Farewell::None,
        }
    }

    /// Asks for the next page of a list by the cursor in the message that holds it.
    pub(super) fn next_page(&mut self, number: u16, cursor: Span) -> Step {
        let Some(call) = self.calls.get(usize::from(number)) else { return Step::Next };
        let (Kind::Pages(list), Phase::NextPage) = (call.kind, call.phase) else { return Step::Next };
        let marks =
            Marks { token: call.wants.progress.then_some(call.token), level: call.log_level, more: None };
        let written = self.write_page(list, marks, cursor);
        match written {
            Ok(id) => {
                let now = self.now;
                if let Some(call) = self.calls.get_mut(usize::from(number)) {
                    call.id = id;
                    call.restart(now);
                    let deadline = call.deadline;
                    self.wake_by(deadline);
                }
                self.turn(number, Phase::Sent);
                Step::Next
            }
            Err(error) if error.kind == Fault::Busy => Step::Send,
            Err(error) => {
                self.fail(number, Failure::NoRoom(error), Farewell::None);
                Step::Next
            }
        }
    }
}
