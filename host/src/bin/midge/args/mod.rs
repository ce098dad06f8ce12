//! A tool's arguments from the words of a command line: read, placed and typed by the tool's schema, then checked.

mod check;
mod place;
pub mod schema;
mod typed;
mod word;

pub use check::check;
pub use place::place;
pub use typed::typed;
pub use word::{Given, Word, read as read_file};

use std::fmt;

/// What is wrong with one argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where, as on the command line: `a.b`; empty for the whole.
    pub path: String,
    pub message: String,
}

impl Problem {
    pub fn new(path: &str, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "`{}` {}", self.path, self.message)
        }
    }
}

/// `path` and one name more.
fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
