//! Which revision the server speaks (2026-07-28 basic/versioning), and the handshake of the older ones.

use super::event::code_of;
use super::step::{Refused, Step};
use super::write::Marks;
use super::{Client, Link, Start};
use crate::error::{Error, Kind};
use crate::json::scan::{Scan, Token};
use crate::json::text::same;
use crate::proto::caps::Features;
use crate::proto::revision::{ALL, Feature, Revision};
use crate::rpc::code;
use crate::rpc::params::{Fault, Said, Span};

impl Client<'_> {
    /// Whether a request is out that makes the connection.
    pub(super) fn is_connecting(&self) -> bool {
        matches!(self.link, Link::Probing | Link::Falling | Link::Shaking)
    }

    /// Takes the next step towards a connection, if it is time for one.
    pub(super) fn connect(&mut self) -> Step {
        let late = self.connect_by.is_some_and(|by| by <= self.now);
        match self.link {
            Link::New if self.probes() => self.probe(),
            Link::New => self.fall_back(),
            Link::Falling if self.lines.has_ended() => self.refuse(Refused::Closed(false)),
            Link::Falling if !late => self.shake(),
            Link::Probing if late && self.falls_back() => self.fall_back(),
            Link::Probing | Link::Falling | Link::Shaking if late => self.refuse(Refused::TimedOut),
            _ => Step::Next,
        }
    }

    fn probes(&self) -> bool {
        if self.contradicted {
            return true;
        }
        self.config.start != Start::Handshake && self.config.revisions.newest(Feature::PerRequest).is_some()
    }

    fn falls_back(&self) -> bool {
        !self.contradicted
            && self.config.start != Start::PerRequest
            && self.config.revisions.newest(Feature::Handshake).is_some()
    }

    pub(super) fn refuse(&mut self, why: Refused) -> Step {
        self.link = Link::Down;
        self.connect_by = None;
        Step::Refused(why)
    }

    fn probe(&mut self) -> Step {
        let by = if self.falls_back() { self.config.probe_ms } else { self.config.connect_ms };
        self.open_by("server/discover", Link::Probing, by, Revision::V2026_07_28)
    }

    /// Goes on by `initialize` from here on.
    fn fall_back(&mut self) -> Step {
        // An answer to the probe that comes from here on is late.
        (self.connect_by, self.connect_id) = (Some(self.now.after(self.config.connect_ms)), 0);
        if self.config.revisions.newest(Feature::Handshake).is_none() {
            return self.refuse(Refused::Invalid("no revision is left to try"));
        }
        self.link = Link::Falling;
        self.shake()
    }

    fn shake(&mut self) -> Step {
        let newest = self.config.revisions.newest(Feature::Handshake).unwrap_or(Revision::V2025_11_25);
        self.open_by("initialize", Link::Shaking, self.config.connect_ms, newest)
    }

    /// Sends the request that makes the connection.
    fn open_by(&mut self, method: &str, link: Link, within_ms: u64, revision: Revision) -> Step {
        let (info, can) = (self.info, self.can);
        let sent = self.write_request(method, Marks::default(), |w| {
            if revision.has(Feature::Handshake) {
                w.member("protocolVersion", revision.name());
                w.key("capabilities");
                can.declare(w, revision, info);
                w.key("clientInfo");
                info.write(w, revision);
            }
        });
        match sent {
            Ok((id, _)) => {
                self.connect_id = id;
                self.connect_by = Some(self.now.after(within_ms));
                self.link = link;
                Step::Next
            }
            Err(error) => self.cannot_send(error),
        }
    }

    fn cannot_send(&mut self, error: Error) -> Step {
        if error.kind == Kind::Busy { Step::Send } else { self.refuse(Refused::NoRoom(error)) }
    }

    /// The answer to the request that makes the connection.
    pub(super) fn connected(&mut self, result: Span, error: Span) -> Step {
        let step =
            if self.link == Link::Probing { self.probed(result, error) } else { self.shook(result, error) };
        match step {
            // Without room the message stays where it is, and is looked at again.
            Step::Next | Step::Send => step,
            shown => self.show(shown),
        }
    }

    fn probed(&mut self, result: Span, error: Span) -> Step {
        let b = self.msg.of(&self.rx);
        let said = Said::of(b, result);
        let versions = said.versions.of(b);
        let ours = self.config.revisions.newest(Feature::PerRequest);
        let common = ours.filter(|ours| names(versions, *ours));
        if let Some(revision) = common {
            self.offers = Features::read(b, said.capabilities);
            return self.up(revision, result);
        }
        // These codes are known to servers of this revision only; to fall back from them would be wrong. Any other
        // answer, whatever its code, comes from an older server (basic/versioning, "Backward Compatibility").
        let newer = code_of(b, error).is_some_and(|code| {
            [code::UNSUPPORTED_VERSION, code::MISSING_CAPABILITY, code::HEADER_MISMATCH]
                .iter()
                .any(|known| i64::from(*known) == code)
        });
        let older = versions.is_empty() || {
            let mine = self.config.revisions;
            ALL.into_iter().any(|r| r.has(Feature::Handshake) && mine.holds(r) && names(versions, r))
        };
        match (newer, self.falls_back() && older) {
            (true, _) => self.refuse(Refused::Error(error)),
            (false, true) => self.fall_back(),
            (false, false) if !error.is_absent() => self.refuse(Refused::Error(error)),
            (false, false) => self.refuse(Refused::Revision(result)),
        }
    }

    fn shook(&mut self, result: Span, error: Span) -> Step {
        if !error.is_absent() {
            return self.shook_off(error);
        }
        let b = self.msg.of(&self.rx);
        let said = Said::of(b, result);
        let version = said.version.of(b);
        let mine = self.config.revisions;
        let revision = ALL
            .into_iter()
            .find(|r| r.has(Feature::Handshake) && mine.holds(*r) && is_text(version, r.name()));
        let Some(revision) = revision else {
            return match version.is_empty() {
                true => {
                    self.refuse(Refused::Invalid("the answer to \"initialize\" names no \"protocolVersion\""))
                }
                false => self.refuse(Refused::Revision(result)),
            };
        };
        self.offers = Features::read(b, said.capabilities);
        // Before anything else is sent.
        match self.write(|w| w.put(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")) {
            Ok(()) => self.up(revision, result),
            Err(error) => self.cannot_send(error),
        }
    }

    /// The server wants no handshake. If it names the other revision, the verdict on the probe was wrong: a server that starts
    /// slowly has let it go by. It is asked once more, and then there is no way back.
    fn shook_off(&mut self, error: Span) -> Step {
        let b = self.msg.of(&self.rx);
        let supported = Fault::of(b, Fault::of(b, error).data).supported.of(b);
        let ours = self.config.revisions.newest(Feature::PerRequest);
        if self.contradicted || !ours.is_some_and(|ours| names(supported, ours)) {
            return self.refuse(Refused::Error(error));
        }
        (self.contradicted, self.link, self.connect_id) = (true, Link::New, 0);
        self.probe()
    }

    fn up(&mut self, revision: Revision, said: Span) -> Step {
        self.revision = Some(revision);
        self.link = Link::Up;
        self.connect_by = None;
        Step::Connected(revision, said)
    }
}

/// Whether the array `versions` names `revision`.
fn names(versions: &[u8], revision: Revision) -> bool {
    let mut scan = Scan::value(0);
    loop {
        match scan.next(versions) {
            Token::Str if same(versions, scan.start(), scan.end(), revision.name().as_bytes()) => {
                return true;
            }
            Token::End | Token::Error => return false,
            _ => {}
        }
    }
}

/// Whether `token` is that string, in any spelling.
fn is_text(token: &[u8], text: &str) -> bool {
    token.starts_with(b"\"") && same(token, 1, token.len().saturating_sub(1), text.as_bytes())
}
