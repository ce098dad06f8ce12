//! The handshake revisions: calls that wait for what their client was asked.

use super::answer::window;
use super::calls::Prepared;
use super::{Notice, Server, Step};
use crate::bytes::part;
use crate::error::Error;
use crate::json::num::{to_i64, to_u64};
use crate::json::text::content_bytes;
use crate::rpc::code;
use crate::rpc::emit::{self, Framing};
use crate::rpc::params::{Failure, Span};
use crate::session::asks::members;
use crate::session::park::{Held, Parked, records};
use crate::session::slots::{Again, Slot, State, Ticket};
use crate::session::tasks::{BASE, NONE, Status};

use super::answer::Msg;

/// The slot of a ticket, if its call is not over.
fn live(slots: &[Slot], ticket: Ticket) -> Option<&Slot> {
    slots
        .get(usize::from(ticket.slot))
        .filter(|s| s.state != State::Free && s.generation == ticket.generation)
}

impl Server<'_> {
    /// Keeps the arguments of a call whose handler has asked, for when it is run again.
    ///
    /// # Errors
    /// `ParkFull`; while questions are open there is room, it was set aside for this.
    pub(super) fn park_args(&mut self, call: &Prepared) -> Result<(), Error> {
        let Some(slot) = self.slots.get(usize::from(call.slot)) else { return Ok(()) };
        let ticket = slot.ticket();
        if slot.task != NONE {
            self.park_answers(call, ticket)?;
        }
        let msg = part(self.rx.bytes(), call.msg.start, call.msg.end);
        let (number, data) = (call.escapes.into(), call.args.of(msg));
        self.park.tail().add(&Parked { at: 0, held: Held::Args, ticket, number, key: b"", data }, 0)
    }

    /// Keeps the answers that a call has brought which becomes a task (2026-07-28): it will not bring them again.
    fn park_answers(&mut self, call: &Prepared, ticket: Ticket) -> Result<(), Error> {
        let msg = part(self.rx.bytes(), call.msg.start, call.msg.end);
        let mut tail = self.park.tail();
        let fresh = members(call.fresh.of(msg)).map(|(_, member)| member);
        for (key, data) in records(call.state.of(msg)).map(|r| (r.key, r.data)).chain(fresh) {
            tail.add(&Parked { at: 0, held: Held::Answer, ticket, number: 0, key, data }, 0)?;
        }
        Ok(())
    }

    /// A response of the client; whether it was asked for. An answer counts once, and only while its call is there.
    pub(super) fn response(&mut self, msg: Msg, escapes: bool, id: Span, result: Span, error: Span) -> bool {
        let id = id.of(part(self.rx.bytes(), msg.start, msg.end));
        // Our numbers come back digit for digit; `1e0` is no id of ours.
        let number = to_u64(id).ok().filter(|_| id.iter().all(u8::is_ascii_digit));
        let Some(number) = number.and_then(|n| u32::try_from(n).ok()) else { return false };
        // `"error":null` beside a result is how some serializers write that there is none.
        let b = part(self.rx.bytes(), msg.start, msg.end);
        let error = if error.of(b) == b"null" && !result.is_absent() { Span::ABSENT } else { error };
        if escapes {
            self.soften(msg, if error.is_absent() { result } else { error });
        }
        let b = part(self.rx.bytes(), msg.start, msg.end);
        let ticket = if error.is_absent() {
            self.park.answer(number, Held::Answer, &[result.of(b)])
        } else {
            let said = Failure::of(b, error);
            let code = to_i64(said.code.of(b)).ok().and_then(|code| i32::try_from(code).ok());
            let code = code.unwrap_or(code::INTERNAL_ERROR);
            let message = content_bytes(said.message.of(b)).unwrap_or(b"");
            self.park.answer(number, Held::Error, &[&code.to_le_bytes(), message])
        };
        let Some(ticket) = ticket else { return false };
        if self.park.open_question(ticket).is_none()
            && let Some(slot) = self.slots.get_mut(usize::from(ticket.slot))
            && slot.state == State::Asked
        {
            slot.state = State::Ready;
        }
        true
    }

    /// The next call whose answers are there, to be handed out again.
    pub(super) fn ready(&mut self) -> Step {
        if self.waiting == 0 {
            return Step::Next;
        }
        let Some(slot) = self.slots.iter().find(|s| s.state == State::Ready) else { return Step::Next };
        // What could not be asked for lack of room is asked when all of it is there.
        let wanted = if slot.again == Again::Due { usize::MAX } else { self.config.reply_max };
        if !self.has_room(wanted) {
            return Step::Send;
        }
        let number = slot.number;
        if let Some(slot) = self.slots.get_mut(usize::from(number)) {
            slot.state = State::Open;
            slot.again = if slot.again == Again::Due { Again::Now } else { Again::No };
            slot.deadline = None;
        }
        if let Some(task) =
            self.slots.get(usize::from(number)).and_then(|s| self.tasks.get_mut(usize::from(s.task)))
        {
            task.set(Status::Working, self.now);
        }
        self.waiting = self.waiting.saturating_sub(1);
        self.current = Some(Prepared::parked(number));
        Step::Call
    }

    /// The client did not answer in time: the handler is told, and the client that its answers come too late.
    pub(super) fn answers_late(&mut self) {
        let now = self.now;
        let late = self
            .slots
            .iter_mut()
            .find(|s| s.state == State::Asked && s.deadline.is_some_and(|deadline| deadline <= now));
        let Some(slot) = late else { return };
        slot.state = State::Ready;
        slot.deadline = None;
        let ticket = slot.ticket();
        while let Some(number) = self.park.open_question(ticket) {
            self.park
                .mark(Held::Late, |r| r.held == Held::Pending && r.number == number && r.ticket == ticket);
            if number == 0 {
                // Not asked by a request of ours.
                continue;
            }
            // Without room the client is not told; its answer is ignored all the same.
            let nobody = Ticket { slot: u16::MAX, generation: 0 };
            let notice = Parked { at: 0, held: Held::Withdrawn, ticket: nobody, number, key: b"", data: b"" };
            let _ = self.park.tail().add(&notice, 0);
        }
    }

    /// Lets go of what calls that are over have left; their open questions are withdrawn.
    pub(super) fn sweep(&mut self) {
        if self.park.is_empty() {
            return;
        }
        let (slots, tasks) = (&*self.slots, &*self.tasks);
        let over = |r: &Parked<'_>| match r.ticket.slot.checked_sub(BASE) {
            Some(task) if r.held != Held::Withdrawn => {
                tasks.get(usize::from(task)).is_none_or(|t| t.generation != r.ticket.generation)
            }
            _ => live(slots, r.ticket).is_none(),
        };
        self.park.mark(Held::Withdrawn, |r| r.held == Held::Pending && r.number != 0 && over(r));
        self.park.remove(|r| r.held != Held::Withdrawn && over(r));
    }

    /// The next question that the client is to be told to forget.
    pub(super) fn withdrawn(&self) -> Option<Notice> {
        self.park.iter().find(|r| r.held == Held::Withdrawn).map(|r| Notice::Withdrawn(r.number))
    }

    /// `notifications/cancelled` for a request of ours (basic/utilities/cancellation).
    pub(super) fn withdraw(&mut self, number: u32) -> Step {
        let mut w = window(&mut self.tx, &mut self.fill, self.replay);
        emit::notification(&mut w, "notifications/cancelled");
        w.key("requestId");
        w.u64(number.into());
        w.member("reason", "the answer is not needed any more");
        emit::close(&mut w, Framing::default());
        let step = self.sent();
        if let Step::Next = step {
            self.park.remove(|r| r.held == Held::Withdrawn && r.number == number);
        }
        step
    }
}
