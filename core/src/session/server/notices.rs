//! What the server says on its own: changes, updates, acknowledgements, and answers to calls that failed while waiting.

use super::answer::window;
use super::{Notice, Server, Step};
use crate::json::Writer;
use crate::proto::info::Info;
use crate::proto::revision::Revision;
use crate::rpc::emit::{self, Framing};
use crate::session::slots::{Failed, State};
use crate::session::subs::{Record, Subs, wants};

const LISTS: [(u8, &str, &str); 3] = [
    (wants::TOOLS, "notifications/tools/list_changed", "toolsListChanged"),
    (wants::PROMPTS, "notifications/prompts/list_changed", "promptsListChanged"),
    (wants::RESOURCES, "notifications/resources/list_changed", "resourcesListChanged"),
];

const UPDATED: &str = "notifications/resources/updated";

impl Server<'_> {
    /// Writes what is due, one message at a time; each is made again from its start when it was cut.
    pub(super) fn notices(&mut self) -> Step {
        if self.is_quiet() {
            return Step::Next;
        }
        self.sweep();
        self.answers_late();
        if self.replay.notice.is_none()
            && let Some(step) = self.forget_tasks()
        {
            return step;
        }
        if let Some(step) = self.expire() {
            return step;
        }
        loop {
            // A message that was cut is finished before anything else, whatever has become due since.
            let Some(notice) = self.replay.notice.or_else(|| self.next_notice()) else { return self.ready() };
            let step = match notice {
                Notice::Failed(number, why) => self.failed(number, why),
                Notice::Change(bit) => self.handshake_change(bit),
                Notice::Record(at, bit) => self.record_notice(at, bit),
                Notice::Withdrawn(number) => self.withdraw(number),
                Notice::Awaited(number) => self.answer_awaited(number),
                Notice::Task(index) => self.task_notice(index),
            };
            match step {
                Step::Next => {}
                other => {
                    self.replay.notice = (self.replay.skip > 0).then_some(notice);
                    return other;
                }
            }
        }
    }

    /// Whether there is nothing that could ever have to be said.
    pub(super) fn is_quiet(&self) -> bool {
        self.waiting == 0
            && self.changed == 0
            && self.subs.is_empty()
            && self.park.is_empty()
            && self.tasks_kept == 0
    }

    pub(super) fn next_notice(&self) -> Option<Notice> {
        let failed = self.slots.iter().take(if self.waiting > 0 { usize::MAX } else { 0 }).find_map(|s| {
            match s.state {
                State::Failed(why) => Some(Notice::Failed(s.number, why)),
                _ => None,
            }
        });
        let change = || first_bit(self.changed).map(Notice::Change);
        let record = || self.subs.iter().find_map(|r| Some(Notice::Record(r.at, first_bit(r.due)?)));
        let task = || self.task_changed().or_else(|| self.awaited());
        failed.or_else(|| self.withdrawn()).or_else(task).or_else(change).or_else(record)
    }

    /// A deferred call whose deadline has passed is answered by the engine.
    fn expire(&mut self) -> Option<Step> {
        let now = self.now;
        let slot = self
            .slots
            .iter_mut()
            .find(|s| s.state == State::Deferred && s.deadline.is_some_and(|deadline| deadline <= now))?;
        let ticket = slot.ticket();
        slot.state = State::Failed(Failed::Late);
        Some(Step::Expired(ticket))
    }

    /// `list_changed` for a client that shook hands: it has one stream and asks for nothing.
    fn handshake_change(&mut self, bit: u8) -> Step {
        let method = LISTS.iter().find(|(b, ..)| *b == bit).map_or("", |(_, method, _)| method);
        // A client that never shook hands hears of changes through its subscriptions only.
        if self.session.revision.is_none() || method.is_empty() {
            self.changed &= !bit;
            return Step::Next;
        }
        let mut w = window(&mut self.tx, &mut self.fill, self.replay);
        w.put(b"{\"jsonrpc\":\"2.0\",\"method\":\"");
        w.put(method.as_bytes());
        w.put(b"\"}\n");
        let step = self.sent();
        if let Step::Next = step {
            self.changed &= !bit;
        }
        step
    }

    /// One message that is due on the subscription record at `at`, the acknowledgement before anything else.
    fn record_notice(&mut self, at: usize, bit: u8) -> Step {
        let mut w = window(&mut self.tx, &mut self.fill, self.replay);
        let Some(record) = self.subs.iter().find(|r| r.at == at) else { return Step::Next };
        let list = LISTS.iter().find(|(b, ..)| *b == bit);
        match bit {
            wants::ACK => acknowledge(&mut w, &self.subs, record),
            wants::URI => {
                emit::notification(&mut w, UPDATED);
                tag(&mut w, record.id);
                w.member("uri", core::str::from_utf8(record.uri).unwrap_or(""));
                emit::close(&mut w, Framing::default());
            }
            wants::END => {
                // On a stream both the cancellation and the result end a subscription, in this order (decision 008).
                emit::notification(&mut w, "notifications/cancelled");
                w.key("requestId");
                w.raw(record.id);
                emit::close(&mut w, Framing::default());
            }
            wants::RESULT => end_result(&mut w, self.rows.info(), record.id),
            _ => {
                emit::notification(&mut w, list.map_or("", |(_, method, _)| method));
                tag(&mut w, record.id);
                emit::close(&mut w, Framing::default());
            }
        }
        let step = self.sent();
        if let Step::Next = step {
            self.subs.done(at, bit);
            if bit == wants::RESULT {
                self.forget(at);
            }
        }
        step
    }

    /// Removes the subscription that the record at `at` belongs to.
    fn forget(&mut self, at: usize) {
        let mut id = crate::rpc::id::Id::new();
        if let Some(record) = self.subs.iter().find(|r| r.at == at) {
            let _ = id.extend_from_slice(record.id);
        }
        self.subs.remove(|r| r.id == id);
    }
}

/// Says what of a subscription is granted.
fn acknowledge(w: &mut Writer<'_>, subs: &Subs<'_>, record: Record<'_>) {
    emit::notification(w, "notifications/subscriptions/acknowledged");
    tag(w, record.id);
    w.key("notifications");
    w.object();
    for (_, _, name) in LISTS.iter().filter(|(bit, ..)| record.wants & bit != 0) {
        w.key(name);
        w.bool(true);
    }
    let mut uris = subs.iter().filter(|r| r.id == record.id && !r.uri.is_empty()).peekable();
    if uris.peek().is_some() {
        w.key("resourceSubscriptions");
        w.array();
        for r in uris {
            w.str(core::str::from_utf8(r.uri).unwrap_or(""));
        }
        w.close();
    }
    w.close();
    emit::close(w, Framing::default());
}

/// The first thing that is due: an acknowledgement before anything else, the end last.
fn first_bit(due: u8) -> Option<u8> {
    [wants::ACK, wants::TOOLS, wants::PROMPTS, wants::RESOURCES, wants::URI, wants::END, wants::RESULT]
        .into_iter()
        .find(|bit| due & bit != 0)
}

/// `"_meta":{"io.modelcontextprotocol/subscriptionId":…}`, for the subscriptions that have an id.
fn tag(w: &mut Writer<'_>, id: &[u8]) {
    if !id.is_empty() {
        w.put(b"\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":");
        w.put(id);
        w.put(b"}");
        w.set_comma(true);
    }
}

fn end_result(w: &mut Writer<'_>, info: &Info, id: &[u8]) {
    emit::result(w, Framing::default(), id);
    w.put(b"\"resultType\":\"complete\",\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":");
    w.put(id);
    if info.named_results {
        w.put(b",\"io.modelcontextprotocol/serverInfo\":");
        w.set_comma(false);
        info.write(w, Revision::V2026_07_28);
    }
    w.put(b"}");
    emit::close(w, Framing::default());
}
