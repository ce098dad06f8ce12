//! The protocol's nouns: what each message part is called, and in which revisions it exists.

pub mod caps;
pub mod client;
pub mod cursor;
pub mod info;
pub mod input;
pub mod level;
pub mod method;
pub mod read;
pub mod revision;
pub mod template;
