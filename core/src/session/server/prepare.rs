//! Calls get their slots, and some become tasks.

use super::answer::{Data, Msg};
use super::calls::{Prepared, Terms};
use super::tasks::Mode;
use super::{Server, Step};
use crate::bytes::part;
use crate::json::write::decimal_text;
use crate::limits::TOKEN_MAX_BYTES;
use crate::proto::revision::Feature;
use crate::rpc::code;
use crate::rpc::envelope::Envelope;
use crate::rpc::id::is_id;
use crate::rpc::params::Span;
use crate::session::slots::{Shape, State};

impl Server<'_> {
    /// Gives the call a slot, when there is room for it and for its reply.
    pub(super) fn prepare(
        &mut self,
        msg: Msg,
        envelope: &Envelope,
        terms: Terms,
        shape: Shape,
        index: usize,
        args: Span,
    ) -> Step {
        if let Some(step) = self.refused(msg, envelope, terms) {
            return step;
        }
        let mut call = Prepared::at(msg, args, envelope.escapes);
        let rounds = match self.bring_input(&mut call, envelope, terms, shape, index) {
            Ok(rounds) => rounds,
            Err(why) => return self.bad_params(msg, envelope.id, terms.revision, &[why]),
        };
        let ttl = match self.mode_of(msg, envelope, terms, shape, index) {
            Mode::Plain => None,
            Mode::Task(ttl_ms) => Some(ttl_ms),
            Mode::Refused(step) => return step,
        };
        // A handler cannot be run twice, so it is not run before there is room for what it may write.
        if self.replay.skip == 0 && !self.has_room(self.config.reply_max) {
            return Step::Send;
        }
        let Some(slot) = self.slots.iter_mut().find(|s| s.state == State::Free) else {
            return self.no_slot(msg, envelope, terms);
        };
        let b = part(self.rx.bytes(), msg.start, msg.end);
        // Both lengths are checked above, so neither can fail.
        let _ = slot.id.extend_from_slice(envelope.id.of(b));
        let _ = slot.token.extend_from_slice(envelope.meta.progress_token.of(b));
        slot.state = State::Open;
        slot.shape = shape;
        slot.index = index as u16;
        slot.revision = terms.revision;
        slot.level = terms.level;
        slot.can = terms.can;
        slot.rounds = rounds;
        call.slot = slot.number;
        if let Some(ttl_ms) = ttl {
            return self.prepare_task(call, envelope, terms, ttl_ms);
        }
        self.open_input(&mut call);
        self.current = Some(call);
        Step::Call
    }

    /// Refuses a call for what its request says of itself.
    pub(super) fn refused(&mut self, msg: Msg, envelope: &Envelope, terms: Terms) -> Option<Step> {
        let b = part(self.rx.bytes(), msg.start, msg.end);
        let (id, token) = (envelope.id.of(b), envelope.meta.progress_token.of(b));
        if self.waiting > 0 && self.slots.iter().any(|s| s.state != State::Free && s.id == id) {
            let words = ["Invalid request: a call with this id is still in flight"];
            let code = code::INVALID_REQUEST;
            return Some(self.error(msg, envelope.id, terms.revision, code, &words, Data::None));
        }
        if !token.is_empty() && (!is_id(token) || token.len() > TOKEN_MAX_BYTES) {
            let words = ["\"progressToken\" must be a string or an integer of at most 64 bytes"];
            return Some(self.bad_params(msg, envelope.id, terms.revision, &words));
        }
        None
    }

    /// Notes what a retried call brings; the round it goes on from. `Err` says what is wrong with it.
    fn bring_input(
        &mut self,
        call: &mut Prepared,
        envelope: &Envelope,
        terms: Terms,
        shape: Shape,
        index: usize,
    ) -> Result<u8, &'static str> {
        let (fresh, state) = (envelope.members.input_responses, envelope.members.request_state);
        if fresh.is_absent() && state.is_absent()
            || !terms.revision.has(Feature::PerRequest)
            || !shape.may_ask()
        {
            return Ok(0);
        }
        (call.fresh, call.state) = (fresh, state);
        self.check_input(call, shape, index)
    }

    fn mode_of(&mut self, msg: Msg, envelope: &Envelope, terms: Terms, shape: Shape, row: usize) -> Mode {
        if shape == Shape::Tool { self.mode(msg, envelope, terms, row) } else { Mode::Plain }
    }

    /// Makes a task of the call that has its slot.
    fn prepare_task(&mut self, mut call: Prepared, envelope: &Envelope, terms: Terms, ttl_ms: u64) -> Step {
        let index = self.new_task(ttl_ms, terms.revision);
        let Some(slot) = self.slots.get_mut(usize::from(call.slot)) else { return Step::Next };
        let Some(index) = index else {
            slot.free();
            return self.no_entry(call.msg, envelope, terms);
        };
        (slot.task, slot.state) = (index, State::Creating);
        if let Some(task) = self.tasks.get_mut(usize::from(index)) {
            task.slot = call.slot;
        }
        self.open_input(&mut call);
        self.current = Some(call);
        self.create_task(call)
    }

    pub(super) fn no_slot(&mut self, msg: Msg, envelope: &Envelope, terms: Terms) -> Step {
        let slots = self.slots.len();
        let mut digits = [0; 20];
        let count = decimal_text(slots as u64, &mut digits);
        let words =
            ["Too many calls at once: this server holds ", count, " (limit: slots). Wait for one to end."];
        self.error(msg, envelope.id, terms.revision, code::INTERNAL_ERROR, &words, Data::None)
    }
}
