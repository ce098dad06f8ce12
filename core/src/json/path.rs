//! Where in a value a byte lies, in words: `lamp.colors[2].red`.

use super::scan::{Scan, Token};
use crate::bytes::part;
use crate::json::write::decimal;

/// Levels that are named; what lies deeper is named by its 32nd container. Bounds the stack, at four bytes a level.
const LEVELS: usize = 32;

/// Bytes of one member's name that are shown: a peer chooses them, and an error is no place for a megabyte.
const NAME_MAX_BYTES: usize = 64;

/// Hands the path of the innermost member or element that holds byte `at` of `value` to `put`, in pieces.
///
/// `value` is one scanned value, softened or not. The path of the value itself is empty. Takes time linear in `at`.
pub fn write_path(value: &[u8], at: usize, put: &mut impl FnMut(&str)) {
    let mut trail = Trail { levels: [0; LEVELS], objects: 0 };
    let mut scan = Scan::value(0);
    let depth = loop {
        let outer = scan.depth();
        let token = scan.next(value);
        if matches!(token, Token::Error | Token::End) {
            break outer;
        }
        if let Token::Key = token {
            trail.name(outer, scan.start());
        } else if !matches!(token, Token::EndObject | Token::EndArray) {
            trail.element(outer);
        }
        if scan.pos() > at {
            // A closing bracket belongs to its container, not to the last member.
            break outer.min(scan.depth());
        }
        match token {
            Token::BeginObject => trail.enter(outer, true),
            Token::BeginArray => trail.enter(outer, false),
            _ => {}
        }
    };
    trail.write(value, depth, put);
}

/// For each open container, the place of its current member's name plus one, or the number of its current element.
struct Trail {
    levels: [u32; LEVELS],
    objects: u32,
}

impl Trail {
    fn enter(&mut self, depth: u8, object: bool) {
        let Some(level) = self.levels.get_mut(usize::from(depth)) else { return };
        *level = 0;
        let bit = 1_u32.wrapping_shl(u32::from(depth));
        self.objects = if object { self.objects | bit } else { self.objects & !bit };
    }

    fn is_object(&self, level: usize) -> bool {
        self.objects.wrapping_shr(level as u32) & 1 == 1
    }

    fn name(&mut self, depth: u8, start: usize) {
        let level = usize::from(depth).wrapping_sub(1);
        if let Some(place) = self.levels.get_mut(level) {
            *place = start as u32;
        }
    }

    fn element(&mut self, depth: u8) {
        let level = usize::from(depth).wrapping_sub(1);
        if self.is_object(level) {
            return;
        }
        if let Some(place) = self.levels.get_mut(level) {
            *place = place.wrapping_add(1);
        }
    }

    fn write(&self, value: &[u8], depth: u8, put: &mut impl FnMut(&str)) {
        for (level, place) in self.levels.iter().enumerate().take(usize::from(depth)) {
            match (self.is_object(level), *place) {
                (_, 0) => return,
                (true, start) => {
                    if level > 0 {
                        put(".");
                    }
                    write_name(value, start as usize, put);
                }
                (false, count) => {
                    let mut digits = [0; 20];
                    let digits = decimal(u64::from(count.wrapping_sub(1)), &mut digits);
                    put("[");
                    put(core::str::from_utf8(digits).unwrap_or(""));
                    put("]");
                }
            }
        }
    }
}

fn write_name(value: &[u8], start: usize, put: &mut impl FnMut(&str)) {
    let mut scan = Scan::value(start.wrapping_sub(1));
    scan.next(value);
    let Ok(name) = core::str::from_utf8(part(value, scan.start(), scan.end())) else { return };
    let mut len = NAME_MAX_BYTES;
    while name.len() > len && !name.is_char_boundary(len) {
        len = len.wrapping_sub(1);
    }
    match name.get(..len) {
        Some(head) => {
            put(head);
            put("…");
        }
        None => put(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;

    fn path(value: &str, at: usize) -> String {
        let mut path = String::new();
        write_path(value.as_bytes(), at, &mut |piece| path.push_str(piece));
        path
    }

    #[test]
    fn every_byte_has_its_path() {
        let value = r#"{"lamp": {"on":true,"colors":[1,{"b":2},{"red":"x"}]},"z":[[],[7]]}"#;
        let of = |text: &str| path(value, value.find(text).unwrap());
        assert_eq!(path(value, 0), "");
        assert_eq!(of("\"lamp"), "lamp");
        assert_eq!(of("{\"on"), "lamp");
        assert_eq!(of("true"), "lamp.on");
        assert_eq!(of("[1"), "lamp.colors");
        assert_eq!(of("1,"), "lamp.colors[0]");
        assert_eq!(of("2}"), "lamp.colors[1].b");
        assert_eq!(of("{\"red"), "lamp.colors[2]");
        assert_eq!(of("\"x"), "lamp.colors[2].red");
        assert_eq!(of("[]"), "z[0]");
        assert_eq!(of("7"), "z[1][0]");
        assert_eq!(of("]}"), "lamp.colors");
        assert_eq!(path(value, 10_000), "");
    }

    #[test]
    fn deep_and_long_paths_are_cut() {
        let deep = "[".repeat(100) + "1" + &"]".repeat(100);
        assert_eq!(path(&deep, 100), "[0]".repeat(LEVELS));
        let long = std::format!("{{\"{}\":1}}", "é".repeat(1000));
        assert_eq!(path(&long, 2004), "é".repeat(32) + "…");
    }
}
