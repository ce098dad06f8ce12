//! Strings: compared, unescaped in place, and read again.

use super::chars::{Run, escape_len, hex4, plain, short_end, until_fill};
use super::scan::{FILL, SOFT, Scan, Token};
use crate::bytes::{WORD, at, chunk, copy, find, part};

/// Whether the string content `b[start..end]`, escapes and all, is the text `name`.
pub fn same(b: &[u8], start: usize, end: usize, name: &[u8]) -> bool {
    let raw = part(b, start, end);
    if raw.len() == name.len() {
        // An escape is longer than what it stands for, so equal lengths mean no escapes or no match.
        return raw == name;
    }
    raw.len() > name.len() && same_escaped(raw, name)
}

#[cold]
fn same_escaped(raw: &[u8], name: &[u8]) -> bool {
    let (mut i, mut k) = (0, 0);
    while i < raw.len() {
        let mut utf8 = [0; 4];
        let n = decode(raw, i, &mut utf8);
        let piece = part(&utf8, 0, n.text);
        if part(name, k, k.wrapping_add(n.text)) != piece {
            return false;
        }
        i = i.wrapping_add(n.raw);
        k = k.wrapping_add(n.text);
    }
    k == name.len()
}

/// What the string content `raw` stands for, written into `room`; `raw` itself when that is too small.
#[cold]
#[inline(never)]
pub(crate) fn spell<'r>(raw: &'r [u8], room: &'r mut [u8]) -> &'r [u8] {
    let (mut read, mut len) = (0, 0_usize);
    while read < raw.len() {
        let mut utf8 = [0; 4];
        let n = decode(raw, read, &mut utf8);
        let end = len.wrapping_add(n.text);
        let Some(place) = room.get_mut(len..end) else { return raw };
        copy(place, part(&utf8, 0, n.text));
        read = read.wrapping_add(n.raw);
        len = end;
    }
    part(room, 0, len)
}

struct Step {
    raw: usize,
    text: usize,
}

/// The character at `i` of a string's raw content, as UTF-8, with what it took there and takes as text.
fn decode(raw: &[u8], i: usize, utf8: &mut [u8; 4]) -> Step {
    let c = at(raw, i);
    let [first, ..] = utf8;
    *first = c;
    if c != b'\\' {
        return Step { raw: 1, text: 1 };
    }
    let len = escape_len(raw, i);
    *first = match at(raw, i.wrapping_add(1)) {
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'u' => {
            let high = hex4(raw, i.wrapping_add(2)) as u32;
            let code = match len {
                12 => 0x1_0000_u32
                    .wrapping_add(high.wrapping_sub(0xD800) << 10)
                    .wrapping_add((hex4(raw, i.wrapping_add(8)) as u32).wrapping_sub(0xDC00)),
                _ => high,
            };
            return Step { raw: len.max(1), text: encode(code, utf8) };
        }
        other => other,
    };
    Step { raw: len.max(1), text: 1 }
}

/// `char::encode_utf8` keeps a panic path for short buffers; four bytes always do.
fn encode(code: u32, [a, b, c, d]: &mut [u8; 4]) -> usize {
    let low = |shift: u32| 0x80 | ((code >> shift) as u8 & 0x3F);
    match code {
        0..0x80 => {
            *a = code as u8;
            1
        }
        0x80..0x800 => {
            *a = 0xC0 | (code >> 6) as u8;
            *b = low(0);
            2
        }
        0x800..0x1_0000 => {
            *a = 0xE0 | (code >> 12) as u8;
            (*b, *c) = (low(6), low(0));
            3
        }
        _ => {
            *a = 0xF0 | (code >> 18) as u8 & 7;
            (*b, *c, *d) = (low(12), low(6), low(0));
            4
        }
    }
}

/// Hands `c` on as text.
pub(super) fn with_char(c: char, put: impl FnOnce(&str)) {
    let mut utf8 = [0; 4];
    let len = encode(u32::from(c), &mut utf8);
    put(core::str::from_utf8(part(&utf8, 0, len)).unwrap_or(""));
}

/// Unescapes the string content `b[start..end]` where it stands: `"a\nb"` becomes `SOFT a LF b FILL "`.
///
/// The text always fits: every escape is longer than what it stands for, and the opening quote makes room for the mark.
fn unescape(b: &mut [u8], start: usize, end: usize) {
    let (mut read, mut write) = (start, start);
    while read < end {
        // Scanned before, so a run ends at a backslash or at the closing quote.
        let run = plain(b, Run { at: read, high: 0 }).at.min(end).wrapping_sub(read);
        move_down(b, read, write, run);
        read = read.wrapping_add(run);
        write = write.wrapping_add(run);
        if read < end {
            let mut utf8 = [0; 4];
            let n = decode(part(b, 0, end), read, &mut utf8);
            for (k, byte) in part(&utf8, 0, n.text).iter().enumerate() {
                set(b, write.wrapping_add(k), *byte);
            }
            read = read.wrapping_add(n.raw);
            write = write.wrapping_add(n.text);
        }
    }
    if let Some(rest) = b.get_mut(write..end) {
        rest.fill(FILL);
    }
    set(b, start.wrapping_sub(1), SOFT);
}

/// Moves `len` bytes from `read` to `write`, which is not above it.
fn move_down(b: &mut [u8], read: usize, write: usize, len: usize) {
    if read == write {
        return;
    }
    let mut done = 0;
    // A word is read before any of its bytes is overwritten, however small the gap is.
    while len.wrapping_sub(done) >= WORD {
        let Some(word) = chunk::<WORD>(b, read.wrapping_add(done)).copied() else { return };
        let room = b.get_mut(write.wrapping_add(done)..).and_then(|room| room.first_chunk_mut());
        let Some(room) = room else { return };
        *room = word;
        done = done.wrapping_add(WORD);
    }
    while done < len {
        let byte = at(b, read.wrapping_add(done));
        set(b, write.wrapping_add(done), byte);
        done = done.wrapping_add(1);
    }
}

fn set(b: &mut [u8], i: usize, byte: u8) {
    if let Some(place) = b.get_mut(i) {
        *place = byte;
    }
}

/// Unescapes every string of the value at the front of `b`, names included, so that from here on the text is read
/// through shared borrows: [`content`] of any string token is its text.
///
/// `b` must hold a value that was scanned before; doing it twice changes nothing. Afterwards the value is no JSON text
/// any more: pass it on only through [`Writer::value`](super::Writer::value), which escapes anew.
pub fn soften(b: &mut [u8]) {
    let mut scan = Scan::value(0);
    loop {
        match scan.next(b) {
            Token::End | Token::Error => return,
            Token::Key | Token::Str if scan.marked() => unescape(b, scan.start(), scan.end()),
            _ => {}
        }
    }
}

/// Where the value that starts at byte `start` of `b` ends, in a text that was scanned before, softened or not: nothing is
/// checked again, and a plain string costs a search for its quote.
pub(crate) fn value_end(b: &[u8], start: usize) -> usize {
    match at(b, start) {
        b'"' | SOFT => string_end(b, start),
        b'{' | b'[' => container_end(b, start),
        _ => {
            let mut i = start;
            while !matches!(at(b, i), 0 | b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r') {
                i = i.wrapping_add(1);
            }
            i
        }
    }
}

/// Where the string ends whose opening quote is at `start`, its closing quote included.
fn string_end(b: &[u8], start: usize) -> usize {
    let from = start.wrapping_add(1);
    if at(b, start) == SOFT {
        // Quotes may stand in the text; behind it there is filler, and then the closing quote.
        let mut i = until_fill(b, from);
        while at(b, i) == FILL {
            i = i.wrapping_add(1);
        }
        return i.wrapping_add(1).min(b.len());
    }
    let mut i = match short_end(b, from) {
        0 => plain(b, Run { at: from, high: 0 }).at,
        end => end,
    };
    while at(b, i) == b'\\' {
        i = plain(b, Run { at: i.wrapping_add(2), high: 0 }).at;
    }
    i.wrapping_add(1).min(b.len())
}

/// Where the container ends that begins at `start`. Only strings and brackets are looked at: that they match is known.
fn container_end(b: &[u8], start: usize) -> usize {
    let (mut i, mut depth) = (start, 0_usize);
    while i < b.len() {
        match at(b, i) {
            b'"' | SOFT => {
                i = string_end(b, i);
                continue;
            }
            b'{' | b'[' => depth = depth.wrapping_add(1),
            b'}' | b']' if depth <= 1 => return i.wrapping_add(1),
            b'}' | b']' => depth = depth.wrapping_sub(1),
            _ => {}
        }
        i = i.wrapping_add(1);
    }
    b.len()
}

/// The text of one whole string token, quotes included, that is plain or softened; `None` for anything else.
#[inline]
pub fn content(token: &[u8]) -> Option<&str> {
    content_bytes(token).and_then(|text| core::str::from_utf8(text).ok())
}

/// [`content`] as bytes, for comparisons that need no `str`.
pub fn content_bytes(token: &[u8]) -> Option<&[u8]> {
    match token {
        [b'"', text @ .., b'"'] => Some(text),
        [SOFT, text @ .., b'"'] => {
            let len = find(text, FILL).unwrap_or(text.len());
            Some(part(text, 0, len))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::part_mut;
    use std::string::String;
    use std::vec::Vec;

    #[test]
    fn unescaped_text_reads_the_same_twice() {
        for (raw, want) in [
            (&br#""a\nb""#[..], "a\nb"),
            (br#""\ud83d\ude00\u00e9\u6f22""#, "\u{1F600}é漢"),
            (br#""\\\"\/\b\f\t\r""#, "\\\"/\u{8}\u{c}\t\r"),
            (br#""\u0000""#, "\0"),
            (br#""plain""#, "plain"),
        ] {
            let mut b: Vec<u8> = raw.to_vec();
            soften(&mut b);
            assert_eq!(content(&b), Some(want));
            soften(&mut b);
            assert_eq!(content(&b), Some(want));
            assert!(same(raw, 1, raw.len() - 1, want.as_bytes()));
            assert!(!same(raw, 1, raw.len() - 1, b"other"));
            let text = part(raw, 1, raw.len() - 1);
            assert_eq!(spell(text, &mut [0; 16]), want.as_bytes());
            assert_eq!(spell(text, &mut []), text);
        }
    }

    #[test]
    fn ends_are_found_without_a_scan() {
        for text in [
            "\"\"",
            "\"a\\\\\"",
            "\"a long string, longer than a few words are, and then \\\" a quote\"",
            "{\"a\":{\"b]\":[\"}{\",{\"c\":\"\\\\\\\"\"}]},\"d\":-1.5e3}",
            "[[],{},[[\"x\"]]]",
            "null",
            "-12",
        ] {
            for tail in ["", ",", "]{}", " {}"] {
                let mut b = std::format!("[{text}{tail}").into_bytes();
                assert_eq!(value_end(&b, 1), text.len() + 1, "{text}{tail}");
                soften(part_mut(&mut b, 1, text.len() + 1));
                assert_eq!(value_end(&b, 1), text.len() + 1, "{text}{tail}, softened");
            }
        }
        for broken in ["\"", "{", "[\"", "{\"a\\", "}}"] {
            assert!(value_end(broken.as_bytes(), 0) <= broken.len());
        }
    }

    #[test]
    fn names_are_softened_too() {
        let mut b: Vec<u8> = br#"{"a\u0062":["\n"]}"#.to_vec();
        soften(&mut b);
        let mut scan = Scan::value(0);
        let mut seen = String::new();
        loop {
            match scan.next(&b) {
                Token::End => break,
                Token::Key | Token::Str => {
                    seen.push_str(core::str::from_utf8(part(&b, scan.start(), scan.end())).unwrap_or("?"));
                }
                Token::Error => unreachable!("{:?}", scan.error()),
                _ => {}
            }
        }
        assert_eq!(seen, "ab\n");
    }
}
