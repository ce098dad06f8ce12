//! Shared by the examples: serving over stdin and stdout.

pub mod demo;
pub mod everything;
pub mod stdio;
pub mod thermostat;
