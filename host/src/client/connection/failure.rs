//! What the engine found wrong, as errors of this crate.

use std::time::Duration;

use midge::client::{Failure, Refusal};
use serde_json::Value;

use super::super::call::peer_error;
use super::super::notice::Notice;
use super::NotConnected;
use super::desk::{Desk, Entry};
use crate::client::untrusted;
use crate::error::Error;

/// Why a call ended on this side, `took` after it began.
pub(super) fn of_call(entry: &Entry, took: Duration, why: Failure, desk: &Desk) -> Error {
    let start = &entry.start;
    let what = start.label.clone();
    match why {
        Failure::TimedOut => {
            let max = start.max.filter(|max| *max <= took);
            Error::TimedOut { what, after: max.or(start.timeout).unwrap_or(took), stderr: String::new() }
        }
        Failure::Closed => desk.closed(what),
        Failure::TooLarge(bytes) => Error::TooLarge { needed: bytes as usize, cap: desk.cap() },
        Failure::NoRoom(error) => Error::TooLarge { needed: error.at as usize, cap: desk.cap() },
        Failure::Invalid(words) => Error::Invalid(format!("the answer to {what}: {words}")),
        Failure::TooManyRounds => Error::TooManyRounds,
        Failure::TooManyPages | Failure::PagesRepeat => Error::Pages(why.phrase().into()),
        Failure::Withheld => Error::Input(match &entry.withheld {
            Some(words) => format!("what the server asked for {what} was not answered: {words}"),
            None => format!("what the server asked for {what} was not answered"),
        }),
        Failure::TaskCancelled | Failure::Ended => Error::Cancelled,
    }
}

/// Why there is no connection.
pub(super) fn refusal(why: Refusal<'_>, desk: &Desk) -> NotConnected {
    let first = desk.first.to_owned();
    let error = match why {
        Refusal::Error(error) => refused(error.body.raw()),
        Refusal::Revision(said) => Error::Refused {
            message: "it speaks no revision that this client speaks".into(),
            code: None,
            supported: revisions(&untrusted::from_slice(said.raw()).unwrap_or_default()),
        },
        Refusal::Invalid(words) => Error::Invalid(words.into()),
        Refusal::TimedOut => {
            Error::TimedOut { what: first, after: desk.options.connect_timeout, stderr: String::new() }
        }
        Refusal::Closed(probed_to_death) => {
            return NotConnected { error: desk.closed(first), probed_to_death };
        }
        Refusal::NoRoom(error) => Error::TooLarge { needed: error.at as usize, cap: desk.cap() },
    };
    error.into()
}

fn refused(error: &[u8]) -> Error {
    match peer_error(error) {
        Error::Peer(error) => {
            let data = error.data.unwrap_or_default();
            Error::Refused { message: error.message, code: Some(error.code), supported: revisions(&data) }
        }
        other => other,
    }
}

/// The revisions that an answer names.
fn revisions(said: &Value) -> Vec<String> {
    ["supported", "supportedVersions", "protocolVersion"]
        .into_iter()
        .find_map(|key| match said.get(key)? {
            Value::Array(names) => Some(names.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
            Value::String(name) => Some(vec![name.clone()]),
            _ => None,
        })
        .unwrap_or_default()
}

/// A log message.
pub(super) fn log(said: Value) -> Notice {
    let Value::Object(mut said) = said else {
        return Notice::Log { level: String::new(), logger: None, data: said };
    };
    let mut text = |key: &str| match said.shift_remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let (level, logger) = (text("level").unwrap_or_default(), text("logger"));
    Notice::Log { level, logger, data: said.shift_remove("data").unwrap_or_default() }
}
