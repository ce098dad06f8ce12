//! What a client can do, as far as a server must know before it asks.

use super::caps::write_extensions;
use super::info::{Info, some_raw};
use super::revision::{Feature, Revision};
use crate::json::Writer;
use crate::rpc::params::{Ability, Extensions, Span};

/// Things that a client may be asked for, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Can(u8);

impl Can {
    /// Nothing.
    pub const NOTHING: Self = Self(0);
    /// Run the model (`sampling/createMessage`).
    pub const SAMPLE: Self = Self(1);
    /// Run the model with tools (from 2025-11-25).
    pub const SAMPLE_WITH_TOOLS: Self = Self(1 | 2);
    /// Ask the user to fill in a form (`elicitation/create`).
    pub const ELICIT: Self = Self(4);
    /// Ask the user to open a URL (from 2025-11-25).
    pub const ELICIT_URL: Self = Self(8);
    /// List its roots (`roots/list`).
    pub const LIST_ROOTS: Self = Self(16);
    /// Take a task in the place of a result (extension `io.modelcontextprotocol/tasks`, 2026-07-28).
    pub const TASKS: Self = Self(32);

    /// Both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all of `other` is among these.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Reads the capabilities object at `span` of `b`.
    pub fn read(b: &[u8], span: Span) -> Self {
        if span.of(b) == b"{}" {
            return Self::NOTHING;
        }
        let said = Ability::of(b, span);
        let there = |s: Span| s.of(b).starts_with(b"{");
        let mut can = Self::NOTHING;
        if there(said.sampling) {
            can = can.and(Self::SAMPLE);
            if there(Ability::of(b, said.sampling).tools) {
                can = can.and(Self::SAMPLE_WITH_TOOLS);
            }
        }
        if there(said.elicitation) {
            let modes = Ability::of(b, said.elicitation);
            // An empty object is how forms alone were declared before there were modes.
            if there(modes.form) || !there(modes.url) {
                can = can.and(Self::ELICIT);
            }
            if there(modes.url) {
                can = can.and(Self::ELICIT_URL);
            }
        }
        if there(said.roots) {
            can = can.and(Self::LIST_ROOTS);
        }
        if there(said.extensions) && there(Extensions::of(b, said.extensions).tasks) {
            can = can.and(Self::TASKS);
        }
        can
    }

    /// Writes `error.data` that asks for these (2026-07-28 basic/index, "Capability negotiation").
    pub(crate) fn write_required(self, w: &mut Writer<'_>) {
        w.put(b",\"data\":{\"requiredCapabilities\":");
        w.set_comma(false);
        self.write(w);
        w.put(b"}");
    }

    /// Writes the capabilities object that declares these.
    pub fn write(self, w: &mut Writer<'_>) {
        w.object();
        self.write_members(w, b"{}", "");
        w.close();
    }

    /// Writes what a client declares that can do these, and has said more in `info`, in the form of `revision`.
    pub(crate) fn declare(self, w: &mut Writer<'_>, revision: Revision, info: &Info) {
        let handshake = revision.has(Feature::Handshake);
        let mut can = self;
        if !revision.has(Feature::TaskExtension) {
            can.0 &= !Self::TASKS.0;
        }
        if !revision.has(Feature::Elicitation) {
            can.0 &= !Self::ELICIT.and(Self::ELICIT_URL).0;
        }
        if !revision.has(Feature::UrlMode) {
            can.0 &= !Self::ELICIT_URL.0;
        }
        w.object();
        some_raw(w, true, "experimental", info.experimental);
        let roots: &[u8] = if handshake { b"{\"listChanged\":true}" } else { b"{}" };
        can.write_members(w, roots, if revision.has(Feature::Extensions) { info.extensions } else { "" });
        w.close();
    }

    /// `extensions` are those besides tasks, as the text of a JSON object.
    fn write_members(self, w: &mut Writer<'_>, roots: &[u8], extensions: &str) {
        if self.has(Self::SAMPLE) {
            w.key("sampling");
            w.raw(if self.has(Self::SAMPLE_WITH_TOOLS) { b"{\"tools\":{}}" } else { b"{}" });
        }
        if self.has(Self::ELICIT) || self.has(Self::ELICIT_URL) {
            w.key("elicitation");
            w.object();
            if self.has(Self::ELICIT_URL) {
                w.key("url");
                w.raw(b"{}");
                if self.has(Self::ELICIT) {
                    w.key("form");
                    w.raw(b"{}");
                }
            }
            w.close();
        }
        if self.has(Self::LIST_ROOTS) {
            w.key("roots");
            w.raw(roots);
        }
        write_extensions(w, extensions, self.has(Self::TASKS));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abilities_are_read_as_they_are_declared() {
        for (text, can) in [
            ("{}", Can::NOTHING),
            (r#"{"sampling":{}}"#, Can::SAMPLE),
            (
                r#"{"sampling":{"tools":{}},"roots":{"listChanged":true}}"#,
                Can::SAMPLE_WITH_TOOLS.and(Can::LIST_ROOTS),
            ),
            (r#"{"elicitation":{}}"#, Can::ELICIT),
            (r#"{"elicitation":{"url":{}}}"#, Can::ELICIT_URL),
            (r#"{"elicitation":{"form":{},"url":{}}}"#, Can::ELICIT.and(Can::ELICIT_URL)),
            (r#"{"tasks":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#, Can::TASKS),
            (r#"{"elicitation":null,"sampling":true}"#, Can::NOTHING),
        ] {
            assert_eq!(Can::read(text.as_bytes(), Span::new(0, text.len())), can, "{text}");
        }
    }
}
