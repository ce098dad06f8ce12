//! What the engine needs to know of a catalog, whatever the catalog is made of.

use crate::json::Writer;
use crate::proto::caps::Features;
use crate::proto::info::Info;
use crate::proto::revision::Revision;

/// The four lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum List {
    /// `tools/list`
    Tools,
    /// `resources/list`
    Resources,
    /// `resources/templates/list`
    Templates,
    /// `prompts/list`
    Prompts,
}

/// Whether a tool may run as a task: its result is then fetched later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum TaskSupport {
    /// No.
    #[default]
    None,
    /// If the client asks for it (2025-11-25), or can take it (2026-07-28).
    Optional,
    /// It runs in no other way, for clients of a revision that has tasks.
    Required,
    /// As [`Required`](Self::Required), but what it asks first is asked before there is a task (2026-07-28): it becomes one
    /// when it is called again with answers.
    RequiredAfterInput,
}

impl TaskSupport {
    /// Whether there is no other way.
    pub const fn is_required(self) -> bool {
        matches!(self, Self::Required | Self::RequiredAfterInput)
    }
}

/// A catalog, row by row.
///
/// An object-safe trait and not a table type, so that tables written in C, or kept in a `Vec`, are served by the same
/// engine (decision 006). Rows must not change between two calls of the engine, except that the list is then announced as
/// changed.
pub trait Rows: Sync {
    /// Who the server is.
    fn info(&self) -> &Info;
    /// What it offers; asked once, when the server is made.
    fn features(&self) -> Features;
    /// How many rows `list` has.
    fn len(&self, list: List) -> usize;
    /// The row of that name; of a resource, of that URI.
    fn find(&self, list: List, name: &str) -> Option<usize>;
    /// What row `index` is known by: a name, a URI, or a URI template.
    fn key(&self, list: List, index: usize) -> &str;
    /// The MIME type of row `index` of resources or templates; may be empty.
    fn mime(&self, list: List, index: usize) -> &str;
    /// The description of prompt `index`; may be empty.
    fn prompt_about(&self, index: usize) -> &str;
    /// Whether tool `index` lists an output schema in `revision`, and so owes structured content.
    fn has_output(&self, index: usize, revision: Revision) -> bool;
    /// Whether tool `index` may run as a task.
    fn task(&self, index: usize) -> TaskSupport {
        let _ = index;
        TaskSupport::None
    }
    /// Writes row `index` as one object in the form of `revision`.
    fn write(&self, list: List, index: usize, w: &mut Writer<'_>, revision: Revision);
}
