//! JSON: scanning, text, numbers, writing, and serde both ways.
//!
//! Ours because none of the small crates is panic-free, exact and bounded at once (decision 003).

pub mod scan;
pub mod text;
pub mod write;

pub use scan::{Scan, Token};
pub use write::Writer;
