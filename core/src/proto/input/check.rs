//! Whether the content of an accepted form is what its fields say, and the words when it is not.

use super::form::{Choice, Field, FieldKind};
use crate::bytes::{at, copy, part, part_mut};
use crate::json::num::{compare, to_i64};
use crate::json::scan::SOFT;
use crate::json::text::{content, content_bytes};
use crate::json::view::{Items, Members};
use crate::json::write::decimal_text;

/// Room for the words about one fault. Longer ones are cut.
const WORDS_MAX_BYTES: usize = 96;

/// A sentence that can be kept without the texts it was made of.
#[derive(Clone, Copy)]
pub(super) struct Words {
    bytes: [u8; WORDS_MAX_BYTES],
    len: u8,
    cut: bool,
}

impl Words {
    pub const NONE: Self = Self { bytes: [0; WORDS_MAX_BYTES], len: 0, cut: false };

    pub fn of(text: &str) -> Self {
        let mut words = Self::NONE;
        words.add(text);
        words
    }

    pub fn add(&mut self, text: &str) {
        let from = usize::from(self.len);
        let added = copy(part_mut(&mut self.bytes, from, WORDS_MAX_BYTES), text.as_bytes());
        // Half a character at the end is left out when it is shown.
        self.len = from.wrapping_add(added) as u8;
        self.cut |= added < text.len();
    }

    /// Hands the words on, and a mark if some did not fit.
    pub fn put(&self, put: &mut dyn FnMut(&str)) {
        let whole = part(&self.bytes, 0, self.len.into());
        let fits = match core::str::from_utf8(whole) {
            Ok(text) => text,
            Err(e) => core::str::from_utf8(part(whole, 0, e.valid_up_to())).unwrap_or(""),
        };
        put(fits);
        if self.cut {
            put("…");
        }
    }
}

/// What is wrong with the object `form` as an answer to `fields`.
///
/// Members that are no fields are nobody's business; `null` is how some clients leave an optional field empty.
pub(super) fn fault(fields: &[Field<'_>], form: &[u8]) -> Option<Words> {
    for field in fields {
        let mut values = Members::of(form).named(field.name);
        let value = values.next().unwrap_or(b"null");
        if values.next().is_some() {
            return Some(twice(field.name));
        }
        let wrong = match value {
            b"null" if field.required => " is missing: it must be ",
            b"null" => continue,
            value if fits(&field.kind, value) => continue,
            _ => " must be ",
        };
        let mut words = named(field.name, wrong);
        describe(&field.kind, &mut |piece| words.add(piece));
        return Some(words);
    }
    None
}

/// Of two values, others may have read the other one.
pub(super) fn twice(name: &str) -> Words {
    named(name, " is there twice")
}

fn named(name: &str, wrong: &str) -> Words {
    let mut words = Words::of("\"");
    for piece in [name, "\"", wrong] {
        words.add(piece);
    }
    words
}

fn fits(kind: &FieldKind<'_>, value: &[u8]) -> bool {
    let number = matches!(at(value, 0), b'-' | b'0'..=b'9');
    match *kind {
        FieldKind::Text { min, max, .. } => content(value).is_some_and(|text| {
            // Characters are counted, as JSON Schema says: every byte but the continuation bytes.
            within(text.bytes().filter(|c| *c & 0xC0 != 0x80).count(), min, max)
        }),
        FieldKind::Integer { min, max, .. } => number && to_i64(value).is_ok_and(|v| min <= v && v <= max),
        FieldKind::Number { min, max, .. } => {
            let above = min.is_empty() || compare(value, min.as_bytes()).is_ge();
            let below = max.is_empty() || compare(value, max.as_bytes()).is_le();
            number && above && below
        }
        FieldKind::Boolean { .. } => matches!(at(value, 0), b't' | b'f'),
        FieldKind::OneOf { choices, .. } => is_choice(choices, value),
        FieldKind::ManyOf { choices, min, max, .. } => {
            at(value, 0) == b'['
                && within(Items::of(value).count(), min, max)
                && Items::of(value).all(|item| is_choice(choices, item))
        }
    }
}

fn within(count: usize, min: u32, max: u32) -> bool {
    count >= min as usize && (max == u32::MAX || count <= max as usize)
}

fn is_choice(choices: &[Choice<'_>], value: &[u8]) -> bool {
    let text = content_bytes(value);
    matches!(at(value, 0), b'"' | SOFT) && choices.iter().any(|c| Some(c.value.as_bytes()) == text)
}

fn describe(kind: &FieldKind<'_>, put: &mut dyn FnMut(&str)) {
    match *kind {
        FieldKind::Text { min, max, .. } => {
            put("a text");
            counts(min, max, " characters", put);
        }
        FieldKind::Integer { min, max, .. } => {
            put("an integer");
            bounds((min != i64::MIN).then_some(min), (max != i64::MAX).then_some(max), put, integer);
        }
        FieldKind::Number { min, max, .. } => {
            put("a number");
            let some = |text| Some(text).filter(|t: &&str| !t.is_empty());
            bounds(some(min), some(max), put, |text, put| put(text));
        }
        FieldKind::Boolean { .. } => put("true or false"),
        FieldKind::OneOf { choices, .. } => {
            put("one of ");
            listed(choices, put);
        }
        FieldKind::ManyOf { choices, min, max, .. } => {
            put("an array");
            counts(min, max, "", put);
            put(" of ");
            listed(choices, put);
        }
    }
}

fn counts(min: u32, max: u32, unit: &str, put: &mut dyn FnMut(&str)) {
    let (least, most) = (Some(min).filter(|n| *n > 0), Some(max).filter(|n| *n < u32::MAX));
    bounds(least, most, put, |n, put| integer(i64::from(n), put));
    if least.is_some() || most.is_some() {
        put(unit);
    }
}

fn bounds<T: Copy>(
    least: Option<T>,
    most: Option<T>,
    put: &mut dyn FnMut(&str),
    show: impl Fn(T, &mut dyn FnMut(&str)),
) {
    if let Some(least) = least {
        put(" of at least ");
        show(least, put);
    }
    if let Some(most) = most {
        put(if least.is_some() { " and at most " } else { " of at most " });
        show(most, put);
    }
}

fn integer(value: i64, put: &mut dyn FnMut(&str)) {
    if value < 0 {
        put("-");
    }
    put(decimal_text(value.unsigned_abs(), &mut [0; 20]));
}

fn listed(choices: &[Choice<'_>], put: &mut dyn FnMut(&str)) {
    for (i, choice) in choices.iter().enumerate() {
        put(if i > 0 { ", \"" } else { "\"" });
        put(choice.value);
        put("\"");
    }
}
