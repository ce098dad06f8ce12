//! Answers that the engine writes itself: made again from their start, window by window, until all is out.

use super::{Replay, Server, Step};
use crate::bytes::part;
use crate::json::Writer;
use crate::proto::client::Can;
use crate::proto::revision::{Feature, NEWEST_HANDSHAKE, Revision, Revisions};
use crate::rpc::code;
use crate::rpc::emit::{self, Framing};
use crate::rpc::params::Span;
use crate::session::rows::Rows;
use crate::sink::{Buf, Fill, Sink};

/// A message in the receive buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Msg {
    pub start: usize,
    pub end: usize,
}

/// A writer for a message of the engine's own, which goes on behind what earlier windows held of it.
pub(super) fn window<'e>(tx: &'e mut Buf<'_>, fill: &'e mut Fill, replay: Replay) -> Writer<'e> {
    let mut sink = Sink::new(tx.reborrow(), fill, None);
    sink.begin_at(replay.skip, replay.at);
    Writer::new(sink)
}

/// Writes `error.data`.
fn write_data(w: &mut Writer<'_>, data: Data<'_>, msg: &[u8], supported: Revisions) {
    match data {
        Data::None => {}
        Data::Uri(uri) => {
            w.put(b",\"data\":{\"uri\":");
            w.set_comma(false);
            w.value(uri.of(msg));
            w.put(b"}");
        }
        Data::Versions(requested) => {
            w.put(b",\"data\":{\"supported\":[");
            w.set_comma(false);
            for r in crate::proto::revision::ALL {
                // Naming a handshake revision here would send an obedient client round in circles.
                if supported.holds(r) && r.has(Feature::PerRequest) {
                    w.str(r.name());
                }
            }
            w.put(b"],\"requested\":");
            w.set_comma(false);
            w.value(requested.of(msg));
            w.put(b"}");
        }
        Data::Capabilities(needed) => needed.write_required(w),
        Data::Limit { name, bytes, needed } => limit_data(w, name, bytes, needed),
    }
}

/// Writes `error.data` for a limit that was crossed.
pub(super) fn limit_data(w: &mut Writer<'_>, name: &str, bytes: usize, needed: usize) {
    w.put(b",\"data\":{");
    w.set_comma(false);
    w.member("limit", name);
    w.key("limitBytes");
    w.u64(bytes as u64);
    w.key("neededBytes");
    w.u64(needed as u64);
    w.put(b"}");
}

/// What an answer is written with.
pub(super) struct Desk<'e> {
    pub msg: &'e [u8],
    pub w: Writer<'e>,
    pub rows: &'e dyn Rows,
    pub framing: Framing,
}

impl Desk<'_> {
    /// Starts the result of the request with `id`.
    pub fn result(&mut self, id: Span) {
        emit::result(&mut self.w, self.framing, id.of(self.msg));
    }

    /// Ends it.
    pub fn close(&mut self, revision: Revision) {
        self.rows.info().end_result(&mut self.w, revision);
        emit::close(&mut self.w, self.framing);
    }
}

/// What `error.data` says.
pub(super) enum Data<'d> {
    None,
    /// The URI, as the quoted JSON text of the request.
    Uri(Span),
    /// The versions that are served, and the one asked for.
    Versions(Span),
    /// What a client would have to be able to do.
    Capabilities(Can),
    /// A limit that was crossed.
    Limit {
        name: &'d str,
        bytes: usize,
        needed: usize,
    },
}

impl Server<'_> {
    /// Begins (or goes on with) an answer to `msg`.
    pub(super) fn desk(&mut self, msg: Msg) -> Desk<'_> {
        Desk {
            msg: part(self.rx.bytes(), msg.start, msg.end),
            w: window(&mut self.tx, &mut self.fill, self.replay),
            rows: self.rows,
            framing: self.framing,
        }
    }

    /// Looks at whether all of an answer is in the transmit buffer; if not, the rest is made when that is empty.
    pub(super) fn sent(&mut self) -> Step {
        self.fill.open = false;
        if self.fill.lost {
            let kept = self.fill.len.saturating_sub(self.fill.start);
            self.replay.skip = self.replay.skip.saturating_add(kept);
            return Step::Send;
        }
        self.replay = Replay::default();
        self.framing.open = self.framing.batch;
        Step::Next
    }

    /// Answers with an empty result.
    pub(super) fn empty_result(&mut self, msg: Msg, id: Span, revision: Revision) -> Step {
        let mut desk = self.desk(msg);
        desk.result(id);
        desk.close(revision);
        self.sent()
    }

    /// Answers with an error.
    pub(super) fn error(
        &mut self,
        msg: Msg,
        id: Span,
        revision: Revision,
        code: i32,
        message: &[&str],
        data: Data<'_>,
    ) -> Step {
        let supported = self.config.revisions;
        let mut desk = self.desk(msg);
        let id = (!id.is_absent()).then(|| id.of(desk.msg));
        let w = &mut desk.w;
        emit::error(w, desk.framing, id, revision.has(Feature::NullId), code, message);
        write_data(w, data, desk.msg, supported);
        emit::close(w, desk.framing);
        self.sent()
    }

    /// Answers a message that did not fit, under the id that was seen as it went by.
    pub(super) fn too_long_answer(&mut self, bytes: usize, limit: usize) -> Step {
        let null_id = self.form().has(Feature::NullId);
        let id = self.lines.found_while_dropping().and_then(crate::wire::hunter::Hunter::id);
        let mut w = window(&mut self.tx, &mut self.fill, self.replay);
        let words = ["Invalid request: the message is longer than the receive buffer (limit: rx)"];
        emit::error(&mut w, self.framing, id, null_id, code::INVALID_REQUEST, &words);
        limit_data(&mut w, "rx", limit, bytes);
        emit::close(&mut w, self.framing);
        self.sent()
    }

    /// The revision whose form an answer takes when the message itself does not say.
    pub(super) fn form(&self) -> Revision {
        self.session.revision.unwrap_or(NEWEST_HANDSHAKE)
    }

    /// -32602 with a sentence.
    pub(super) fn bad_params(&mut self, msg: Msg, id: Span, revision: Revision, message: &[&str]) -> Step {
        self.error(msg, id, revision, code::INVALID_PARAMS, message, Data::None)
    }
}
