//! Requests of the server's (handshake revisions).

use super::event::Asks;
use super::questions::{NOBODY, Unasked};
use super::step::{Odd, Step};
use super::{Client, Link};
use crate::error::{Error, Kind};
use crate::proto::client::Can;
use crate::proto::revision::Feature;
use crate::rpc::code;
use crate::rpc::emit::{self, Framing};
use crate::rpc::envelope::Envelope;
use crate::rpc::id::{Id, is_id};
use crate::rpc::params::Span;

impl Client<'_> {
    pub(super) fn request_of_theirs(&mut self, envelope: &Envelope) -> Step {
        // A server of 2026-07-28 must not ask like this, and a client must not answer (basic/patterns).
        if self.speaks(Feature::PerRequest) || matches!(self.link, Link::New | Link::Probing) {
            return self.show(Step::Stray(Odd::Request));
        }
        let mut room = [0; 48];
        let method = self.method(envelope, &mut room);
        if method == b"ping" {
            return self.pong(envelope.id);
        }
        let Some(kind) = self.kind_of(method, envelope.params) else {
            return self.refuse_request(envelope.id, code::METHOD_NOT_FOUND, "Method not found");
        };
        if self.link != Link::Up {
            let words = "Invalid request: the handshake is not done";
            return self.refuse_request(envelope.id, code::INVALID_REQUEST, words);
        }
        match self.keep_question(NOBODY, kind, envelope.id, envelope.params) {
            Ok(id) => {
                self.open = self.open.saturating_add(1);
                self.show(Step::Asked(id, None, kind, envelope.params))
            }
            Err(why) => {
                let (code, words) = self.refusal_of(kind, &why);
                self.refuse_request(envelope.id, code, words)
            }
        }
    }

    /// The code and the words by which a question is refused.
    fn refusal_of(&self, kind: Asks, why: &Unasked) -> (i32, &'static str) {
        match (why, kind) {
            (Unasked::NoRoom(_) | Unasked::LongKey, _) => (
                code::INTERNAL_ERROR,
                "Internal error: the client has no room for the question (limit: park)",
            ),
            (Unasked::Undeclared, Asks::Form | Asks::Url) if self.elicits() => {
                (code::INVALID_PARAMS, "Invalid params: this mode of elicitation was not declared")
            }
            (Unasked::Undeclared, Asks::Sample) if self.can.has(Can::SAMPLE) => {
                (code::INVALID_PARAMS, "Invalid params: tools were not declared")
            }
            (Unasked::Undeclared, _) => (code::METHOD_NOT_FOUND, "Method not found: it was not declared"),
        }
    }

    /// Whether an answer can be written once there is room, and somebody is there to read it.
    fn is_for_later(&self, error: Error) -> bool {
        error.kind == Kind::Busy && !self.lines.has_ended()
    }

    /// `ping` is to be answered at once, and in any state.
    fn pong(&mut self, id: Span) -> Step {
        let msg = self.msg.of(&self.rx);
        let sent = super::write::write(&mut self.tx, &mut self.fill, |w| {
            emit::result(w, Framing::default(), id.of(msg));
            emit::close(w, Framing::default());
        });
        match sent {
            Ok(()) => Step::Next,
            Err(error) if self.is_for_later(error) => Step::Send,
            Err(_) => self.show(Step::Stray(Odd::Request)),
        }
    }

    /// Refuses a request, and tells the application that there was one.
    fn refuse_request(&mut self, id: Span, code: i32, words: &str) -> Step {
        let msg = self.msg.of(&self.rx);
        let sent = super::write::write(&mut self.tx, &mut self.fill, |w| {
            emit::error(w, Framing::default(), Some(id.of(msg)), false, code, &[words]);
            emit::close(w, Framing::default());
        });
        match sent {
            Err(error) if self.is_for_later(error) => Step::Send,
            _ => self.show(Step::Stray(Odd::Request)),
        }
    }

    /// Refuses a request that did not fit into the receive buffer, so that the server does not wait for its answer.
    pub(super) fn refuse_too_long(&mut self, bytes: usize) -> Step {
        let shown = Step::Stray(Odd::TooLong(bytes));
        let found = self.lines.found_while_dropping().and_then(|h| h.id()).filter(|id| is_id(id));
        let id = found.map(|id| Id::from_slice(id).unwrap_or_default()).filter(|id| !id.is_empty());
        let hears = !self.speaks(Feature::PerRequest) && matches!(self.link, Link::Shaking | Link::Up);
        let (Some(id), true) = (id, hears) else { return shown };
        let words = "Internal error: the client has no room for the message (limit: rx)";
        let sent = self.write(|w| {
            emit::error(w, Framing::default(), Some(&id), false, code::INTERNAL_ERROR, &[words]);
            emit::close(w, Framing::default());
        });
        match sent {
            Err(error) if self.is_for_later(error) => Step::Send,
            _ => shown,
        }
    }
}
