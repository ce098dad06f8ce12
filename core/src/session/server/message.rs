//! From a line to what is to be done about it.

use super::answer::{Data, Msg};
use super::{Server, Step};
use crate::bytes::{at, part};
use crate::error::{Error, Kind};
use crate::proto::method::{Method, Notification};
use crate::proto::revision::Feature;
use crate::rpc::code;
use crate::rpc::envelope::{self, Class, Envelope};
use crate::rpc::id::is_id;
use crate::rpc::params::Span;
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

    /// Consumes the message, unless it is still needed.
    pub(super) fn after(&mut self, step: Step) -> Step {
        match step {
            Step::Send | Step::Call => {}
            _ => self.consumed(),
        }
        step
    }

    pub(super) fn message(&mut self, msg: Msg) -> Step {
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
    pub(super) fn junk(&mut self, msg: Msg, id: Span, known: bool, code: i32, message: &[&str]) -> Step {
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
    pub(super) fn broken(&mut self, msg: Msg, error: Error) -> Step {
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
        let waiting = self.slots.iter().find(|s| s.state.can_be_cancelled() && s.id == id);
        if let Some(number) = waiting.map(|s| s.number) {
            return self.let_go(number);
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
