//! The members and elements of a value that was scanned and softened before, one by one and without a copy.

use super::scan::SOFT;
use super::text::{content, content_bytes, value_end};
use crate::bytes::{at, blanks, part};

/// The members of an object, `(name, value)`; none if it is no object.
///
/// # Memory
/// Borrows the text. Every step reads the member it passes once.
#[derive(Clone, Copy)]
pub struct Members<'e> {
    b: &'e [u8],
    at: usize,
}

impl<'e> Members<'e> {
    /// The members of `object`, which was scanned before and [softened](super::text::soften).
    pub fn of(object: &'e [u8]) -> Self {
        let start = if at(object, 0) == b'{' { blanks(object, 1) } else { object.len() };
        Self { b: object, at: start }
    }

    /// The value of the member `name`; its first one, if it stands there twice.
    pub fn get(self, name: &str) -> Option<&'e [u8]> {
        self.named(name).next()
    }

    /// Every value that stands under `name`.
    pub fn named(self, name: &str) -> impl Iterator<Item = &'e [u8]> {
        self.filter(move |(n, _)| *n == name.as_bytes()).map(|(_, value)| value)
    }

    /// The text of the member `name`, if it is a string.
    pub fn text(self, name: &str) -> Option<&'e str> {
        content(self.get(name)?)
    }

    /// The members of the member `name`; none if it is no object.
    pub fn object(self, name: &str) -> Members<'e> {
        Members::of(self.get(name).unwrap_or(b""))
    }

    /// The elements of the member `name`; none if it is no array.
    pub fn items(self, name: &str) -> Items<'e> {
        Items::of(self.get(name).unwrap_or(b""))
    }

    /// Whether the member `name` is `true`.
    pub fn is_true(self, name: &str) -> bool {
        self.get(name) == Some(b"true")
    }
}

impl<'e> Iterator for Members<'e> {
    type Item = (&'e [u8], &'e [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if !matches!(at(self.b, self.at), b'"' | SOFT) {
            return None;
        }
        let name_end = value_end(self.b, self.at);
        let name = content_bytes(part(self.b, self.at, name_end)).unwrap_or(b"");
        // Past the colon, which is there: the text was scanned.
        let start = blanks(self.b, blanks(self.b, name_end).wrapping_add(1));
        let end = value_end(self.b, start);
        self.at = after_comma(self.b, end);
        Some((name, part(self.b, start, end)))
    }
}

/// The elements of an array; none if it is no array.
#[derive(Clone, Copy)]
pub struct Items<'e> {
    b: &'e [u8],
    at: usize,
}

impl<'e> Items<'e> {
    /// The elements of `array`, which was scanned before and [softened](super::text::soften).
    pub fn of(array: &'e [u8]) -> Self {
        let start = if at(array, 0) == b'[' { blanks(array, 1) } else { array.len() };
        Self { b: array, at: start }
    }
}

impl<'e> Iterator for Items<'e> {
    type Item = &'e [u8];

    fn next(&mut self) -> Option<&'e [u8]> {
        if matches!(at(self.b, self.at), b']' | 0) {
            return None;
        }
        let (start, end) = (self.at, value_end(self.b, self.at));
        if end <= start {
            return None;
        }
        self.at = after_comma(self.b, end);
        Some(part(self.b, start, end))
    }
}

fn after_comma(b: &[u8], end: usize) -> usize {
    let i = blanks(b, end);
    if at(b, i) == b',' { blanks(b, i.wrapping_add(1)) } else { i }
}
