//! Framing and encodings, sans-IO.

pub mod base64;
pub mod hunter;
pub mod line;
