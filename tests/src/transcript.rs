//! Golden transcripts: what a client sends, and every byte that the server sends back.
//!
//! A transcript is a file of JSON lines. The first says what it shows and with which limits it runs:
//! `{"about":"…","page_bytes":600,"slots":2,"rx":512,"subscriptions":64,"revisions":"per_request","engine_only":true}`;
//! all but `about` may be left out. `engine_only` says that no handler answers, so that every reply may be cut by a
//! transmit buffer of any size. The others are steps:
//!
//! | step | means |
//! |---|---|
//! | `{"c":{…}}` | the client sends this message, byte for byte as it stands here, and a newline |
//! | `{"raw":"…"}` | the client sends these characters, and nothing else |
//! | `{"hex":"ff0a"}` | the client sends these bytes |
//! | `{"repeat":"[","times":9}` | the client sends these characters again and again |
//! | `{"s":{…}}` | the server sends this line, byte for byte as it stands here, and a newline |
//! | `{"at":50}` | the clock shows 50 ms; deferred calls that are due by then go on |
//! | `{"do":"close_subscriptions"}` | the application does something on its own: see [`Act`] |
//!
//! Deferred calls go on at `at` steps only, so that the order of lines does not depend on how the input is cut.
//! The stream ends where the file ends.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::fs;
use std::path::{Path, PathBuf};

/// What the application does on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Ends every `subscriptions/listen`.
    CloseSubscriptions,
    /// The tool list has changed.
    ToolsChanged,
    /// The prompt list has changed.
    PromptsChanged,
    /// The resource list has changed.
    ResourcesChanged,
    /// `test://watched-resource` has changed.
    WatchedUpdated,
}

/// One line of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The client sends these bytes.
    Send(Vec<u8>),
    /// The server sends this line, written here without its newline.
    Expect(String),
    /// The clock shows this many milliseconds.
    At(u64),
    /// The application does something.
    Do(Act),
}

/// The limits that a transcript runs with.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// What it shows.
    pub about: String,
    /// Bytes of one page of a list.
    #[serde(default = "all")]
    pub page_bytes: usize,
    /// Calls in flight.
    #[serde(default = "four")]
    pub slots: usize,
    /// Receive buffer, in bytes.
    #[serde(default = "receive")]
    pub rx: usize,
    /// Memory for subscriptions, in bytes.
    #[serde(default = "subscriptions")]
    pub subscriptions: usize,
    /// Memory for calls that ask, in bytes.
    #[serde(default = "park")]
    pub park: usize,
    /// Tasks at once; 0: there are none.
    #[serde(default)]
    pub tasks: usize,
    /// What clients carry from round to round is sealed.
    #[serde(default = "yes")]
    pub seal: bool,
    /// `all`, `handshake` or `per_request`.
    #[serde(default)]
    pub revisions: Option<String>,
    /// No handler answers.
    #[serde(default)]
    pub engine_only: bool,
}

fn all() -> usize {
    usize::MAX
}
fn four() -> usize {
    4
}
fn receive() -> usize {
    2048
}
fn park() -> usize {
    1024
}
fn yes() -> bool {
    true
}
fn subscriptions() -> usize {
    256
}

/// A transcript.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// Its file.
    pub path: PathBuf,
    /// The revision it belongs to, by the name of its folder.
    pub revision: String,
    /// What it shows, and its limits.
    pub head: Head,
    /// Its lines after the first, in order; each with its text.
    pub steps: Vec<(Step, String)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'l> {
    #[serde(borrow)]
    c: Option<&'l RawValue>,
    #[serde(borrow)]
    s: Option<&'l RawValue>,
    raw: Option<String>,
    hex: Option<String>,
    repeat: Option<String>,
    times: Option<usize>,
    at: Option<u64>,
    r#do: Option<Act>,
}

impl Transcript {
    /// Reads the transcript at `path`.
    ///
    /// # Panics
    /// When a line is none of the above.
    pub fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut lines = text.lines().enumerate();
        let (_, head) = lines.next().expect("a transcript begins with what it is about");
        let head = serde_json::from_str(head).unwrap_or_else(|e| panic!("{}:1: {e}", path.display()));
        let steps = lines
            .map(|(n, line)| match step(line) {
                Ok(step) => (step, line.to_owned()),
                Err(e) => panic!("{}:{}: {e}", path.display(), n + 1),
            })
            .collect();
        let revision = path.parent().and_then(Path::file_name).unwrap_or_default();
        let revision = revision.to_string_lossy().into_owned();
        Self { path: path.to_owned(), revision, head, steps }
    }

    /// Every transcript, in the order of their paths.
    pub fn every() -> Vec<Self> {
        let mut paths: Vec<PathBuf> = Vec::new();
        for folder in fs::read_dir(crate::golden()).expect("tests/golden").flatten() {
            let files = fs::read_dir(folder.path()).expect("a folder for each revision").flatten();
            paths.extend(files.map(|f| f.path()).filter(|p| p.extension().is_some_and(|e| e == "jsonl")));
        }
        paths.sort();
        paths.iter().map(|path| Self::read(path)).collect()
    }

    /// All that the server sends, in order.
    pub fn expected(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for (step, _) in &self.steps {
            if let Step::Expect(line) = step {
                out.extend_from_slice(line.as_bytes());
                out.push(b'\n');
            }
        }
        out
    }

    /// Revision and name, for messages.
    pub fn name(&self) -> String {
        format!("{}/{}", self.revision, self.path.file_stem().unwrap_or_default().to_string_lossy())
    }

    /// Writes the transcript again with `answers` in place of the server's lines; each is what came after that step.
    ///
    /// # Errors
    /// The file could not be written.
    pub fn bless(&self, answers: &[(usize, Vec<u8>)]) -> std::io::Result<()> {
        let mut out = String::new();
        let text = fs::read_to_string(&self.path)?;
        out.push_str(text.lines().next().unwrap_or_default());
        out.push('\n');
        let put = |at: usize, out: &mut String| {
            for (_, answer) in answers.iter().filter(|(step, _)| *step == at) {
                for line in String::from_utf8_lossy(answer).lines() {
                    out.push_str("{\"s\":");
                    out.push_str(line);
                    out.push_str("}\n");
                }
            }
        };
        for (at, (step, line)) in self.steps.iter().enumerate() {
            if !matches!(step, Step::Expect(_)) {
                out.push_str(line);
                out.push('\n');
                put(at, &mut out);
            }
        }
        put(self.steps.len(), &mut out);
        fs::write(&self.path, out)
    }
}

fn step(line: &str) -> Result<Step, String> {
    let line: Line<'_> = serde_json::from_str(line).map_err(|e| e.to_string())?;
    match line {
        Line { c: Some(c), .. } => Ok(Step::Send([c.get().as_bytes(), b"\n"].concat())),
        Line { s: Some(s), .. } => Ok(Step::Expect(s.get().to_owned())),
        Line { raw: Some(raw), .. } => Ok(Step::Send(raw.into_bytes())),
        Line { hex: Some(hex), .. } => bytes(&hex).map(Step::Send).ok_or_else(|| "no hex".to_owned()),
        Line { repeat: Some(text), times: Some(times), .. } => {
            Ok(Step::Send(text.repeat(times).into_bytes()))
        }
        Line { at: Some(ms), .. } => Ok(Step::At(ms)),
        Line { r#do: Some(act), .. } => Ok(Step::Do(act)),
        _ => Err("a step has one of c, s, raw, hex, repeat, at, do".to_owned()),
    }
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    hex.as_bytes().chunks(2).map(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok()).collect()
}
