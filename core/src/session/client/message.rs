//! From a line to what it means.

use super::call::{Farewell, Phase};
use super::event::Failure;
use super::step::{End, Odd, Refused, Step};
use super::{After, Client, Link, Msg};
use crate::bytes::{at, part};
use crate::error::Error;
use crate::json::num::to_u64;
use crate::json::scan::{Scan, Token};
use crate::proto::revision::Feature;
use crate::rpc::envelope::{self, Class, Envelope};
use crate::rpc::id::is_id;
use crate::rpc::params::Span;
use crate::wire::hunter::Hunter;
use crate::wire::line::Found;

impl Client<'_> {
    /// Goes on until there is something to tell, or more input or room is needed.
    pub(super) fn advance(&mut self) -> Step {
        let blocked = match self.settle() {
            Step::Next => false,
            // No line can be read before this one is done with, but calls are late all the same.
            Step::Send => true,
            other => return other,
        };
        loop {
            let step = match self.link {
                Link::Up => self.due(),
                Link::Down => return Step::Ended,
                _ => self.connect(),
            };
            let step = match step {
                Step::Next if blocked => return Step::Send,
                Step::Next => self.line(),
                other => return other,
            };
            match step {
                Step::Next => {}
                Step::Idle if self.fill.len > 0 => return Step::Send,
                other => return other,
            }
        }
    }

    /// Finishes with what the last event showed.
    fn settle(&mut self) -> Step {
        match core::mem::replace(&mut self.after, After::Nothing) {
            After::Nothing => Step::Next,
            After::Consume => self.consumed(),
            After::Questions(slot, from) => match self.next_question(slot, from) {
                Step::Next => self.consumed(),
                shown => shown,
            },
            After::Page(slot, cursor) => match self.next_page(slot, cursor) {
                // When the stream has ended nothing would come of it.
                Step::Send if !self.lines.has_ended() => {
                    self.after = After::Page(slot, cursor);
                    Step::Send
                }
                _ => self.consumed(),
            },
            After::Slice(end, over) => {
                self.lines.sliced(end, over);
                Step::Next
            }
        }
    }

    /// Takes the message away that is done with.
    fn consumed(&mut self) -> Step {
        if self.batch.is_none() {
            self.lines.consume();
        }
        Step::Next
    }

    /// Lets the message stand that an event shows, until the next poll.
    pub(super) fn show(&mut self, step: Step) -> Step {
        self.after = After::Consume;
        step
    }

    fn line(&mut self) -> Step {
        if self.batch.is_some() {
            return self.element();
        }
        if self.slices.is_some() {
            return self.slice();
        }
        match self.lines.next(self.rx.bytes()) {
            Found::Nothing if self.lines.is_over() => self.over_and_out(),
            Found::Nothing if self.lines.is_full(&self.rx) => self.begin_slices(),
            Found::Nothing => Step::Idle,
            Found::TooLong(bytes) => {
                let step = self.too_long(bytes);
                if !matches!(step, Step::Send) {
                    self.lines.consume();
                }
                step
            }
            Found::Line { start, end } => {
                self.msg = Msg { start, end };
                if at(self.rx.bytes(), start) == b'[' && self.speaks(Feature::Batch) {
                    return self.begin_batch();
                }
                self.after_message()
            }
        }
    }

    /// Reads the message, and takes it away unless it is shown.
    fn after_message(&mut self) -> Step {
        let step = self.message();
        if let (Step::Next, After::Nothing) = (&step, &self.after) {
            return self.consumed();
        }
        step
    }

    fn message(&mut self) -> Step {
        let b = self.msg.of(&self.rx);
        let envelope = match envelope::read(b, false) {
            Ok(envelope) => envelope,
            Err(error) if matches!(at(b, 0), b'{' | b'[') => return self.broken(error),
            Err(_) => return self.show(Step::Stray(Odd::Line)),
        };
        match envelope.class {
            Class::Response(result, error) => self.response(&envelope, result, error),
            Class::Notification => self.notification(&envelope),
            Class::Request => self.request_of_theirs(&envelope),
            // An answer that says nothing: the call that waits for it must not wait for ever.
            // A log line that happens to have an `id` is no message at all.
            Class::Invalid("\"method\" is missing") if !envelope.id.is_absent() => {
                self.response(&envelope, Span::ABSENT, Span::ABSENT)
            }
            Class::Invalid(_) | Class::NotAnObject => self.show(Step::Stray(Odd::Line)),
        }
    }

    /// A response: to the request that makes the connection, to a call, or to nothing.
    fn response(&mut self, envelope: &Envelope, result: Span, error: Span) -> Step {
        let b = self.msg.of(&self.rx);
        // Our numbers come back digit for digit; `"1"` and `1e0` are no ids of ours.
        let id = envelope.id.of(b);
        let id = to_u64(id).ok().filter(|_| id.iter().all(u8::is_ascii_digit));
        // `"error":null` beside a result is how some serializers write that there is none, and the other way round.
        let error = if error.of(b) == b"null" && !result.is_absent() { Span::ABSENT } else { error };
        let result = if result.of(b) == b"null" && !error.is_absent() { Span::ABSENT } else { result };
        match id {
            Some(id) if id == self.connect_id && self.is_connecting() => self.connected(result, error),
            Some(id) => match self.calls.iter().find(|c| c.id == id && c.phase.waits()).map(|c| c.number) {
                Some(number) => self.answered(number, result, error),
                None => self.show(Step::Stray(Odd::Response)),
            },
            None if !error.is_absent() => self.show(Step::Stray(Odd::Error(error))),
            None => self.show(Step::Stray(Odd::Response)),
        }
    }

    /// A message that did not fit into the receive buffer; its id may have been seen as it went by.
    fn too_long(&mut self, bytes: usize) -> Step {
        let found = self.lines.found_while_dropping();
        if found.is_some_and(|h| h.has_method()) {
            return self.refuse_too_long(bytes);
        }
        let id = found.and_then(answers);
        if id.is_some_and(|id| id == self.connect_id) && self.is_connecting() {
            return self.refuse(Refused::Invalid("what it says of itself is larger than the receive buffer"));
        }
        let too_large = Failure::TooLarge(bytes.min(u32::MAX as usize) as u32);
        if self.fail_by_id(id, too_large) { Step::Next } else { Step::Stray(Odd::TooLong(bytes)) }
    }

    /// A line that begins as a message and is none. A call that it seems to answer gets no other answer: it is over now, and
    /// not when its time is.
    fn broken(&mut self, error: Error) -> Step {
        let mut hunter = Hunter::default();
        hunter.feed(self.msg.of(&self.rx));
        // A line that the end of the stream has cut short is no fault of the answer's.
        if !hunter.has_method() && !self.lines.has_ended() {
            self.fail_by_id(answers(&hunter), Failure::Invalid(error.kind.phrase()));
        }
        self.show(Step::Stray(Odd::Broken(error)))
    }

    /// Lets the call fail whose request has that id and is out; whether there is one.
    fn fail_by_id(&mut self, id: Option<u64>, why: Failure) -> bool {
        let call = self.calls.iter().find(|c| id == Some(c.id) && c.phase.waits());
        let Some((ticket, phase)) = call.map(|c| (c.ticket(), c.phase)) else { return false };
        if phase == Phase::Forgotten {
            self.over(ticket);
        } else {
            self.fail(ticket.slot, why, Farewell::None);
        }
        true
    }

    /// The stream has ended: so have all calls, one event each.
    fn over_and_out(&mut self) -> Step {
        if self.is_connecting() || self.link == Link::New {
            return self.refuse(Refused::Closed(self.link == Link::Probing));
        }
        let Some(call) = self.calls.iter().find(|c| c.phase != Phase::Free) else {
            self.link = Link::Down;
            // Its questions are stale from here on.
            self.park.remove(|_| true);
            return Step::Ended;
        };
        let (ticket, told) = (call.ticket(), call.phase.is_over());
        self.over(ticket);
        if told { Step::Next } else { Step::Done(ticket, End::Failed(Failure::Closed)) }
    }

    /// An array of messages (2025-03-26 basic, "Batching"): its elements one by one.
    fn begin_batch(&mut self) -> Step {
        let b = self.msg.of(&self.rx);
        let mut scan = Scan::text();
        let first = scan.next(b);
        if !scan.skip(b, first) || scan.next(b) != Token::End {
            let error = scan.error();
            return self.show(Step::Stray(Odd::Broken(error)));
        }
        self.batch = Some(Msg { start: self.msg.start.wrapping_add(1), end: self.msg.end });
        Step::Next
    }

    fn element(&mut self) -> Step {
        // The buffer does not move while a batch is open, so the line stands where it stood.
        let Some(Msg { start: mut from, end }) = self.batch else { return Step::Next };
        let b = part(self.rx.bytes(), 0, end);
        while matches!(at(b, from), b' ' | b'\t' | b',' | b'\r') {
            from = from.wrapping_add(1);
        }
        let mut scan = Scan::value(from);
        let token = scan.next(b);
        if matches!(at(b, from), b']' | 0) || !scan.skip(b, token) {
            self.batch = None;
            self.lines.consume();
            return Step::Next;
        }
        self.msg = Msg { start: from, end: scan.pos() };
        let step = self.message();
        // What could not be answered for lack of room is looked at again.
        if !matches!(step, Step::Send) {
            self.batch = Some(Msg { start: scan.pos(), end });
        }
        step
    }
}

/// The request that a message answers which was seen only as it went by.
fn answers(hunter: &Hunter) -> Option<u64> {
    hunter.id().filter(|id| is_id(id)).and_then(|id| to_u64(id).ok())
}
