//! What the server asks, from the question to the answer; the same in both eras.

use super::call::{Farewell, Kind, Phase, Ticket};
use super::event::{Asks, Failure, Given, QuestionId};
use super::{After, Client, End, Step};
use crate::bytes::{at, blanks, part};
use crate::error::{Error, Kind as Fault};
use crate::json::Writer;
use crate::json::scan::{Scan, Token};
use crate::json::text::{content_bytes, same, spell};
use crate::limits::ASKS_MAX;
use crate::proto::client::Can;
use crate::proto::method::Method;
use crate::rpc::emit::{self, Framing};
use crate::rpc::params::{Asked, Outcome, Span};
use crate::session::park::{Held, Parked};

/// Whose questions are those that belong to no call: requests of the server's.
pub(super) const NOBODY: Ticket = Ticket { slot: u16::MAX, generation: 0 };

/// Why a question is not handed on.
pub(super) enum Unasked {
    /// This client did not say that it can do this.
    Undeclared,
    /// Its key is too long to be kept.
    LongKey,
    NoRoom(Error),
}

impl Client<'_> {
    /// What kind of question a method is with these params; `None` for methods that are no question.
    pub(super) fn kind_of(&self, method: &[u8], params: Span) -> Option<Asks> {
        let b = self.msg.of(&self.rx);
        Some(match method {
            b"elicitation/create" => match content_bytes(Asked::of(b, params).mode.of(b)) {
                Some(b"url") => Asks::Url,
                _ => Asks::Form,
            },
            b"sampling/createMessage" => Asks::Sample,
            b"roots/list" => Asks::Roots,
            _ => return None,
        })
    }

    pub(super) fn elicits(&self) -> bool {
        self.can.has(Can::ELICIT) || self.can.has(Can::ELICIT_URL)
    }

    /// Keeps a question until it is answered: the text `key` that names it for the server, and what a form fills in by
    /// itself.
    pub(super) fn keep_question(
        &mut self,
        ticket: Ticket,
        kind: Asks,
        key: Span,
        params: Span,
    ) -> Result<QuestionId, Unasked> {
        let b = self.msg.of(&self.rx);
        let asked = Asked::of(b, params);
        let needs = match kind {
            Asks::Form => Can::ELICIT,
            Asks::Url => Can::ELICIT_URL,
            Asks::Sample if asked.tools.is_absent() => Can::SAMPLE,
            Asks::Sample => Can::SAMPLE_WITH_TOOLS,
            Asks::Roots => Can::LIST_ROOTS,
        };
        if !self.can.has(needs) {
            return Err(Unasked::Undeclared);
        }
        let key = key.of(b);
        if key.len() > usize::from(u8::MAX) {
            return Err(Unasked::LongKey);
        }
        self.asked = self.asked.wrapping_add(1);
        let number = self.asked;
        let record = Parked { at: 0, held: Held::Pending, ticket, number, key, data: b"" };
        let kept = self.park.tail().write(&record, 0, |w| {
            if kind == Asks::Form {
                write_defaults(w, b, asked.schema);
            }
        });
        kept.map(|()| QuestionId(number)).map_err(Unasked::NoRoom)
    }

    /// Keeps the params of a request as they were sent, for the case that the server asks and wants them again.
    pub(super) fn keep_params(&mut self, ticket: Ticket) {
        let message = part(self.tx.bytes(), self.fill.start, self.fill.len);
        // Behind the request's head, and without `}}` and the line end.
        let head = message.windows(11).position(|w| w == b",\"params\":{").unwrap_or(message.len());
        let data = part(message, head.wrapping_add(11), message.len().saturating_sub(3));
        let record = Parked { at: 0, held: Held::Args, ticket, number: 0, key: b"", data };
        // Without room the call goes on: most servers never ask. One that does is told off then.
        let kept = self.park.tail().add(&record, 0);
        if let Some(call) = self.calls.get_mut(usize::from(ticket.slot)) {
            call.unkept = kept.err();
        }
    }

    /// The server asks before it answers (2026-07-28 basic/patterns/mrtr).
    pub(super) fn input_required(&mut self, number: u16, outcome: &Outcome) -> Step {
        let rounds = self.config.rounds;
        let Some(call) = self.calls.get_mut(usize::from(number)) else { return Step::Next };
        call.rounds = call.rounds.saturating_add(1);
        call.stop();
        let (ticket, unkept) = (call.ticket(), call.unkept);
        if call.rounds > rounds {
            return self.done(number, End::Failed(Failure::TooManyRounds));
        }
        if let Some(error) = unkept {
            return self.done(number, End::Failed(Failure::NoRoom(error)));
        }
        if outcome.input_requests.is_absent() && outcome.request_state.is_absent() {
            return self.invalid(number, "asks for input and does not say which");
        }
        self.park.remove(|r| r.ticket == ticket && r.held != Held::Args);
        if let Err(error) = self.keep_text(ticket, Held::State, outcome.request_state) {
            return self.done(number, End::Failed(Failure::NoRoom(error)));
        }
        self.ask(number, outcome.input_requests)
    }

    /// Keeps a piece of the message for a call, if it is there.
    pub(super) fn keep_text(&mut self, ticket: Ticket, held: Held, span: Span) -> Result<(), Error> {
        if span.is_absent() {
            return Ok(());
        }
        let data = span.of(self.msg.of(&self.rx));
        self.park.tail().add(&Parked { at: 0, held, ticket, number: 0, key: b"", data }, 0)
    }

    /// Hands the questions of a call out, one event each, once all of them are kept.
    pub(super) fn ask(&mut self, number: u16, requests: Span) -> Step {
        let Some(ticket) = self.calls.get(usize::from(number)).map(|c| c.ticket()) else { return Step::Next };
        let mut next = requests.from();
        let mut open = 0_u8;
        while let Some((key, value, end)) = member_at(self.msg.of(&self.rx), next, requests) {
            next = end;
            let b = self.msg.of(&self.rx);
            if self.knows(ticket, key.of(b)) {
                continue;
            }
            let asked = Asked::of(b, value);
            let method = content_bytes(asked.method.of(b)).unwrap_or(b"");
            let Some(kind) = self.kind_of(method, asked.params) else {
                return self.invalid(number, "asks something that is no question");
            };
            open = open.saturating_add(1);
            if open > ASKS_MAX {
                return self.invalid(number, "asks more than 16 questions at once");
            }
            match self.keep_question(ticket, kind, key, asked.params) {
                Ok(_) => {}
                Err(Unasked::Undeclared) => return self.invalid(number, "asks for what was not declared"),
                Err(Unasked::LongKey) => {
                    return self.invalid(number, "a question's key is longer than 253 bytes");
                }
                Err(Unasked::NoRoom(error)) => return self.done(number, End::Failed(Failure::NoRoom(error))),
            }
        }
        if let Some(call) = self.calls.get_mut(usize::from(number)) {
            call.open = open;
        }
        if open == 0 {
            self.turn(number, self.phase_when_answered(ticket));
            return Step::Next;
        }
        self.turn(number, Phase::Asking);
        self.requests = requests;
        self.next_question(number, requests.from())
    }

    /// Whether a question with that key was handed out before, and is open or answered.
    fn knows(&self, ticket: Ticket, key: &[u8]) -> bool {
        self.park.iter().any(|r| {
            r.ticket == ticket && matches!(r.held, Held::Pending | Held::Answer | Held::Given) && r.key == key
        })
    }

    /// The next question of a call in the message, from byte `from` on.
    pub(super) fn next_question(&mut self, number: u16, from: usize) -> Step {
        let Some(call) = self.calls.get(usize::from(number)) else { return Step::Next };
        let (ticket, asking) = (call.ticket(), call.phase == Phase::Asking);
        let mut next = from;
        while let Some((key, value, end)) = member_at(self.msg.of(&self.rx), next, self.requests) {
            next = end;
            let b = self.msg.of(&self.rx);
            let open = self
                .park
                .iter()
                .find(|r| r.held == Held::Pending && r.ticket == ticket && r.key == key.of(b));
            let (Some(id), true) = (open.map(|r| r.number), asking) else { continue };
            let asked = Asked::of(b, value);
            let method = content_bytes(asked.method.of(b)).unwrap_or(b"");
            let Some(kind) = self.kind_of(method, asked.params) else { continue };
            self.after = After::Questions(number, end);
            return Step::Asked(QuestionId(id), Some(ticket), kind, asked.params);
        }
        Step::Next
    }

    /// Answers a question.
    ///
    /// # Errors
    /// `Stale` when nobody waits for it any more; `Busy` and `TxFull` as for [`request`](Self::request); `ParkFull` when
    /// there is no room to keep it until all answers are there, with the size needed. Nothing is changed then.
    pub fn answer(&mut self, question: QuestionId, given: Given<'_>) -> Result<(), Error> {
        let record = self.park.iter().find(|r| r.held == Held::Pending && r.number == question.0);
        let (at, ticket) = record.map(|r| (r.at, r.ticket)).ok_or(Error::new(Fault::Stale, 0))?;
        if ticket == NOBODY {
            return self.respond(question.0, given);
        }
        if let Given::Error(..) = given {
            let farewell = if self.has_task(ticket) { Farewell::CancelTask } else { Farewell::None };
            self.fail(ticket.slot, Failure::Withheld, farewell);
            return Ok(());
        }
        self.park.replace(at, Held::Answer, |record, w| write_answer(w, &given, record.data))?;
        let Some(call) = self.calls.get_mut(usize::from(ticket.slot)) else { return Ok(()) };
        call.open = call.open.saturating_sub(1);
        if call.open == 0 && call.phase == Phase::Asking {
            self.turn(ticket.slot, self.phase_when_answered(ticket));
        }
        Ok(())
    }

    /// Answers a request of the server's.
    fn respond(&mut self, number: u32, given: Given<'_>) -> Result<(), Error> {
        let park = &self.park;
        let record = park.iter().find(|r| r.held == Held::Pending && r.number == number);
        let record = record.ok_or(Error::new(Fault::Stale, 0))?;
        super::write::write(&mut self.tx, &mut self.fill, |w| match given {
            Given::Error(code, message) => {
                emit::error(w, Framing::default(), Some(record.key), false, code, &[message]);
                emit::close(w, Framing::default());
            }
            given => {
                w.put(b"{\"jsonrpc\":\"2.0\",\"id\":");
                w.put(record.key);
                w.put(b",\"result\":");
                w.set_comma(false);
                write_answer(w, &given, record.data);
                w.put(b"}\n");
            }
        })?;
        self.park.remove(|r| r.held == Held::Pending && r.number == number);
        self.thought();
        Ok(())
    }

    /// A question of a handshake server is off the table: the time of calls runs again, and anew.
    pub(super) fn thought(&mut self) {
        self.open = self.open.saturating_sub(1);
        let now = self.now;
        for call in self.calls.iter_mut().filter(|c| c.phase.waits()) {
            call.restart(now);
        }
    }

    /// What a call does when nothing is open any more.
    fn phase_when_answered(&self, ticket: Ticket) -> Phase {
        let answered = self.park.iter().any(|r| r.ticket == ticket && r.held == Held::Answer);
        match (self.has_task(ticket), answered) {
            (false, _) => Phase::Retry,
            (true, true) => Phase::Update,
            (true, false) => Phase::Task,
        }
    }

    /// Makes a request again, with the answers.
    pub(super) fn retry(&mut self, ticket: Ticket) -> Result<(), Error> {
        let method = match self.calls.get(usize::from(ticket.slot)).map(|c| c.kind) {
            Some(Kind::Asks(Method::PromptsGet)) => "prompts/get",
            Some(Kind::Asks(Method::ResourcesRead)) => "resources/read",
            _ => "tools/call",
        };
        let id = self.write_again(method, ticket)?;
        self.park.remove(|r| r.ticket == ticket && r.held != Held::Args);
        self.sent(ticket.slot, id, Phase::Sent);
        Ok(())
    }

    /// A request of a call is out.
    pub(super) fn sent(&mut self, number: u16, id: u64, phase: Phase) {
        self.turn(number, phase);
        let now = self.now;
        let Some(call) = self.calls.get_mut(usize::from(number)) else { return };
        call.id = id;
        call.restart(now);
        let deadline = call.deadline;
        self.wake_by(deadline);
    }
}

/// The member of the object at `object` of `b` that begins at byte `from` or behind it: its name, its value, and where
/// the next one is looked for. What was handed out of the text may be softened.
fn member_at(b: &[u8], from: usize, object: Span) -> Option<(Span, Span, usize)> {
    let mut start = blanks(b, from);
    if matches!(at(b, start), b'{' | b',') {
        start = blanks(b, start.wrapping_add(1));
    }
    if object.is_absent() || start >= object.to() || at(b, start) != b'"' {
        return None;
    }
    let mut scan = Scan::value(start);
    scan.next(b);
    let key = Span::new(start, scan.pos());
    let value = blanks(b, blanks(b, scan.pos()).wrapping_add(1));
    let mut scan = Scan::value(value);
    let token = scan.next(b);
    scan.skip(b, token).then(|| (key, Span::new(value, scan.pos()), scan.pos()))
}

/// Writes an object of what the schema at `schema` of `b` fills in by itself (client/elicitation: clients that support
/// defaults should).
fn write_defaults(w: &mut Writer<'_>, b: &[u8], schema: Span) {
    let properties = Asked::of(b, schema).properties;
    let mut next = properties.from();
    w.object();
    while let Some((name, property, end)) = member_at(b, next, properties) {
        next = end;
        let default = Asked::of(b, property).default;
        if !default.is_absent() {
            w.raw_key(name.of(b));
            w.put(b":");
            w.set_comma(false);
            w.value(default.of(b));
        }
    }
    w.close();
}

/// Writes the result that answers a question, and into an accepted form what `defaults` has for it.
fn write_answer(w: &mut Writer<'_>, given: &Given<'_>, defaults: &[u8]) {
    match given {
        Given::Result(json) => w.value(json.get()),
        Given::Accept(content) => {
            w.object();
            w.member("action", "accept");
            if !defaults.is_empty() {
                w.key("content");
                write_filled(w, content.get(), defaults);
            }
            w.close();
        }
        Given::Decline => w.raw(b"{\"action\":\"decline\"}"),
        Given::Cancel | Given::Error(..) => w.raw(b"{\"action\":\"cancel\"}"),
    }
}

/// Writes the object `content`, and of the object `defaults` what it leaves out.
fn write_filled(w: &mut Writer<'_>, content: &[u8], defaults: &[u8]) {
    w.object();
    for (object, only_new) in [(content, false), (defaults, true)] {
        let whole = Span::new(blanks(object, 0), object.len());
        let mut next = whole.from();
        while let Some((name, value, end)) = member_at(object, next, whole) {
            next = end;
            if only_new && has_member(content, name.of(object)) {
                continue;
            }
            w.raw_key(name.of(object));
            w.put(b":");
            w.set_comma(false);
            w.value(value.of(object));
        }
    }
    w.close();
}

/// Whether `object` has a member of that name, in any spelling.
fn has_member(object: &[u8], name: &[u8]) -> bool {
    let mut room = [0; 64];
    let name = spell(part(name, 1, name.len().saturating_sub(1)), &mut room);
    let mut scan = Scan::value(0);
    loop {
        match scan.next(object) {
            Token::Key if scan.depth() == 1 && same(object, scan.start(), scan.end(), name) => return true,
            Token::End | Token::Error => return false,
            _ => {}
        }
    }
}
