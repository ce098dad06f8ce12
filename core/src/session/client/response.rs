//! Answers to calls.

use super::call::{Farewell, Kind, Phase};
use super::event::{Failure, code_of};
use super::step::{End, Odd, Step};
use super::{After, Client};
use crate::bytes::at;
use crate::json::text::content_bytes;
use crate::limits::PAGES_MAX;
use crate::proto::client::Can;
use crate::proto::method::Method;
use crate::proto::revision::Feature;
use crate::rpc::params::{Outcome, Span};

/// What a result is (2026-07-28 basic, "Result").
enum Type {
    Complete,
    InputRequired,
    Task,
    Unknown,
}

impl Client<'_> {
    /// The response to the request of a call that is out.
    pub(super) fn answered(&mut self, number: u16, result: Span, error: Span) -> Step {
        let Some(call) = self.calls.get(usize::from(number)) else { return Step::Next };
        let (phase, kind, task) = (call.phase, call.kind, call.wants.task);
        if phase == Phase::Forgotten {
            return self.forgotten(number, result);
        }
        if !error.is_absent() {
            return self.answered_by_error(number, result, error);
        }
        let b = self.msg.of(&self.rx);
        if at(result.of(b), 0) != b'{' {
            return self.invalid(number, "the result is no object");
        }
        if phase == Phase::Sent
            && !task
            && !matches!(kind, Kind::Pages(_))
            && !self.speaks(Feature::ResultType)
        {
            // Whatever it says, it is for the application alone.
            return self.done(number, End::Result(result));
        }
        let outcome = Outcome::of(b, result);
        if outcome.twice {
            return self.invalid(number, "a member of the result is there twice");
        }
        match phase {
            Phase::Looking => return self.looked(number, result, &outcome),
            Phase::Updating => return self.updated(number),
            Phase::Sent if task && !outcome.task.is_absent() => return self.is_task(number, outcome.task),
            _ => {}
        }
        self.by_type(number, kind, result, &outcome)
    }

    /// A result, by what it says that it is.
    fn by_type(&mut self, number: u16, kind: Kind, result: Span, outcome: &Outcome) -> Step {
        match self.type_of(outcome.result_type) {
            Type::Complete if matches!(kind, Kind::Pages(_)) => {
                self.page(number, result, outcome.next_cursor)
            }
            Type::Complete => self.done(number, End::Result(result)),
            Type::InputRequired if matches!(kind, Kind::Asks(_)) => self.input_required(number, outcome),
            Type::InputRequired => self.invalid(number, "asks for input where nothing may be asked"),
            Type::Task if kind == Kind::Asks(Method::ToolsCall) && self.can.has(Can::TASKS) => {
                self.is_task(number, result)
            }
            Type::Task => self.invalid(number, "a task where none was asked for"),
            Type::Unknown => self.invalid(number, "the result has an unknown \"resultType\""),
        }
    }

    fn answered_by_error(&mut self, number: u16, result: Span, error: Span) -> Step {
        let b = self.msg.of(&self.rx);
        if !result.is_absent() {
            return self.invalid(number, "the answer holds both a result and an error");
        }
        if code_of(b, error).is_none() {
            return self.invalid(number, "the error has no code");
        }
        self.done(number, End::Error(error))
    }

    /// Ends a call by the message that is shown.
    pub(super) fn done(&mut self, number: u16, end: End) -> Step {
        let Some(ticket) = self.calls.get(usize::from(number)).map(|c| c.ticket()) else { return Step::Next };
        self.over(ticket);
        self.show(Step::Done(ticket, end))
    }

    /// Ends a call whose answer breaks the protocol.
    pub(super) fn invalid(&mut self, number: u16, words: &'static str) -> Step {
        self.done(number, End::Failed(Failure::Invalid(words)))
    }

    fn type_of(&self, token: Span) -> Type {
        if !self.speaks(Feature::ResultType) {
            return Type::Complete;
        }
        match token.of(self.msg.of(&self.rx)) {
            b"" => Type::Complete,
            token => match content_bytes(token) {
                Some(b"complete") => Type::Complete,
                Some(b"input_required") => Type::InputRequired,
                Some(b"task") => Type::Task,
                _ => Type::Unknown,
            },
        }
    }

    /// A page of a list: the last when it has no cursor, which an empty string is and `null` is not (2026-07-28
    /// server/utilities/pagination).
    fn page(&mut self, number: u16, result: Span, cursor: Span) -> Step {
        let b = self.msg.of(&self.rx);
        if !matches!(cursor.of(b), [b'"', ..]) {
            return self.done(number, End::Result(result));
        }
        let Some(call) = self.calls.get_mut(usize::from(number)) else { return Step::Next };
        let (ticket, repeats) = (call.ticket(), call.repeats(cursor.of(b)));
        call.restart_later();
        let too_many = call.pages >= PAGES_MAX;
        self.started = true;
        if repeats || too_many {
            let why = if repeats { Failure::PagesRepeat } else { Failure::TooManyPages };
            // The page itself is new as far as anybody knows, but without an end the list is none.
            return self.done(number, End::Failed(why));
        }
        self.turn(number, Phase::NextPage);
        self.after = After::Page(number, cursor);
        Step::Page(ticket, result)
    }

    /// The answer to a call that was given up before it was known whether it became a task.
    fn forgotten(&mut self, number: u16, result: Span) -> Step {
        let b = self.msg.of(&self.rx);
        let outcome = Outcome::of(b, result);
        let task = if outcome.task.is_absent() { result } else { outcome.task };
        let ticket = self.calls.get(usize::from(number)).map(|c| c.ticket());
        match (self.keep_task(number, task), ticket) {
            (Ok(true), _) => self.turn(number, Phase::Leaving(Farewell::CancelTask)),
            // It is no task, or one that there is no room to name.
            (_, Some(ticket)) => self.over(ticket),
            (_, None) => {}
        }
        self.show(Step::Stray(Odd::Response))
    }
}
