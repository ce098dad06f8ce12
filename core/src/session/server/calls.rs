//! Calls for the application: found in the catalog, given a slot, and handed out.

use super::answer::{Data, Msg};
use super::given::Given;
use super::{Server, Step};
use crate::bytes::{at, part};
use crate::json::Writer;
use crate::json::text::content;
use crate::proto::caps::Features;
use crate::proto::client::Can;
use crate::proto::level::Level;
use crate::proto::method::Method;
use crate::proto::revision::{Feature, Revision};
use crate::proto::template::{Vars, match_uri};
use crate::rpc::code;
use crate::rpc::envelope::Envelope;
use crate::rpc::params::{Inner, Span};
use crate::session::asks::Asks;
use crate::session::reply::Reply;
use crate::session::rows::List;
use crate::session::slots::{Shape, Slot};
use crate::session::work::Working;
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
    /// Where it stands, unless it is parked.
    pub msg: Msg,
    pub slot: u16,
    pub args: Span,
    pub escapes: bool,
    /// The answers that came with it, and the state (2026-07-28).
    pub fresh: Span,
    pub state: Span,
    /// Its arguments lie in the park, and so do the answers.
    pub parked: bool,
}

impl Prepared {
    /// The call in the message `msg`, which has no slot yet.
    pub fn at(msg: Msg, args: Span, escapes: bool) -> Self {
        let none = Span::ABSENT;
        Self { msg, slot: 0, args, escapes, fresh: none, state: none, parked: false }
    }

    /// The call in slot `slot`, which is handed out once more.
    pub fn parked(slot: u16) -> Self {
        Self { slot, parked: true, ..Self::at(Msg { start: 0, end: 0 }, Span::ABSENT, false) }
    }

    /// The bytes of `span` in the receive buffer.
    pub fn range(&self, span: Span) -> core::ops::Range<usize> {
        self.msg.start.wrapping_add(span.from())..self.msg.start.wrapping_add(span.to())
    }
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
            Method::TasksGet
            | Method::TasksResult
            | Method::TasksList
            | Method::TasksUpdate
            | Method::TasksCancel => features.has(Features::TASKS),
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
            Method::TasksGet => self.task_method(msg, envelope, terms, Self::task_get),
            Method::TasksResult => self.task_method(msg, envelope, terms, Self::task_result),
            Method::TasksUpdate => self.task_method(msg, envelope, terms, Self::task_update),
            Method::TasksCancel => self.task_method(msg, envelope, terms, Self::task_cancel),
            Method::TasksList => self.task_list(msg, envelope, terms),
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

    /// The parts of the call that is handed out.
    pub(super) fn parts(&mut self) -> Option<Parts<'_>> {
        let call = self.current?;
        self.reply(call.slot, Some(&call))
    }

    /// The answer to the call in slot `number`; and, while it is handed out, what it was called with.
    pub(super) fn reply(&mut self, number: u16, call: Option<&Prepared>) -> Option<Parts<'_>> {
        let slot: &mut Slot = self.slots.get_mut(usize::from(number))?;
        let level = match slot.revision.has(Feature::Handshake) {
            true => Some(self.session.level),
            false => slot.level,
        };
        let template = match slot.shape {
            Shape::Template => self.rows.key(List::Templates, slot.index.into()),
            _ => "",
        };
        let index = slot.task;
        let task = self.tasks.get_mut(usize::from(index)).map(|task| {
            let ticket = task.ticket(index);
            Working { task, ticket, fill: Some(&mut self.task_fill), head: &mut [] }
        });
        let mut given = Given::of(call, slot.ticket(), self.rx.bytes_mut(), &mut self.park)?;
        let mut uri = "";
        if call.is_none() && !given.args.is_empty() {
            let args: &mut [u8] = core::mem::take(&mut given.args);
            uri = content(args).unwrap_or("");
        }
        let asks = Asks {
            open: call.is_some(),
            sealed: self.sealer.is_some(),
            ticket: slot.ticket(),
            parked: given.parked,
            state: given.state,
            fresh: given.fresh,
            tail: given.tail,
            number: &mut self.asked,
            reserve: given.reserve,
            written: 0,
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
            asks,
            now: self.now,
            begun: false,
            replaced: false,
            task,
            is_error: false,
            uri,
            counted: &mut self.counted,
        };
        Some(Parts { args: given.args, escapes: given.escapes, template, scratch: self.scratch, reply })
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
