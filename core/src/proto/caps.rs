//! What a server can do: declared once, written in the form of each revision.

use super::revision::{Feature, Revision};
use crate::json::Writer;
use crate::rpc::params::{Extensions, Offer, Span};

/// What a server offers, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features(u16);

impl Features {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// Tools.
    pub const TOOLS: Self = Self(1);
    /// The tool list may change.
    pub const TOOLS_CHANGE: Self = Self(1 | 2);
    /// Resources and resource templates.
    pub const RESOURCES: Self = Self(4);
    /// The resource list may change.
    pub const RESOURCES_CHANGE: Self = Self(4 | 8);
    /// Clients may ask to hear of updates of a resource.
    pub const SUBSCRIBE: Self = Self(4 | 16);
    /// Prompts.
    pub const PROMPTS: Self = Self(32);
    /// The prompt list may change.
    pub const PROMPTS_CHANGE: Self = Self(32 | 64);
    /// Completion of prompt arguments and template variables.
    pub const COMPLETIONS: Self = Self(128);
    /// Log messages.
    pub const LOGGING: Self = Self(256);
    /// Tools that may run as tasks.
    pub const TASKS: Self = Self(1 | 512);

    /// Both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all of `other` is among these.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// These without `other`.
    #[must_use]
    pub const fn without_tasks(self) -> Self {
        Self(self.0 & !512)
    }

    /// Whether anything can be listened to.
    pub const fn can_change(self) -> bool {
        self.0 & (2 | 8 | 16 | 64) != 0
    }

    /// Reads the capabilities object at `span` of `b`.
    pub(crate) fn read(b: &[u8], span: Span) -> Self {
        let offer = Offer::of(b, span);
        let there = |s: Span| s.of(b).starts_with(b"{");
        let says = |s: Span| s.of(b) == b"true";
        let mut features = Self::NONE;
        for (span, list, changes) in [
            (offer.tools, Self::TOOLS, Self::TOOLS_CHANGE),
            (offer.resources, Self::RESOURCES, Self::RESOURCES_CHANGE),
            (offer.prompts, Self::PROMPTS, Self::PROMPTS_CHANGE),
        ] {
            let how = Offer::of(b, span);
            features = match (there(span), says(how.changes)) {
                (false, _) => continue,
                (true, false) => features.and(list),
                (true, true) => features.and(changes),
            };
            if list == Self::RESOURCES && says(how.subscribe) {
                features = features.and(Self::SUBSCRIBE);
            }
        }
        let tasks = there(offer.tasks) || there(Extensions::of(b, offer.extensions).tasks);
        for (there, feature) in [
            (there(offer.completions), Self::COMPLETIONS),
            (there(offer.logging), Self::LOGGING),
            (tasks && there(offer.tools), Self::TASKS),
        ] {
            features = if there { features.and(feature) } else { features };
        }
        features
    }

    /// Writes the capabilities object; `more` are further members as JSON text, such as `"experimental":{…}`.
    pub fn write(self, w: &mut Writer<'_>, revision: Revision, extensions: &str, experimental: &str) {
        w.object();
        if self.has(Self::COMPLETIONS) && revision.has(Feature::Completions) {
            empty(w, "completions");
        }
        if !experimental.is_empty() {
            w.key("experimental");
            w.raw(experimental.as_bytes());
        }
        let tasks = self.has(Self::TASKS);
        if revision.has(Feature::Extensions) {
            write_extensions(w, extensions, tasks);
        }
        if self.has(Self::LOGGING) {
            empty(w, "logging");
        }
        for (name, there, change) in [
            ("prompts", Self::PROMPTS, Self::PROMPTS_CHANGE),
            ("resources", Self::RESOURCES, Self::RESOURCES_CHANGE),
            ("tools", Self::TOOLS, Self::TOOLS_CHANGE),
        ] {
            if self.has(there) {
                w.key(name);
                w.object();
                flag(w, self.has(change), "listChanged");
                flag(w, there == Self::RESOURCES && self.has(Self::SUBSCRIBE), "subscribe");
                w.close();
            }
        }
        if tasks && revision.has(Feature::Tasks) {
            w.key("tasks");
            w.raw(b"{\"list\":{},\"cancel\":{},\"requests\":{\"tools\":{\"call\":{}}}}");
        }
        w.close();
    }
}

/// The application's extensions, and ours among them.
pub(super) fn write_extensions(w: &mut Writer<'_>, extensions: &str, tasks: bool) {
    const TASKS: &[u8] = b"\"io.modelcontextprotocol/tasks\":{}";
    if !tasks {
        return crate::proto::info::some_raw(w, true, "extensions", extensions);
    }
    w.raw_key(b"\"extensions\":{");
    w.put(TASKS);
    let theirs = extensions.trim().strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or("");
    if !theirs.trim().is_empty() {
        w.put(b",");
        w.put(theirs.as_bytes());
    }
    w.put(b"}");
    w.set_comma(true);
}

fn empty(w: &mut Writer<'_>, name: &str) {
    w.key(name);
    w.raw(b"{}");
}

fn flag(w: &mut Writer<'_>, on: bool, name: &str) {
    if on {
        w.key(name);
        w.bool(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_bit_implies_its_feature() {
        assert!(Features::TOOLS_CHANGE.has(Features::TOOLS));
        assert!(!Features::TOOLS.has(Features::TOOLS_CHANGE));
        assert!(Features::SUBSCRIBE.can_change() && !Features::TOOLS.can_change());
    }
}
