//! Batches (2025-03-26): arrays of messages, answered element by element.

use super::answer::{Data, Msg};
use super::{Batch, Server, Step};
use crate::bytes::{at, part};
use crate::json::scan::{Scan, Token};
use crate::limits::BATCH_MAX;
use crate::rpc::code;
use crate::rpc::emit::Framing;
use crate::rpc::envelope;
use crate::rpc::params::{Span, value_start};
use crate::wire::line::Found;

impl Server<'_> {
    pub(super) fn batch_start(&mut self, msg: Msg) -> Step {
        let b = part(self.rx.bytes(), msg.start, msg.end);
        let mut scan = Scan::text();
        let mut empty = false;
        let first = scan.next(b);
        let mut probe = scan;
        if probe.next(b) == Token::EndArray {
            empty = true;
        }
        if !scan.skip(b, first) || scan.next(b) != Token::End {
            let error = scan.error();
            let step = self.broken(msg, error);
            return self.after(step);
        }
        if empty {
            let words = ["Invalid request: an empty batch"];
            let step = self.junk(msg, Span::ABSENT, false, code::INVALID_REQUEST, &words);
            return self.after(step);
        }
        self.batch = Some(Batch { next: 1, count: 0 });
        self.framing = Framing { batch: true, open: false };
        Step::Next
    }

    /// Answers the next element of the batch, or ends its array. The array is validated already; elements are found one
    /// by one and the answer is never held as a whole.
    pub(super) fn batch_element(&mut self) -> Step {
        let Found::Line { start, end } = self.lines.next(self.rx.bytes()) else {
            self.batch = None;
            return Step::Next;
        };
        let (next, count) = self.batch.as_ref().map_or((0, 0), |b| (b.next, b.count));
        let b = part(self.rx.bytes(), start, end);
        let mut from = next;
        while matches!(at(b, from), b' ' | b'\t' | b',' | b'\r') {
            from = from.wrapping_add(1);
        }
        if matches!(at(b, from), b']' | 0) {
            return self.batch_end(Msg { start, end });
        }
        let mut scan = Scan::value(from);
        let token = scan.next(b);
        let first = value_start(&scan, token);
        scan.skip(b, token);
        let element = Msg { start: start.wrapping_add(first), end: start.wrapping_add(scan.pos()) };
        let step = self.element(element, count);
        // A call that has its slot is not looked at again, however long what it says first takes to go out.
        if !matches!(step, Step::Send) || self.current.is_some() {
            self.batch = Some(Batch { next: scan.pos(), count: count.saturating_add(1) });
            if self.current.is_none() {
                self.softened = false;
            }
        }
        step
    }

    pub(super) fn element(&mut self, msg: Msg, count: u16) -> Step {
        let b = part(self.rx.bytes(), msg.start, msg.end);
        if at(b, 0) != b'{' {
            let form = self.form();
            let words = ["Invalid request: an element of a batch must be an object"];
            return self.error(msg, Span::ABSENT, form, code::INVALID_REQUEST, &words, Data::None);
        }
        if count >= BATCH_MAX {
            let form = self.form();
            let id = envelope::read(b, false).map_or(Span::ABSENT, |e| e.id);
            if id.is_absent() {
                return Step::Next;
            }
            let words = ["Invalid request: a batch may hold 64 messages"];
            return self.error(msg, id, form, code::INVALID_REQUEST, &words, Data::None);
        }
        self.message(msg)
    }

    pub(super) fn batch_end(&mut self, msg: Msg) -> Step {
        if self.framing.open {
            let mut desk = self.desk(msg);
            desk.w.put(b"]\n");
            match self.sent() {
                Step::Next => {}
                other => return other,
            }
        }
        self.batch = None;
        self.framing = Framing::default();
        self.consumed();
        Step::Next
    }
}
