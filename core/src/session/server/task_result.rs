//! What tasks came to: `tasks/result`, which waits for it.

use super::answer::{Msg, window};
use super::calls::Terms;
use super::{Notice, Server, Step};
use crate::bytes::part;
use crate::proto::input::related;
use crate::rpc::code;
use crate::rpc::emit::{self, Framing};
use crate::rpc::envelope::Envelope;
use crate::rpc::params::Span;
use crate::session::park::{Held, Park};
use crate::session::slots::State;
use crate::session::tasks::{NONE, Status, Task};

pub(super) const NO_ROOM: &str =
    "The result of the task needs more memory than there is for it (limit: park)";

/// What an outcome answers.
enum Answered {
    Message(Msg, Span),
    Slot(u16),
}

impl Server<'_> {
    /// `tasks/result`: answered when the task is over.
    pub(super) fn task_result(&mut self, msg: Msg, envelope: &Envelope, terms: Terms, index: u16) -> Step {
        let Some(task) = self.tasks.get(usize::from(index)) else { return Step::Next };
        if task.status.is_over() {
            return self.task_outcome(index, Answered::Message(msg, envelope.id));
        }
        let generation = task.generation;
        if let Some(step) = self.refused(msg, envelope, terms) {
            return step;
        }
        let Some(slot) = self.slots.iter_mut().find(|s| s.state == State::Free) else {
            return self.no_slot(msg, envelope, terms);
        };
        // Ids are never longer than a slot's.
        let id = envelope.id.of(part(self.rx.bytes(), msg.start, msg.end));
        let _ = slot.id.extend_from_slice(id);
        (slot.state, slot.revision) = (State::Awaits, terms.revision);
        (slot.task, slot.used) = (index, generation);
        self.waiting = self.waiting.saturating_add(1);
        Step::Next
    }

    /// A waiting `tasks/result` whose task is over, or gone.
    pub(super) fn awaited(&self) -> Option<Notice> {
        let slot = self.slots.iter().filter(|s| s.state == State::Awaits).find(|s| {
            let task = self.tasks.get(usize::from(s.task)).filter(|t| t.generation == s.used);
            task.is_none_or(|task| task.status.is_over())
        })?;
        Some(Notice::Awaited(slot.number))
    }

    pub(super) fn answer_awaited(&mut self, number: u16) -> Step {
        let Some(slot) = self.slots.get(usize::from(number)) else { return Step::Next };
        let index = slot.task;
        let live = self.tasks.get(usize::from(index)).is_some_and(|t| t.generation == slot.used);
        let step = self.task_outcome(if live { index } else { NONE }, Answered::Slot(number));
        if let (Step::Next, Some(slot)) = (&step, self.slots.get_mut(usize::from(number))) {
            slot.free();
            self.waiting = self.waiting.saturating_sub(1);
        }
        step
    }

    /// Writes what a task came to, as the answer to a request.
    fn task_outcome(&mut self, index: u16, to: Answered) -> Step {
        let task = self.tasks.get(usize::from(index));
        let (id, framing): (&[u8], _) = match to {
            Answered::Message(msg, id) => (id.of(part(self.rx.bytes(), msg.start, msg.end)), self.framing),
            Answered::Slot(number) => match self.slots.get(usize::from(number)) {
                Some(slot) => (&slot.id, Framing::default()),
                None => return Step::Next,
            },
        };
        let mut w = window(&mut self.tx, &mut self.fill, self.replay);
        let kept = task.and_then(|t| outcome(&self.park, t, index));
        match (task, kept) {
            (Some(task), Some((Held::Result, members))) => {
                emit::result(&mut w, framing, id);
                w.put(members);
                w.set_comma(!members.is_empty());
                related(&mut w, task.name().text());
            }
            (_, Some((_, members))) => {
                emit::failure(&mut w, framing, id);
                w.put(members);
            }
            (task, None) => {
                let (code, words) = match task.map(|t| t.status) {
                    Some(Status::Cancelled) => (code::INVALID_REQUEST, "The task was cancelled"),
                    Some(_) => (code::INTERNAL_ERROR, NO_ROOM),
                    None => (code::INVALID_PARAMS, "The task's time is over"),
                };
                emit::error(&mut w, framing, Some(id), false, code, &[words]);
            }
        }
        emit::close(&mut w, framing);
        self.sent()
    }
}

/// What is kept of what a task came to.
pub(super) fn outcome<'p>(park: &'p Park<'_>, task: &Task, index: u16) -> Option<(Held, &'p [u8])> {
    let ticket = task.ticket(index);
    park.iter().find(|r| r.ticket == ticket).map(|r| (r.held, r.data))
}
