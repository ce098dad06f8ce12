//! Forms that fill themselves in, and how answers are written.

use super::event::Given;
use crate::bytes::{blanks, part};
use crate::json::Writer;
use crate::json::scan::{SOFT, Scan, Token};
use crate::json::text::{content, same, spell};
use crate::rpc::params::{Asked, Span, member_at};

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
            write_member(w, name.of(b), default.of(b));
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

/// Writes the object `given`, and of the object `defaults` what it leaves out.
fn write_filled(w: &mut Writer<'_>, given: &[u8], defaults: &[u8]) {
    w.object();
    for (object, only_new) in [(given, false), (defaults, true)] {
        let whole = Span::new(blanks(object, 0), object.len());
        let mut next = whole.from();
        while let Some((name, value, end)) = member_at(object, next, whole) {
            next = end;
            if only_new && has_member(given, name.of(object)) {
                continue;
            }
            write_member(w, name.of(object), value.of(object));
        }
    }
    w.close();
}

/// Writes a member whose name and value are tokens that may be softened.
pub(super) fn write_member(w: &mut Writer<'_>, name: &[u8], value: &[u8]) {
    match (name, content(name)) {
        (&[SOFT, ..], Some(text)) => w.key(text),
        _ => {
            w.raw_key(name);
            w.put(b":");
            w.set_comma(false);
        }
    }
    w.value(value);
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
