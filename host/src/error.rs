//! What can go wrong, each as a sentence for the person who must mend it.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::process::Exit;

/// Why a server could not be reached, or a call has no result.
#[derive(Clone)]
#[non_exhaustive]
pub enum Error {
    /// The server's process could not be started.
    Spawn {
        /// The program as it was asked for.
        program: String,
        /// What would help: where it was looked for, or what it is instead of a program.
        hint: String,
        /// What the system said.
        source: Arc<io::Error>,
    },
    /// The server's socket could not be connected to.
    Connect {
        /// The target as it is written on a command line.
        target: String,
        /// What the system said.
        source: Arc<io::Error>,
    },
    /// A configuration file or a target cannot be used; names the server and the field.
    Config(String),
    /// The server and this client have no revision in common, or the server refuses to begin.
    Refused {
        /// What the server said.
        message: String,
        /// The code of its error, if it sent one.
        code: Option<i64>,
        /// The revisions it says it speaks.
        supported: Vec<String>,
    },
    /// No answer came in time.
    TimedOut {
        /// What was waited for.
        what: String,
        /// How long.
        after: Duration,
        /// The end of what the server wrote to stderr, when no connection was made and that is captured.
        stderr: String,
    },
    /// The connection ended while something was waited for.
    Closed {
        /// What was waited for.
        what: String,
        /// The end of what the server wrote to stderr, when that is captured.
        stderr: String,
        /// How its process ended, when it is known.
        exit: Option<Exit>,
    },
    /// The server answered with a JSON-RPC error.
    Peer(PeerError),
    /// The server's answer breaks the protocol.
    Invalid(String),
    /// A message is larger than the connection takes.
    TooLarge {
        /// Bytes the message has, as far as they are known.
        needed: usize,
        /// Bytes a message may have ([`Options::max_message`](crate::Options)).
        cap: usize,
    },
    /// The call was cancelled from this side.
    Cancelled,
    /// The pages of a list do not come to an end.
    Pages(String),
    /// The server asked for input again and again.
    TooManyRounds,
    /// The server does not offer what was asked for.
    NotOffered(String),
    /// The caller's arguments cannot be sent.
    Input(String),
    /// The connection cannot take the call now.
    Busy(String),
}

/// A JSON-RPC error as the server sent it.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerError {
    /// Its code.
    pub code: i64,
    /// Its message.
    pub message: String,
    /// What it adds.
    pub data: Option<Value>,
}

impl Error {
    /// Whether the server says that a resource does not exist.
    ///
    /// That is -32002 before 2026-07-28, and -32602 with `data.uri` since (server/resources, "Error handling").
    pub fn is_not_found(&self) -> bool {
        let Self::Peer(e) = self else { return false };
        let names_uri = || e.data.as_ref().is_some_and(|d| d.get("uri").is_some_and(Value::is_string));
        e.code == -32002 || (e.code == -32602 && names_uri())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Spawn { source, .. } | Self::Connect { source, .. } => Some(&**source),
            Self::Peer(e) => Some(e),
            _ => None,
        }
    }
}

impl std::error::Error for PeerError {}

impl fmt::Display for PeerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server answered with error {}: {}", self.code, self.message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spawn { program, hint, source } => {
                write!(f, "cannot start `{program}`: {source}")?;
                if hint.is_empty() { Ok(()) } else { write!(f, "; {hint}") }
            }
            Self::Connect { target, source } => write!(f, "cannot connect to {target}: {source}"),
            Self::Refused { message, code, supported } => refused(f, message, *code, supported),
            Self::TimedOut { what, after, stderr } => {
                write!(f, "no answer to {what} within {}", Seconds(*after))?;
                last_words(f, stderr)
            }
            Self::Closed { what, stderr, exit } => closed(f, what, stderr, *exit),
            Self::Peer(e) => e.fmt(f),
            Self::Invalid(what) => write!(f, "the server breaks the protocol: {what}"),
            Self::TooLarge { needed, cap } => {
                write!(f, "a message of {needed} bytes does not fit: this connection takes up to {cap}")
            }
            Self::Cancelled => f.write_str("the call was cancelled"),
            Self::Pages(what) => write!(f, "the server's list does not end: {what}"),
            Self::TooManyRounds => f.write_str("the server asks for input again and again without an answer"),
            Self::NotOffered(what) => write!(f, "the server does not offer {what}"),
            Self::Config(what) | Self::Input(what) | Self::Busy(what) => f.write_str(what),
        }
    }
}

/// A duration as people say it: `2 s`, `0.5 s`.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.0.as_secs_f64())
    }
}

fn refused(
    f: &mut fmt::Formatter<'_>,
    message: &str,
    code: Option<i64>,
    supported: &[String],
) -> fmt::Result {
    write!(f, "the server refuses to begin: {message}")?;
    if let Some(code) = code {
        write!(f, " (error {code})")?;
    }
    match supported {
        [] => Ok(()),
        some => write!(f, "; it speaks {}", some.join(", ")),
    }
}

fn closed(f: &mut fmt::Formatter<'_>, what: &str, stderr: &str, exit: Option<Exit>) -> fmt::Result {
    write!(f, "the connection ended before {what} was answered")?;
    if let Some(status) = exit.and_then(|e| e.status) {
        write!(f, "; the server's process ended with {status}")?;
    }
    last_words(f, stderr)
}

/// Lines of a server's stderr that a message shows.
const LAST_LINES: usize = 20;

fn last_words(f: &mut fmt::Formatter<'_>, stderr: &str) -> fmt::Result {
    let lines: Vec<&str> = stderr.trim_end().lines().collect();
    if lines.is_empty() {
        return Ok(());
    }
    f.write_str("; the last it wrote to stderr:")?;
    let skipped = lines.len().saturating_sub(LAST_LINES);
    if skipped > 0 {
        write!(f, "\n({skipped} lines before)")?;
    }
    lines.iter().skip(skipped).try_for_each(|line| write!(f, "\n{line}"))
}

/// What `main` shows when it returns an error is a sentence too.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn peer(code: i64, data: Option<Value>) -> Error {
        Error::Peer(PeerError { code, message: "m".into(), data })
    }

    #[test]
    fn a_missing_resource_is_told_in_both_ways() {
        assert!(peer(-32002, None).is_not_found());
        assert!(peer(-32602, Some(json!({ "uri": "a:b" }))).is_not_found());
        assert!(!peer(-32602, Some(json!({ "uri": 7 }))).is_not_found());
        assert!(!peer(-32602, None).is_not_found());
        assert!(!peer(-32603, Some(json!({ "uri": "a:b" }))).is_not_found());
        assert!(!Error::Cancelled.is_not_found());
    }

    #[test]
    fn each_is_a_sentence() {
        let refused = |code, supported| Error::Refused { message: "too old".into(), code, supported };
        let both = vec!["2024-11-05".to_owned(), "2026-07-28".to_owned()];
        for (error, told) in [
            (peer(-32601, None), "the server answered with error -32601: m"),
            (refused(None, vec![]), "the server refuses to begin: too old"),
            (
                refused(Some(-32022), both),
                "the server refuses to begin: too old (error -32022); it speaks 2024-11-05, 2026-07-28",
            ),
            (
                Error::TimedOut {
                    what: "tools/call `echo`".into(),
                    after: Duration::from_millis(1500),
                    stderr: String::new(),
                },
                "no answer to tools/call `echo` within 1.5 s",
            ),
            (
                Error::Closed { what: "initialize".into(), stderr: String::new(), exit: None },
                "the connection ended before initialize was answered",
            ),
            (
                Error::TooLarge { needed: 70, cap: 64 },
                "a message of 70 bytes does not fit: this connection takes up to 64",
            ),
        ] {
            assert_eq!(error.to_string(), told);
        }
    }

    #[cfg(unix)]
    #[test]
    fn an_end_tells_how_and_the_last_words() {
        use std::os::unix::process::ExitStatusExt;
        let status = Some(std::process::ExitStatus::from_raw(3 << 8));
        let exit = Some(Exit { status, how: crate::How::ByItself });
        let told = Error::Closed { what: "x".into(), stderr: "no\nway\n\n".into(), exit }.to_string();
        let end = "the server's process ended with exit status: 3; the last it wrote to stderr:\nno\nway";
        assert_eq!(told, format!("the connection ended before x was answered; {end}"));
    }
}
