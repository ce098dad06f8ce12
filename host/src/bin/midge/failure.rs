//! Failures and their exit codes.

use midge_host::{Error, PeerError};
use serde_json::{Value, json};
use std::io;

/// By who is at fault; each has an exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The server or the tool answered with an error.
    Answer,
    /// The command line or an argument.
    Usage,
    /// The server cannot be started or reached.
    Reach,
    /// No answer in time.
    Time,
    /// The server broke the protocol or ended.
    Broken,
    /// The user.
    Interrupt,
    /// Nobody wants the output any more.
    Pipe,
}

impl Fault {
    pub fn code(self) -> u8 {
        match self {
            Self::Answer => 1,
            Self::Usage => 2,
            Self::Reach => 3,
            Self::Time => 4,
            Self::Broken => 5,
            Self::Interrupt => 130,
            Self::Pipe => 0,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Usage => "usage",
            Self::Reach => "connect",
            Self::Time => "timeout",
            Self::Broken => "protocol",
            Self::Interrupt => "interrupted",
            Self::Pipe => "pipe",
        }
    }
}

/// Why there is no answer to print.
#[derive(Debug)]
pub struct Failure {
    pub fault: Fault,
    /// Sentences for people. May hold a server's text: it is made harmless where it is shown.
    pub message: String,
    /// More for `--json`.
    pub details: Vec<(&'static str, Value)>,
    /// The answer has been printed; only the exit code is left.
    pub told: bool,
}

impl Failure {
    pub fn new(fault: Fault, message: impl Into<String>) -> Self {
        Self { fault, message: message.into(), details: Vec::new(), told: false }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Fault::Usage, message)
    }

    /// A failure that the output shows already.
    pub fn shown(fault: Fault) -> Self {
        Self { told: true, ..Self::new(fault, "") }
    }

    /// The document that stands for the answer.
    pub fn to_json(&self) -> Value {
        let mut error =
            json!({ "kind": self.fault.name(), "exit": self.fault.code(), "message": self.message });
        for (key, value) in &self.details {
            error[*key] = value.clone();
        }
        json!({ "error": error })
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let fault = match &error {
            Error::Peer(_) | Error::NotOffered(_) => Fault::Answer,
            Error::Config(_) | Error::Input(_) => Fault::Usage,
            Error::Spawn { .. } | Error::Connect { .. } | Error::Refused { .. } => Fault::Reach,
            Error::TimedOut { .. } => Fault::Time,
            Error::Cancelled => Fault::Interrupt,
            _ => Fault::Broken,
        };
        let mut failure = Self::new(fault, error.to_string());
        if let Error::Peer(peer) = &error {
            failure.message.push_str(&missing(peer));
        }
        match error {
            Error::Peer(peer) => {
                failure.details.push(("code", peer.code.into()));
                failure.details.extend(peer.data.map(|data| ("data", data)));
            }
            Error::Refused { code, supported, .. } => {
                failure.details.extend(code.map(|code| ("code", code.into())));
                failure.details.push(("supported", supported.into()));
            }
            _ => {}
        }
        failure
    }
}

/// The capabilities that a server misses (2026-07-28: -32021), in words.
fn missing(peer: &PeerError) -> String {
    let needed = peer.data.as_ref().and_then(|data| data.get("requiredCapabilities"));
    let names: Vec<&str> = needed
        .and_then(Value::as_object)
        .map(|needed| needed.keys().map(String::as_str).collect())
        .unwrap_or_default();
    if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::new(Fault::Pipe, ""),
            _ => Self::usage(format!("cannot write the output: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn codes_tell_who_is_at_fault() {
        let peer =
            PeerError { code: -32602, message: "no such tool".into(), data: Some(json!({"uri": "x"})) };
        let failure = Failure::from(Error::Peer(peer));
        assert_eq!(failure.fault.code(), 1);
        assert_eq!(failure.to_json()["error"]["code"], -32602);
        assert_eq!(failure.to_json()["error"]["data"]["uri"], "x");
        let timeout = Error::TimedOut {
            what: "tools/call".into(),
            after: Duration::from_secs(2),
            stderr: String::new(),
        };
        assert_eq!(Failure::from(timeout).fault.code(), 4);
        let closed = Error::Closed { what: "tools/list".into(), stderr: String::new(), exit: None };
        assert_eq!(Failure::from(closed).fault.code(), 5);
        assert_eq!(Failure::from(Error::Config("x".into())).fault.code(), 2);
        assert_eq!(Failure::from(io::Error::from(io::ErrorKind::BrokenPipe)).fault.code(), 0);
    }
}
