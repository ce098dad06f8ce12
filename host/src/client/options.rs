//! How a client connects and calls.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use midge::{Can, Level, Revision};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::answers::Answers;
use super::notice::Progress;
use crate::error::Error;
use crate::process::Grace;

/// How a client presents itself, and how long it waits.
#[derive(Clone)]
pub struct Options {
    /// Name of this client.
    pub name: String,
    /// Version of this client.
    pub version: String,
    /// Which revisions to speak.
    pub era: Era,
    /// Until the connection must stand, its process or socket and all attempts included.
    pub connect_timeout: Duration,
    /// Until a server that does not answer `server/discover` is taken for an older one.
    pub probe_timeout: Duration,
    /// Until a call must be answered, when it does not say otherwise; progress starts it anew.
    pub call_timeout: Duration,
    /// Bytes a message of the server may have.
    pub max_message: usize,
    /// Folders that the server may work in; `None` when it is not to be told.
    pub roots: Option<Vec<Root>>,
    /// Who answers what the server asks the user; nothing can be asked when `None`.
    pub answers: Option<Arc<dyn Answers>>,
    /// What the server may ask for; by default what `answers` and `roots` can do.
    pub can: Option<Can>,
    /// How long the server's process may take to end.
    pub grace: Grace,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            name: "midge".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            era: Era::Auto,
            connect_timeout: Duration::from_secs(30),
            probe_timeout: Duration::from_secs(10),
            call_timeout: Duration::from_secs(60),
            max_message: 64 << 20,
            roots: None,
            answers: None,
            can: None,
            grace: Grace::default(),
        }
    }
}

impl Options {
    /// What is declared to the server: [`can`](Self::can), or what `answers` and `roots` can do.
    pub fn declared(&self) -> Can {
        let answers = self.answers.as_ref().map_or(Can::NOTHING, |a| a.can());
        let roots = self.roots.as_ref().map_or(Can::NOTHING, |_| Can::LIST_ROOTS);
        // A task in the place of a result needs no one: the client itself waits for its end.
        self.can.unwrap_or(answers.and(roots).and(Can::TASKS))
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("name", &self.name)
            .field("version", &self.version)
            .field("era", &self.era)
            .field("max_message", &self.max_message)
            .field("roots", &self.roots)
            .field("answers", &self.answers.is_some())
            .finish_non_exhaustive()
    }
}

/// Which revisions a client speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Era {
    /// The newest that the server speaks: it is asked, and taken for an older one when it does not understand.
    #[default]
    Auto,
    /// One of those that begin with `initialize`.
    Handshake,
    /// One of those whose requests describe themselves.
    Modern,
    /// This one, or nothing.
    Exactly(Revision),
}

/// A folder that the server may work in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Root {
    /// Its `file://` URI.
    pub uri: String,
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Root {
    /// The root of a folder, which must exist; its name is the folder's.
    ///
    /// # Errors
    /// [`Error::Input`]: there is no such folder.
    pub fn folder(path: &Path) -> Result<Self, Error> {
        let bad =
            |why: &dyn fmt::Display| Error::Input(format!("`{}` cannot be a root: {why}", path.display()));
        let whole = path.canonicalize().map_err(|e| bad(&e))?;
        if !whole.is_dir() {
            return Err(bad(&"it is no folder"));
        }
        let name = whole.file_name().map(|n| n.to_string_lossy().into_owned());
        Ok(Self { uri: file_uri(&whole), name })
    }
}

/// RFC 8089: the path's bytes, all but unreserved characters and slashes in percent form.
fn file_uri(path: &Path) -> String {
    let text = path.as_os_str().as_encoded_bytes();
    let (start, text) = if cfg!(windows) { windows_start(text) } else { ("file://", text) };
    let mut uri = String::from(start);
    for &b in text {
        match b {
            b'\\' if cfg!(windows) => uri.push('/'),
            b':' if cfg!(windows) => uri.push(':'),
            b'/' | b'-' | b'.' | b'_' | b'~' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                uri.push(char::from(b))
            }
            _ => uri.push_str(&format!("%{b:02X}")),
        }
    }
    uri
}

/// Canonical paths on Windows begin with `\\?\C:` or `\\?\UNC\host`; their URIs with `file:///C:` or `file://host`.
fn windows_start(path: &[u8]) -> (&'static str, &[u8]) {
    let path = path.strip_prefix(br"\\?\").unwrap_or(path);
    match path.strip_prefix(br"UNC\") {
        Some(share) => ("file://", share),
        None => ("file:///", path),
    }
}

/// How one call is made.
#[derive(Clone, Debug, Default)]
pub struct CallOptions {
    /// Until it must be answered; [`Options::call_timeout`] when `None`. Progress starts it anew.
    pub timeout: Option<Duration>,
    /// Until it must be answered whatever progress it makes; no such bound when `None`.
    pub max: Option<Duration>,
    /// Where its progress goes; the server is not asked for progress when `None`. To be read while
    /// the call runs: a server decides how many reports there are.
    pub progress: Option<mpsc::UnboundedSender<Progress>>,
    /// Log messages of this level and above are wanted for this call (2026-07-28).
    pub log_level: Option<Level>,
    /// Runs it as a task that the server keeps for this long (2025-11-25).
    pub task: Option<Duration>,
    /// Cancels it; dropping the call's future does so too.
    pub cancel: Option<CancellationToken>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_path_becomes_a_uri_byte_by_byte() {
        assert_eq!(file_uri(Path::new("/a b/é%~x")), "file:///a%20b/%C3%A9%25~x");
    }

    #[test]
    fn drives_and_shares_are_told_apart() {
        assert_eq!(windows_start(br"\\?\C:\x"), ("file:///", &br"C:\x"[..]));
        assert_eq!(windows_start(br"\\?\UNC\host\x"), ("file://", &br"host\x"[..]));
    }

    #[test]
    fn a_root_is_a_folder_that_exists() {
        let here = Root::folder(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert_eq!(here.name.as_deref(), Some("host"));
        assert!(here.uri.starts_with("file:///") && here.uri.ends_with("/host"), "{}", here.uri);
        for bad in ["no/such/folder", "Cargo.toml"] {
            let told = Root::folder(Path::new(bad)).unwrap_err().to_string();
            assert!(told.contains(bad), "{told}");
        }
    }
}
