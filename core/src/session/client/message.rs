//! From a line to what it means.

use super::call::{Farewell, Phase};
use super::event::Failure;
use super::{After, Client, Link, Msg, Odd, Refused, Step};
use crate::bytes::{at, part};
use crate::json::num::to_u64;
use crate::json::scan::{Scan, Token};
use crate::proto::revision::Feature;
use crate::rpc::envelope::{self, Class, Envelope};
use crate::rpc::id::is_id;
use crate::rpc::params::{Span, value_start};

use crate::wire::line::Found;

impl Client<'_> {
    /// Goes on until there is something to tell, or more input or room is needed.
    pub(super) fn advance(&mut self) -> Step {
        match self.settle() {
            Step::Next => {}
            other => return other,
        }
        loop {
            let step = match self.link {
                Link::Up => self.due(),
                Link::Down => return Step::Ended,
                _ => self.connect(),
            };
            let step = match step {
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
                Step::Next => self.consumed(),
                other => {
                    self.after = After::Page(slot, cursor);
                    other
                }
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
                self.lines.consume();
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
            Err(error) if matches!(at(b, 0), b'{' | b'[') => {
                return self.show(Step::Stray(Odd::Broken(error)));
            }
            Err(_) => return self.show(Step::Stray(Odd::Line)),
        };
        match envelope.class {
            Class::Response(result, error) => self.response(&envelope, result, error),
            Class::Notification => self.notification(&envelope),
            Class::Request => self.request_of_theirs(&envelope),
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
        let id = found.filter(|h| !h.has_method()).and_then(|h| h.id()).filter(|id| is_id(id));
        let id = id.and_then(|id| to_u64(id).ok());
        if id.is_some_and(|id| id == self.connect_id) && self.is_connecting() {
            self.link = Link::Down;
            return Step::Refused(Refused::Invalid(
                "what it says of itself is larger than the receive buffer",
            ));
        }
        let call = self.calls.iter().find(|c| id == Some(c.id) && c.phase.waits());
        match call.map(|c| (c.number, c.phase)) {
            Some((number, Phase::Forgotten)) => {
                self.turn(number, Phase::Free);
                Step::Next
            }
            Some((number, _)) => {
                self.fail(number, Failure::TooLarge(bytes.min(u32::MAX as usize) as u32), Farewell::None);
                Step::Next
            }
            None => Step::Stray(Odd::TooLong(bytes)),
        }
    }

    /// The stream has ended: so have all calls, one event each.
    fn over_and_out(&mut self) -> Step {
        if self.is_connecting() || self.link == Link::New {
            let probing = self.link == Link::Probing;
            self.link = Link::Down;
            return Step::Refused(Refused::Closed(probing));
        }
        let Some(call) = self.calls.iter().find(|c| c.phase != Phase::Free) else {
            self.link = Link::Down;
            return Step::Ended;
        };
        let (ticket, told) = (call.ticket(), call.phase.is_over());
        self.over(ticket);
        if told { Step::Next } else { Step::Done(ticket, super::End::Failed(Failure::Closed)) }
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
        self.batch = Some(1);
        Step::Next
    }

    fn element(&mut self) -> Step {
        // The buffer does not move while a batch is open, so the line stands where it stood.
        let Found::Line { start, end } = self.lines.next(self.rx.bytes()) else {
            self.batch = None;
            return Step::Next;
        };
        let b = part(self.rx.bytes(), start, end);
        let mut from = self.batch.unwrap_or(end);
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
        let first = value_start(&scan, token);
        self.msg = Msg { start: start.wrapping_add(first), end: start.wrapping_add(scan.pos()) };
        let step = self.message();
        // What could not be answered for lack of room is looked at again.
        if !matches!(step, Step::Send) {
            self.batch = Some(scan.pos());
        }
        step
    }
}
