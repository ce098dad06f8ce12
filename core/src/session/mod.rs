//! The engines: what a session remembers, and what it answers.

mod ask;
pub(crate) mod asks;
pub mod client;
mod park;
pub mod reply;
pub mod rows;
pub mod seal;
pub mod server;
pub mod slots;
pub mod subs;
pub mod tasks;
mod work;
