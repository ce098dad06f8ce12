//! Shared by the examples: serving over stdin and stdout.

pub mod everything;
pub mod stdio;
