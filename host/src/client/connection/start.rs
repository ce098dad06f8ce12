//! Calls that begin, wait for their turn, and are given up.

use midge::client::{self, Ticket};
use midge::json::Raw;
use midge::{Error as Fault, Kind};
use tokio::time::Instant;

use super::super::call::{Failed, Start, What};
use super::Connection;
use super::desk::Entry;
use crate::error::Error;

/// Bytes that wait to be sent before further calls wait for their turn: what a slow server has not taken is kept once.
const BACKLOG_BYTES: usize = 1 << 20;

impl Connection<'_> {
    /// Starts what waits, in its order, as long as there is room.
    pub(super) fn start(&mut self) {
        if self.desk.is_connecting() {
            return;
        }
        self.drop_late();
        while self.engine.send_buf().len() < BACKLOG_BYTES {
            let Some(start) = self.queue.pop_front() else { return };
            match self.begin(&start) {
                Ok(ticket) => self.desk.enter(ticket, Entry::of(start)),
                Err(error) if matches!(error.kind, Kind::SlotsFull | Kind::Busy) => {
                    self.queue.push_front(start);
                    return;
                }
                Err(error) => {
                    let why = self.refused(&start, error);
                    let mut start = start;
                    start.fail(why);
                }
            }
        }
    }

    /// Lets a call wait for its turn; from here on it is late when it has not begun in time.
    pub(super) fn queue_up(&mut self, mut start: Start) {
        start.by = start.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        self.queue_by = [self.queue_by, start.by].into_iter().flatten().min();
        self.queue.push_back(start);
    }

    /// Ends calls that have waited too long for their turn.
    fn drop_late(&mut self) {
        let now = Instant::now();
        if self.queue.is_empty() {
            self.queue_by = None;
        }
        if self.queue_by.is_none_or(|by| by > now) {
            return;
        }
        self.queue.retain_mut(|start| {
            let late = start.by.is_some_and(|by| by <= now);
            if late {
                start.fail(too_late(start));
            }
            !late
        });
        self.queue_by = self.queue.iter().filter_map(|start| start.by).min();
    }

    fn begin(&mut self, start: &Start) -> Result<Ticket, Fault> {
        let options = client::Options { meta: start.meta.as_deref().map(Raw::scanned), ..start.options };
        match &start.what {
            What::Request { method, params } => self.engine.request(method, options, |w| {
                for (name, value) in params {
                    w.key(name);
                    w.raw(value);
                }
            }),
            What::List(list) => self.engine.list(*list, options),
            What::Listen(filter, _) => {
                let uris: Vec<&str> = filter.uris.iter().map(String::as_str).collect();
                let (tools, prompts, resources) = (filter.tools, filter.prompts, filter.resources);
                self.engine.listen(client::Filter { tools, prompts, resources, uris: &uris })
            }
        }
    }

    /// Why a call could not begin.
    fn refused(&self, start: &Start, error: Fault) -> Error {
        match error.kind {
            Kind::TxFull => Error::TooLarge { needed: error.at as usize, cap: self.desk.cap() },
            Kind::NotInRevision => {
                let revision = self.engine.revision().map_or("this revision", |r| r.name());
                Error::NotOffered(format!("{}: {revision} has no such request", start.label))
            }
            kind => Error::Busy(format!("{} cannot be sent: {}", start.label, kind.phrase())),
        }
    }

    /// Gives a call up, wherever it stands.
    pub(super) fn cancel(&mut self, key: u64) {
        self.queue.retain(|start| start.key != key);
        if let Some(ticket) = self.desk.leave(key) {
            // Stale: its end is on the way to whoever does not wait for it.
            let _ = self.engine.cancel(ticket);
        }
    }
}

fn too_late(start: &Start) -> Error {
    let after = start.timeout.unwrap_or_default();
    Error::TimedOut { what: start.label.clone(), after, stderr: String::new() }
}

impl Start {
    /// Tells whoever waits for it.
    pub(super) fn fail(&mut self, why: Error) {
        if let Some(reply) = self.reply.take() {
            let _ = reply.send(Err(Failed::Here(why)));
        }
    }
}
