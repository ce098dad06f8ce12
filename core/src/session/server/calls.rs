//! Calls for the application: found in the catalog, given a slot, and handed out.

use super::answer::{Data, Msg, limit_data, window};
use super::{Server, Step};
use crate::bytes::{at, part, part_mut};
use crate::json::Writer;
use crate::json::text::content;
use crate::json::write::decimal_text;
use crate::proto::caps::Features;
use crate::proto::client::Can;
use crate::proto::level::Level;
use crate::proto::method::Method;
use crate::proto::revision::{Feature, Revision};
use crate::proto::template::{Vars, match_uri};
use crate::rpc::code;
use crate::rpc::envelope::Envelope;
use crate::rpc::params::{Inner, Span};
use crate::session::reply::Reply;
use crate::session::rows::List;
use crate::session::slots::{Failed, Shape, Slot, State};
use crate::sink::Sink;

/// What a request is served by.
#[derive(Clone, Copy)]
pub(super) struct Terms {
    pub revision: Revision,
    /// The log level that the request itself asks for.
    pub level: Option<Level>,
    /// What the client can do.
    pub can: Can,
}

/// A call that has its slot.
#[derive(Clone, Copy)]
pub(super) struct Prepared {
    msg: Msg,
    slot: u16,
    args: Span,
    escapes: bool,
}

/// A call, in its parts: what was sent, and where the answer goes.
pub struct Parts<'e> {
    /// `arguments` of a tool or prompt (may be empty), the quoted `uri` of a resource, or the `params` of a completion.
    pub args: &'e mut [u8],
    /// Some string of the message holds escapes: see [`crate::json::text::soften`].
    pub escapes: bool,
    /// The template that matched, of a call through one.
    pub template: &'e str,
    /// Memory for decoded template variables.
    pub scratch: &'e mut [u8],
    /// The answer.
    pub reply: Reply<'e>,
}

impl Server<'_> {
    /// Serves a request whose revision is settled and has the method.
    pub(super) fn serve(&mut self, msg: Msg, envelope: &Envelope, method: Method, terms: Terms) -> Step {
        let features = self.features;
        let offered = match method {
            Method::ToolsList | Method::ToolsCall => features.has(Features::TOOLS),
            Method::ResourcesList | Method::TemplatesList | Method::ResourcesRead => {
                features.has(Features::RESOURCES)
            }
            Method::Subscribe | Method::Unsubscribe => features.has(Features::SUBSCRIBE),
            Method::PromptsList | Method::PromptsGet => features.has(Features::PROMPTS),
            Method::Complete => features.has(Features::COMPLETIONS),
            Method::SetLevel => features.has(Features::LOGGING),
            Method::Listen => features.can_change(),
            Method::Initialize | Method::Ping | Method::Discover => true,
        };
        if !offered {
            return self.no_method(msg, envelope, terms.revision);
        }
        if envelope.members.twice || envelope.meta.twice {
            let words = ["a member of \"params\" is there twice"];
            return self.bad_params(msg, envelope.id, terms.revision, &words);
        }
        match method {
            Method::ToolsCall => self.named(msg, envelope, terms, List::Tools),
            Method::PromptsGet => self.named(msg, envelope, terms, List::Prompts),
            Method::ResourcesRead => self.read(msg, envelope, terms),
            Method::Complete => self.complete(msg, envelope, terms),
            Method::ToolsList => self.list(msg, envelope, terms, List::Tools),
            Method::ResourcesList => self.list(msg, envelope, terms, List::Resources),
            Method::TemplatesList => self.list(msg, envelope, terms, List::Templates),
            Method::PromptsList => self.list(msg, envelope, terms, List::Prompts),
            Method::Ping | Method::Initialize => self.empty_result(msg, envelope.id, terms.revision),
            Method::SetLevel => self.set_level(msg, envelope, terms),
            Method::Subscribe => self.subscribe(msg, envelope, terms),
            Method::Unsubscribe => self.unsubscribe(msg, envelope, terms),
            Method::Discover => self.discover(msg, envelope, terms),
            Method::Listen => self.listen(msg, envelope, terms),
        }
    }

    /// The text of the string at `span`, unescaped in place; `None` if it is none.
    pub(super) fn string(&mut self, msg: Msg, escapes: bool, span: Span) -> Option<&str> {
        if escapes {
            self.soften(msg, span);
        }
        content(span.of(part(self.rx.bytes(), msg.start, msg.end)))
    }

    fn named(&mut self, msg: Msg, envelope: &Envelope, terms: Terms, list: List) -> Step {
        let (shape, what) = match list {
            List::Prompts => (Shape::Prompt, "Unknown prompt: "),
            _ => (Shape::Tool, "Unknown tool: "),
        };
        let rows = self.rows;
        let span = envelope.members.name;
        let Some(name) = self.string(msg, envelope.escapes, span) else {
            return self.bad_params(msg, envelope.id, terms.revision, &["\"name\" must be a string"]);
        };
        let Some(index) = rows.find(list, name) else {
            return self.unknown(msg, envelope, terms, what, span);
        };
        let b = part(self.rx.bytes(), msg.start, msg.end);
        if !matches!(at(envelope.members.arguments.of(b), 0), 0 | b'{' | b'n') {
            let words = ["\"arguments\" must be an object"];
            return self.bad_params(msg, envelope.id, terms.revision, &words);
        }
        self.prepare(msg, envelope, terms, shape, index, envelope.members.arguments)
    }

    fn unknown(&mut self, msg: Msg, envelope: &Envelope, terms: Terms, what: &str, name: Span) -> Step {
        let framing = self.framing;
        let mut desk = self.desk(msg);
        let id = envelope.id.of(desk.msg);
        let w = &mut desk.w;
        let name = content(name.of(desk.msg)).unwrap_or("");
        let null_id = terms.revision.has(Feature::NullId);
        crate::rpc::emit::error(w, framing, Some(id), null_id, code::INVALID_PARAMS, &[what, name]);
        crate::rpc::emit::close(w, framing);
        self.sent()
    }

    fn read(&mut self, msg: Msg, envelope: &Envelope, terms: Terms) -> Step {
        let rows = self.rows;
        let span = envelope.members.uri;
        let Some(uri) = self.string(msg, envelope.escapes, span) else {
            return self.bad_params(msg, envelope.id, terms.revision, &["\"uri\" must be a string"]);
        };
        match resolve(rows, uri) {
            Some((List::Resources, index)) => {
                self.prepare(msg, envelope, terms, Shape::Resource, index, span)
            }
            Some((_, index)) => self.prepare(msg, envelope, terms, Shape::Template, index, span),
            None => self.no_resource(msg, envelope, terms.revision),
        }
    }

    /// No resource has that URI.
    pub(super) fn no_resource(&mut self, msg: Msg, envelope: &Envelope, revision: Revision) -> Step {
        let data = Data::Uri(envelope.members.uri);
        self.error(msg, envelope.id, revision, revision.not_found(), &["Resource not found"], data)
    }

    fn complete(&mut self, msg: Msg, envelope: &Envelope, terms: Terms) -> Step {
        let rows = self.rows;
        let params = envelope.params;
        if envelope.escapes {
            self.soften(msg, params);
        }
        let b = part(self.rx.bytes(), msg.start, msg.end);
        let reference = Inner::of(b, envelope.members.reference);
        let argument = Inner::of(b, envelope.members.argument);
        let text = |span: Span| content(span.of(b));
        if text(argument.name).is_none() || text(argument.value).is_none() {
            let words = ["\"argument\" must have a \"name\" and a \"value\""];
            return self.bad_params(msg, envelope.id, terms.revision, &words);
        }
        let found = match text(reference.kind) {
            Some("ref/prompt") => text(reference.name)
                .and_then(|n| rows.find(List::Prompts, n))
                .map(|i| (Shape::PromptCompletion, i)),
            Some("ref/resource") => text(reference.uri)
                .and_then(|uri| {
                    (0..rows.len(List::Templates))
                        .find(|i| rows.key(List::Templates, *i) == uri)
                        .or_else(|| resolve(rows, uri).filter(|(l, _)| *l == List::Templates).map(|(_, i)| i))
                })
                .map(|i| (Shape::TemplateCompletion, i)),
            _ => {
                let words = ["\"ref\" must be of type \"ref/prompt\" or \"ref/resource\""];
                return self.bad_params(msg, envelope.id, terms.revision, &words);
            }
        };
        match found {
            Some((shape, index)) => self.prepare(msg, envelope, terms, shape, index, params),
            None => self.bad_params(
                msg,
                envelope.id,
                terms.revision,
                &["\"ref\" names no prompt or template of this server"],
            ),
        }
    }

    /// Gives the call a slot, when there is room for it and for its reply.
    fn prepare(
        &mut self,
        msg: Msg,
        envelope: &Envelope,
        terms: Terms,
        shape: Shape,
        index: usize,
        args: Span,
    ) -> Step {
        let b = part(self.rx.bytes(), msg.start, msg.end);
        let (id, token) = (envelope.id.of(b), envelope.meta.progress_token.of(b));
        if self.waiting > 0 && self.slots.iter().any(|s| s.state != State::Free && s.id == id) {
            let words = ["Invalid request: a call with this id is still in flight"];
            return self.error(msg, envelope.id, terms.revision, code::INVALID_REQUEST, &words, Data::None);
        }
        if !token.is_empty()
            && (!crate::rpc::id::is_id(token) || token.len() > crate::limits::TOKEN_MAX_BYTES)
        {
            let words = ["\"progressToken\" must be a string or an integer of at most 64 bytes"];
            return self.bad_params(msg, envelope.id, terms.revision, &words);
        }
        // A handler cannot be run twice, so it is not run before there is room for what it may write.
        if self.replay.skip == 0 && !self.has_room(self.config.reply_max) {
            return Step::Send;
        }
        let Some(slot) = self.slots.iter_mut().find(|s| s.state == State::Free) else {
            return self.no_slot(msg, envelope, terms);
        };
        // Both lengths are checked above, so neither can fail.
        let _ = slot.id.extend_from_slice(id);
        let _ = slot.token.extend_from_slice(token);
        slot.state = State::Open;
        slot.shape = shape;
        slot.index = index as u16;
        slot.revision = terms.revision;
        slot.level = terms.level;
        slot.can = terms.can;
        slot.progress = None;
        let number = slot.number;
        self.current = Some(number);
        Step::Call(Prepared { msg, slot: number, args, escapes: envelope.escapes })
    }

    fn no_slot(&mut self, msg: Msg, envelope: &Envelope, terms: Terms) -> Step {
        let slots = self.slots.len();
        let mut digits = [0; 20];
        let count = decimal_text(slots as u64, &mut digits);
        let words =
            ["Too many calls at once: this server holds ", count, " (limit: slots). Wait for one to end."];
        self.error(msg, envelope.id, terms.revision, code::INTERNAL_ERROR, &words, Data::None)
    }

    /// The parts of a prepared call.
    pub(super) fn parts(&mut self, call: Prepared) -> Option<Parts<'_>> {
        let rows = self.rows;
        let (reply, rx, scratch) = self.reply(call.slot)?;
        let from = call.msg.start.wrapping_add(call.args.from());
        let to = call.msg.start.wrapping_add(call.args.to());
        let template = match reply.shape() {
            Shape::Template => rows.key(List::Templates, reply.index()),
            _ => "",
        };
        Some(Parts { args: part_mut(rx, from, to), escapes: call.escapes, template, scratch, reply })
    }

    /// The answer to the call in slot `number`, and the memory that its handler has besides: what was received, and
    /// scratch.
    pub(super) fn reply(&mut self, number: u16) -> Option<(Reply<'_>, &mut [u8], &mut [u8])> {
        let slot: &mut Slot = self.slots.get_mut(usize::from(number))?;
        let level = match slot.revision.has(Feature::Handshake) {
            true => Some(self.session.level),
            false => slot.level,
        };
        let reply = Reply {
            w: Writer::new(Sink::new(self.tx.reborrow(), &mut self.fill, None)),
            slot,
            framing: &mut self.framing,
            rows: self.rows,
            subs: self.subs.reborrow(),
            changed: &mut self.changed,
            waiting: &mut self.waiting,
            level,
            now: self.now,
            begun: false,
        };
        Some((reply, self.rx.bytes_mut(), self.scratch))
    }

    /// Answers the call in slot `number` in the engine's own words.
    pub(super) fn failed(&mut self, number: u16, why: Failed) -> Step {
        let capacity = self.tx.cap();
        let Some(slot) = self.slots.get_mut(usize::from(number)) else { return Step::Next };
        let mut w = window(&mut self.tx, &mut self.fill, self.replay);
        let mut digits = ([0; 20], [0; 20]);
        let needed = if let Failed::TooLarge(needed) = why { needed } else { 0 };
        let too_large = [
            "The reply needs ",
            decimal_text(needed.into(), &mut digits.0),
            " bytes and the transmit buffer holds ",
            decimal_text(capacity as u64, &mut digits.1),
        ];
        let words: &[&str] = match why {
            Failed::Unanswered => &["The handler came back without an answer"],
            Failed::TooLarge(_) => &too_large,
            Failed::Late => &["The call took longer than its deadline"],
        };
        let null_id = slot.revision.has(Feature::NullId);
        crate::rpc::emit::error(&mut w, self.framing, Some(&slot.id), null_id, code::INTERNAL_ERROR, words);
        if needed > 0 {
            limit_data(&mut w, "tx", capacity, needed as usize);
        }
        crate::rpc::emit::close(&mut w, self.framing);
        let step = self.sent();
        if let (Step::Next, Some(slot)) = (&step, self.slots.get_mut(usize::from(number))) {
            slot.free();
            // Counted anew: whether this call was counted depends on whether its handler had put it off.
            self.waiting = self.slots.iter().filter(|s| s.state.waits()).fold(0, |n, _| n.wrapping_add(1));
        }
        step
    }
}

/// The resource or template that serves `uri`; a resource listed under exactly that URI wins.
pub(super) fn resolve(rows: &dyn crate::session::rows::Rows, uri: &str) -> Option<(List, usize)> {
    if let Some(index) = rows.find(List::Resources, uri) {
        return Some((List::Resources, index));
    }
    let mut vars = Vars::default();
    (0..rows.len(List::Templates))
        .find(|i| match_uri(rows.key(List::Templates, *i), uri.as_bytes(), &mut vars))
        .map(|i| (List::Templates, i))
}
