//! Log levels (RFC 5424), low to high.

/// How severe a log message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// Details for debugging.
    Debug,
    /// General information.
    Info,
    /// Normal but significant.
    Notice,
    /// Something may go wrong.
    Warning,
    /// Something went wrong.
    Error,
    /// A part has failed.
    Critical,
    /// Act at once.
    Alert,
    /// Unusable.
    Emergency,
}

const LEVELS: [(Level, &str); 8] = [
    (Level::Debug, "debug"),
    (Level::Info, "info"),
    (Level::Notice, "notice"),
    (Level::Warning, "warning"),
    (Level::Error, "error"),
    (Level::Critical, "critical"),
    (Level::Alert, "alert"),
    (Level::Emergency, "emergency"),
];

impl Level {
    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        LEVELS.iter().find(|(l, _)| *l == self).map_or("", |(_, name)| name)
    }

    /// The level of that name.
    pub fn named(name: &str) -> Option<Self> {
        LEVELS.iter().find(|(_, n)| *n == name).map(|(l, _)| *l)
    }
}
