#![no_main]
//! The scanner accepts what `serde_json` accepts, and serde reads the same out of it.

use libfuzzer_sys::fuzz_target;
use midge::json::scan::valid;
use midge::json::text::soften;
use midge::json::{DeError, from_value};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Debug;

#[derive(Debug, PartialEq, Deserialize)]
struct Lamp {
    a: Option<String>,
    #[serde(default)]
    b: bool,
    c: Option<Vec<Lamp>>,
    d: Option<Mode>,
    e: Option<(i8, u64)>,
    f: Option<BTreeMap<String, i32>>,
}

#[derive(Debug, PartialEq, Deserialize)]
enum Mode {
    A,
    B(i64),
    C(char, ()),
    D { e: u16 },
}

/// A name that `serde_json` with this feature keeps for itself.
const THEIRS: &[u8] = b"$serde_json";

fuzz_target!(|text: &[u8]| {
    let theirs =
        serde_json::from_slice::<IgnoredAny>(text).is_ok() && serde_json::from_slice::<Value>(text).is_ok();
    let special = text.windows(THEIRS.len()).any(|w| w == THEIRS) || text.windows(2).any(|w| w == b"\\u");
    if !special {
        assert_eq!(valid(text), theirs);
    }
    if !valid(text) {
        return;
    }
    let mut softened = text.to_vec();
    soften(&mut softened);
    let once = softened.clone();
    soften(&mut softened);
    assert_eq!(once, softened);
    if !text.trim_ascii_start().starts_with(b"[") {
        same::<Lamp>(text, &softened);
    }
    same::<Vec<Lamp>>(text, &softened);
    same::<Mode>(text, &softened);
    same::<BTreeMap<i32, Mode>>(text, &softened);
    same::<String>(text, &softened);
    same::<i64>(text, &softened);
    same::<Option<u64>>(text, &softened);
});

/// What `serde_json` reads is read here, and is the same. The other way round there is more here (`1.0` is an integer), and a
/// struct out of an array there (docs/json.md).
fn same<T: DeserializeOwned + Debug + PartialEq>(text: &[u8], softened: &[u8]) {
    let ours: Result<T, DeError> = from_value(softened);
    if let Err(e) = &ours {
        assert!(e.at() <= softened.len());
        e.write_path(softened, &mut |_| ());
    }
    if positional(text) {
        return;
    }
    if let Ok(theirs) = serde_json::from_slice::<T>(text) {
        assert_eq!(ours.ok(), Some(theirs));
    }
}

/// Whether a struct may stand there as an array.
fn positional(text: &[u8]) -> bool {
    let tight: Vec<u8> = text.iter().copied().filter(|c| !c.is_ascii_whitespace()).collect();
    let holds = |piece: &[u8]| tight.windows(piece.len()).any(|w| w == piece);
    holds(b"[[") || holds(b",[") || (holds(b"[") && (holds(b"D") || holds(b"\\u")))
}
