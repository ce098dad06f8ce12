//! Calls that have become tasks: looked at until they are over (2025-11-25 basic/utilities/tasks, and the extension of
//! 2026-07-28).

use super::Client;
use super::call::{Phase, Ticket};
use super::event::Failure;
use super::step::{End, Step};
use crate::error::Error;
use crate::json::num::to_u64;
use crate::json::text::content_bytes;
use crate::proto::revision::Feature;
use crate::rpc::params::{Outcome, Span};
use crate::session::park::{Held, Parked};

impl Client<'_> {
    /// A call has become the task at `task` of the message.
    pub(super) fn is_task(&mut self, number: u16, task: Span) -> Step {
        let Some(ticket) = self.calls.get(usize::from(number)).map(|c| c.ticket()) else { return Step::Next };
        match self.keep_task(number, task) {
            Ok(true) => {}
            Ok(false) => return self.invalid(number, "the task has no \"taskId\""),
            Err(error) => return self.done(number, End::Failed(Failure::NoRoom(error))),
        }
        if let Some(call) = self.calls.get_mut(usize::from(number)) {
            call.wants.task = true;
        }
        let outcome = Outcome::of(self.msg.of(&self.rx), task);
        self.rest(number, &outcome);
        self.show(Step::Task(ticket, task))
    }

    /// Keeps the name of a call's task; whether it has one.
    pub(super) fn keep_task(&mut self, number: u16, task: Span) -> Result<bool, Error> {
        let Some(ticket) = self.calls.get(usize::from(number)).map(|c| c.ticket()) else { return Ok(false) };
        let b = self.msg.of(&self.rx);
        let id = Outcome::of(b, task).task_id;
        if !id.of(b).starts_with(b"\"") {
            return Ok(false);
        }
        // The params are not needed again: a task is asked by its name.
        self.park.remove(|r| r.ticket == ticket);
        self.keep_text(ticket, Held::Task, id).map(|()| true)
    }

    /// Whether a call is a task.
    pub(super) fn has_task(&self, ticket: Ticket) -> bool {
        self.park.iter().any(|r| r.ticket == ticket && r.held == Held::Task)
    }

    /// Lets a task be until it is time to look at it again.
    fn rest(&mut self, number: u16, outcome: &Outcome) {
        let b = self.msg.of(&self.rx);
        let said = [outcome.poll_ms, outcome.poll].into_iter().find_map(|span| to_u64(span.of(b)).ok());
        let (usual, now) = (self.config.poll_ms, self.now);
        let Some(call) = self.calls.get_mut(usize::from(number)) else { return };
        if let Some(ms) = said {
            call.poll_ms = ms.max(usual >> 3);
        } else if call.poll_ms == 0 {
            call.poll_ms = usual;
        }
        call.look_at = now.after(call.poll_ms);
        call.stop();
        let at = call.look_at;
        self.turn(number, Phase::Task);
        self.wake_by(Some(at));
    }

    pub(super) fn look_at_task(&mut self, ticket: Ticket) -> Result<(), Error> {
        let id = self.write_for_task("tasks/get", ticket, false)?;
        self.sent(ticket.slot, id, Phase::Looking);
        Ok(())
    }

    /// The answer to `tasks/get`.
    pub(super) fn looked(&mut self, number: u16, result: Span, outcome: &Outcome) -> Step {
        let extension = self.speaks(Feature::TaskExtension);
        let Some(ticket) = self.calls.get(usize::from(number)).map(|c| c.ticket()) else { return Step::Next };
        let b = self.msg.of(&self.rx);
        match content_bytes(outcome.status.of(b)).unwrap_or(b"") {
            b"working" => {
                self.rest(number, outcome);
                self.show(Step::Task(ticket, result))
            }
            b"cancelled" => self.done(number, End::Failed(Failure::TaskCancelled)),
            b"input_required" if extension => {
                self.rest(number, outcome);
                self.ask(number, outcome.input_requests)
            }
            b"completed" if extension && outcome.result.of(b).starts_with(b"{") => {
                self.done(number, End::Result(outcome.result))
            }
            b"failed" if extension && outcome.error.of(b).starts_with(b"{") => {
                self.done(number, End::Error(outcome.error))
            }
            // Here the questions come as requests, once the result is waited for.
            b"input_required" | b"completed" | b"failed" if !extension => {
                self.turn(number, Phase::Fetch);
                self.show(Step::Task(ticket, result))
            }
            b"completed" | b"failed" => self.invalid(number, "the task is over and does not say how"),
            _ => self.invalid(number, "the task has an unknown \"status\""),
        }
    }

    /// Waits for the result (2025-11-25).
    pub(super) fn fetch_task(&mut self, ticket: Ticket) -> Result<(), Error> {
        let id = self.write_for_task("tasks/result", ticket, false)?;
        self.sent(ticket.slot, id, Phase::Fetching);
        // It takes as long as the task does.
        if let Some(call) = self.calls.get_mut(usize::from(ticket.slot)) {
            call.stop();
        }
        Ok(())
    }

    /// Gives a task its answers (2026-07-28).
    pub(super) fn update_task(&mut self, ticket: Ticket) -> Result<(), Error> {
        let id = self.write_for_task("tasks/update", ticket, true)?;
        // The keys stay: a task may go on to show a question for a while that is answered.
        while let Some(at) = self.answer_of(ticket) {
            if self.park.replace(at, Held::Given, |_, _| {}).is_err() {
                self.park.mark(Held::Given, |r: &Parked<'_>| r.at == at);
            }
        }
        self.sent(ticket.slot, id, Phase::Updating);
        Ok(())
    }

    fn answer_of(&self, ticket: Ticket) -> Option<usize> {
        self.park.iter().find(|r| r.ticket == ticket && r.held == Held::Answer).map(|r| r.at)
    }

    /// The answer to `tasks/update`.
    pub(super) fn updated(&mut self, number: u16) -> Step {
        self.rest(number, &Outcome::default());
        Step::Next
    }

    /// Tells the server that nobody waits for a task.
    pub(super) fn cancel_task(&mut self, ticket: Ticket) -> Result<(), Error> {
        self.write_for_task("tasks/cancel", ticket, false).map(drop)
    }
}
