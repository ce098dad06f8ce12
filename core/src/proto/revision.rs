//! The five revisions and the one table of their differences.
//!
//! Code asks `revision.has(Feature::X)`; no date is compared anywhere else (decision 005).

use crate::rpc::code;

/// A dated revision of the protocol, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Revision {
    /// 2024-11-05
    V2024_11_05,
    /// 2025-03-26
    V2025_03_26,
    /// 2025-06-18
    V2025_06_18,
    /// 2025-11-25
    V2025_11_25,
    /// 2026-07-28: no handshake, every request describes itself.
    V2026_07_28,
}

use Revision::{V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

/// The revision that `initialize` counter-offers, and the form of answers before any is agreed on.
pub const NEWEST_HANDSHAKE: Revision = V2025_11_25;

/// Every revision, oldest first.
pub const ALL: [Revision; 5] = [V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28];

/// Something that only some revisions have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Feature {
    /// The `initialize` handshake, and with it `ping`, `logging/setLevel`, `resources/subscribe`.
    Handshake,
    /// Requests that carry version and capabilities in `_meta`; `server/discover`, `subscriptions/listen`.
    PerRequest,
    /// Batches: arrays of messages.
    Batch,
    /// An error whose id could not be read carries `"id":null`; elsewhere it has no id.
    NullId,
    /// The `completions` capability.
    Completions,
    /// `message` in progress notifications.
    ProgressMessage,
    /// Tool annotations.
    ToolAnnotations,
    /// Audio content.
    Audio,
    /// `title` of tools, resources, prompts, implementations.
    Title,
    /// `outputSchema` and `structuredContent` holding an object.
    Structured,
    /// `structuredContent` holding any JSON value, and output schemas of any type.
    StructuredAny,
    /// `resource_link` content.
    ResourceLink,
    /// `lastModified` in annotations.
    LastModified,
    /// `_meta` on tools, resources, prompts, content.
    ItemMeta,
    /// `icons`; `description` and `websiteUrl` of implementations.
    Icons,
    /// Arguments that break the schema are a tool error that the model sees, not a protocol error.
    ArgumentToolError,
    /// `resultType`, and `serverInfo` in the result's `_meta`.
    ResultType,
    /// `ttlMs` and `cacheScope`.
    CacheHints,
    /// The `extensions` capability.
    Extensions,
    /// A missing resource is -32602, not -32002.
    NotFoundInvalidParams,
    /// Input schemas with any keyword, not only `properties` and `required`.
    AnySchema,
    /// `context` of completion requests.
    CompletionContext,
    /// `elicitation/create`.
    Elicitation,
    /// `mode` of elicitations, and URLs as one of the two.
    UrlMode,
    /// `elicitationId` of URLs.
    ElicitationId,
    /// Fields of forms with titled choices, choices of several, and defaults of any kind.
    FormChoices,
    /// Sampling with tools, and several blocks in one message.
    SampleTools,
    /// Tasks that a request asks for (experimental).
    Tasks,
    /// Tasks that the server decides on: the extension `io.modelcontextprotocol/tasks`.
    TaskExtension,
}

/// First and last revision of each [`Feature`], in its order.
const SPANS: [(Feature, Revision, Revision); 29] = [
    (Feature::Handshake, V2024_11_05, V2025_11_25),
    (Feature::PerRequest, V2026_07_28, V2026_07_28),
    (Feature::Batch, V2025_03_26, V2025_03_26),
    (Feature::NullId, V2024_11_05, V2025_06_18),
    (Feature::Completions, V2025_03_26, V2026_07_28),
    (Feature::ProgressMessage, V2025_03_26, V2026_07_28),
    (Feature::ToolAnnotations, V2025_03_26, V2026_07_28),
    (Feature::Audio, V2025_03_26, V2026_07_28),
    (Feature::Title, V2025_06_18, V2026_07_28),
    (Feature::Structured, V2025_06_18, V2026_07_28),
    (Feature::StructuredAny, V2026_07_28, V2026_07_28),
    (Feature::ResourceLink, V2025_06_18, V2026_07_28),
    (Feature::LastModified, V2025_06_18, V2026_07_28),
    (Feature::ItemMeta, V2025_06_18, V2026_07_28),
    (Feature::Icons, V2025_11_25, V2026_07_28),
    (Feature::ArgumentToolError, V2025_11_25, V2026_07_28),
    (Feature::ResultType, V2026_07_28, V2026_07_28),
    (Feature::CacheHints, V2026_07_28, V2026_07_28),
    (Feature::Extensions, V2026_07_28, V2026_07_28),
    (Feature::NotFoundInvalidParams, V2026_07_28, V2026_07_28),
    (Feature::AnySchema, V2026_07_28, V2026_07_28),
    (Feature::CompletionContext, V2025_06_18, V2026_07_28),
    (Feature::Elicitation, V2025_06_18, V2026_07_28),
    (Feature::UrlMode, V2025_11_25, V2026_07_28),
    (Feature::ElicitationId, V2025_11_25, V2025_11_25),
    (Feature::FormChoices, V2025_11_25, V2026_07_28),
    (Feature::SampleTools, V2025_11_25, V2026_07_28),
    (Feature::Tasks, V2025_11_25, V2025_11_25),
    (Feature::TaskExtension, V2026_07_28, V2026_07_28),
];

/// A bit per feature, computed from [`SPANS`] per revision, so that a question costs one load and one mask.
const BITS: [u32; 5] = {
    let mut bits = [0; 5];
    let mut r = 0;
    let mut rest: &mut [u32] = &mut bits;
    while let Some((word, tail)) = rest.split_first_mut() {
        let mut spans: &[(Feature, Revision, Revision)] = &SPANS;
        while let Some(((feature, first, last), more)) = spans.split_first() {
            if *first as u8 <= r && r <= *last as u8 {
                *word |= 1 << *feature as u8;
            }
            spans = more;
        }
        rest = tail;
        r += 1;
    }
    bits
};

impl Revision {
    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            V2024_11_05 => "2024-11-05",
            V2025_03_26 => "2025-03-26",
            V2025_06_18 => "2025-06-18",
            V2025_11_25 => "2025-11-25",
            V2026_07_28 => "2026-07-28",
        }
    }

    /// The error code for a resource that does not exist.
    pub const fn not_found(self) -> i32 {
        if self.has(Feature::NotFoundInvalidParams) { code::INVALID_PARAMS } else { code::RESOURCE_NOT_FOUND }
    }

    /// The revision of that name.
    pub fn named(name: &str) -> Option<Self> {
        ALL.into_iter().rev().find(|r| r.name() == name)
    }

    /// Whether this revision has `feature`.
    #[inline]
    pub const fn has(self, feature: Feature) -> bool {
        let [a, b, c, d, e] = BITS;
        let bits = match self {
            V2024_11_05 => a,
            V2025_03_26 => b,
            V2025_06_18 => c,
            V2025_11_25 => d,
            V2026_07_28 => e,
        };
        bits & (1 << feature as u8) != 0
    }
}

/// Which revisions a server or a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revisions(u8);

impl Revisions {
    /// None: to add some by [`with`](Self::with).
    pub const NONE: Self = Self(0);
    /// All five.
    pub const ALL: Self = Self(0b1_1111);
    /// The four that begin with `initialize`.
    pub const HANDSHAKE: Self = Self(0b0_1111);
    /// The one whose requests describe themselves.
    pub const PER_REQUEST: Self = Self(0b1_0000);

    /// These and `revision`.
    #[must_use]
    pub const fn with(self, revision: Revision) -> Self {
        Self(self.0 | 1 << revision as u8)
    }

    /// Whether `revision` is among them.
    pub const fn holds(self, revision: Revision) -> bool {
        self.0 & (1 << revision as u8) != 0
    }

    /// The newest of them that has `feature`.
    pub fn newest(self, feature: Feature) -> Option<Revision> {
        ALL.into_iter().rev().find(|r| self.holds(*r) && r.has(feature))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_features() {
        for (i, (feature, first, last)) in SPANS.iter().enumerate() {
            assert_eq!(*feature as usize, i);
            assert!(first <= last);
            for r in ALL {
                assert_eq!(r.has(*feature), *first <= r && r <= *last);
            }
        }
    }

    #[test]
    fn names_are_read_back() {
        for r in ALL {
            assert_eq!(Revision::named(r.name()), Some(r));
        }
        assert_eq!(Revision::named("1900-01-01"), None);
    }
}
