//! What is sent to servers under measurement.

pub mod msg;
