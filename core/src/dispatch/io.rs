//! The handler's view of a call: what it may say while it runs, and how it answers.

use super::args::{Arg, Refusal, Rule, describe};
pub use super::values::Args;
use super::values::subject;
use crate::error::{Error, Kind};
use crate::json::Writer;
use crate::json::de::DeError;
use crate::proto::client::Can;
use crate::proto::level::Level;
use crate::proto::revision::{Feature, Revision};
use crate::rpc::code;
use crate::session::reply::Reply;
use crate::session::rows::List;
use crate::session::slots::{Shape, Ticket};
use crate::session::subs::wants;
use crate::sink::Flush;
use crate::time::Millis;

/// What a handler came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Outcome {
    /// The answer is written, as far as the handler is concerned.
    Done,
    /// The call failed, for the reason said. A tool's failure is shown to the model.
    Fail(&'static str),
    /// The answer comes later, through the ticket of [`Io::defer`].
    Deferred,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing is written.
    Fresh,
    /// The list of content, contents, messages or values is open.
    Items,
    /// The list is closed.
    Closed,
    /// The call is answered.
    Answered,
}

/// Who speaks in a prompt's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// A call, while its handler runs; and a deferred call, while it is answered.
pub struct Io<'e> {
    pub(super) reply: Reply<'e>,
    pub(super) uri: &'e str,
    pub(super) stage: Stage,
    pub(super) role: Role,
    pub(super) annotations: &'e str,
    pub(super) count: u8,
    pub(super) more: bool,
    is_error: bool,
}

impl<'e> Io<'e> {
    /// A view of the answer `reply`; `uri` is the resource asked for, if it is one.
    pub fn new(reply: Reply<'e>, uri: &'e str) -> Self {
        Self {
            reply,
            uri,
            stage: Stage::Fresh,
            role: Role::User,
            annotations: "",
            count: 0,
            more: false,
            is_error: false,
        }
    }

    /// Lets the answer be larger than the transmit buffer.
    pub fn set_flush(&mut self, flush: &'e mut dyn Flush) {
        self.reply.set_flush(flush);
    }

    /// The moment that the engine was last told.
    pub fn now(&self) -> Millis {
        self.reply.now()
    }

    /// The URI asked for, of a resource.
    pub fn uri(&self) -> &'e str {
        self.uri
    }

    /// The request's id, as JSON text.
    pub fn id(&self) -> &[u8] {
        self.reply.id()
    }

    pub(super) fn revision(&self) -> Revision {
        self.reply.revision()
    }

    /// Whether the caller asked for progress.
    pub fn wants_progress(&self) -> bool {
        self.reply.wants_progress()
    }

    /// Tells the caller how far the call is; see [`Reply::progress`].
    ///
    /// # Errors
    /// `Begun` after content was written; `TxFull` when there is no room.
    pub fn progress(&mut self, done: u64, total: Option<u64>, message: &str) -> Result<bool, Error> {
        self.reply.progress(done, total, message)
    }

    /// Sends a log message with a text; see [`Reply::log`].
    ///
    /// # Errors
    /// As [`progress`](Self::progress).
    pub fn log(&mut self, level: Level, text: &str) -> Result<bool, Error> {
        self.reply.log(level, "", |w| w.str(text))
    }

    /// Sends a log message with any value, from the named logger.
    ///
    /// # Errors
    /// As [`progress`](Self::progress).
    pub fn log_value(
        &mut self,
        level: Level,
        logger: &str,
        data: impl FnOnce(&mut Writer<'_>),
    ) -> Result<bool, Error> {
        self.reply.log(level, logger, data)
    }

    /// Whether a log message of `level` would be sent.
    pub fn logs(&self, level: Level) -> bool {
        self.reply.logs(level)
    }

    /// Puts the call off and gives the ticket that answers it. Return [`Outcome::Deferred`] after this.
    pub fn defer(&mut self) -> Ticket {
        self.reply.defer(None)
    }

    /// [`defer`](Self::defer), with an error as the answer if there is no other by `deadline`.
    pub fn defer_until(&mut self, deadline: Millis) -> Ticket {
        self.reply.defer(Some(deadline))
    }

    /// Tells clients, after this call, that the tool list has changed.
    pub fn tools_changed(&mut self) {
        self.reply.list_changed(wants::TOOLS);
    }

    /// Tells clients, after this call, that the prompt list has changed.
    pub fn prompts_changed(&mut self) {
        self.reply.list_changed(wants::PROMPTS);
    }

    /// Tells clients, after this call, that the list of resources or templates has changed.
    pub fn resources_changed(&mut self) {
        self.reply.list_changed(wants::RESOURCES);
    }

    /// Tells subscribers, after this call, that a resource has changed; whether there are any.
    pub fn resource_updated(&mut self, uri: &str) -> bool {
        self.reply.resource_updated(uri)
    }

    /// Ends the call in the way `outcome` says. The loop does this for handlers; call it for deferred calls only.
    pub fn finish(&mut self, outcome: Outcome) {
        match outcome {
            _ if self.stage == Stage::Answered => {}
            Outcome::Deferred => {}
            Outcome::Done => self.end(),
            Outcome::Fail(why) => {
                let _ = self.fail(why);
                if self.stage != Stage::Answered {
                    self.end();
                }
            }
        }
    }

    /// What the client of this call can be asked for.
    pub fn can(&self) -> Can {
        self.reply.can()
    }

    /// Goes on only if the client can be asked for all of `needed`.
    ///
    /// # Errors
    /// The call is answered already, with what is missing (2026-07-28: -32021); return the outcome.
    pub fn require(&mut self, needed: Can) -> Result<(), Outcome> {
        if self.can().has(needed) {
            return Ok(());
        }
        let words = "this needs something that the client did not declare";
        if !self.revision().has(Feature::PerRequest) {
            return Err(self.fail(words));
        }
        self.reply.fail(
            code::MISSING_CAPABILITY,
            |w| w.text("Missing client capability: this needs something that the client did not declare"),
            |w| {
                w.put(b",\"data\":{\"requiredCapabilities\":");
                w.set_comma(false);
                needed.write(w);
                w.put(b"}");
            },
        );
        self.stage = Stage::Answered;
        Err(Outcome::Done)
    }

    /// Answers with a failure: of a tool one that the model sees, else a protocol error.
    pub fn fail(&mut self, why: &str) -> Outcome {
        self.fail_with(|w| w.text(why))
    }

    /// [`fail`](Self::fail), with a text that `why` writes piece by piece with [`Writer::text`].
    pub fn fail_with(&mut self, why: impl FnOnce(&mut Writer<'_>)) -> Outcome {
        if self.reply.shape() != Shape::Tool {
            self.protocol_error(code::INTERNAL_ERROR, why);
            return Outcome::Done;
        }
        self.reply.take_back();
        if !self.reply.begun() {
            self.stage = Stage::Fresh;
        }
        self.is_error = true;
        self.text_with(why);
        Outcome::Done
    }

    /// Answers that the resource asked for does not exist; of a tool or a prompt, that something was not found.
    pub fn not_found(&mut self) -> Outcome {
        if !matches!(self.reply.shape(), Shape::Resource | Shape::Template) {
            return self.fail("not found");
        }
        let uri = self.uri;
        let code = self.revision().not_found();
        self.reply.fail(
            code,
            |w| w.text("Resource not found"),
            |w| {
                w.put(b",\"data\":{");
                w.set_comma(false);
                w.member("uri", uri);
                w.put(b"}");
            },
        );
        self.stage = Stage::Answered;
        Outcome::Done
    }

    /// Answers with a JSON-RPC error.
    pub fn protocol_error(&mut self, code: i32, message: impl FnOnce(&mut Writer<'_>)) {
        self.reply.fail(code, message, |_| {});
        self.stage = Stage::Answered;
    }

    pub(super) fn no_scratch(&mut self, needed: usize) -> Outcome {
        let mut digits = [0; 20];
        let needed = crate::json::write::decimal(needed as u64, &mut digits);
        self.protocol_error(code::INTERNAL_ERROR, |w| {
            w.text("The variables of this URI need ");
            w.text(core::str::from_utf8(needed).unwrap_or(""));
            w.text(" bytes to be decoded (limit: scratch)");
        });
        Outcome::Done
    }

    /// Refuses the arguments: from 2025-11-25 on as a tool error that the model sees and can mend, before as -32602.
    pub(super) fn refuse(&mut self, args: &[Arg], text: &[u8], refusal: Refusal) -> Outcome {
        self.refusal(|put| {
            subject(&refusal, args, text, put);
            let Some(arg) = refusal.arg.and_then(|row| args.get(row)) else {
                if refusal.error.kind != Kind::Unknown {
                    put(refusal.error.kind.phrase());
                }
                return;
            };
            match refusal.error.kind {
                kind @ Kind::Duplicate => put(kind.phrase()),
                kind => {
                    if kind == Kind::Missing {
                        put("is missing: it ");
                    }
                    put("must be ");
                    describe(&arg.rule, put);
                    // Bounds of floats are kept as schema text: writing a float would bring the float writer along.
                    if matches!(arg.rule, Rule::Float { .. }) && !arg.extra.is_empty() {
                        put(" with ");
                        put(arg.extra);
                    }
                }
            }
        })
    }

    pub(super) fn refuse_value(
        &mut self,
        args: &[Arg],
        row: usize,
        value: &[u8],
        error: &DeError,
    ) -> Outcome {
        self.refusal(|put| {
            put("argument \"");
            put(args.get(row).map_or("", |a| a.name));
            put("\" ");
            let mut first = true;
            error.write_path(value, &mut |piece| {
                if core::mem::take(&mut first) {
                    put("at ");
                }
                put(piece);
            });
            put(if first { "" } else { " " });
            put(error.kind().phrase());
        })
    }

    fn refusal(&mut self, words: impl FnOnce(&mut dyn FnMut(&str))) -> Outcome {
        let to_model = self.reply.shape() == Shape::Tool && self.revision().has(Feature::ArgumentToolError);
        if to_model {
            return self.fail_with(|w| words(&mut |piece| w.text(piece)));
        }
        self.protocol_error(code::INVALID_PARAMS, |w| {
            w.text("Invalid params: ");
            words(&mut |piece| w.text(piece));
        });
        Outcome::Done
    }

    /// The place for the next item of the result's list.
    pub(super) fn item(&mut self) -> Option<&mut Writer<'e>> {
        match self.stage {
            Stage::Fresh => {
                let list: &[u8] = match self.reply.shape() {
                    Shape::Tool => b"\"content\":[",
                    Shape::Resource | Shape::Template => b"\"contents\":[",
                    Shape::Prompt => b"\"messages\":[",
                    Shape::PromptCompletion | Shape::TemplateCompletion => b"\"completion\":{\"values\":[",
                };
                self.reply.result().put(list);
                self.stage = Stage::Items;
            }
            Stage::Items => {}
            Stage::Closed | Stage::Answered => return None,
        }
        Some(self.reply.result())
    }

    /// Closes the list, so that other members may follow.
    pub(super) fn close_items(&mut self) -> Option<&mut Writer<'e>> {
        if self.stage != Stage::Closed {
            self.item()?;
            self.stage = Stage::Closed;
            let w = self.reply.result();
            w.put(b"]");
            w.set_comma(true);
        }
        Some(self.reply.result())
    }

    fn end(&mut self) {
        let (shape, index, is_error, more) =
            (self.reply.shape(), self.reply.index(), self.is_error, self.more);
        let (rows, revision) = (self.reply.rows(), self.revision());
        let Some(w) = self.close_items() else { return };
        match shape {
            Shape::Tool if is_error => w.raw_key(b"\"isError\":true"),
            Shape::Tool => {}
            Shape::Resource | Shape::Template => rows.info().cache_hints(w, revision),
            Shape::Prompt => crate::proto::info::some(w, true, "description", rows.prompt_about(index)),
            Shape::PromptCompletion | Shape::TemplateCompletion => {
                if more {
                    w.raw_key(b"\"hasMore\":true");
                }
                w.put(b"}");
            }
        }
        w.set_comma(true);
        self.stage = Stage::Answered;
        self.reply.finish();
    }

    /// The MIME type that the catalog lists for what was called.
    pub(super) fn listed_mime(&self) -> &'e str {
        let list = if self.reply.shape() == Shape::Template { List::Templates } else { List::Resources };
        self.reply.rows().mime(list, self.reply.index())
    }

    /// The URI to write into contents: the one asked for, or the listed one when that is gone (deferred calls).
    pub(super) fn contents_uri(&self) -> &'e str {
        if !self.uri.is_empty() {
            return self.uri;
        }
        let list = if self.reply.shape() == Shape::Template { List::Templates } else { List::Resources };
        self.reply.rows().key(list, self.reply.index())
    }
}

impl<'e> Io<'e> {
    /// The answer to a deferred call: write it and [`finish`](Self::finish), or tell of progress and let go.
    ///
    /// # Errors
    /// `Stale` when the call is over; `Busy` while another message is half written: let the loop go on and try again.
    pub fn resume(server: &'e mut crate::Server<'_>, ticket: Ticket) -> Result<Self, Error> {
        Ok(Self::new(server.resume(ticket)?, ""))
    }
}
