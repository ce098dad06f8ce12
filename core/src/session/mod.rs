//! The engines: what a session remembers, and what it answers.

pub mod reply;
pub mod rows;
pub mod server;
pub mod slots;
pub mod subs;
