//! One file for each verb, or for a few of a kind.

pub mod call;
pub mod complete;
pub mod demo;
pub mod get;
pub mod info;
pub mod lists;
pub mod read;
pub mod watch;
