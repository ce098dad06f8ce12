//! Helpers of the midge test suites.

pub mod pair;
pub mod replay;
pub mod script;
pub mod transcript;

/// The Rust in what users read first compiles.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../docs/asking.md")]
    mod asking {}
}

use std::path::PathBuf;

/// Where the transcripts are.
pub fn golden() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden")
}

/// The data that is too large to live here (schemas, example messages): `MIDGE_TEST_DATA`, or `shared` beside the
/// checkout. `None` when it is not there; then the caller says what it left out.
pub fn data() -> Option<PathBuf> {
    let path = std::env::var_os("MIDGE_TEST_DATA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    path.join("spec").is_dir().then_some(path)
}
