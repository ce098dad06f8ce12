//! The answer of a call that works on a task: kept in the park, for the client to fetch.

use crate::bytes::copy;
use crate::json::Writer;
use crate::proto::revision::Feature;
use crate::session::park::{HEAD, Held, head};
use crate::session::reply::Reply;
use crate::session::slots::Ticket;
use crate::session::tasks::{NONE, Status, Task};
use crate::sink::{Buf, Fill, Sink};

/// A task that is worked on.
pub(crate) struct Working<'e> {
    pub task: &'e mut Task,
    /// Names its records in the park.
    pub ticket: Ticket,
    /// How far its record is filled, until that is begun.
    pub fill: Option<&'e mut Fill>,
    /// Where the head of its record goes.
    pub head: &'e mut [u8],
}

impl Reply<'_> {
    /// What is written from here on goes into the free end of the park, if it is for a task.
    pub(crate) fn open_task(&mut self) {
        let Some(working) = &mut self.task else { return };
        let Some(fill) = working.fill.take() else { return };
        let (head, data) = self.asks.tail.take();
        working.head = head;
        self.w = Writer::new(Sink::new(Buf::Fixed(data), fill, None));
    }

    /// Whether nothing may be said beside the result: a task of 2026-07-28 is polled.
    pub(crate) fn is_silent(&self) -> bool {
        self.task.is_some() && !self.revision().has(Feature::Handshake)
    }

    /// Keeps what was written as the result of the task.
    pub(crate) fn end_task(&mut self) {
        let per_request = self.revision().has(Feature::ResultType);
        let w = self.result();
        if per_request {
            w.raw_key(b"\"resultType\":\"complete\"");
            w.set_comma(true);
        }
        // 2025-11-25: a result that the model sees as a failure is a failed task; later it is a completed one.
        let failed = self.is_error && !per_request;
        self.keep(Held::Result, if failed { Status::Failed } else { Status::Completed });
    }

    /// Keeps an error as what the task came to.
    pub(crate) fn fail_task(
        &mut self,
        code: i32,
        message: impl FnOnce(&mut Writer<'_>),
        data: impl FnOnce(&mut Writer<'_>),
    ) {
        self.begun = true;
        self.open_task();
        self.w.sink().begin(0);
        self.w.set_comma(false);
        self.w.raw_key(b"\"code\":");
        self.w.i64(code.into());
        self.w.raw_key(b"\"message\":");
        self.w.begin_str();
        message(&mut self.w);
        self.w.end_str();
        data(&mut self.w);
        self.keep(Held::Fault, Status::Failed);
    }

    /// Makes a record of what was written.
    fn keep(&mut self, held: Held, status: Status) {
        let Some(working) = &mut self.task else { return };
        let sink = self.w.sink();
        // Without its record the task has failed for lack of room, and says so when it is asked.
        let kept = !sink.lost() && working.head.len() == HEAD;
        if kept {
            let len = sink.total();
            copy(working.head, &head(held, working.ticket, 0, b"", len));
            self.asks.tail.taken(HEAD.wrapping_add(len));
        }
        working.task.set(if kept { status } else { Status::Failed }, self.now);
        working.task.slot = NONE;
        sink.rewind();
        sink.end();
        self.over();
    }
}
