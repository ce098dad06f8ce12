//! Where things are written: answers to stdout and nothing else, everything else to stderr.

use crate::failure::Failure;
use crate::progress::Bar;
use crate::safe;
use crate::screen::{Screen, Style};
use serde_json::Value;
use std::io::{self, Write};

/// The two streams and how they are to be used.
pub struct Output {
    pub stdout: Screen,
    pub stderr: Screen,
    pub json: bool,
    pub quiet: bool,
    pub bar: Bar,
}

impl Output {
    pub fn new(json: bool, quiet: bool) -> Self {
        let stderr = Screen::stderr();
        Self { stdout: Screen::stdout(), stderr, json, quiet, bar: Bar::new(stderr.terminal && !quiet) }
    }

    /// Writes `text` to stdout.
    pub fn print(&self, text: &str) -> Result<(), Failure> {
        self.bytes(text.as_bytes())
    }

    /// Writes bytes to stdout.
    pub fn bytes(&self, bytes: &[u8]) -> Result<(), Failure> {
        self.bar.aside(|| {
            let mut stdout = io::stdout().lock();
            stdout.write_all(bytes)?;
            stdout.flush()
        })?;
        Ok(())
    }

    /// Writes a JSON document to stdout: in one line in pipes, indented on terminals.
    pub fn document(&self, value: &Value) -> Result<(), Failure> {
        let text = if self.stdout.terminal { format!("{value:#}") } else { value.to_string() };
        self.print(&(escaped(&text, self.stdout.terminal) + "\n"))
    }

    /// Writes a JSON document in one line to stdout.
    pub fn line(&self, value: &Value) -> Result<(), Failure> {
        self.print(&(escaped(&value.to_string(), self.stdout.terminal) + "\n"))
    }

    /// Tells something beside the answer, unless nothing is wanted but that.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.say(&self.stderr.body(text));
        }
    }

    /// Tells something that is harmless and coloured already, unless nothing is wanted but the answer.
    pub fn aside(&self, text: &str) {
        if !self.quiet {
            self.say(text);
        }
    }

    /// Tells what went wrong.
    pub fn error(&self, text: &str) {
        let head = self.stderr.paint(Style::Bad, "midge:");
        self.say(&format!("{head} {}", self.stderr.body(text)));
    }

    /// Writes a line to stderr, as it is.
    pub fn say(&self, text: &str) {
        // When nobody reads stderr there is nobody to tell.
        let _ = self.bar.aside(|| writeln!(io::stderr().lock(), "{text}"));
    }
}

/// JSON leaves some characters unescaped that terminals obey: in the escaped form it is the same document.
fn escaped(json: &str, terminal: bool) -> String {
    if !terminal {
        return json.to_owned();
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || safe::harmless(c) {
            out.push(c);
        } else {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_is_the_same_document_on_a_terminal() {
        let value = json!({"text": "a\u{9b}31m\u{202e}b\u{e0041}\n\u{7f}ü"});
        let shown = escaped(&format!("{value:#}"), true);
        assert!(shown.chars().all(|c| c == '\n' || safe::harmless(c)), "{shown:?}");
        assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), value);
        assert_eq!(escaped(&value.to_string(), false), value.to_string());
    }
}
