//! Forms that fill themselves in, and how answers are written.

use super::event::Given;
use crate::bytes::{at, blanks, part};
use crate::json::Writer;
use crate::json::scan::{SOFT, Scan, Token};
use crate::json::text::{self, same, spell};
use crate::rpc::params::{Asked, Span};

/// The member of the object at `object` of `b` that begins at byte `from` or behind it: its name, its value, and where
/// the next one is looked for. What was handed out of the text may be softened.
pub(super) fn member_at(b: &[u8], from: usize, object: Span) -> Option<(Span, Span, usize)> {
    let mut start = blanks(b, from);
    if matches!(at(b, start), b'{' | b',') {
        start = blanks(b, start.wrapping_add(1));
    }
    if object.is_absent() || start >= object.to() || !matches!(at(b, start), b'"' | SOFT) {
        return None;
    }
    let mut scan = Scan::value(start);
    scan.next(b);
    let key = Span::new(start, scan.pos());
    let value = blanks(b, blanks(b, scan.pos()).wrapping_add(1));
    let mut scan = Scan::value(value);
    let token = scan.next(b);
    scan.skip(b, token).then(|| (key, Span::new(value, scan.pos()), scan.pos()))
}

/// Writes an object of what the schema at `schema` of `b` fills in by itself (client/elicitation: clients that support
/// defaults should).
pub(super) fn write_defaults(w: &mut Writer<'_>, b: &[u8], schema: Span) {
    let properties = Asked::of(b, schema).properties;
    let mut next = properties.from();
    w.object();
    while let Some((name, property, end)) = member_at(b, next, properties) {
        next = end;
        let default = Asked::of(b, property).default;
        if !default.is_absent() {
            w.raw_key(name.of(b));
            w.put(b":");
            w.set_comma(false);
            w.value(default.of(b));
        }
    }
    w.close();
}

/// Writes the result that answers a question, and into an accepted form what `defaults` has for it.
pub(super) fn write_answer(w: &mut Writer<'_>, given: &Given<'_>, defaults: &[u8]) {
    match given {
        Given::Result(json) => w.value(json.get()),
        Given::Accept(content) => {
            w.object();
            w.member("action", "accept");
            if !defaults.is_empty() {
                w.key("content");
                write_filled(w, content.get(), defaults);
            }
            w.close();
        }
        Given::Decline => w.raw(b"{\"action\":\"decline\"}"),
        Given::Cancel | Given::Error(..) => w.raw(b"{\"action\":\"cancel\"}"),
    }
}

/// Writes the object `content`, and of the object `defaults` what it leaves out.
fn write_filled(w: &mut Writer<'_>, content: &[u8], defaults: &[u8]) {
    w.object();
    for (object, only_new) in [(content, false), (defaults, true)] {
        let whole = Span::new(blanks(object, 0), object.len());
        let mut next = whole.from();
        while let Some((name, value, end)) = member_at(object, next, whole) {
            next = end;
            if only_new && has_member(content, name.of(object)) {
                continue;
            }
            match (name.of(object), text::content(name.of(object))) {
                (&[SOFT, ..], Some(text)) => w.key(text),
                (name, _) => {
                    w.raw_key(name);
                    w.put(b":");
                    w.set_comma(false);
                }
            }
            w.value(value.of(object));
        }
    }
    w.close();
}

/// Whether `object` has a member of that name, in any spelling.
fn has_member(object: &[u8], name: &[u8]) -> bool {
    let mut room = [0; 64];
    let name = spell(part(name, 1, name.len().saturating_sub(1)), &mut room);
    let mut scan = Scan::value(0);
    loop {
        match scan.next(object) {
            Token::Key if scan.depth() == 1 && same(object, scan.start(), scan.end(), name) => return true,
            Token::End | Token::Error => return false,
            _ => {}
        }
    }
}
