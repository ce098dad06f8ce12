//! A push writer: commas, quotes, escapes and nesting are its business.

use super::scan::{Scan, Token};
use super::text::content;
use crate::bytes::{WORD, at, chunk, part};
use crate::sink::Sink;

/// Writes JSON onto a [`Sink`]. Never fails at the call; the sink remembers what did not fit.
pub struct Writer<'e> {
    sink: Sink<'e>,
    nest: u128,
    depth: u8,
    comma: bool,
    quoted: bool,
}

impl<'e> Writer<'e> {
    /// A writer that starts with a value.
    #[inline]
    pub fn new(sink: Sink<'e>) -> Self {
        Self { sink, nest: 0, depth: 0, comma: false, quoted: false }
    }

    /// The sink below.
    #[inline]
    pub fn sink(&mut self) -> &mut Sink<'e> {
        &mut self.sink
    }

    /// The same place for a shorter time. Containers opened there must be closed there.
    pub fn reborrow(&mut self) -> Writer<'_> {
        Writer { sink: self.sink.reborrow(), nest: 0, depth: 0, comma: self.comma, quoted: self.quoted }
    }

    /// Adds bytes as they are: text that is part of the layout, not of a value.
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        if self.quoted {
            return escape(bytes, &mut |b| self.sink.put(b));
        }
        self.sink.put(bytes);
    }

    /// Says whether the next value or name needs a comma before it, after text added by [`put`](Self::put).
    #[inline]
    pub fn set_comma(&mut self, comma: bool) {
        self.comma = comma;
    }

    /// Opens an object.
    pub fn object(&mut self) {
        self.open(true);
    }

    /// Opens an array.
    pub fn array(&mut self) {
        self.open(false);
    }

    fn open(&mut self, object: bool) {
        self.lead();
        self.put(if object { b"{" } else { b"[" });
        // The bits beyond the top fall off; a writer that deep only ever echoes what a scanner let in.
        self.nest = (self.nest << 1) | u128::from(object);
        self.depth = self.depth.saturating_add(1);
        self.comma = false;
    }

    /// Closes what was opened last; does nothing when nothing is open.
    pub fn close(&mut self) {
        if self.depth == 0 {
            return;
        }
        self.put(if self.nest & 1 == 1 { b"}" } else { b"]" });
        self.nest >>= 1;
        self.depth = self.depth.wrapping_sub(1);
        self.comma = true;
    }

    /// Closes all that is open: what was written so far becomes a whole value, at any point between two values.
    pub fn close_all(&mut self) {
        while self.depth > 0 {
            self.close();
        }
    }

    /// How many containers are open.
    pub fn depth(&self) -> u8 {
        self.depth
    }

    /// Starts a member.
    pub fn key(&mut self, name: &str) {
        self.lead();
        self.quote(name.as_bytes());
        self.put(b":");
        self.comma = false;
    }

    /// Starts a member whose name is JSON text already, quotes and colon included: `"name":`.
    #[inline]
    pub fn raw_key(&mut self, name: &[u8]) {
        self.lead();
        self.put(name);
        self.comma = false;
    }

    /// Adds a string.
    pub fn str(&mut self, text: &str) {
        self.lead();
        self.quote(text.as_bytes());
        self.comma = true;
    }

    /// Adds a member that is a string.
    pub fn member(&mut self, name: &str, text: &str) {
        self.key(name);
        self.str(text);
    }

    /// Adds a value that is valid JSON text already.
    #[inline]
    pub fn raw(&mut self, json: &[u8]) {
        self.lead();
        self.put(json);
        self.comma = true;
    }

    /// Adds `true` or `false`.
    pub fn bool(&mut self, value: bool) {
        self.raw(if value { b"true" } else { b"false" });
    }

    /// Adds `null`.
    pub fn null(&mut self) {
        self.raw(b"null");
    }

    /// Adds an unsigned integer.
    pub fn u64(&mut self, value: u64) {
        let mut digits = [0; 20];
        self.raw(decimal(value, &mut digits));
    }

    /// Adds an integer.
    pub fn i64(&mut self, value: i64) {
        self.lead();
        if value < 0 {
            self.put(b"-");
        }
        self.comma = false;
        self.u64(value.unsigned_abs());
    }

    /// Opens a string that is written piece by piece with [`text`](Self::text).
    pub fn begin_str(&mut self) {
        self.lead();
        self.put(b"\"");
    }

    /// Adds a piece to the open string.
    pub fn text(&mut self, piece: &str) {
        if self.quoted {
            return escape(piece.as_bytes(), &mut |b| escape(b, &mut |b| self.sink.put(b)));
        }
        escape(piece.as_bytes(), &mut |b| self.sink.put(b));
    }

    /// Closes the open string.
    pub fn end_str(&mut self) {
        self.put(b"\"");
        self.comma = true;
    }

    /// Writes whatever `write` writes as the text of one JSON string: the text twin of structured content.
    pub fn twin(&mut self, write: impl FnOnce(&mut Writer<'_>)) {
        self.begin_str();
        let quoted = core::mem::replace(&mut self.quoted, true);
        let mut inner = self.reborrow();
        inner.comma = false;
        write(&mut inner);
        self.quoted = quoted;
        self.end_str();
    }

    /// Adds a value that was scanned before and may be softened (see [`super::text::soften`]): strings are escaped anew.
    pub fn value(&mut self, b: &[u8]) {
        let mut scan = Scan::value(0);
        loop {
            let token = scan.next(b);
            let text = part(b, scan.start(), scan.end());
            match token {
                Token::End | Token::Error => return,
                Token::BeginObject => self.object(),
                Token::BeginArray => self.array(),
                Token::EndObject | Token::EndArray => self.close(),
                Token::Key | Token::Str => self.string(b, &scan, token),
                _ => self.raw(text),
            }
        }
    }

    fn string(&mut self, b: &[u8], scan: &Scan, token: Token) {
        let whole = part(b, scan.start().wrapping_sub(1), scan.pos());
        self.lead();
        match content(whole) {
            Some(text) if !scan.marked() => self.quote(text.as_bytes()),
            _ => {
                self.put(b"\"");
                self.put(part(b, scan.start(), scan.end()));
                self.put(b"\"");
            }
        }
        self.comma = true;
        if token == Token::Key {
            self.put(b":");
            self.comma = false;
        }
    }

    #[inline]
    fn lead(&mut self) {
        if self.comma {
            self.put(b",");
        }
    }

    fn quote(&mut self, text: &[u8]) {
        self.put(b"\"");
        if self.quoted {
            escape(text, &mut |b| escape(b, &mut |b| self.sink.put(b)));
        } else {
            escape(text, &mut |b| self.sink.put(b));
        }
        self.put(b"\"");
    }
}

/// The decimal digits of `value`.
pub fn decimal(value: u64, digits: &mut [u8; 20]) -> &[u8] {
    let mut n = 0;
    #[cfg(target_pointer_width = "64")]
    {
        let mut rest = value;
        for place in digits.iter_mut().rev() {
            *place = b'0'.wrapping_add((rest % 10) as u8);
            rest /= 10;
            n += 1;
            if rest == 0 {
                break;
            }
        }
        part(digits, digits.len().wrapping_sub(n), digits.len())
    }
    // Powers of ten are subtracted, not divided by: 64-bit division is a library call on small targets.
    #[cfg(not(target_pointer_width = "64"))]
    {
        let mut rest = value;
        for (i, power) in POWERS.iter().enumerate() {
            let mut digit = 0;
            while rest >= *power {
                rest = rest.wrapping_sub(*power);
                digit += 1;
            }
            if digit > 0 || n > 0 || i == 19 {
                if let Some(place) = digits.get_mut(n) {
                    *place = b'0' + digit;
                }
                n += 1;
            }
        }
        part(digits, 0, n)
    }
}

#[cfg(not(target_pointer_width = "64"))]
const POWERS: [u64; 20] = {
    let mut powers = [1u64; 20];
    let mut i = 19;
    while i > 0 {
        powers[i - 1] = powers[i].wrapping_mul(10);
        i -= 1;
    }
    powers
};

/// Hands `text` on in pieces, escaped for a JSON string.
#[inline]
pub fn escape(text: &[u8], put: &mut impl FnMut(&[u8])) {
    let mut from = 0;
    loop {
        let to = clean(text, from);
        if to > from {
            put(part(text, from, to));
        }
        if to >= text.len() {
            return;
        }
        escape_one(at(text, to), put);
        from = to + 1;
    }
}

#[cold]
fn escape_one(c: u8, put: &mut impl FnMut(&[u8])) {
    let short = match c {
        b'"' => b'"',
        b'\\' => b'\\',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        8 => b'b',
        12 => b'f',
        _ => {
            let hex = |d: u8| if d < 10 { b'0' + d } else { b'a'.wrapping_add(d.wrapping_sub(10)) };
            return put(&[b'\\', b'u', b'0', b'0', hex(c >> 4), hex(c & 15)]);
        }
    };
    put(&[b'\\', short]);
}

/// The first byte from `i` on that must be escaped.
fn clean(b: &[u8], mut i: usize) -> usize {
    const ONES: usize = usize::MAX / 255;
    let mut words = 0;
    loop {
        if words == 4 && WORD == 8 {
            while let Some(block) = chunk::<32>(b, i) {
                if block.iter().fold(false, |hit, c| hit | (*c < 0x20) | (*c == b'"') | (*c == b'\\')) {
                    break;
                }
                i = i.wrapping_add(32);
            }
        }
        words += 1;
        let Some(word) = chunk::<WORD>(b, i) else { break };
        let w = usize::from_le_bytes(*word);
        let quote = w ^ (ONES * b'"' as usize);
        let slash = w ^ (ONES * b'\\' as usize);
        let hit = (w.wrapping_sub(ONES * 0x20) & !w)
            | (quote.wrapping_sub(ONES) & !quote)
            | (slash.wrapping_sub(ONES) & !slash);
        let hit = hit & (ONES << 7);
        if hit != 0 {
            return i.wrapping_add((hit.trailing_zeros() >> 3) as usize);
        }
        i = i.wrapping_add(WORD);
    }
    while let 0x20..=0x21 | 0x23..=0x5B | 0x5D.. = at(b, i) {
        i += 1;
    }
    i.min(b.len())
}
