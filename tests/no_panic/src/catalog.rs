//! All that a server can offer, as const tables.

use crate::{offers, state::State, tools};
use midge::dispatch::render;
use midge::{Catalog, Features, Info};

const INFO: Info = Info {
    title: "No panic",
    about: "Everything that can be linked",
    website: "https://example.com",
    icons: r#"[{"src":"https://example.com/icon.png"}]"#,
    instructions: "Call anything.",
    extensions: r#"{"com.example/x":{}}"#,
    experimental: r#"{"y":{}}"#,
    ttl_ms: 1000,
    ..Info::new("midge-no-panic", "0.0.0")
};
static INFO_TEXT: [u8; render::info_len(&INFO)] = render::info(&INFO);

pub static CATALOG: Catalog<State> = Catalog::new(INFO.name, INFO.version)
    .info(Info { text: render::text(&INFO_TEXT), ..INFO })
    .tools(&tools::TOOLS)
    .tool_order(&tools::ORDER)
    .resources(&offers::RESOURCES)
    .templates(&offers::TEMPLATES)
    .prompts(&offers::PROMPTS)
    .features(
        Features::LOGGING
            .and(Features::TOOLS_CHANGE)
            .and(Features::PROMPTS_CHANGE)
            .and(Features::RESOURCES_CHANGE)
            .and(Features::SUBSCRIBE),
    );
