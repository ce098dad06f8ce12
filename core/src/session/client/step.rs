//! What a step of the engine comes to, and the event it is shown as.

use super::Client;
use super::call::Ticket;
use super::event::{
    Asks, Body, Ending, Event, Failure, PeerError, Question, QuestionId, Refusal, Stray, code_of,
};
use crate::bytes::{part, part_mut};
use crate::error::Error;
use crate::proto::revision::Revision;
use crate::rpc::params::Span;
use crate::session::rows::List;

/// What one step came to. Spans count from the first byte of the message.
pub(super) enum Step {
    Next,
    Idle,
    Send,
    Ended,
    Connected(Revision, Span),
    Refused(Refused),
    Done(Ticket, End),
    Page(Ticket, Span),
    Slice(Ticket, usize, usize),
    Progress(Ticket, Span),
    Task(Ticket, Span),
    Listening(Ticket, Span),
    Asked(QuestionId, Option<Ticket>, Asks, Span),
    Withdrawn(QuestionId),
    Log(Span),
    Changed(List),
    Updated(Span),
    Notified(Span, Span),
    Stray(Odd),
}

pub(super) enum Refused {
    Error(Span),
    Revision(Span),
    Invalid(&'static str),
    TimedOut,
    Closed(bool),
    NoRoom(Error),
}

pub(super) enum End {
    Result(Span),
    Sliced,
    Error(Span),
    Failed(Failure),
}

pub(super) enum Odd {
    Line,
    Broken(Error),
    TooLong(usize),
    Response,
    Request,
    Error(Span),
}

impl Client<'_> {
    /// The event that a step came to.
    pub(super) fn event(&mut self, step: Step) -> Event<'_> {
        if let Step::Slice(ticket, from, to) = step {
            return Event::Slice(ticket, part(self.rx.bytes(), from, to));
        }
        let msg = part_mut(self.rx.bytes_mut(), self.msg.start, self.msg.end);
        let one = |msg, span: Span| Body(part_mut(msg, span.from(), span.to()));
        match step {
            Step::Idle | Step::Next | Step::Slice(..) => Event::Idle,
            Step::Send => Event::Send,
            Step::Ended => Event::Ended,
            Step::Connected(revision, span) => Event::Connected { revision, said: one(msg, span) },
            Step::Refused(why) => Event::Refused(refusal(msg, why)),
            Step::Done(ticket, end) => Event::Done(ticket, ending(msg, end)),
            Step::Page(ticket, span) => Event::Page(ticket, one(msg, span)),
            Step::Progress(ticket, span) => Event::Progress(ticket, one(msg, span)),
            Step::Task(ticket, span) => Event::Task(ticket, one(msg, span)),
            Step::Listening(ticket, span) => Event::Listening(ticket, one(msg, span)),
            Step::Asked(id, call, kind, span) => {
                Event::Asked(Question { id, call, kind, params: one(msg, span) })
            }
            Step::Withdrawn(id) => Event::Withdrawn(id),
            Step::Log(span) => Event::Log(one(msg, span)),
            Step::Changed(list) => Event::Changed(list),
            Step::Updated(span) => Event::Updated(one(msg, span)),
            Step::Notified(method, params) => {
                // Two parts of one message, in either order.
                let (low, high) =
                    if method.from() < params.from() { (method, params) } else { (params, method) };
                let (head, tail) = msg.split_at_mut_checked(high.from()).unwrap_or((&mut [], &mut []));
                let len = high.to().wrapping_sub(high.from());
                let (a, b) = (Body(part_mut(head, low.from(), low.to())), Body(part_mut(tail, 0, len)));
                if method.from() < params.from() { Event::Notified(a, b) } else { Event::Notified(b, a) }
            }
            Step::Stray(odd) => Event::Stray(stray(msg, odd)),
        }
    }
}

fn refusal(msg: &mut [u8], why: Refused) -> Refusal<'_> {
    match why {
        Refused::Error(span) => match PeerError::of(part_mut(msg, span.from(), span.to())) {
            Some(error) => Refusal::Error(error),
            None => Refusal::Invalid("the error has no code"),
        },
        Refused::Revision(span) => Refusal::Revision(Body(part_mut(msg, span.from(), span.to()))),
        Refused::Invalid(words) => Refusal::Invalid(words),
        Refused::TimedOut => Refusal::TimedOut,
        Refused::Closed(probing) => Refusal::Closed(probing),
        Refused::NoRoom(error) => Refusal::NoRoom(error),
    }
}

fn ending(msg: &mut [u8], end: End) -> Ending<'_> {
    match end {
        End::Result(span) => Ending::Result(Body(part_mut(msg, span.from(), span.to()))),
        End::Sliced => Ending::Sliced,
        End::Error(span) => match PeerError::of(part_mut(msg, span.from(), span.to())) {
            Some(error) => Ending::Error(error),
            None => Ending::Failed(Failure::Invalid("the error has no code")),
        },
        End::Failed(why) => Ending::Failed(why),
    }
}

fn stray(msg: &mut [u8], odd: Odd) -> Stray<'_> {
    match odd {
        Odd::Line => Stray::Line(msg),
        Odd::Broken(error) => Stray::Broken(msg, error),
        Odd::TooLong(bytes) => Stray::TooLong(bytes),
        Odd::Response => Stray::Response(msg),
        Odd::Request => Stray::Request(msg),
        Odd::Error(span) if code_of(msg, span).is_none() => Stray::Response(msg),
        Odd::Error(span) => match PeerError::of(part_mut(msg, span.from(), span.to())) {
            Some(error) => Stray::Error(error),
            None => Stray::Line(&[]),
        },
    }
}
