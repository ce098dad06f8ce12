//! How the client's messages are put together.

use super::call::Ticket;
use super::forms::write_member;
use super::send::list_method;
use super::{Client, Link};
use crate::bytes::{blanks, part};
use crate::error::{Error, Kind};
use crate::json::scan::SOFT;
use crate::json::text::{content_bytes, spell};
use crate::json::{Raw, Writer};
use crate::proto::client::Can;
use crate::proto::info::Info;
use crate::proto::level::Level;
use crate::proto::revision::{Feature, Revision};
use crate::rpc::emit::{self, Framing};
use crate::rpc::params::{Span, member_at};
use crate::session::park::{Held, Parked};
use crate::session::rows::List;
use crate::sink::{Buf, Fill, Sink};

/// Writes the members of `_meta` that every request of 2026-07-28 carries, once for all of them.
///
/// # Errors
/// `TxFull` with the bytes needed.
pub(super) fn meta<'b>(room: &'b mut [u8], info: &Info, can: Can) -> Result<&'b [u8], Error> {
    const REVISION: Revision = Revision::V2026_07_28;
    let mut fill = Fill::default();
    let mut w = Writer::new(Sink::new(Buf::Fixed(room), &mut fill, None));
    w.put(b"\"io.modelcontextprotocol/protocolVersion\":\"");
    w.put(REVISION.name().as_bytes());
    w.put(b"\",\"io.modelcontextprotocol/clientInfo\":");
    w.set_comma(false);
    info.write(&mut w, REVISION);
    w.put(b",\"io.modelcontextprotocol/clientCapabilities\":");
    w.set_comma(false);
    can.declare(&mut w, REVISION, info);
    let (total, lost) = (w.sink().total(), w.sink().lost());
    if lost {
        return Err(Error::new(Kind::TxFull, total));
    }
    Ok(part(room, 0, total))
}

/// Writes one message and its line end, or nothing.
///
/// # Errors
/// `TxFull` with the bytes needed when it can never fit, `Busy` when it can once what waits there is sent.
pub(super) fn write(
    tx: &mut Buf<'_>,
    fill: &mut Fill,
    message: impl FnOnce(&mut Writer<'_>),
) -> Result<(), Error> {
    let (behind, cap) = (fill.len, tx.cap());
    let mut sink = Sink::new(tx.reborrow(), fill, None);
    sink.begin(0);
    let mut w = Writer::new(sink);
    message(&mut w);
    let sink = w.sink();
    if !sink.lost() {
        sink.end();
        return Ok(());
    }
    let total = sink.total();
    sink.abandon();
    let kind = if behind > 0 && total <= cap { Kind::Busy } else { Kind::TxFull };
    Err(Error::new(kind, total))
}

/// What `_meta` of a request says besides.
#[derive(Clone, Copy, Default)]
pub(super) struct Marks<'m> {
    pub token: Option<u64>,
    pub level: Option<Level>,
    /// An object of the application's.
    pub more: Option<Raw<'m>>,
}

impl<'b> Client<'b> {
    /// [`write`], of a message that needs nothing else of the engine.
    pub(super) fn write(&mut self, message: impl FnOnce(&mut Writer<'_>)) -> Result<(), Error> {
        write(&mut self.tx, &mut self.fill, message)
    }

    /// Writes a request; its id, and where its params begin in the message, behind their brace.
    ///
    /// # Errors
    /// As [`write`].
    pub(super) fn write_request(
        &mut self,
        method: &str,
        marks: Marks<'_>,
        params: impl FnOnce(&mut Writer<'_>),
    ) -> Result<(u64, usize), Error> {
        let (id, meta) = self.head();
        let mut head = 0;
        write(&mut self.tx, &mut self.fill, |w| {
            head = begin(w, id, method, meta, marks);
            params(w);
            // Whatever was left open.
            w.close_all();
            emit::close(w, Framing::default());
        })?;
        self.last_id = id;
        Ok((id, head))
    }

    /// Asks for the page of a list whose cursor stands at `cursor` of the message that was shown last.
    ///
    /// # Errors
    /// As [`write`].
    pub(super) fn write_page(&mut self, list: List, marks: Marks, cursor: Span) -> Result<u64, Error> {
        let (id, meta) = self.head();
        let msg = self.msg.of(&self.rx);
        write(&mut self.tx, &mut self.fill, |w| {
            begin(w, id, list_method(list), meta, marks);
            w.key("cursor");
            w.value(cursor.of(msg));
            emit::close(w, Framing::default());
        })?;
        self.last_id = id;
        Ok(id)
    }

    /// Makes a request again that the server has answered by asking: its params as they were, and what is in the park for
    /// it (2026-07-28 basic/patterns/mrtr: a new id, the state as it came).
    ///
    /// # Errors
    /// As [`write`].
    pub(super) fn write_again(&mut self, method: &str, ticket: Ticket) -> Result<u64, Error> {
        let (id, _) = self.head();
        let park = &self.park;
        write(&mut self.tx, &mut self.fill, |w| {
            emit::request(w, id, method);
            let mine = || park.iter().filter(|r| r.ticket == ticket);
            for params in mine().filter(|r| r.held == Held::Args) {
                w.put(params.data);
                w.set_comma(true);
            }
            answers(w, mine());
            for state in mine().filter(|r| r.held == Held::State) {
                w.key("requestState");
                w.raw(state.data);
            }
            emit::close(w, Framing::default());
        })?;
        self.last_id = id;
        Ok(id)
    }

    /// Sends a request about the task of a call, and with it the answers that are there, if `with_answers`.
    ///
    /// # Errors
    /// As [`write`].
    pub(super) fn write_for_task(
        &mut self,
        method: &str,
        ticket: Ticket,
        with_answers: bool,
    ) -> Result<u64, Error> {
        let (id, meta) = self.head();
        let park = &self.park;
        write(&mut self.tx, &mut self.fill, |w| {
            begin(w, id, method, meta, Marks::default());
            let mine = || park.iter().filter(|r| r.ticket == ticket);
            for task in mine().filter(|r| r.held == Held::Task) {
                w.key("taskId");
                w.raw(task.data);
            }
            if with_answers {
                answers(w, mine());
            }
            emit::close(w, Framing::default());
        })?;
        self.last_id = id;
        Ok(id)
    }

    /// What a request begins with: its id, and what it says of this client.
    fn head(&self) -> (u64, Option<&'b [u8]>) {
        (self.last_id.wrapping_add(1), self.describes_itself().then_some(self.meta))
    }

    /// Writes a notification.
    ///
    /// # Errors
    /// As [`write`].
    pub(super) fn write_notification(
        &mut self,
        method: &str,
        params: impl FnOnce(&mut Writer<'_>),
    ) -> Result<(), Error> {
        self.write(|w| {
            emit::notification(w, method);
            params(w);
            w.close_all();
            emit::close(w, Framing::default());
        })
    }

    /// Whether requests describe themselves.
    fn describes_itself(&self) -> bool {
        match self.link {
            Link::New | Link::Probing => true,
            Link::Falling | Link::Shaking => false,
            Link::Up | Link::Down => self.speaks(Feature::PerRequest),
        }
    }

    /// Whether the revision that is spoken has `feature`.
    pub(super) fn speaks(&self, feature: Feature) -> bool {
        self.revision.is_some_and(|revision| revision.has(feature))
    }
}

/// Writes the members of `inputResponses`.
fn answers<'p>(w: &mut Writer<'_>, records: impl Iterator<Item = Parked<'p>>) {
    let mut records = records.filter(|r| r.held == Held::Answer).peekable();
    if records.peek().is_none() {
        return;
    }
    w.key("inputResponses");
    w.object();
    for answer in records {
        // The key is JSON text, as the server wrote it.
        w.raw_key(answer.key);
        w.put(b":");
        w.set_comma(false);
        w.raw(answer.data);
    }
    w.close();
}

/// Writes a request up to the first member of its own; where its params begin.
fn begin(w: &mut Writer<'_>, id: u64, method: &str, meta: Option<&[u8]>, marks: Marks) -> usize {
    emit::request(w, id, method);
    let head = w.sink().total();
    let token = marks.token.map(|token| if token == 0 { id } else { token });
    write_meta(w, meta, Marks { token, ..marks });
    head
}

fn write_meta(w: &mut Writer<'_>, meta: Option<&[u8]>, marks: Marks<'_>) {
    let Marks { token, level, more } = marks;
    if meta.is_none() && token.is_none() && more.is_none() {
        return;
    }
    w.put(b"\"_meta\":{");
    w.set_comma(false);
    if let Some(meta) = meta {
        w.put(meta);
        w.set_comma(true);
    }
    if let Some(token) = token {
        w.key("progressToken");
        w.u64(token);
    }
    if let Some(level) = level.filter(|_| meta.is_some()) {
        w.member("io.modelcontextprotocol/logLevel", level.name());
    }
    if let Some(more) = more {
        write_more(w, more.get());
    }
    w.put(b"}");
    w.set_comma(true);
}

/// Writes the application's own members of `_meta`; those that are the engine's are left out.
fn write_more(w: &mut Writer<'_>, object: &[u8]) {
    let whole = Span::new(blanks(object, 0), object.len());
    let mut next = whole.from();
    while let Some((name, value, end)) = member_at(object, next, whole) {
        next = end;
        let (name, mut room) = (name.of(object), [0; 64]);
        let text = match name {
            [SOFT, ..] => content_bytes(name).unwrap_or(b""),
            _ => spell(part(name, 1, name.len().saturating_sub(1)), &mut room),
        };
        if text != b"progressToken" && !text.starts_with(b"io.modelcontextprotocol/") {
            write_member(w, name, value.of(object));
        }
    }
}
