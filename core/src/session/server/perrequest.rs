//! 2026-07-28: requests that describe themselves, and the two methods only they have.

use super::answer::{Data, Msg};
use super::calls::Terms;
use super::{Server, Step};
use crate::bytes::{at, part};
use crate::error::Error;
use crate::json::scan::{Scan, Token};
use crate::json::text::content;
use crate::limits::LISTEN_URIS_MAX;
use crate::proto::caps::Features;
use crate::proto::client::Can;
use crate::proto::level::Level;
use crate::proto::method::Method;
use crate::proto::revision::{ALL, Feature, Revision};
use crate::rpc::code;
use crate::rpc::envelope::Envelope;
use crate::rpc::params::{Filter, Span};
use crate::session::subs::wants;

impl Server<'_> {
    /// A request with a version in its `_meta`. The order of the checks is the one of WIRE §5.12.
    pub(super) fn per_request(&mut self, msg: Msg, envelope: &Envelope, method: Option<Method>) -> Step {
        let newest = Revision::V2026_07_28;
        let version = envelope.meta.version;
        let Some(name) = self.string(msg, envelope.escapes, version) else {
            let words = ["\"_meta\" needs \"io.modelcontextprotocol/protocolVersion\" as a string"];
            return self.bad_params(msg, envelope.id, newest, &words);
        };
        let revision = Revision::named(name).filter(|r| r.has(Feature::PerRequest));
        let b = part(self.rx.bytes(), msg.start, msg.end);
        if at(envelope.meta.capabilities.of(b), 0) != b'{' {
            let words = ["\"_meta\" needs \"io.modelcontextprotocol/clientCapabilities\" as an object"];
            return self.bad_params(msg, envelope.id, newest, &words);
        }
        let Some(revision) = revision.filter(|r| self.config.revisions.holds(*r)) else {
            let words = ["Unsupported protocol version"];
            let data = Data::Versions(version);
            return self.error(msg, envelope.id, newest, code::UNSUPPORTED_VERSION, &words, data);
        };
        let Some(method) = method.filter(|m| m.is_in(revision)) else {
            return self.no_method(msg, envelope, revision);
        };
        let level = match content(envelope.meta.log_level.of(b)) {
            None if envelope.meta.log_level.is_absent() => None,
            text => match text.and_then(Level::named) {
                Some(level) => Some(level),
                None => {
                    let words = ["\"io.modelcontextprotocol/logLevel\" in \"_meta\" is no log level"];
                    return self.bad_params(msg, envelope.id, revision, &words);
                }
            },
        };
        let can = Can::read(b, envelope.meta.capabilities);
        self.serve(msg, envelope, method, Terms { revision, level, can })
    }

    /// A request that only 2026-07-28 has, without what every request of that revision carries.
    pub(super) fn unmarked(&mut self, msg: Msg, envelope: &Envelope) -> Step {
        let words = [
            "\"_meta\" needs \"io.modelcontextprotocol/protocolVersion\" and \"io.modelcontextprotocol/clientCapabilities\"",
        ];
        self.bad_params(msg, envelope.id, Revision::V2026_07_28, &words)
    }

    /// `initialize` at a server that speaks no handshake revision: it should name what it speaks.
    pub(super) fn modern_only(&mut self, msg: Msg, envelope: &Envelope) -> Step {
        let words = ["Unsupported protocol version"];
        let data = Data::Versions(envelope.members.version);
        self.error(msg, envelope.id, Revision::V2026_07_28, code::UNSUPPORTED_VERSION, &words, data)
    }

    pub(super) fn discover(&mut self, msg: Msg, envelope: &Envelope, terms: Terms) -> Step {
        let features = self.features;
        let revisions = self.config.revisions;
        let mut desk = self.desk(msg);
        desk.result(envelope.id);
        let info = desk.rows.info();
        let w = &mut desk.w;
        w.key("supportedVersions");
        w.array();
        for revision in ALL.into_iter().rev().filter(|r| revisions.holds(*r)) {
            w.str(revision.name());
        }
        w.close();
        w.key("capabilities");
        features.write(w, terms.revision, info.extensions, info.experimental);
        crate::proto::info::some(w, true, "instructions", info.instructions);
        info.cache_hints(w, terms.revision);
        desk.close(terms.revision);
        self.sent()
    }

    /// `subscriptions/listen`: remembered, acknowledged first, and answered only when it ends.
    pub(super) fn listen(&mut self, msg: Msg, envelope: &Envelope, terms: Terms) -> Step {
        let b = part(self.rx.bytes(), msg.start, msg.end);
        let span = envelope.members.notifications;
        if at(span.of(b), 0) != b'{' {
            let words = ["\"notifications\" must be an object"];
            return self.bad_params(msg, envelope.id, terms.revision, &words);
        }
        if self.subs.iter().any(|r| r.id == envelope.id.of(b)) {
            let words = ["Invalid request: a subscription with this id is open"];
            return self.error(msg, envelope.id, terms.revision, code::INVALID_REQUEST, &words, Data::None);
        }
        let filter = Filter::of(b, span);
        if envelope.escapes {
            self.soften(msg, filter.uris);
        }
        let mark = self.subs.mark();
        match self.keep_filter(msg, envelope.id, &filter) {
            Ok(true) => Step::Next,
            Ok(false) => {
                self.subs.back_to(mark);
                let words = [
                    "\"notifications\" must hold booleans, and at most 16 URIs in \"resourceSubscriptions\"",
                ];
                self.bad_params(msg, envelope.id, terms.revision, &words)
            }
            Err(full) => {
                self.subs.back_to(mark);
                self.no_room_to_subscribe(msg, envelope, terms.revision, full)
            }
        }
    }

    /// Adds the records of a listen request; `Ok(false)` when the filter is not well formed. What the server does not
    /// offer is left out, which the acknowledgement says.
    fn keep_filter(&mut self, msg: Msg, id: Span, filter: &Filter) -> Result<bool, Error> {
        let features = self.features;
        let b = part(self.rx.bytes(), msg.start, msg.end);
        let id = id.of(b);
        let mut bits = 0;
        for (span, bit, feature) in [
            (filter.tools, wants::TOOLS, Features::TOOLS_CHANGE),
            (filter.prompts, wants::PROMPTS, Features::PROMPTS_CHANGE),
            (filter.resources, wants::RESOURCES, Features::RESOURCES_CHANGE),
        ] {
            match span.of(b) {
                b"true" if features.has(feature) => bits |= bit,
                b"" | b"true" | b"false" => {}
                _ => return Ok(false),
            }
        }
        self.subs.add(bits, wants::ACK, id, b"")?;
        if filter.uris.is_absent() {
            return Ok(true);
        }
        let mut scan = Scan::value(filter.uris.from());
        if scan.next(b) != Token::BeginArray {
            return Ok(false);
        }
        let mut count = 0;
        loop {
            match scan.next(b) {
                Token::EndArray => return Ok(true),
                Token::Str if count < LISTEN_URIS_MAX => {}
                _ => return Ok(false),
            }
            count = count.wrapping_add(1);
            if features.has(Features::SUBSCRIBE) {
                self.subs.add(wants::URI, 0, id, part(b, scan.start(), scan.end()))?;
            }
        }
    }
}
