//! What the server says unasked.

use super::Client;
use super::call::{Kind, Phase};
use super::event::{Failure, QuestionId};
use super::step::{End, Step};
use crate::bytes::part;
use crate::json::num::to_u64;
use crate::json::text::{content_bytes, spell};
use crate::rpc::envelope::Envelope;
use crate::rpc::params::{Outcome, Span, Told};
use crate::session::park::Held;
use crate::session::rows::List;

/// Longer than any method that is known.
const METHOD_BYTES: usize = 48;

impl Client<'_> {
    /// The method of a message, escapes taken out, if it may be one that is known.
    pub(super) fn method<'n>(&self, envelope: &Envelope, room: &'n mut [u8; METHOD_BYTES]) -> &'n [u8] {
        let token = envelope.method.of(self.msg.of(&self.rx));
        let raw = part(token, 1, token.len().saturating_sub(1));
        let mut spelled = [0; METHOD_BYTES];
        let text = if raw.len() > METHOD_BYTES { b"" } else { spell(raw, &mut spelled) };
        let len = crate::bytes::copy(room, text);
        part(room, 0, len)
    }

    pub(super) fn notification(&mut self, envelope: &Envelope) -> Step {
        let b = self.msg.of(&self.rx);
        let told = Told::of(b, envelope.params);
        let mut room = [0; METHOD_BYTES];
        let step = match self.method(envelope, &mut room) {
            b"notifications/progress" => self.progress(envelope.params, told.token),
            b"notifications/message" => Step::Log(envelope.params),
            b"notifications/tools/list_changed" => Step::Changed(List::Tools),
            b"notifications/prompts/list_changed" => Step::Changed(List::Prompts),
            b"notifications/resources/list_changed" => Step::Changed(List::Resources),
            b"notifications/resources/updated" => Step::Updated(envelope.params),
            b"notifications/cancelled" => self.cancelled(told.request_id),
            b"notifications/subscriptions/acknowledged" => {
                let id = Told::of(b, told.meta).subscription;
                self.listener(id).map_or(Step::Next, |number| self.listening(number, told.notifications))
            }
            b"notifications/tasks/status" | b"notifications/tasks" => {
                self.task_moved(envelope.method, envelope.params)
            }
            _ => Step::Notified(envelope.method, envelope.params),
        };
        match step {
            Step::Next => step,
            shown => self.show(shown),
        }
    }

    /// Progress of a call that asked for it; of any other, also one that is over, it is no error: the two cross on the way.
    fn progress(&mut self, params: Span, token: Span) -> Step {
        let token = to_u64(token.of(self.msg.of(&self.rx))).ok();
        let now = self.now;
        let call =
            self.calls.iter_mut().find(|c| token == Some(c.token) && c.wants.progress && !c.phase.is_over());
        let Some(call) = call else { return Step::Next };
        if call.wants.extends && call.phase.is_timed() {
            call.restart(now);
        }
        Step::Progress(call.ticket(), params)
    }

    /// A task has moved on, says the server: one of ours is looked at as soon as it is no longer working. Such notices may
    /// be missing (2025-11-25 basic/utilities/tasks), so nothing hangs on them.
    fn task_moved(&mut self, method: Span, params: Span) -> Step {
        let b = self.msg.of(&self.rx);
        let outcome = Outcome::of(b, params);
        let id = outcome.task_id.of(b);
        let owner = self.park.iter().find(|r| r.held == Held::Task && r.data == id).map(|r| r.ticket);
        let owner = owner.filter(|ticket| !id.is_empty() && self.is_waiting(*ticket));
        let Some(ticket) = owner else { return Step::Notified(method, params) };
        let (working, now) = (content_bytes(outcome.status.of(b)) == Some(b"working"), self.now);
        if let Some(call) = self.calls.get_mut(usize::from(ticket.slot))
            && call.phase == Phase::Task
            && !working
        {
            call.look_at = now;
            self.wake_by(Some(now));
        }
        Step::Task(ticket, params)
    }

    /// The subscription whose request has that id.
    fn listener(&self, id: Span) -> Option<u16> {
        let id = to_u64(id.of(self.msg.of(&self.rx))).ok();
        self.calls
            .iter()
            .find(|c| id == Some(c.id) && c.kind == Kind::Listen && c.phase.waits())
            .map(|c| c.number)
    }

    fn listening(&self, number: u16, granted: Span) -> Step {
        let call = self.calls.get(usize::from(number));
        call.map_or(Step::Next, |call| Step::Listening(call.ticket(), granted))
    }

    /// The server takes a question back, or ends a subscription (2026-07-28 basic/patterns/cancellation: on a stream this
    /// may come beside the result, before or after it).
    fn cancelled(&mut self, id: Span) -> Step {
        if let Some(number) = self.listener(id) {
            let Some(ticket) = self.calls.get(usize::from(number)).map(|c| c.ticket()) else {
                return Step::Next;
            };
            self.over(ticket);
            return Step::Done(ticket, End::Failed(Failure::Ended));
        }
        let id = id.of(self.msg.of(&self.rx));
        let question = self
            .park
            .iter()
            .find(|r| r.held == Held::Pending && r.ticket == super::questions::NOBODY && r.key == id);
        let Some(number) = question.map(|r| r.number) else { return Step::Next };
        self.park.remove(|r| r.held == Held::Pending && r.number == number);
        self.thought();
        Step::Withdrawn(QuestionId(number))
    }
}
