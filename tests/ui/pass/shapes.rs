//! What may be declared, in a crate that is strict about lints.
#![deny(warnings, missing_docs, unused_qualifications, unreachable_pub)]

use midge::{Args, Io, Json, Outcome, Schema};

/// The state has a lifetime.
pub struct Home<'h> {
    names: &'h [&'h str],
}

/// A kind.
#[derive(Schema, serde::Deserialize, serde::Serialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// One.
    FirstKind,
    /// Two.
    Other,
}

/// A generic type with a lifetime.
#[derive(Schema, serde::Deserialize, serde::Serialize)]
pub struct Pair<'p, T> {
    /// A text.
    pub name: &'p str,
    /// Two of them.
    pub two: [T; 2],
}

/// Every kind of parameter.
#[midge::tool]
pub fn all<'a>(
    home: &mut Home<'_>,
    io: &mut Io<'_>,
    a: u8,
    b: Option<&str>,
    c: Pair<'a, Kind>,
    #[arg(default = "other")] d: Kind,
    #[arg(default = "x")] e: &str,
    #[arg(default = -1, min = -2)] f: i8,
) -> Result<Json<Pair<'a, Kind>>, &'static str> {
    io.text(e);
    if usize::from(a) > home.names.len() && b.is_none() && f < 0 { Err("no") } else { Ok(Json(Pair { two: [d; 2], ..c })) }
}

/// A name that is a keyword.
#[midge::tool(name = "in.a-b_c")]
pub fn r#in(r#type: bool) -> bool {
    r#type
}

/// Private, and within `cfg`.
#[cfg(not(any()))]
#[midge::tool]
fn private(_: &mut Home<'_>, args: Args<'_>) -> Option<u8> {
    u8::try_from(args.raw().len()).ok()
}

mod inner {
    /// Elsewhere.
    #[midge::resource("a://{+path}")]
    pub(super) fn file(path: &str) -> &str {
        path
    }
}

/// Texts only.
#[midge::prompt(complete = done)]
fn ask(kind: Kind) -> &'static str {
    match kind {
        Kind::FirstKind => "first",
        Kind::Other => "other",
    }
}

fn done<'e, C>(_: &mut C, _: Args<'e>, _: &mut Io<'e>) -> Outcome {
    Outcome::Done
}

midge::catalog! {
    /// All of it.
    pub static SERVER: Home<'static> = {
        name: "s",
        version: env!("CARGO_PKG_VERSION"),
        prompts: [ask],
        ttl_ms: 1000,
        tools: [all, r#in, private,],
        templates: [inner::file],
    };
}

fn main() {
    assert_eq!(SERVER.tools.len(), 3);
    assert_eq!(SERVER.tools[1].def.name, "in.a-b_c");
    assert_eq!(SERVER.info.ttl_ms, 1000);
}
