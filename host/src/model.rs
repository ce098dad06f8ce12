//! What servers answer with, as Rust types; fields that are not named here are kept in `more`.

mod content;
mod list;
mod result;

pub use content::{Content, Contents};
pub use list::{Prompt, PromptArgument, Resource, Template, Tool};
pub use result::{Completion, PromptMessage, PromptResult, ReadResult, Reference, ToolResult};
