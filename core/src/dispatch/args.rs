//! Argument tables: one row per argument drives schema, checks, and the words of a refusal.

use super::pattern;
use super::schema::Part;
use crate::bytes::{at, blanks, part};
use crate::error::{Error, Kind};
use crate::json::scan::SOFT;
use crate::json::text::{content_bytes, value_end};
use crate::json::{num, text};
pub use crate::rpc::params::Span;

/// One argument of a tool or a prompt.
#[derive(Clone, Copy, Debug)]
pub struct Arg {
    /// Its name.
    pub name: &'static str,
    /// What it means, for the model; may be empty.
    pub about: &'static str,
    /// What its value must be.
    pub rule: Rule,
    /// Whether it must be there.
    pub required: bool,
    /// More schema members, as JSON text without braces; may be empty. They are listed, not checked.
    pub extra: &'static str,
}

impl Arg {
    /// A required argument.
    pub const fn new(name: &'static str, rule: Rule) -> Self {
        Self { name, about: "", rule, required: true, extra: "" }
    }

    /// With a description.
    #[must_use]
    pub const fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    /// May be left out.
    #[must_use]
    pub const fn optional(mut self) -> Self {
        self.required = false;
        self
    }

    /// With more schema members, JSON text without braces, such as `"default":3`.
    #[must_use]
    pub const fn extra(mut self, members: &'static str) -> Self {
        self.extra = members;
        self
    }
}

/// What a value must be.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// `true` or `false`.
    Bool,
    /// An integer within bounds.
    Int {
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
    },
    /// An integer that may exceed `i64`.
    Uint {
        /// The least.
        min: u64,
        /// The greatest.
        max: u64,
    },
    /// Any number within bounds (feature `float`).
    #[cfg(feature = "float")]
    Float {
        /// The least.
        min: f64,
        /// The greatest.
        max: f64,
    },
    /// Any number; without feature `float` only its form is checked.
    #[cfg(not(feature = "float"))]
    Float {},
    /// A string.
    Str(&'static Text),
    /// A value that the user's own type checks as it is decoded.
    Json(&'static [Part]),
}

impl Rule {
    /// This rule with narrower bounds: of the value for integers, of the length in characters for strings.
    #[must_use]
    pub const fn at_least(self, least: i64) -> Self {
        match self {
            Self::Int { max, .. } => Self::Int { min: least, max },
            Self::Uint { max, .. } if least >= 0 => Self::Uint { min: least as u64, max },
            other => other,
        }
    }

    /// See [`at_least`](Self::at_least).
    #[must_use]
    pub const fn at_most(self, most: i64) -> Self {
        match self {
            Self::Int { min, .. } => Self::Int { min, max: most },
            Self::Uint { min, .. } if most >= 0 => Self::Uint { min, max: most as u64 },
            other => other,
        }
    }
}

/// What a string must be.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// Least length, in characters.
    pub min_len: u32,
    /// Greatest length, in characters.
    pub max_len: u32,
    /// A pattern of [`crate::dispatch::pattern`]; empty for none.
    pub pattern: &'static str,
    /// The only values allowed; empty for any.
    pub one_of: &'static [&'static str],
}

impl Text {
    /// Any string.
    pub const ANY: Self = Self { min_len: 0, max_len: u32::MAX, pattern: "", one_of: &[] };

    fn check(&self, token: &[u8]) -> Result<(), Kind> {
        if self.one_of.is_empty() && self.min_len == 0 && self.max_len == u32::MAX && self.pattern.is_empty()
        {
            return Ok(());
        }
        let text = text::content(token).ok_or(Kind::Utf8)?;
        if !self.one_of.is_empty() && !self.one_of.contains(&text) {
            return Err(Kind::Unknown);
        }
        if self.min_len > 0 || self.max_len < u32::MAX {
            // Characters are counted, as JSON Schema says: every byte but the continuation bytes.
            let chars = text.bytes().filter(|c| *c & 0xC0 != 0x80).count();
            if chars < self.min_len as usize || chars > self.max_len as usize {
                return Err(Kind::Length);
            }
        }
        if !self.pattern.is_empty() && !pattern::is_match(self.pattern, text) {
            return Err(Kind::Pattern);
        }
        Ok(())
    }
}

/// Which argument was refused, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The row of the table; of an unknown argument, none.
    pub arg: Option<usize>,
    /// Why; `at` counts from the start of the arguments' text.
    pub error: Error,
}

/// Finds and checks the value of every row of `args` in the softened object `text`, which was scanned before.
///
/// An empty `text` and `null` are the empty object: the three spellings of "no arguments" behave alike.
///
/// # Errors
/// The first argument that breaks its rule, is unknown, is there twice, or is missing.
pub fn check(args: &[Arg], text: &[u8], spans: &mut [Span]) -> Result<(), Refusal> {
    if at(text, 0) == b'{' {
        members(args, text, spans)?;
    }
    for (i, (arg, span)) in args.iter().zip(spans.iter()).enumerate() {
        if arg.required && span.is_absent() {
            return Err(Refusal { arg: Some(i), error: Error::new(Kind::Missing, 0) });
        }
    }
    Ok(())
}

fn members(args: &[Arg], b: &[u8], spans: &mut [Span]) -> Result<(), Refusal> {
    // Callers mostly send arguments in the order of the schema, so the search starts at the row after the last hit.
    let mut expected = 0;
    let mut i = blanks(b, 1);
    while !matches!(at(b, i), b'}' | 0) {
        let name_end = value_end(b, i);
        let name_at = i.wrapping_add(1);
        let name = content_bytes(part(b, i, name_end)).unwrap_or(b"");
        // Past the colon; the text was scanned before, so it is there.
        let start = blanks(b, blanks(b, name_end).wrapping_add(1));
        let end = value_end(b, start);
        i = blanks(b, end);
        if at(b, i) == b',' {
            i = blanks(b, i.wrapping_add(1));
        }
        let Some(row) = row_named(args, name, expected) else {
            return Err(Refusal { arg: None, error: Error::new(Kind::Unknown, name_at) });
        };
        expected = row.wrapping_add(1);
        let refuse = |kind| Err(Refusal { arg: Some(row), error: Error::new(kind, start) });
        let (Some(arg), Some(span)) = (args.get(row), spans.get_mut(row)) else { continue };
        if !span.is_absent() {
            return refuse(Kind::Duplicate);
        }
        // Many callers write null for "not given".
        if at(b, start) == b'n' && !arg.required {
            continue;
        }
        if let Err(kind) = check_one(&arg.rule, part(b, start, end)) {
            return refuse(kind);
        }
        *span = Span::new(start, end);
    }
    Ok(())
}

fn row_named(args: &[Arg], name: &[u8], expected: usize) -> Option<usize> {
    let is = |i: &usize| args.get(*i).is_some_and(|a| a.name.as_bytes() == name);
    if is(&expected) {
        return Some(expected);
    }
    (0..args.len()).find(is)
}

fn check_one(rule: &Rule, value: &[u8]) -> Result<(), Kind> {
    match (rule, at(value, 0)) {
        (Rule::Bool, b't' | b'f') | (Rule::Json(_), _) => Ok(()),
        (Rule::Int { min, max }, b'-' | b'0'..=b'9') => match num::to_i64(value)? {
            v if v < *min || v > *max => Err(Kind::Range),
            _ => Ok(()),
        },
        (Rule::Uint { min, max }, b'-' | b'0'..=b'9') => match num::to_u64(value)? {
            v if v < *min || v > *max => Err(Kind::Range),
            _ => Ok(()),
        },
        #[cfg(feature = "float")]
        (Rule::Float { min, max }, b'-' | b'0'..=b'9') => {
            let v = crate::json::float::to_f64(value)?;
            if v < *min || v > *max { Err(Kind::Range) } else { Ok(()) }
        }
        #[cfg(not(feature = "float"))]
        (Rule::Float {}, b'-' | b'0'..=b'9') => Ok(()),
        (Rule::Str(text), b'"' | SOFT) => text.check(value),
        _ => Err(Kind::Type),
    }
}

/// Says in words what a value of `rule` is, piece by piece.
pub(crate) fn describe(rule: &Rule, put: &mut dyn FnMut(&str)) {
    match rule {
        Rule::Bool => put("true or false"),
        Rule::Int { min, max } => {
            put("an integer");
            bound(*min != i64::MIN, " of at least ", &Number::Int(*min), put);
            bound(
                *max != i64::MAX,
                if *min == i64::MIN { " of at most " } else { " and at most " },
                &Number::Int(*max),
                put,
            );
        }
        Rule::Uint { min, max } => {
            put("an integer of at least ");
            Number::Uint(*min).put(put);
            bound(*max != u64::MAX, " and at most ", &Number::Uint(*max), put);
        }
        Rule::Float { .. } => put("a number"),
        Rule::Str(text) if !text.one_of.is_empty() => {
            put("one of ");
            for (i, name) in text.one_of.iter().enumerate() {
                if i > 0 {
                    put(", ");
                }
                put("\"");
                put(name);
                put("\"");
            }
        }
        Rule::Str(text) => {
            put("a string");
            bound(text.min_len > 0, " of at least ", &Number::Uint(text.min_len.into()), put);
            let most = if text.min_len > 0 { " and at most " } else { " of at most " };
            bound(text.max_len < u32::MAX, most, &Number::Uint(text.max_len.into()), put);
            if text.min_len > 0 || text.max_len < u32::MAX {
                put(" characters");
            }
            if !text.pattern.is_empty() {
                put(" matching ");
                put(text.pattern);
            }
        }
        Rule::Json(_) => put("a value of the listed schema"),
    }
}

enum Number {
    Int(i64),
    Uint(u64),
}

impl Number {
    fn put(&self, put: &mut dyn FnMut(&str)) {
        let size = match self {
            Self::Int(v) => {
                if *v < 0 {
                    put("-");
                }
                v.unsigned_abs()
            }
            Self::Uint(v) => *v,
        };
        let mut digits = [0; 20];
        put(crate::json::write::decimal_text(size, &mut digits));
    }
}

fn bound(there: bool, words: &str, value: &Number, put: &mut dyn FnMut(&str)) {
    if there {
        put(words);
        value.put(put);
    }
}
