//! Const catalogs: what a server offers, as rows in flash.

use super::args::Arg;
use super::io::{Args, Io, Outcome};
use crate::proto::caps::Features;
use crate::proto::info::Info;
use crate::session::rows::TaskSupport;

/// A function that serves calls: the application's state, what was sent, and the answer.
pub type Handler<C> = for<'e> fn(&mut C, Args<'e>, &mut Io<'e>) -> Outcome;

/// Hints about a tool's behaviour for clients. They are hints: clients must not trust them.
#[derive(Clone, Copy, Debug)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// Calling it twice is the same as once.
    pub idempotent: Option<bool>,
    /// It reaches beyond this server.
    pub open_world: Option<bool>,
}

impl Hints {
    /// Nothing said.
    pub const NONE: Self = Self { read_only: None, destructive: None, idempotent: None, open_world: None };
}

macro_rules! builders {
    ($($(#[$doc:meta])* $name:ident: $t:ty;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub const fn $name(mut self, $name: $t) -> Self {
            self.$name = $name;
            self
        }
    )*};
}

/// What a tool is, without the function. Empty texts are left out.
#[derive(Clone, Copy, Debug)]
pub struct ToolDef {
    /// Its name: 1 to 128 of `A-Z a-z 0-9 _ . -`.
    pub name: &'static str,
    /// Its name for people (from 2025-06-18).
    pub title: &'static str,
    /// What it does, for the model.
    pub about: &'static str,
    /// Its arguments.
    pub args: &'static [Arg],
    /// The text of a JSON Schema that is listed instead of the one made from `args`; arguments are then not checked.
    pub input: &'static str,
    /// The text of the JSON Schema of its structured results (from 2025-06-18).
    pub output: &'static str,
    /// Hints about its behaviour (from 2025-03-26).
    pub hints: Hints,
    /// Whether it may run as a task (from 2025-11-25).
    pub task: TaskSupport,
    /// Icons, as the text of a JSON array (from 2025-11-25).
    pub icons: &'static str,
    /// `_meta`, as the text of a JSON object (from 2025-06-18).
    pub meta: &'static str,
    /// Text made by [`super::render::entry`]: name, description and input schema, ready to be copied.
    pub entry: &'static str,
}

impl ToolDef {
    /// A tool without arguments.
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            title: "",
            about: "",
            args: &[],
            input: "",
            output: "",
            hints: Hints::NONE,
            task: TaskSupport::None,
            icons: "",
            meta: "",
            entry: "",
        }
    }

    builders! {
        /// With a name for people.
        title: &'static str;
        /// With a description.
        about: &'static str;
        /// With arguments.
        args: &'static [Arg];
        /// With an input schema of its own.
        input: &'static str;
        /// With an output schema.
        output: &'static str;
        /// With hints.
        hints: Hints;
        /// That may run as a task.
        task: TaskSupport;
        /// With icons.
        icons: &'static str;
        /// With `_meta`.
        meta: &'static str;
        /// With text made before.
        entry: &'static str;
    }
}

/// A tool.
pub struct Tool<C: 'static> {
    /// What it is.
    pub def: ToolDef,
    /// What it does.
    pub run: Handler<C>,
}

/// What a resource or a template is. Empty texts are left out.
#[derive(Clone, Copy, Debug)]
pub struct ResourceDef {
    /// Its URI, or URI template (RFC 6570).
    pub uri: &'static str,
    /// Its name, for programs.
    pub name: &'static str,
    /// Its name for people (from 2025-06-18).
    pub title: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Its MIME type.
    pub mime: &'static str,
    /// Its size, in bytes.
    pub size: Option<u64>,
    /// Annotations, as the text of a JSON object.
    pub annotations: &'static str,
    /// Icons, as the text of a JSON array (from 2025-11-25).
    pub icons: &'static str,
    /// `_meta`, as the text of a JSON object (from 2025-06-18).
    pub meta: &'static str,
}

impl ResourceDef {
    /// A resource, or a template.
    pub const fn new(uri: &'static str, name: &'static str) -> Self {
        Self { uri, name, title: "", about: "", mime: "", size: None, annotations: "", icons: "", meta: "" }
    }

    builders! {
        /// With a name for people.
        title: &'static str;
        /// With a description.
        about: &'static str;
        /// With a MIME type.
        mime: &'static str;
        /// With a size in bytes.
        size: Option<u64>;
        /// With annotations.
        annotations: &'static str;
        /// With icons.
        icons: &'static str;
        /// With `_meta`.
        meta: &'static str;
    }
}

/// Where the contents of a resource come from.
pub enum Source<C: 'static> {
    /// A text.
    Text(&'static str),
    /// Bytes.
    Blob(&'static [u8]),
    /// A function.
    Read(Handler<C>),
}

/// A resource.
pub struct Resource<C: 'static> {
    /// What it is.
    pub def: ResourceDef,
    /// Where its contents come from.
    pub source: Source<C>,
}

/// A resource template.
pub struct Template<C: 'static> {
    /// What it is; `uri` is the template.
    pub def: ResourceDef,
    /// Reads a resource that matches.
    pub read: Handler<C>,
    /// Completes a variable.
    pub complete: Option<Handler<C>>,
}

/// What a prompt is. Empty texts are left out.
#[derive(Clone, Copy, Debug)]
pub struct PromptDef {
    /// Its name.
    pub name: &'static str,
    /// Its name for people (from 2025-06-18).
    pub title: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Its arguments, which are strings.
    pub args: &'static [Arg],
    /// Icons, as the text of a JSON array (from 2025-11-25).
    pub icons: &'static str,
    /// `_meta`, as the text of a JSON object (from 2025-06-18).
    pub meta: &'static str,
}

impl PromptDef {
    /// A prompt without arguments.
    pub const fn new(name: &'static str) -> Self {
        Self { name, title: "", about: "", args: &[], icons: "", meta: "" }
    }

    builders! {
        /// With a name for people.
        title: &'static str;
        /// With a description.
        about: &'static str;
        /// With arguments.
        args: &'static [Arg];
        /// With icons.
        icons: &'static str;
        /// With `_meta`.
        meta: &'static str;
    }
}

/// A prompt.
pub struct Prompt<C: 'static> {
    /// What it is.
    pub def: PromptDef,
    /// Writes its messages.
    pub get: Handler<C>,
    /// Completes an argument.
    pub complete: Option<Handler<C>>,
}

/// A server's catalog: all it offers.
pub struct Catalog<C: 'static> {
    /// Who the server is.
    pub info: Info,
    /// Its tools.
    pub tools: &'static [Tool<C>],
    /// The places of `tools` by name, made by [`tool_order`]; empty: names are searched one by one.
    pub tool_order: &'static [Place],
    /// Its resources.
    pub resources: &'static [Resource<C>],
    /// Its resource templates.
    pub templates: &'static [Template<C>],
    /// Its prompts.
    pub prompts: &'static [Prompt<C>],
    /// What it offers beyond what its rows imply, such as [`Features::LOGGING`].
    pub features: Features,
}

impl<C> Catalog<C> {
    /// A server that offers nothing yet.
    pub const fn new(name: &'static str, version: &'static str) -> Self {
        Self {
            info: Info::new(name, version),
            tools: &[],
            tool_order: &[],
            resources: &[],
            templates: &[],
            prompts: &[],
            features: Features::NONE,
        }
    }

    builders! {
        /// With all that is said of the server itself.
        info: Info;
        /// With tools.
        tools: &'static [Tool<C>];
        /// With the order of the tools' names.
        tool_order: &'static [Place];
        /// With resources.
        resources: &'static [Resource<C>];
        /// With resource templates.
        templates: &'static [Template<C>];
        /// With prompts.
        prompts: &'static [Prompt<C>];
        /// With more features.
        features: Features;
    }

    /// With a hint for the model on how to use the server.
    #[must_use]
    pub const fn instructions(mut self, instructions: &'static str) -> Self {
        self.info.instructions = instructions;
        self
    }
}

/// A tool's place in [`Catalog::tool_order`]: its row, under the hash of its name.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    hash: u32,
    row: u16,
}

impl Place {
    /// The row.
    pub const fn row(self) -> usize {
        self.row as usize
    }
}

/// The rows of `order` whose names have the hash of `name`: nearly always one or none.
pub(super) fn candidates<'o>(order: &'o [Place], name: &str) -> impl Iterator<Item = usize> + 'o {
    let hash = hash(name);
    // Numbers are compared, not names: a search among a thousand costs ten comparisons of a word.
    let first = order.partition_point(|place| place.hash < hash);
    order.iter().skip(first).take_while(move |place| place.hash == hash).map(|place| place.row())
}

/// FNV-1a.
pub(super) const fn hash(name: &str) -> u32 {
    let mut hash = 0x811C_9DC5_u32;
    let mut i = 0;
    while i < name.len() {
        hash = (hash ^ crate::bytes::at(name.as_bytes(), i) as u32).wrapping_mul(0x0100_0193);
        i += 1;
    }
    hash
}

/// The places of `tools` sorted by the hash of their names, for [`Catalog::tool_order`], computed in `const`.
///
/// # Panics
/// In `const` evaluation only, that is at compile time: two tools have the same name.
pub const fn tool_order<C, const N: usize>(tools: &[Tool<C>; N]) -> [Place; N] {
    let mut order = [Place { hash: 0, row: 0 }; N];
    let mut i = 0;
    while i < N {
        order[i] = Place { hash: hash(tools[i].def.name), row: i as u16 }; // in const: a wrong index is a compile error
        i += 1;
    }
    // Bottom-up merge sort: a thousand names in ten thousand comparisons, where a pairwise check takes half a million
    // and trips the limit on const evaluation.
    let mut from = order;
    let mut width = 1;
    while width < N {
        let mut start = 0;
        while start < N {
            let middle = least(start + width, N);
            let end = least(middle + width, N);
            let (mut a, mut b, mut out) = (start, middle, start);
            while out < end {
                let left = b == end || (a < middle && from[a].hash <= from[b].hash); // in const
                order[out] = if left { from[a] } else { from[b] }; // in const: a wrong index is a compile error
                a += left as usize;
                b += !left as usize;
                out += 1;
            }
            start = end;
        }
        from = order;
        width *= 2;
    }
    let mut i = 1;
    while i < N {
        let mut k = i;
        while k > 0 && order[k - 1].hash == order[i].hash {
            k -= 1;
            if same(tools[order[k].row()].def.name, tools[order[i].row()].def.name) {
                panic!("two tools of this catalog have the same name: rename one"); // in const: at compile time
            }
        }
        i += 1;
    }
    order
}

const fn least(a: usize, b: usize) -> usize {
    if a < b { a } else { b }
}

pub(super) const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && crate::bytes::at(a, i) == crate::bytes::at(b, i) {
        i += 1;
    }
    i == a.len() && i == b.len()
}
