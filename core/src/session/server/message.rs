//! From a line to what is to be done about it.

use super::answer::{Data, Msg};
use super::calls::Prepared;
use super::{Batch, Server, Step};
use crate::bytes::{at, part};
use crate::error::{Error, Kind};
use crate::json::scan::{Scan, Token};
use crate::limits::BATCH_MAX;
use crate::proto::method::{Method, Notification};
use crate::proto::revision::Feature;
use crate::rpc::code;
use crate::rpc::envelope::{self, Class, Envelope};
use crate::rpc::id::is_id;
use crate::rpc::params::{Span, value_start};
use crate::session::slots::{Failed, Shape, State};
use crate::session::tasks::NONE;
use crate::wire::hunter::Hunter;
use crate::wire::line::Found;

impl Server<'_> {
    /// Goes on until the application, the transport or more input is needed.
    pub(super) fn advance(&mut self) -> Step {
        match self.settle() {
            Step::Next => {}
            other => return other,
        }
        loop {
            if (self.replay.skip == 0 || self.replay.notice.is_some()) && self.batch.is_none() {
                match self.notices() {
                    Step::Next => {}
                    other => return other,
                }
            }
            let step = if self.batch.is_some() { self.batch_element() } else { self.line() };
            match step {
                Step::Next => {}
                Step::Idle if self.fill.len > 0 => return Step::Send,
                other => return other,
            }
        }
    }

    /// Ends the call that was handed out last: its message is consumed, and it is answered if the handler did not.
    fn settle(&mut self) -> Step {
        let Some(call) = self.current else { return Step::Next };
        let step = self.outcome(call);
        if let Step::Next = step {
            self.current = None;
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

    fn line(&mut self) -> Step {
        match self.lines.next(self.rx.bytes()) {
            Found::Nothing if self.lines.is_over() => self.over(),
            Found::Nothing => Step::Idle,
            Found::TooLong(bytes) => {
                let step = self.too_long(bytes);
                self.after(step)
            }
            Found::Line { start, end } => {
                let msg = Msg { start, end };
                let array = at(self.rx.bytes(), start) == b'[';
                if array && self.session.revision.is_some_and(|r| r.has(Feature::Batch)) {
                    return self.batch_start(msg);
                }
                let step = self.message(msg);
                self.after(step)
            }
        }
    }

    /// The stream has ended: what is written is sent, and calls that wait have nobody left to answer to.
    fn over(&mut self) -> Step {
        if self.fill.len > 0 {
            return Step::Send;
        }
        if let Some(slot) = self.slots.iter_mut().find(|s| s.state.can_be_cancelled()) {
            let (ticket, awaits) = (slot.ticket(), slot.state == State::Awaits);
            slot.free();
            self.waiting = self.waiting.saturating_sub(1);
            // Nobody is told either that a question is withdrawn.
            self.park.remove(|_| true);
            return if awaits { Step::Next } else { Step::Cancelled(ticket) };
        }
        Step::Ended
    }

    /// Consumes the message, unless it is still needed.
    fn after(&mut self, step: Step) -> Step {
        match step {
            Step::Send | Step::Call => {}
            _ => self.consumed(),
        }
        step
    }

    fn message(&mut self, msg: Msg) -> Step {
        let b = part(self.rx.bytes(), msg.start, msg.end);
        let envelope = match envelope::read(b, self.softened) {
            Ok(envelope) => envelope,
            Err(error) => return self.broken(msg, error),
        };
        match envelope.class {
            Class::Request => {
                self.junk = 0;
                self.request(msg, &envelope)
            }
            Class::Notification => {
                self.junk = 0;
                self.notification(msg, &envelope)
            }
            Class::Response(result, error) => {
                if !self.response(msg, envelope.escapes, envelope.id, result, error) {
                    // Late, twice, or confused, and harmless.
                    self.stats.responses = self.stats.responses.saturating_add(1);
                }
                Step::Next
            }
            Class::Invalid(why) => {
                let known = !envelope.id.is_absent();
                self.junk(msg, envelope.id, known, code::INVALID_REQUEST, &["Invalid request: ", why])
            }
            Class::NotAnObject => {
                let array = at(b, 0) == b'[';
                let why = "Invalid request: an array is a message in 2025-03-26 only";
                if array {
                    self.junk(msg, Span::ABSENT, false, code::INVALID_REQUEST, &[why])
                } else {
                    self.noise()
                }
            }
        }
    }

    /// A line that is no message. Only one that begins like one is answered, and only a few in a row: a peer that prints
    /// logs to the stream, or answers errors with errors, must not start a storm.
    fn junk(&mut self, msg: Msg, id: Span, known: bool, code: i32, message: &[&str]) -> Step {
        if !known && self.batch.is_none() && self.replay.skip == 0 {
            if self.junk >= self.config.junk_answers {
                return self.noise();
            }
            self.junk = self.junk.saturating_add(1);
            self.stats.junk_lines = self.stats.junk_lines.saturating_add(1);
        }
        let form = self.form();
        let step = self.error(msg, id, form, code, message, Data::None);
        if let Step::Send = step {
            // Made again from the start later; it was counted once.
            if self.replay.skip == 0 && !known && self.batch.is_none() {
                self.junk = self.junk.saturating_sub(1);
                self.stats.junk_lines = self.stats.junk_lines.saturating_sub(1);
            }
        }
        step
    }

    fn noise(&mut self) -> Step {
        self.stats.junk_lines = self.stats.junk_lines.saturating_add(1);
        Step::Next
    }

    /// A line that is not JSON, or crosses a limit.
    fn broken(&mut self, msg: Msg, error: Error) -> Step {
        let b = part(self.rx.bytes(), msg.start, msg.end);
        if !matches!(at(b, 0), b'{' | b'[') {
            return self.noise();
        }
        let mut digits = [0; 20];
        let place = crate::json::write::decimal_text(error.at.into(), &mut digits);
        if error.kind != Kind::Depth {
            let words = ["Parse error: ", error.kind.phrase(), ", at byte ", place];
            return self.junk(msg, Span::ABSENT, false, code::PARSE_ERROR, &words);
        }
        // The limit is ours, so the caller is owed an answer under its own id.
        let mut hunter = Hunter::default();
        hunter.feed(b);
        let id = hunter.id().filter(|id| is_id(id)).and_then(|id| find_in(b, id)).unwrap_or(Span::ABSENT);
        let words = ["Invalid request: nested deeper than 127 levels, at byte ", place];
        self.junk(msg, id, !id.is_absent(), code::INVALID_REQUEST, &words)
    }

    /// A message that did not fit into the receive buffer; its id may have been seen as it went by.
    fn too_long(&mut self, bytes: usize) -> Step {
        let limit = self.rx.cap();
        let (id, method) = match self.lines.found_while_dropping() {
            Some(hunter) => (hunter.id().filter(|id| is_id(id)).is_some(), hunter.has_method()),
            None => (false, false),
        };
        // A notification is not answered, and neither is a response.
        let step = if id && method { self.too_long_answer(bytes, limit) } else { Step::Next };
        if let Step::Next = step {
            self.stats.too_long = self.stats.too_long.saturating_add(1);
        }
        step
    }

    fn batch_start(&mut self, msg: Msg) -> Step {
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
        self.framing = crate::rpc::emit::Framing { batch: true, open: false };
        Step::Next
    }

    /// Answers the next element of the batch, or ends its array. The array is validated already; elements are found one
    /// by one and the answer is never held as a whole.
    fn batch_element(&mut self) -> Step {
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
        if !matches!(step, Step::Send) {
            self.batch = Some(Batch { next: scan.pos(), count: count.saturating_add(1) });
            if !matches!(step, Step::Call) {
                self.softened = false;
            }
        }
        step
    }

    fn element(&mut self, msg: Msg, count: u16) -> Step {
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

    fn batch_end(&mut self, msg: Msg) -> Step {
        if self.framing.open {
            let mut desk = self.desk(msg);
            desk.w.put(b"]\n");
            match self.sent() {
                Step::Next => {}
                other => return other,
            }
        }
        self.batch = None;
        self.framing = crate::rpc::emit::Framing::default();
        self.consumed();
        Step::Next
    }

    fn notification(&mut self, msg: Msg, envelope: &Envelope) -> Step {
        let b = part(self.rx.bytes(), msg.start, msg.end);
        let method = envelope.method.of(b);
        let name = part(method, 1, method.len().saturating_sub(1));
        match Notification::named(name) {
            Notification::Cancelled => self.cancelled(msg, envelope.members.request_id),
            Notification::Initialized => Step::Next,
            Notification::Other => {
                self.stats.notifications = self.stats.notifications.saturating_add(1);
                Step::Next
            }
        }
    }

    /// Gives up the call or subscription with that id. Ids of calls that are over, or never were, are ignored: the
    /// client's word and the answer cross on the way (MCP, every revision).
    fn cancelled(&mut self, msg: Msg, id: Span) -> Step {
        let b = part(self.rx.bytes(), msg.start, msg.end);
        let id = id.of(b);
        if id.is_empty() {
            return Step::Next;
        }
        if let Some(slot) = self.slots.iter_mut().find(|s| s.state.can_be_cancelled() && s.id == id) {
            let ticket = slot.ticket();
            // A request that only waits for a task has nothing to stop.
            let awaits = slot.state == State::Awaits;
            slot.free();
            self.waiting = self.waiting.saturating_sub(1);
            return if awaits { Step::Next } else { Step::Cancelled(ticket) };
        }
        self.subs.remove(|r| r.id == id);
        Step::Next
    }

    fn request(&mut self, msg: Msg, envelope: &Envelope) -> Step {
        if envelope.escapes {
            self.soften(msg, envelope.method);
        }
        let b = part(self.rx.bytes(), msg.start, msg.end);
        let method = Method::named(crate::json::text::content_bytes(envelope.method.of(b)).unwrap_or(b""));
        if method == Some(Method::Initialize) {
            return self.initialize(msg, envelope);
        }
        if !envelope.meta.version.is_absent() {
            return self.per_request(msg, envelope, method);
        }
        if envelope.params_not_object {
            let form = self.form();
            return self.bad_params(msg, envelope.id, form, &["\"params\" must be an object"]);
        }
        match (self.session.revision, method) {
            (_, Some(Method::Discover | Method::Listen)) => self.unmarked(msg, envelope),
            (None, Some(Method::Ping)) => {
                let form = self.form();
                self.empty_result(msg, envelope.id, form)
            }
            (None, _) => self.uninvited(msg, envelope),
            (Some(revision), Some(method)) if method.is_in(revision) => {
                let can = self.session.can;
                self.serve(msg, envelope, method, super::calls::Terms { revision, level: None, can })
            }
            (Some(revision), _) => self.no_method(msg, envelope, revision),
        }
    }

    /// Unescapes the string at `span` in place.
    pub(super) fn soften(&mut self, msg: Msg, span: Span) {
        let from = msg.start.wrapping_add(span.from());
        let to = msg.start.wrapping_add(span.to());
        crate::json::text::soften(crate::bytes::part_mut(self.rx.bytes_mut(), from, to));
        self.softened = true;
    }

    pub(super) fn no_method(
        &mut self,
        msg: Msg,
        envelope: &Envelope,
        revision: crate::proto::revision::Revision,
    ) -> Step {
        let words = ["Method not found"];
        self.error(msg, envelope.id, revision, code::METHOD_NOT_FOUND, &words, Data::None)
    }
}

/// Where the bytes `id` stand in `b`.
fn find_in(b: &[u8], id: &[u8]) -> Option<Span> {
    let from = b.windows(id.len().max(1)).position(|w| w == id)?;
    Some(Span::new(from, from.wrapping_add(id.len())))
}
