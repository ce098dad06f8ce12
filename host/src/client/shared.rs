//! What the handles of a connection share with each other and with its task.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use midge::Level;

use crate::process::Exit;

/// How a connection ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Ended {
    /// The end of what the server wrote to stderr.
    pub stderr: String,
    pub exit: Option<Exit>,
}

/// What the handles of a connection share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// From which level on log messages are wanted of every call (2026-07-28).
    level: Mutex<Option<Level>>,
    /// Tools that were listed with an output schema.
    structured: Mutex<HashSet<String>>,
    /// How many watches there are on each resource (handshake revisions).
    pub subscribed: Mutex<HashMap<String, usize>>,
    ended: Mutex<Option<Ended>>,
}

/// Locks `mutex`; nothing that is done under these locks can leave them half done.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub fn level(&self) -> Option<Level> {
        *locked(&self.level)
    }

    pub fn set_level(&self, level: Level) {
        *locked(&self.level) = Some(level);
    }

    /// Takes note of the tools whose results are structured.
    pub fn list(&self, structured: impl Iterator<Item = String>) {
        *locked(&self.structured) = structured.collect();
    }

    /// Whether the results of a tool are structured, as far as is known.
    pub fn is_structured(&self, tool: &str) -> bool {
        locked(&self.structured).contains(tool)
    }

    /// Takes note of how the connection ended; what is known already stays.
    pub fn end(&self, ended: Ended) {
        let mut known = locked(&self.ended);
        match &mut *known {
            Some(known) => known.exit = known.exit.or(ended.exit),
            None => *known = Some(ended),
        }
    }

    /// How the connection ended, when it has.
    pub fn ended(&self) -> Option<Ended> {
        locked(&self.ended).clone()
    }
}

/// `text` for as long as the program runs: the engine borrows its own name for ever. Each text is kept once, and programs
/// have few names.
pub(super) fn kept(text: &str) -> &'static str {
    static KEPT: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut all = locked(&KEPT);
    match all.get(text) {
        Some(kept) => kept,
        None => {
            let new: &'static str = Box::leak(text.to_owned().into_boxed_str());
            all.insert(new);
            new
        }
    }
}
