//! Asking the client from inside a handler.

use super::io::{Io, Outcome, Stage};
use super::reply::ToolError;
use crate::json::Writer;
use crate::json::write::decimal_text;
use crate::proto::input::{Answer, Ask};
use crate::rpc::code;
use crate::session::asks::Unasked;

/// The answer is not there yet: what a handler returns that [asks](Io::need) with `?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeedInput;

impl ToolError for NeedInput {
    fn write(&self, _: &mut Writer<'_>) {}

    fn answer(&self, _: &mut Io<'_>) -> Outcome {
        Outcome::NeedInput
    }
}

impl From<NeedInput> for Outcome {
    fn from(_: NeedInput) -> Self {
        Self::NeedInput
    }
}

impl<'e> Io<'e> {
    /// The answer to what is asked under `key`. On `None` return [`Outcome::NeedInput`]: the client is asked, and the
    /// handler is run again, from its start and with the same arguments, when it has answered.
    ///
    /// Several things may be asked before returning; they reach the client together. A key names its question for the
    /// whole call: asked again under it, the same answer is there, in later rounds too. Until every answer is there a
    /// handler should change nothing, for it does not know whether it will be run again.
    ///
    /// The handshake revisions turn this into a request of the server's, and what was not answered within
    /// [`Config::ask_ms`](crate::Config::ask_ms) is an answer too; 2026-07-28 into `input_required` and a retry
    /// (basic/patterns/mrtr). What the client cannot be asked ends the call with an error, whatever is returned; look at
    /// [`can_ask`](Self::can_ask) first to do without.
    ///
    /// # Memory
    /// Answers are borrowed from the receive buffer or the park memory, and live as long as the call's arguments.
    pub fn ask(&mut self, key: &str, ask: &Ask<'_>) -> Option<Answer<'e>> {
        if self.stage == Stage::Answered {
            return None;
        }
        match self.reply.answered(key, ask) {
            Ok(Some(answer)) => return Some(answer),
            Ok(None) => {}
            Err(why) => {
                self.unasked(why, key, ask);
                return None;
            }
        }
        // The handler will write it again when it is run again.
        if self.stage != Stage::Fresh {
            self.reply.take_back();
            self.start_anew();
        }
        let put =
            if self.stage == Stage::Fresh { self.reply.put_question(key, ask) } else { Err(Unasked::Begun) };
        match put {
            Ok(()) => self.asked = self.asked.saturating_add(1),
            Err(why) => self.unasked(why, key, ask),
        }
        None
    }

    /// [`ask`](Self::ask), for handlers that return a `Result`.
    ///
    /// # Errors
    /// The answer is not there yet: return the error.
    pub fn need(&mut self, key: &str, ask: &Ask<'_>) -> Result<Answer<'e>, NeedInput> {
        self.ask(key, ask).ok_or(NeedInput)
    }

    /// Whether the client of this call can be asked this.
    pub fn can_ask(&self, ask: &Ask<'_>) -> bool {
        self.reply.can_ask(ask)
    }

    /// The handler has returned to wait for its client.
    pub(super) fn wait(&mut self) {
        // Questions and content cannot both stand in one result. Now that the handler has said what it is for, it is run once
        // more, and its content left out.
        if self.dropped && self.reply.run_again() {
            self.stage = Stage::Answered;
            return;
        }
        if self.asked == 0 {
            return self.answer_internal("The handler waits for input and asked for nothing");
        }
        match self.reply.need_input() {
            Ok(()) => self.stage = Stage::Answered,
            Err(why) => {
                self.unasked(why, "", &Ask::Roots);
                if self.stage != Stage::Answered {
                    self.end();
                }
            }
        }
    }

    /// Answers the call in the place of a question that is not asked.
    fn unasked(&mut self, why: Unasked, key: &str, ask: &Ask<'_>) {
        // What is out already can be ended by waiting only.
        if self.reply.flushed() {
            return;
        }
        self.asked = 0;
        let words = match why {
            Unasked::Unable => return self.unable(ask),
            Unasked::NoAnswer => {
                return self.protocol_error(code::INVALID_PARAMS, |w| {
                    w.text("Invalid params: \"inputResponses\" must hold an object under \"");
                    w.text(key);
                    w.text("\"");
                });
            }
            Unasked::NoPark(needed) => return self.no_memory_to_ask("park", needed),
            Unasked::NoRoom(needed) => return self.no_memory_to_ask("tx", needed),
            Unasked::NotHere => "A call that was put off, or a completion, cannot ask its client",
            Unasked::TooMany => {
                "This call asks its client too much (limits: 16 questions a round, 16 rounds)"
            }
            Unasked::NoSealer => "This call asks in more than one round, for which the server needs a sealer",
            Unasked::Begun => "A call cannot ask its client when its result is partly out",
        };
        self.answer_internal(words);
    }

    fn answer_internal(&mut self, words: &str) {
        self.protocol_error(code::INTERNAL_ERROR, |w| w.text(words));
    }

    fn unable(&mut self, ask: &Ask<'_>) {
        let known = ask.is_in(self.revision());
        if !known || self.require(ask.needs()).is_ok() {
            let words =
                "This needs to ask the client for something that this revision of the protocol does not have";
            let _ = self.fail(words);
        }
        if self.stage != Stage::Answered {
            self.end();
        }
    }

    fn no_memory_to_ask(&mut self, limit: &str, needed: u32) {
        let mut digits = [0; 20];
        let needed = decimal_text(needed.into(), &mut digits);
        self.error(
            code::INTERNAL_ERROR,
            |w| {
                for piece in ["Asking the client needs ", needed, " bytes (limit: ", limit, ")"] {
                    w.text(piece);
                }
            },
            |w| {
                w.put(b",\"data\":{");
                w.set_comma(false);
                w.member("limit", limit);
                w.raw_key(b"\"neededBytes\":");
                w.put(needed.as_bytes());
                w.put(b"}");
            },
        );
    }

    /// Takes back the questions of a result that goes on with content after all.
    pub(super) fn ask_no_more(&mut self) {
        if self.asked > 0 && !self.reply.parks() {
            self.asked = 0;
            self.dropped = true;
            self.reply.take_back_questions();
        }
    }
}
