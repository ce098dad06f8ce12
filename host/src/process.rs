//! Server processes: started in a group of their own, ended so that nothing of them stays behind.

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
