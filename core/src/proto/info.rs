//! Who a server is, and what every result of it says.

use super::revision::{Feature, Revision};
use crate::json::Writer;

/// Who a server is. Empty strings are left out.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// Its name, for programs.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// Its name, for people (from 2025-06-18).
    pub title: &'static str,
    /// What it is (from 2025-11-25).
    pub about: &'static str,
    /// Where to read more (from 2025-11-25).
    pub website: &'static str,
    /// Icons, as the text of a JSON array (from 2025-11-25).
    pub icons: &'static str,
    /// How to use it: a hint for the model.
    pub instructions: &'static str,
    /// The `extensions` capability, as the text of a JSON object (2026-07-28).
    pub extensions: &'static str,
    /// The `experimental` capability, as the text of a JSON object.
    pub experimental: &'static str,
    /// How long lists and resources may be kept, in milliseconds; 0 for not at all (2026-07-28).
    pub ttl_ms: u64,
    /// Whether they may be shared between users (2026-07-28).
    pub shared_cache: bool,
    /// The server's `Implementation` object in the form of 2026-07-28, made by
    /// [`render::info`](crate::dispatch::render::info), to be copied into every result; empty: it is written each time.
    pub text: &'static str,
    /// Whether every result names the server in its `_meta` (2026-07-28: should, unless configured off).
    pub named_results: bool,
}

impl Info {
    /// A server with a name and a version.
    pub const fn new(name: &'static str, version: &'static str) -> Self {
        Self {
            name,
            version,
            title: "",
            about: "",
            website: "",
            icons: "",
            instructions: "",
            extensions: "",
            experimental: "",
            ttl_ms: 0,
            shared_cache: false,
            text: "",
            named_results: true,
        }
    }

    /// Writes the `Implementation` object.
    pub fn write(&self, w: &mut Writer<'_>, revision: Revision) {
        w.object();
        w.member("name", self.name);
        some(w, revision.has(Feature::Title), "title", self.title);
        w.member("version", self.version);
        let more = revision.has(Feature::Icons);
        some(w, more, "description", self.about);
        some(w, more, "websiteUrl", self.website);
        some_raw(w, more, "icons", self.icons);
        w.close();
    }

    /// Writes the members that end every result, in the form of `revision`.
    pub fn end_result(&self, w: &mut Writer<'_>, revision: Revision) {
        if revision.has(Feature::ResultType) {
            w.raw_key(b"\"resultType\":\"complete\"");
            self.sign(w, revision);
        }
    }

    /// Writes the members that end a result which is a task.
    pub fn end_task(&self, w: &mut Writer<'_>, revision: Revision) {
        if revision.has(Feature::ResultType) {
            w.raw_key(b"\"resultType\":\"task\"");
            self.sign(w, revision);
        }
    }

    /// Writes the members that end a result which asks for input.
    pub fn end_input_required(&self, w: &mut Writer<'_>, revision: Revision) {
        w.raw_key(b"\"resultType\":\"input_required\"");
        self.sign(w, revision);
    }

    /// Names the server in `_meta`.
    fn sign(&self, w: &mut Writer<'_>, revision: Revision) {
        if self.named_results {
            w.put(b",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":");
            if self.text.is_empty() {
                self.write(w, revision);
            } else {
                w.put(self.text.as_bytes());
            }
            w.put(b"}");
        }
    }

    /// Writes the caching hints.
    pub fn cache_hints(&self, w: &mut Writer<'_>, revision: Revision) {
        if revision.has(Feature::CacheHints) {
            w.key("ttlMs");
            w.u64(self.ttl_ms);
            w.member("cacheScope", if self.shared_cache { "public" } else { "private" });
        }
    }
}

/// Writes a string member, unless it is empty or the revision lacks it.
pub fn some(w: &mut Writer<'_>, has: bool, name: &str, text: &str) {
    if has && !text.is_empty() {
        w.member(name, text);
    }
}

/// Writes a member that is JSON text, unless it is empty or the revision lacks it.
pub fn some_raw(w: &mut Writer<'_>, has: bool, name: &str, json: &str) {
    if has && !json.is_empty() {
        w.key(name);
        w.raw(json.as_bytes());
    }
}
