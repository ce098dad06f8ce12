//! The answer to one call: written into the transmit buffer while the arguments are still being read.

use crate::error::{Error, Kind};
use crate::json::Writer;
use crate::proto::client::Can;
use crate::proto::level::Level;
use crate::proto::revision::{Feature, Revision};
use crate::rpc::emit::{self, Framing};
use crate::session::asks::Asks;
use crate::session::rows::Rows;
use crate::session::slots::{Failed, Shape, Slot, State, Ticket};
use crate::session::subs::{Record, Subs, wants};
use crate::session::work::Working;
use crate::sink::Flush;
use crate::time::Millis;

/// A responder. It has no destructor, so that it may be held across a `match`; one that is dropped unfinished is answered
/// with -32603 by the engine's next step (decision 007).
pub struct Reply<'e> {
    pub(crate) w: Writer<'e>,
    pub(crate) slot: &'e mut Slot,
    pub(crate) framing: &'e mut Framing,
    pub(crate) rows: &'e dyn Rows,
    pub(crate) subs: Subs<'e>,
    pub(crate) changed: &'e mut u8,
    /// Calls that are put off: none is the usual case, and then no slot is searched.
    pub(crate) waiting: &'e mut u16,
    pub(crate) level: Option<Level>,
    pub(crate) asks: Asks<'e>,
    pub(crate) now: Millis,
    pub(crate) begun: bool,
    /// Content was taken back. The handler writes it again when it is run again for the next part of its answer, and
    /// nothing tells it from what stays: what follows it must fit.
    pub(crate) replaced: bool,
    /// The task that the call works on.
    pub(crate) task: Option<Working<'e>>,
    /// The result is one that the model is to see as a failure.
    pub(crate) is_error: bool,
    /// The URI that was read, of a call that was put off and had room to keep it.
    pub(crate) uri: &'e str,
    /// Bytes of the answer, once it was counted.
    pub(crate) counted: &'e mut usize,
}

impl<'e> Reply<'e> {
    /// What kind of call it is.
    pub fn shape(&self) -> Shape {
        self.slot.shape
    }

    /// The row of the catalog that was called.
    pub fn index(&self) -> usize {
        self.slot.index.into()
    }

    /// The revision that this call is answered in.
    pub fn revision(&self) -> Revision {
        self.slot.revision
    }

    /// The request's id, as JSON text.
    pub fn id(&self) -> &[u8] {
        &self.slot.id
    }

    /// What the client of this call can be asked for.
    pub fn can(&self) -> Can {
        self.slot.can
    }

    /// The moment that the engine was last told.
    pub fn now(&self) -> Millis {
        self.now
    }

    /// The catalog.
    pub fn rows(&self) -> &'e dyn Rows {
        self.rows
    }

    /// Lets the reply, and what goes before it, be larger than the transmit buffer.
    pub fn set_flush(&mut self, flush: &'e mut dyn Flush) {
        self.w.sink().set_flush(flush);
    }

    /// Counts the answer that the handler writes, and keeps nothing of it: the call is handed out once more, for the answer
    /// itself, and [`Server::counted`](crate::Server::counted) tells its length. For transports that say how long a message
    /// is before it begins, such as `Content-Length` of HTTP.
    ///
    /// The handler runs twice and must write the same both times. Without effect for a call that works on a task, for a
    /// deferred one, and for one whose answer is counted already.
    pub fn count(&mut self) {
        if self.asks.open && self.task.is_none() && *self.counted == 0 {
            self.w.sink().count();
        }
    }

    /// Whether bytes of the result are out, or will be for it is made piece by piece, so that it can be ended only and not
    /// replaced by an error.
    pub fn flushed(&mut self) -> bool {
        let cut = self.has_windows() && self.w.sink().is_cut();
        self.resumes() || (self.begun && (cut || self.w.sink().flushed()))
    }

    /// Whether an answer that is made piece by piece may go out in windows.
    fn has_windows(&self) -> bool {
        self.asks.open && self.task.is_none() && !self.replaced
    }

    /// Whether the call is run again for the next part of its answer.
    pub(crate) fn resumes(&mut self) -> bool {
        self.w.sink().resumes() && self.is_open()
    }

    /// Whether the result has begun.
    pub fn begun(&self) -> bool {
        self.begun
    }

    /// Whether the call is not answered yet.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.slot.state, State::Open | State::Deferred)
    }

    /// The writer, inside the result object; writes its head first if need be. After the answer, what is written goes
    /// nowhere.
    pub fn result(&mut self) -> &mut Writer<'e> {
        if !self.begun && self.is_open() {
            self.begun = true;
            self.open_task();
            if self.w.sink().resumes() {
                self.w.sink().resume();
            } else if self.w.sink().counts() {
                self.w.sink().begin_count();
            } else {
                self.w.sink().begin(0);
            }
            if self.task.is_some() {
                self.w.set_comma(false);
            } else {
                emit::result(&mut self.w, *self.framing, &self.slot.id);
            }
        }
        &mut self.w
    }

    /// Ends the result. Without effect when the call is answered already.
    pub fn finish(&mut self) {
        if !self.is_open() {
            return;
        }
        if self.task.is_some() {
            return self.end_task();
        }
        let (revision, rows) = (self.slot.revision, self.rows);
        let framing = *self.framing;
        let w = self.result();
        rows.info().end_result(w, revision);
        emit::close(w, framing);
        self.end();
    }

    /// Answers with an error; what was written of a result is taken back. `message` writes the text of the message,
    /// `data` the members of `error` after it.
    ///
    /// A result that is partly out cannot become an error any more: it is ended as it stands. Without effect when the call
    /// is answered already.
    pub fn fail(
        &mut self,
        code: i32,
        message: impl FnOnce(&mut Writer<'_>),
        data: impl FnOnce(&mut Writer<'_>),
    ) {
        if !self.is_open() {
            return;
        }
        if self.flushed() {
            return self.finish();
        }
        self.take_back();
        if self.task.is_some() {
            return self.fail_task(code, message, data);
        }
        let null_id = self.slot.revision.has(Feature::NullId);
        self.begun = true;
        self.w.sink().begin(0);
        emit::error_head(&mut self.w, *self.framing, Some(&self.slot.id), null_id, code);
        message(&mut self.w);
        self.w.end_str();
        data(&mut self.w);
        emit::close(&mut self.w, *self.framing);
        self.end();
    }

    /// Ends what was written of the answer; whether it fitted. The engine answers the call at its next step if it did
    /// not, when there is room for the words.
    pub(crate) fn whole(&mut self) -> bool {
        let has_windows = self.has_windows();
        let sink = self.w.sink();
        if sink.counts() {
            *self.counted = sink.end_count();
            self.slot.state = State::Streaming;
            return false;
        }
        if has_windows && sink.end_window() {
            self.slot.state = State::Streaming;
            return false;
        }
        let torn = sink.torn();
        let fits = !torn && (!sink.lost() || sink.flushed());
        if torn {
            sink.abandon();
            // An array that was begun is lost with its line; what follows begins another.
            self.framing.open = false;
            self.slot.state = State::Failed(Failed::Torn);
        } else if !fits {
            let needed = sink.total();
            sink.rewind();
            self.slot.state = State::Failed(Failed::TooLarge(u32::try_from(needed).unwrap_or(u32::MAX)));
        }
        sink.end_windows();
        sink.end();
        fits
    }

    fn end(&mut self) {
        if !self.whole() {
            return;
        }
        self.framing.open = self.framing.batch;
        self.over();
    }

    /// The call is over.
    pub(crate) fn over(&mut self) {
        if self.slot.state == State::Deferred {
            *self.waiting = self.waiting.saturating_sub(1);
        }
        self.slot.free();
    }

    /// Takes back what was written of the result, if it is still here.
    pub fn take_back(&mut self) {
        if self.begun && self.is_open() && !self.flushed() {
            self.replaced = true;
            self.unwrite();
        }
    }

    /// Takes back the questions of a result, which are not put again when the handler is run again for a later part of its
    /// answer.
    pub(crate) fn take_back_questions(&mut self) {
        if self.begun && self.is_open() && !self.flushed() {
            self.unwrite();
        }
    }

    fn unwrite(&mut self) {
        self.w.sink().rewind();
        self.w.set_comma(false);
        self.begun = false;
    }

    /// Puts the call off: the returned ticket answers it later, and the stream goes on. A `deadline` answers it with an
    /// error if nothing else has by then.
    ///
    /// A call that is answered, or whose result is partly out, cannot be put off: its ticket is stale.
    pub fn defer(&mut self, deadline: Option<Millis>) -> Ticket {
        if !self.is_open() || self.flushed() {
            return self.slot.stale();
        }
        self.take_back();
        if self.slot.state == State::Open {
            *self.waiting = self.waiting.saturating_add(1);
        }
        self.slot.state = State::Deferred;
        self.slot.deadline = deadline;
        self.slot.ticket()
    }

    /// Whether the caller asked for progress.
    pub fn wants_progress(&self) -> bool {
        !self.slot.token.is_empty()
    }

    /// Tells the caller how far the call is. `done` must grow from call to call (MCP, every revision).
    ///
    /// `Ok(false)` when the caller did not ask, or `done` did not grow.
    ///
    /// # Errors
    /// `Begun` after the result has begun; `TxFull` when there is no room.
    pub fn progress(&mut self, done: u64, total: Option<u64>, message: &str) -> Result<bool, Error> {
        if self.is_silent()
            || self.slot.token.is_empty()
            || self.slot.progress.is_some_and(|last| done <= last)
        {
            return Ok(false);
        }
        self.notify("notifications/progress", |w, slot| {
            w.key("progressToken");
            w.raw(&slot.token);
            w.key("progress");
            w.u64(done);
            if let Some(total) = total {
                w.key("total");
                w.u64(total);
            }
            if !message.is_empty() && slot.revision.has(Feature::ProgressMessage) {
                w.member("message", message);
            }
        })?;
        self.slot.progress = Some(done);
        Ok(true)
    }

    /// Whether a log message of `level` would be sent.
    pub fn logs(&self, level: Level) -> bool {
        self.level.is_some_and(|least| level >= least)
    }

    /// Sends a log message; `data` writes its value. `logger` may be empty.
    ///
    /// `Ok(false)` when the client does not want it.
    ///
    /// # Errors
    /// As [`progress`](Self::progress).
    pub fn log(
        &mut self,
        level: Level,
        logger: &str,
        data: impl FnOnce(&mut Writer<'_>),
    ) -> Result<bool, Error> {
        if self.is_silent() || !self.logs(level) {
            return Ok(false);
        }
        self.notify("notifications/message", |w, _| {
            w.member("level", level.name());
            if !logger.is_empty() {
                w.member("logger", logger);
            }
            w.key("data");
            data(w);
        })?;
        Ok(true)
    }

    fn notify(&mut self, method: &str, params: impl FnOnce(&mut Writer<'_>, &Slot)) -> Result<(), Error> {
        // Inside an open array a notification would be taken for an element of the answer.
        if self.begun || self.framing.batch || !self.is_open() || self.resumes() {
            return Err(Error::new(Kind::Begun, 0));
        }
        self.w.sink().begin(0);
        emit::notification(&mut self.w, method);
        params(&mut self.w, self.slot);
        if let Some(working) = &self.task {
            crate::proto::input::related(&mut self.w, working.task.name().text());
        }
        emit::close(&mut self.w, Framing::default());
        self.end_message()
    }

    /// Ends a message that goes out before the answer.
    ///
    /// # Errors
    /// `TxFull` when it does not fit; then nothing of it is sent.
    pub(crate) fn end_message(&mut self) -> Result<(), Error> {
        self.w.set_comma(false);
        let sink = self.w.sink();
        let (lost, needed) = (sink.lost(), sink.total());
        if lost {
            sink.rewind();
        }
        sink.end();
        if lost { Err(Error::new(Kind::TxFull, needed)) } else { Ok(()) }
    }

    /// Tells subscribers that the list named by `kind` (one of [`wants`]) has changed, after this call.
    pub fn list_changed(&mut self, kind: u8) {
        *self.changed |= kind;
        self.subs.mark_due(kind, |r| r.wants & kind != 0);
    }

    /// Tells subscribers that the resource at `uri` has changed, after this call; whether there are any.
    pub fn resource_updated(&mut self, uri: &str) -> bool {
        self.subs.mark_due(wants::URI, |r| concerns(r, uri))
    }
}

/// Whether a record asks for updates of `uri`.
pub(crate) fn concerns(record: &Record<'_>, uri: &str) -> bool {
    record.wants & wants::URI != 0 && record.uri == uri.as_bytes()
}
