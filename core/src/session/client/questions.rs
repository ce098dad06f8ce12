//! What the server asks, from the question to the answer; the same in both eras.

use super::call::{Farewell, Kind, Phase, Ticket};
use super::event::{Asks, Failure, Given, QuestionId};
use super::forms::{write_answer, write_defaults};
use super::step::{End, Step};
use super::{After, Client};
use crate::bytes::{at, part};
use crate::error::{Error, Kind as Fault};
use crate::json::text::{content_bytes, spell};
use crate::limits::ASKS_MAX;
use crate::proto::client::Can;
use crate::proto::method::Method;
use crate::proto::revision::Feature;
use crate::rpc::emit::{self, Framing};
use crate::rpc::params::{Asked, Outcome, Span, member_at};
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

    /// Whether the revision has forms or URLs, and one of the two was declared.
    pub(super) fn elicits(&self) -> bool {
        let declared = self.can.has(Can::ELICIT) || self.can.has(Can::ELICIT_URL);
        declared && self.speaks(Feature::Elicitation)
    }

    /// Whether this client declared that it can do this, which it does only where the revision has it.
    fn declared(&self, needs: Can) -> bool {
        let there = match needs {
            Can::ELICIT => self.speaks(Feature::Elicitation),
            Can::ELICIT_URL => self.speaks(Feature::UrlMode),
            _ => true,
        };
        there && self.can.has(needs)
    }

    /// What kind of question the entry `value` of `inputRequests` is, and its params.
    fn entry(&self, value: Span) -> Option<(Asks, Span)> {
        let b = self.msg.of(&self.rx);
        let asked = Asked::of(b, value);
        let method = asked.method.of(b);
        // Some serializers write a slash as `\/`.
        let mut room = [0; 32];
        let method = spell(part(method, 1, method.len().saturating_sub(1)), &mut room);
        Some((self.kind_of(method, asked.params)?, asked.params))
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
        if !self.declared(needs) {
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

    /// Keeps the params of a request as they were sent, for the case that the server asks and wants them again. They
    /// begin at byte `head` of the message.
    pub(super) fn keep_params(&mut self, ticket: Ticket, head: usize) {
        let message = part(self.tx.bytes(), self.fill.start, self.fill.len);
        // Without `}}` and the line end.
        let data = part(message, head, message.len().saturating_sub(3));
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
        let b = self.msg.of(&self.rx);
        // `null` is how some serializers write that there is none.
        let there = |span: Span| if span.of(b) == b"null" { Span::ABSENT } else { span };
        let (requests, state) = (there(outcome.input_requests), there(outcome.request_state));
        if matches!(requests.of(b), b"" | b"{}") && state.is_absent() {
            return self.invalid(number, "asks for input and does not say which");
        }
        if !matches!(at(state.of(b), 0), 0 | b'"') {
            return self.invalid(number, "\"requestState\" is no string");
        }
        self.park.remove(|r| r.ticket == ticket && r.held != Held::Args);
        if let Err(error) = self.keep_text(ticket, Held::State, state) {
            return self.done(number, End::Failed(Failure::NoRoom(error)));
        }
        self.ask(number, requests)
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
        self.handed = self.asked;
        let open = match self.keep_questions(ticket, requests) {
            Ok(open) => open,
            Err(why) => return self.drop_out(number, why),
        };
        let task = self.has_task(ticket);
        let rounds = self.config.rounds;
        let Some(call) = self.calls.get_mut(usize::from(number)) else { return Step::Next };
        call.open = open;
        if open == 0 {
            self.turn(number, self.phase_when_answered(ticket));
            return Step::Next;
        }
        // Of a task only those looks count that show something new.
        call.rounds = call.rounds.saturating_add(task.into());
        if call.rounds > rounds {
            return self.drop_out(number, Failure::TooManyRounds);
        }
        self.turn(number, Phase::Asking);
        self.requests = requests;
        self.next_question(number, requests.from())
    }

    /// Keeps what is new of the questions at `requests`; how many those are.
    fn keep_questions(&mut self, ticket: Ticket, requests: Span) -> Result<u8, Failure> {
        if !requests.is_absent() && at(self.msg.of(&self.rx), requests.from()) != b'{' {
            return Err(Failure::Invalid("\"inputRequests\" is no object"));
        }
        let mut next = requests.from();
        let mut open = 0_u8;
        while let Some((key, value, end)) = member_at(self.msg.of(&self.rx), next, requests) {
            next = end;
            if self.knows(ticket, key.of(self.msg.of(&self.rx))) {
                continue;
            }
            let entry = self.entry(value);
            let (kind, params) = entry.ok_or(Failure::Invalid("asks something that is no question"))?;
            open = open.saturating_add(1);
            if open > ASKS_MAX {
                return Err(Failure::Invalid("asks more than 16 questions at once"));
            }
            self.keep_question(ticket, kind, key, params).map_err(|why| match why {
                Unasked::Undeclared => Failure::Invalid("asks for what was not declared"),
                Unasked::LongKey => Failure::Invalid("a question's key is longer than 253 bytes"),
                Unasked::NoRoom(error) => Failure::NoRoom(error),
            })?;
        }
        Ok(open)
    }

    /// Ends a call that cannot go on by its questions, and its task with it.
    fn drop_out(&mut self, number: u16, why: Failure) -> Step {
        let ticket = self.calls.get(usize::from(number)).map(|c| c.ticket());
        if ticket.is_some_and(|ticket| self.has_task(ticket)) {
            self.fail(number, why, Farewell::CancelTask);
            return Step::Next;
        }
        self.done(number, End::Failed(why))
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
            // A key that is there twice names one question.
            let is_new = |number: u32| number.wrapping_sub(self.handed).wrapping_sub(1) < u32::from(ASKS_MAX);
            let open = self.park.iter().find(|r| {
                r.held == Held::Pending && r.ticket == ticket && r.key == key.of(b) && is_new(r.number)
            });
            let (Some(id), true) = (open.map(|r| r.number), asking) else { continue };
            let Some((kind, params)) = self.entry(value) else { continue };
            self.handed = id;
            self.after = After::Questions(number, end);
            return Step::Asked(QuestionId(id), Some(ticket), kind, params);
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
            call.restart_later();
            self.started = true;
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

    /// A question of a handshake server is off the table: the time of calls runs again, and anew; but not without end, for a
    /// server could ask for ever.
    pub(super) fn thought(&mut self) {
        self.open = self.open.saturating_sub(1);
        let most = self.config.rounds;
        for call in self.calls.iter_mut().filter(|c| c.phase.is_timed()) {
            call.rounds = call.rounds.saturating_add(1);
            if call.rounds <= most {
                call.restart_later();
            }
        }
        self.started = true;
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
