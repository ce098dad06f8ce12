//! Asking the client from inside a call: a request of the server's own where there is a handshake, a part of the result in
//! 2026-07-28.

use crate::bytes::{at, part};
use crate::json::Writer;
use crate::limits::{ASK_ROUNDS_MAX, ASKS_MAX};
use crate::proto::input::{Answer, Ask};
use crate::proto::revision::{Feature, Revision};
use crate::rpc::code;
use crate::rpc::emit::{self, Framing};
use crate::session::asks::{Found, Unasked};
use crate::session::park::error_code;
use crate::session::reply::Reply;
use crate::session::slots::{Again, State};
use crate::session::tasks::Status;

impl<'e> Reply<'e> {
    /// Whether the client of this call can be asked this.
    pub fn can_ask(&self, ask: &Ask<'_>) -> bool {
        ask.is_in(self.revision()) && self.can().has(ask.needs())
    }

    /// The answer to the question `key`, if it is there.
    pub(crate) fn answered(&mut self, key: &str, ask: &Ask<'_>) -> Result<Option<Answer<'e>>, Unasked> {
        Ok(Some(match self.asks.find(key, &mut self.slot.used) {
            Found::Json(text) => Answer::read(ask, text),
            Found::Error(data) => {
                let message = data.get(4..).and_then(|text| core::str::from_utf8(text).ok()).unwrap_or("");
                Answer::error(error_code(data), message)
            }
            Found::Late => Answer::late(),
            Found::Full => Answer::error(code::INTERNAL_ERROR, "the answer did not fit (limit: park)"),
            Found::Malformed => return Err(Unasked::NoAnswer),
            Found::Nothing | Found::New => return Ok(None),
        }))
    }

    /// Asks the question `key`, unless it was asked and is open.
    pub(crate) fn put_question(&mut self, key: &str, ask: &Ask<'_>) -> Result<(), Unasked> {
        if self.resumes() {
            // Content is going out already, for which the question was taken back when the handler ran first.
            return Ok(());
        }
        if self.parks() && matches!(self.asks.find(key, &mut 0), Found::Nothing) {
            return Ok(());
        }
        if !self.asks.open || !self.slot.shape.may_ask() || self.slot.state == State::Deferred {
            return Err(Unasked::NotHere);
        }
        if !self.can_ask(ask) {
            return Err(Unasked::Unable);
        }
        if self.slot.rounds >= ASK_ROUNDS_MAX || key.len() > usize::from(u8::MAX) {
            return Err(Unasked::TooMany);
        }
        if self.revision().has(Feature::Handshake) {
            self.send_question(key, ask)
        } else if self.task.is_some() {
            self.park_question(key, ask)
        } else {
            self.write_question(key, ask)
        }
    }

    /// Whether questions and answers lie in the park, and not in what the client sends.
    pub(crate) fn parks(&self) -> bool {
        self.task.is_some() || self.revision().has(Feature::Handshake)
    }

    /// A task of 2026-07-28: kept, for `tasks/get` to show and `tasks/update` to answer.
    fn park_question(&mut self, key: &str, ask: &Ask<'_>) -> Result<(), Unasked> {
        if self.begun {
            return Err(Unasked::Begun);
        }
        if self.asks.count() >= usize::from(ASKS_MAX) {
            return Err(Unasked::TooMany);
        }
        let revision = self.slot.revision;
        let kept = self.asks.keep(key, |w| write_question(w, ask, revision));
        kept.map_err(|full| Unasked::NoPark(full.at))
    }

    /// 2026-07-28: one more of the result's `inputRequests`.
    fn write_question(&mut self, key: &str, ask: &Ask<'_>) -> Result<(), Unasked> {
        if !self.begun {
            // Before anything is out that could not be taken back.
            self.carries()?;
            self.asks.written = 0;
            let w = self.result();
            w.put(b"\"inputRequests\":{");
            w.set_comma(false);
        }
        if self.asks.written >= ASKS_MAX {
            return Err(Unasked::TooMany);
        }
        if self.is_written(key) {
            return Ok(());
        }
        let revision = self.slot.revision;
        self.asks.written = self.asks.written.saturating_add(1);
        self.w.key(key);
        write_question(&mut self.w, ask, revision);
        Ok(())
    }

    /// Whether the result asks under `key` already, as far as it is still here.
    fn is_written(&mut self, key: &str) -> bool {
        const REST: &[u8] = b"\":{\"method\":\"";
        let here = self.w.sink().message();
        let len = key.len().saturating_add(REST.len()).saturating_add(1);
        let key_end = key.len().saturating_add(1);
        here.windows(len).any(|text| {
            at(text, 0) == b'"'
                && part(text, 1, key_end) == key.as_bytes()
                && part(text, key_end, len) == REST
        })
    }

    /// Whether the handler is run once more for its questions alone.
    pub(crate) fn only_asks(&self) -> bool {
        self.slot.only_asks && !self.parks()
    }

    /// Takes everything back and lets the handler be run once more, for its questions alone; whether that can be.
    pub(crate) fn run_again(&mut self) -> bool {
        if self.parks() || self.slot.only_asks || !self.asks.open || !self.is_open() || self.flushed() {
            return false;
        }
        self.take_back();
        self.slot.only_asks = true;
        self.slot.state = State::Streaming;
        true
    }

    /// Whether the answers so far can be carried to the next round.
    fn carries(&self) -> Result<(), Unasked> {
        let any = self.slot.used != 0 || !self.asks.state.is_empty();
        if any && !self.asks.sealed { Err(Unasked::NoSealer) } else { Ok(()) }
    }

    /// The handshake revisions: a request of our own, before the result.
    fn send_question(&mut self, key: &str, ask: &Ask<'_>) -> Result<(), Unasked> {
        if self.begun || self.flushed() {
            return Err(Unasked::Begun);
        }
        if self.framing.batch {
            // Inside an open array a request would be taken for an element of the answer: the handler is run again
            // behind it.
            self.slot.again = Again::Due;
            return Ok(());
        }
        if self.asks.count() >= usize::from(ASKS_MAX) {
            return Err(Unasked::TooMany);
        }
        self.asks.room(key).map_err(|full| Unasked::NoPark(full.at))?;
        let before = self.w.sink().behind();
        // Run again and again, a handler that fills the buffer before it asks would send the same for ever.
        let crowded = before > 0 && (self.slot.again != Again::Now || self.asks.count() > 0);
        self.w.sink().begin(0);
        emit::request(&mut self.w, self.asks.next_number().into(), ask.method());
        let name = self.task.as_ref().map(|working| working.task.name());
        let task = name.as_ref().map_or("", |name| name.text());
        ask.write_params(&mut self.w, self.slot.revision, task);
        emit::close(&mut self.w, Framing::default());
        match self.end_message() {
            Ok(()) => {
                self.asks.remember(key);
                Ok(())
            }
            Err(_) if crowded => {
                self.slot.again = Again::Due;
                Ok(())
            }
            Err(full) => Err(Unasked::NoRoom(full.at.saturating_add(before as u32))),
        }
    }

    /// The handler waits for its client. In 2026-07-28 this ends the request, with `requestState` to go on from.
    pub(crate) fn need_input(&mut self) -> Result<(), Unasked> {
        if !self.is_open() {
            return Ok(());
        }
        if self.parks() {
            if let Some(working) = &mut self.task {
                working.task.set(Status::InputRequired, self.now);
            }
            if self.slot.state == State::Open {
                *self.waiting = self.waiting.saturating_add(1);
            }
            if self.slot.again == Again::Due {
                self.slot.state = State::Ready;
            } else {
                self.slot.rounds = self.slot.rounds.saturating_add(1);
                self.slot.state = State::Asked;
            }
            return Ok(());
        }
        if !self.flushed() {
            self.carries()?;
        }
        let w = self.result();
        w.put(b"}");
        w.set_comma(true);
        if self.whole() {
            self.slot.rounds = self.slot.rounds.saturating_add(1);
            self.slot.state = State::Asked;
        }
        Ok(())
    }
}

/// A question as an entry of `inputRequests`.
fn write_question(w: &mut Writer<'_>, ask: &Ask<'_>, revision: Revision) {
    w.object();
    w.member("method", ask.method());
    w.key("params");
    w.object();
    ask.write_params(w, revision, "");
    w.close();
    w.close();
}
