//! The handler's view of a call: what it may say while it runs, and how it answers.

pub use super::values::Args;
use crate::error::Error;
use crate::json::Writer;
use crate::proto::level::Level;
use crate::proto::revision::Revision;
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
    /// The client was asked with [`Io::ask`]; the handler is to be run again when it has answered.
    NeedInput,
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

pub use crate::proto::input::Role;

/// A call, while its handler runs; and a deferred call, while it is answered.
pub struct Io<'e> {
    pub(super) reply: Reply<'e>,
    pub(super) uri: &'e str,
    pub(super) stage: Stage,
    pub(super) role: Role,
    pub(super) annotations: &'e str,
    pub(super) count: u8,
    /// Questions of this run that have no answer yet.
    pub(super) asked: u8,
    /// Questions were taken back for content.
    pub(super) dropped: bool,
    pub(super) more: bool,
    pub(super) is_error: bool,
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
            asked: 0,
            dropped: false,
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
    ///
    /// What was written of the answer is taken back; when it is partly out, or when the call is answered, the ticket is
    /// stale and the call is over when the handler returns.
    pub fn defer(&mut self) -> Ticket {
        self.put_off(None)
    }

    /// [`defer`](Self::defer), with an error as the answer if there is no other by `deadline`.
    pub fn defer_until(&mut self, deadline: Millis) -> Ticket {
        self.put_off(Some(deadline))
    }

    fn put_off(&mut self, deadline: Option<Millis>) -> Ticket {
        let ticket = self.reply.defer(deadline);
        self.start_anew();
        ticket
    }

    /// Forgets what was written, if the reply has taken it back.
    pub(super) fn start_anew(&mut self) {
        if !self.reply.begun() && self.stage != Stage::Answered {
            (self.stage, self.count, self.more, self.is_error) = (Stage::Fresh, 0, false, false);
            if !self.reply.parks() {
                // Questions were a part of what is taken back.
                self.asked = 0;
            }
        }
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
            // Too much was written: nothing but an end can follow now.
            Outcome::Deferred if self.reply.flushed() => self.break_off(),
            Outcome::Deferred => {}
            Outcome::NeedInput => self.wait(),
            Outcome::Done => self.end(),
            Outcome::Fail(why) => {
                let _ = self.fail(why);
                if self.stage != Stage::Answered {
                    self.end();
                }
            }
        }
    }

    /// The place for the next item of the result's list.
    pub(super) fn item(&mut self) -> Option<&mut Writer<'e>> {
        match self.stage {
            Stage::Fresh => {
                if self.asked > 0 && self.reply.only_asks() {
                    return None;
                }
                self.ask_no_more();
                if self.reply.begun() {
                    return None;
                }
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

    /// Whether the tool lists an output schema and gave no structured content (server/tools, "Output Schema": it must).
    fn owes_structured(&self) -> bool {
        self.reply.shape() == Shape::Tool
            && !self.is_error
            && matches!(self.stage, Stage::Fresh | Stage::Items)
            && self.reply.rows().has_output(self.reply.index(), self.revision())
    }

    pub(super) fn end(&mut self) {
        if self.owes_structured() {
            let _ = self.fail("This tool has an output schema and gave no structured content");
        }
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
        self.reply.is_error = is_error;
        self.reply.finish();
    }

    /// The MIME type that the catalog lists for what was called.
    pub(super) fn listed_mime(&self) -> &'e str {
        self.reply.rows().mime(self.row_list(), self.reply.index())
    }

    fn row_list(&self) -> List {
        if self.reply.shape() == Shape::Template { List::Templates } else { List::Resources }
    }

    /// The URI to write into contents: the one asked for, or the listed one when that is gone (deferred calls).
    pub(super) fn contents_uri(&self) -> &'e str {
        if !self.uri.is_empty() {
            return self.uri;
        }
        self.reply.rows().key(self.row_list(), self.reply.index())
    }

    /// The answer to a deferred call: write it and [`finish`](Self::finish), or tell of progress and let go.
    ///
    /// # Errors
    /// `Stale` when the call is over; `Busy` while another message is half written: let the loop go on and try again.
    pub fn resume(server: &'e mut crate::Server<'_>, ticket: Ticket) -> Result<Self, Error> {
        let reply = server.resume(ticket)?;
        let uri = match reply.shape() {
            Shape::Resource | Shape::Template => reply.uri,
            _ => "",
        };
        Ok(Self::new(reply, uri))
    }
}
