//! What servers say on their own.

use serde_json::Value;

/// How far a call has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Rises with every report.
    pub progress: f64,
    /// What `progress` will be at the end, if the server knows.
    pub total: Option<f64>,
    /// What it is doing, up to 4 KiB of it.
    pub message: Option<String>,
}

/// Something that a server said without being asked, or that is wrong with what it says.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Notice {
    /// The list of tools has changed.
    ToolsChanged,
    /// The list of prompts has changed.
    PromptsChanged,
    /// The list of resources has changed.
    ResourcesChanged,
    /// A resource has changed.
    Updated {
        /// Which.
        uri: String,
    },
    /// A log message.
    Log {
        /// Its level as the server wrote it.
        level: String,
        /// What wrote it.
        logger: Option<String>,
        /// What it says: any JSON.
        data: Value,
    },
    /// A call runs as a task, and this is its state.
    Task {
        /// The call's method and name.
        call: String,
        /// The state as the server wrote it.
        status: String,
        /// What the server adds.
        message: Option<String>,
    },
    /// A notification that is not known here.
    Other {
        /// Its method.
        method: String,
        /// Its params; `null` when it has none.
        params: Value,
    },
    /// A line that is no message, as servers print that log to stdout.
    Junk {
        /// Its beginning.
        line: String,
    },
    /// A message that belongs to nothing: a late or double response, progress of a call that has ended.
    Stray {
        /// Which.
        what: String,
    },
    /// The connection has ended.
    Closed {
        /// Why.
        reason: String,
    },
}

/// Which changes to watch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The list of tools.
    pub tools: bool,
    /// The list of prompts.
    pub prompts: bool,
    /// The list of resources.
    pub resources: bool,
    /// These resources.
    pub uris: Vec<String>,
}
