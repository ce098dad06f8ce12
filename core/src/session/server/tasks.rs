//! Tasks: how a call becomes one, and the methods that fetch, list, feed and cancel them.

use super::answer::{Data, Msg, window};
use super::calls::{Prepared, Terms};
use super::task_result::{NO_ROOM, outcome};
use super::{Config, Notice, Server, Step};
use crate::bytes::part;
use crate::json::Writer;
use crate::json::num::to_u64;
use crate::json::text::content_bytes;
use crate::proto::client::Can;
use crate::proto::cursor;
use crate::proto::revision::{Feature, Revision};
use crate::rpc::code;
use crate::rpc::emit::{self, Framing};
use crate::rpc::envelope::Envelope;
use crate::rpc::params::Augment;
use crate::session::asks::members;
use crate::session::park::{Held, Park, Parked};
use crate::session::rows::TaskSupport;
use crate::session::slots::{Slot, State};
use crate::session::tasks::{BASE, NONE, Status, Task, find, owner};

/// Names the list in cursors of `tasks/list`.
const LIST: u8 = 4;

/// How a call is to be run.
pub(super) enum Mode {
    /// As any call.
    Plain,
    /// As a task that is kept for so many milliseconds.
    Task(u64),
    /// Not at all: the answer is an error.
    Refused(Step),
}

impl Server<'_> {
    /// Whether the call of tool `row` becomes a task.
    pub(super) fn mode(&mut self, msg: Msg, envelope: &Envelope, terms: Terms, row: usize) -> Mode {
        let support = self.rows.task(row);
        let revision = terms.revision;
        if self.tasks.is_empty() || (support == TaskSupport::None && envelope.members.task.is_absent()) {
            return Mode::Plain;
        }
        let longest = self.config.task_ttl_ms;
        if revision.has(Feature::Tasks) {
            return self.augmented(msg, envelope, revision, support);
        }
        let answers =
            !(envelope.members.input_responses.is_absent() && envelope.members.request_state.is_absent());
        match support {
            _ if !revision.has(Feature::TaskExtension) => Mode::Plain,
            TaskSupport::None => Mode::Plain,
            _ if terms.can.has(Can::TASKS) => match support {
                TaskSupport::RequiredAfterInput if !answers => Mode::Plain,
                _ => Mode::Task(longest),
            },
            TaskSupport::Optional => Mode::Plain,
            _ => Mode::Refused(self.needs_tasks(msg, envelope, revision)),
        }
    }

    /// 2025-11-25: the client says with `task` what it wants.
    fn augmented(&mut self, msg: Msg, envelope: &Envelope, revision: Revision, support: TaskSupport) -> Mode {
        let longest = self.config.task_ttl_ms;
        let b = part(self.rx.bytes(), msg.start, msg.end);
        let wanted = match envelope.members.task.of(b) {
            b"null" => b"",
            wanted => wanted,
        };
        let ttl = Augment::of(b, envelope.members.task).ttl.of(b);
        let given = !matches!(ttl, b"" | b"null");
        match (support, wanted.first()) {
            (_, Some(c)) if *c != b'{' => {
                let words = ["\"task\" must be an object"];
                Mode::Refused(self.bad_params(msg, envelope.id, revision, &words))
            }
            (TaskSupport::None, Some(_)) => {
                self.no_task(msg, envelope, revision, "This tool does not run as a task")
            }
            (_, Some(_)) if given && to_u64(ttl).is_err() => {
                let words = ["\"ttl\" must be a number of milliseconds"];
                Mode::Refused(self.bad_params(msg, envelope.id, revision, &words))
            }
            (_, Some(_)) => Mode::Task(to_u64(ttl).unwrap_or(longest).min(longest)),
            (TaskSupport::None | TaskSupport::Optional, None) => Mode::Plain,
            (_, None) => {
                let words = "This tool runs as a task only: send \"task\" with the call";
                self.no_task(msg, envelope, revision, words)
            }
        }
    }

    fn no_task(&mut self, msg: Msg, envelope: &Envelope, revision: Revision, why: &str) -> Mode {
        Mode::Refused(self.error(msg, envelope.id, revision, code::METHOD_NOT_FOUND, &[why], Data::None))
    }

    fn needs_tasks(&mut self, msg: Msg, envelope: &Envelope, revision: Revision) -> Step {
        let words = ["Missing client capability: this needs the extension io.modelcontextprotocol/tasks"];
        let data = Data::Capabilities(Can::TASKS);
        self.error(msg, envelope.id, revision, code::MISSING_CAPABILITY, &words, data)
    }

    /// A free entry for a task that is kept for `ttl_ms`, with an id that nobody can guess.
    pub(super) fn new_task(&mut self, ttl_ms: u64, revision: Revision) -> Option<u16> {
        let entropy = self.entropy?;
        let (index, task) = (0..BASE).zip(self.tasks.iter_mut()).find(|(_, t)| t.status == Status::Free)?;
        entropy(&mut task.id);
        let now = self.now;
        (task.owner, task.created, task.updated) = (owner(self.principal), now, now);
        (task.ttl_ms, task.status, task.revision, task.due) = (ttl_ms, Status::Working, revision, false);
        self.tasks_kept = self.tasks_kept.saturating_add(1);
        Some(index)
    }

    pub(super) fn no_entry(&mut self, msg: Msg, envelope: &Envelope, terms: Terms) -> Step {
        let words = ["Too many tasks: wait until one is over and forgotten (limit: tasks)"];
        self.error(msg, envelope.id, terms.revision, code::INTERNAL_ERROR, &words, Data::None)
    }

    /// Tells the client that its call has become a task; then the handler is run.
    pub(super) fn create_task(&mut self, call: Prepared) -> Step {
        let Some(slot) = self.slots.get_mut(usize::from(call.slot)) else { return Step::Next };
        let Some(task) = self.tasks.get(usize::from(slot.task)) else { return Step::Next };
        if slot.state == State::Creating {
            let rows = self.rows;
            let mut w = window(&mut self.tx, &mut self.fill, self.replay);
            emit::result(&mut w, self.framing, &slot.id);
            let older = slot.revision.has(Feature::Tasks);
            if older {
                w.key("task");
                w.object();
            }
            write(task, &mut w, slot.revision, &self.config);
            if older {
                w.close();
            }
            rows.info().end_task(&mut w, slot.revision);
            emit::close(&mut w, self.framing);
            if let Step::Send = self.sent() {
                return Step::Send;
            }
        }
        let has_room = self.has_room(self.config.reply_max);
        let Some(slot) = self.slots.get_mut(usize::from(call.slot)) else { return Step::Next };
        // The request is answered: its id may come again.
        slot.id.clear();
        if !has_room {
            slot.state = State::Created;
            return Step::Send;
        }
        slot.state = State::Open;
        Step::Call
    }

    /// Serves a method of tasks.
    pub(super) fn task_method(
        &mut self,
        msg: Msg,
        envelope: &Envelope,
        terms: Terms,
        serve: fn(&mut Self, Msg, &Envelope, Terms, u16) -> Step,
    ) -> Step {
        if terms.revision.has(Feature::TaskExtension) && !terms.can.has(Can::TASKS) {
            return self.needs_tasks(msg, envelope, terms.revision);
        }
        let b = part(self.rx.bytes(), msg.start, msg.end);
        let Some(name) = content_bytes(envelope.members.task_id.of(b)) else {
            return self.bad_params(msg, envelope.id, terms.revision, &["\"taskId\" must be a string"]);
        };
        match find(self.tasks, name, owner(self.principal)) {
            Some(index) => serve(self, msg, envelope, terms, index),
            None => self.bad_params(
                msg,
                envelope.id,
                terms.revision,
                &["No such task: it never was, or its time is over"],
            ),
        }
    }

    pub(super) fn task_get(&mut self, msg: Msg, envelope: &Envelope, terms: Terms, index: u16) -> Step {
        let mut w = window(&mut self.tx, &mut self.fill, self.replay);
        let msg = part(self.rx.bytes(), msg.start, msg.end);
        emit::result(&mut w, self.framing, envelope.id.of(msg));
        if let Some(task) = self.tasks.get(usize::from(index)) {
            write(task, &mut w, terms.revision, &self.config);
            if terms.revision.has(Feature::TaskExtension) {
                details(task, index, self.slots, &self.park, &mut w);
            }
        }
        self.rows.info().end_result(&mut w, terms.revision);
        emit::close(&mut w, self.framing);
        self.sent()
    }

    /// `tasks/list`, a page of bytes at a time.
    pub(super) fn task_list(&mut self, msg: Msg, envelope: &Envelope, terms: Terms) -> Step {
        let b = part(self.rx.bytes(), msg.start, msg.end);
        let len = self.tasks.len();
        let Some(first) = cursor::first(LIST, len, envelope.members.cursor.of(b)) else {
            return self.bad_params(msg, envelope.id, terms.revision, &[cursor::NOT_OURS]);
        };
        let owner = owner(self.principal);
        let mut w = window(&mut self.tx, &mut self.fill, self.replay);
        emit::result(&mut w, self.framing, envelope.id.of(b));
        w.raw_key(b"\"tasks\":[");
        w.set_comma(false);
        let begins = w.sink().total();
        let mut next = None;
        for (index, task) in self.tasks.iter().enumerate().skip(first) {
            if task.status == Status::Free || task.owner != owner {
                continue;
            }
            if w.sink().total().wrapping_sub(begins) > self.config.page_bytes {
                next = Some(index);
                break;
            }
            w.object();
            write(task, &mut w, terms.revision, &self.config);
            w.close();
        }
        w.put(b"]");
        w.set_comma(true);
        if let Some(next) = next {
            let cursor = cursor::make(LIST, len, next);
            w.member("nextCursor", core::str::from_utf8(&cursor).unwrap_or(""));
        }
        self.rows.info().end_result(&mut w, terms.revision);
        emit::close(&mut w, self.framing);
        self.sent()
    }

    /// `tasks/update`: answers to what a task asks. Keys that nothing is asked under are passed over.
    pub(super) fn task_update(&mut self, msg: Msg, envelope: &Envelope, terms: Terms, index: u16) -> Step {
        let span = envelope.members.input_responses;
        if !span.of(part(self.rx.bytes(), msg.start, msg.end)).starts_with(b"{") {
            return self.bad_params(
                msg,
                envelope.id,
                terms.revision,
                &["\"inputResponses\" must be an object"],
            );
        }
        let step = self.empty_result(msg, envelope.id, terms.revision);
        let Step::Next = step else { return step };
        if envelope.escapes {
            self.soften(msg, span);
        }
        let Some(slot) = self.tasks.get(usize::from(index)).map(|t| usize::from(t.slot)) else { return step };
        let Some(slot) = self.slots.get_mut(slot) else { return step };
        let ticket = slot.ticket();
        let b = part(self.rx.bytes(), msg.start, msg.end);
        for (_, (key, value)) in members(span.of(b)) {
            let open =
                self.park.iter().find(|r| r.held == Held::Pending && r.ticket == ticket && r.key == key);
            if let Some(at) = open.map(|r| r.at) {
                self.park.answer_at(at, Held::Answer, &[value]);
            }
        }
        if slot.state == State::Asked && self.park.open_question(ticket).is_none() {
            slot.state = State::Ready;
        }
        step
    }

    pub(super) fn task_cancel(&mut self, msg: Msg, envelope: &Envelope, terms: Terms, index: u16) -> Step {
        let now = self.now;
        let first = self.replay.skip == 0;
        let Some(task) = self.tasks.get_mut(usize::from(index)) else { return Step::Next };
        if first && !task.status.is_over() {
            // Once: what is said must be the same in every window.
            task.updated = now;
        }
        let mut task = *task;
        let extension = terms.revision.has(Feature::TaskExtension);
        if task.status.is_over() {
            return match extension {
                true => self.empty_result(msg, envelope.id, terms.revision),
                false => self.bad_params(msg, envelope.id, terms.revision, &["The task is over already"]),
            };
        }
        let step = if extension {
            self.empty_result(msg, envelope.id, terms.revision)
        } else {
            task.status = Status::Cancelled;
            let mut w = window(&mut self.tx, &mut self.fill, self.replay);
            let b = part(self.rx.bytes(), msg.start, msg.end);
            emit::result(&mut w, self.framing, envelope.id.of(b));
            write(&task, &mut w, terms.revision, &self.config);
            self.rows.info().end_result(&mut w, terms.revision);
            emit::close(&mut w, self.framing);
            self.sent()
        };
        let Step::Next = step else { return step };
        let updated = task.updated;
        if let Some(task) = self.tasks.get_mut(usize::from(index)) {
            task.set(Status::Cancelled, updated);
        }
        self.stop(index).unwrap_or(step)
    }

    /// Lets go of the call that works on a task; the application is to stop.
    fn stop(&mut self, index: u16) -> Option<Step> {
        let task = self.tasks.get_mut(usize::from(index))?;
        let number = core::mem::replace(&mut task.slot, NONE);
        (number != NONE).then(|| self.let_go(number))
    }

    /// Forgets a task whose time is over; one that still works is stopped.
    pub(super) fn forget_tasks(&mut self) -> Option<Step> {
        let now = self.now;
        while let Some(index) = self.tasks.iter().position(|t| t.status != Status::Free && t.end() <= now) {
            let stopped = self.stop(index as u16);
            if let Some(task) = self.tasks.get_mut(index) {
                task.free();
                self.tasks_kept = self.tasks_kept.saturating_sub(1);
            }
            if let Some(Step::Cancelled(ticket)) = stopped {
                return Some(Step::Expired(ticket));
            }
        }
        None
    }

    /// A change of a task that the client is to be told of (2025-11-25: it may be, and must not rely on it).
    pub(super) fn task_changed(&self) -> Option<Notice> {
        let index = self.tasks.iter().position(|t| t.due)?;
        Some(Notice::Task(index as u16))
    }

    pub(super) fn task_notice(&mut self, index: u16) -> Step {
        let Some(task) = self.tasks.get_mut(usize::from(index)) else { return Step::Next };
        if !task.revision.has(Feature::Tasks) {
            task.due = false;
            return Step::Next;
        }
        let mut w = window(&mut self.tx, &mut self.fill, self.replay);
        emit::notification(&mut w, "notifications/tasks/status");
        write(task, &mut w, task.revision, &self.config);
        emit::close(&mut w, Framing::default());
        let step = self.sent();
        if let (Step::Next, Some(task)) = (&step, self.tasks.get_mut(usize::from(index))) {
            task.due = false;
        }
        step
    }
}

fn write(task: &Task, w: &mut Writer<'_>, revision: Revision, config: &Config) {
    task.write(w, revision, config.task_poll_ms, config.epoch_ms);
}

/// 2026-07-28: what a task asks, or what it came to.
fn details(task: &Task, index: u16, slots: &[Slot], park: &Park<'_>, w: &mut Writer<'_>) {
    match (task.status, outcome(park, task, index)) {
        (Status::InputRequired, _) => {
            let ticket = slots.get(usize::from(task.slot)).map(Slot::ticket);
            w.key("inputRequests");
            w.object();
            // What was asked by a request of ours (2025-11-25) is answered there.
            let open =
                |r: &Parked<'_>| r.held == Held::Pending && Some(r.ticket) == ticket && !r.data.is_empty();
            for open in park.iter().filter(open) {
                w.key(core::str::from_utf8(open.key).unwrap_or(""));
                w.raw(open.data);
            }
            w.close();
        }
        (Status::Completed | Status::Failed, Some((held, members))) => {
            w.raw_key(if held == Held::Result { b"\"result\":{" } else { b"\"error\":{" });
            w.put(members);
            w.put(b"}");
            w.set_comma(true);
        }
        (Status::Failed, None) => {
            w.key("error");
            w.object();
            w.key("code");
            w.i64(code::INTERNAL_ERROR.into());
            w.member("message", NO_ROOM);
            w.close();
        }
        _ => {}
    }
}
