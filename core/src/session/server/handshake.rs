//! The requests that only the handshake revisions have.

use super::answer::Msg;
use super::calls::{Terms, resolve};
use super::{Server, Step};
use crate::bytes::part;
use crate::json::text::content;
use crate::proto::client::Can;
use crate::proto::level::Level;
use crate::proto::revision::{Feature, Revision};
use crate::rpc::code;
use crate::rpc::envelope::Envelope;
use crate::session::subs::wants;

use super::answer::Data;

impl Server<'_> {
    /// `initialize`: agrees on the revision asked for, or offers the newest of ours (basic/lifecycle, "Version
    /// negotiation"). Stamped with per-request `_meta` it is a handshake all the same: on a stream the method decides.
    pub(super) fn initialize(&mut self, msg: Msg, envelope: &Envelope) -> Step {
        let Some(newest) = self.config.revisions.newest(Feature::Handshake) else {
            return self.modern_only(msg, envelope);
        };
        let form = self.form();
        if self.framing.batch {
            let words = ["Invalid request: \"initialize\" must not be part of a batch"];
            return self.error(msg, envelope.id, form, code::INVALID_REQUEST, &words, Data::None);
        }
        if self.session.revision.is_some() {
            let words = ["Invalid request: this session is initialized already"];
            return self.error(msg, envelope.id, form, code::INVALID_REQUEST, &words, Data::None);
        }
        let Some(asked) = self.string(msg, envelope.escapes, envelope.members.version) else {
            return self.bad_params(msg, envelope.id, form, &["\"protocolVersion\" must be a string"]);
        };
        let asked = Revision::named(asked).filter(|r| r.has(Feature::Handshake));
        let revision = asked.filter(|r| self.config.revisions.holds(*r)).unwrap_or(newest);
        let features = self.features;
        let mut desk = self.desk(msg);
        desk.result(envelope.id);
        let info = desk.rows.info();
        let w = &mut desk.w;
        w.member("protocolVersion", revision.name());
        w.key("capabilities");
        features.write(w, revision, info.extensions, info.experimental);
        w.key("serverInfo");
        info.write(w, revision);
        crate::proto::info::some(w, true, "instructions", info.instructions);
        desk.close(revision);
        let step = self.sent();
        // Only when all of the answer is made: until then it is made again from the request.
        if let Step::Next = step {
            self.session.revision = Some(revision);
            self.session.can = Can::read(
                self.rx.bytes().get(msg.start..msg.end).unwrap_or(&[]),
                envelope.members.capabilities,
            );
        }
        step
    }

    /// Any request before `initialize` but `ping`: refused, and the stream lives.
    pub(super) fn uninvited(&mut self, msg: Msg, envelope: &Envelope) -> Step {
        let form = self.form();
        let words = [
            "Invalid request: send \"initialize\" first, or a request with protocol version and client capabilities in \"_meta\"",
        ];
        self.error(msg, envelope.id, form, code::INVALID_REQUEST, &words, Data::None)
    }

    pub(super) fn set_level(&mut self, msg: Msg, envelope: &Envelope, terms: Terms) -> Step {
        let level = self.string(msg, envelope.escapes, envelope.members.level).and_then(Level::named);
        let Some(level) = level else {
            let words =
                ["\"level\" must be one of debug, info, notice, warning, error, critical, alert, emergency"];
            return self.bad_params(msg, envelope.id, terms.revision, &words);
        };
        self.session.level = level;
        self.empty_result(msg, envelope.id, terms.revision)
    }

    pub(super) fn subscribe(&mut self, msg: Msg, envelope: &Envelope, terms: Terms) -> Step {
        let rows = self.rows;
        let span = envelope.members.uri;
        let Some(uri) = self.string(msg, envelope.escapes, span) else {
            return self.bad_params(msg, envelope.id, terms.revision, &["\"uri\" must be a string"]);
        };
        if resolve(rows, uri).is_none() {
            return self.no_resource(msg, envelope, terms.revision);
        }
        let b = part(self.rx.bytes(), msg.start, msg.end);
        let uri = content(span.of(b)).unwrap_or("");
        // Subscribing twice is the same as once: the client hears of an update one time.
        if !self.subs.iter().any(|r| r.id.is_empty() && r.uri == uri.as_bytes())
            && let Err(full) = self.subs.add(wants::URI, 0, b"", uri.as_bytes())
        {
            return self.no_room_to_subscribe(msg, envelope, terms.revision, full);
        }
        self.empty_result(msg, envelope.id, terms.revision)
    }

    pub(super) fn unsubscribe(&mut self, msg: Msg, envelope: &Envelope, terms: Terms) -> Step {
        let span = envelope.members.uri;
        if self.string(msg, envelope.escapes, span).is_none() {
            return self.bad_params(msg, envelope.id, terms.revision, &["\"uri\" must be a string"]);
        }
        let b = part(self.rx.bytes(), msg.start, msg.end);
        let uri = content(span.of(b)).unwrap_or("");
        self.subs.remove(|r| r.id.is_empty() && r.uri == uri.as_bytes());
        self.empty_result(msg, envelope.id, terms.revision)
    }

    /// The memory for subscriptions is used up.
    pub(super) fn no_room_to_subscribe(
        &mut self,
        msg: Msg,
        envelope: &Envelope,
        revision: Revision,
        full: crate::error::Error,
    ) -> Step {
        let needed = full.at as usize;
        let data = Data::Limit { name: "subscriptions", bytes: self.subs.cap(), needed };
        let words = ["Too many subscriptions at once (limit: subscriptions)"];
        self.error(msg, envelope.id, revision, code::INTERNAL_ERROR, &words, data)
    }
}
