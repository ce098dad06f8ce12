//! From a call to a function: const tables, argument checks, and the handler's view.

pub mod args;
mod asking;
#[macro_use]
mod catalog_macro;
mod chunks;
mod content;
mod failure;
pub mod io;
pub mod pattern;
pub mod render;
pub mod reply;
pub mod router;
mod rows;
pub mod schema;
pub mod table;
pub mod values;

pub use asking::NeedInput;
pub use io::{Io, Outcome, Role};
pub use reply::{Blob, IntoReply, Json, Shown, ToolError};
pub use rows::{write_prompt, write_resource, write_tool};
pub use table::{
    Catalog, Handler, Hints, Prompt, PromptDef, Resource, ResourceDef, Source, Template, Tool, ToolDef,
};
pub use values::{Args, Completion, Values, Variables};
