//! Server processes: started in a group of their own, ended so that nothing of them stays behind.
//!
//! A process is ended as 2026-07-28 basic/transports/stdio, "Shutdown", has it: its stdin ends, it is waited for, its
//! group is asked to terminate, waited for again, and killed. What the server itself has started and left behind goes
//! with its group (on Windows, its job), also when the server ends in time.

mod child;
#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(not(unix), path = "other.rs")]
mod group;
mod spawn;
mod tail;

pub use child::Child;

use std::process::ExitStatus;
use std::time::Duration;

/// How long a server's process may take to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grace {
    /// After its stdin was closed, until it is asked to terminate.
    pub eof: Duration,
    /// After that, until it is killed.
    pub term: Duration,
}

impl Default for Grace {
    /// Two seconds each.
    fn default() -> Self {
        Self { eof: Duration::from_secs(2), term: Duration::from_secs(2) }
    }
}

/// How a server's process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// Its status, if the system told it.
    pub status: Option<ExitStatus>,
    /// What it took.
    pub how: How,
}

/// What it took to end a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It ended by itself, as servers do when their stdin ends.
    ByItself,
    /// It was asked to terminate (SIGTERM).
    Terminated,
    /// It was killed (SIGKILL; on Windows the end of its job).
    Killed,
}
