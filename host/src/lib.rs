//! Model Context Protocol hosts: servers as processes or sockets, and many calls at once on one connection.
//!
//! [`Client`] talks to one server, found by a [`Target`]: it learns which revision the server speaks, falls back to
//! an older one, and then runs any number of calls at the same time. [`blocking::Client`] is the same without `async`.
//! [`Config`] reads the `mcpServers` file of desktop hosts, and [`process`] starts and ends server processes so that
//! nothing of them stays behind.

pub mod blocking;
pub mod client;
pub mod config;
pub mod error;
pub mod model;
pub mod process;
pub mod stream;
pub mod target;

pub use client::{
    Answers, CallOptions, Client, Closed, Era, Filter, Notice, Options, Progress, Question, Reply, Root,
    Server, Watch,
};
pub use config::Config;
pub use error::{Error, PeerError};
pub use model::{
    Completion, Content, Contents, Prompt, PromptArgument, PromptMessage, PromptResult, ReadResult,
    Reference, Resource, Template, Tool, ToolResult,
};
pub use process::{Child, Exit, Grace, How};
pub use stream::Link;
pub use target::{Command, Stderr, Target};

/// The Rust in what users read first compiles.
#[cfg(doctest)]
mod read_first {
    #[doc = include_str!("../../README.md")]
    mod readme {}
    #[doc = include_str!("../../docs/calling.md")]
    mod calling {}
}
