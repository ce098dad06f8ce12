//! JSON: scanning, text, numbers, writing, and serde both ways.
//!
//! Ours because none of the small crates is panic-free, exact and bounded at once (decision 003).

mod chars;
pub mod de;
mod escape;
#[cfg(feature = "float")]
pub mod float;
pub mod num;
pub mod path;
pub mod raw;
pub mod scan;
pub mod ser;
pub mod text;
pub mod view;
pub mod write;

pub use de::{De, DeError, from_value};
pub use raw::Raw;
pub use scan::{Scan, Token};
pub use ser::{Ser, SerError, to_writer};
pub use write::Writer;
