//! A validating pull scanner: strict RFC 8259 and UTF-8, no recursion, usable in `const`.

use crate::bytes::{WORD, at, chunk};
use crate::error::{Error, Kind};
use crate::limits::DEPTH_MAX;

/// What the scanner saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Token {
    /// `{`
    BeginObject,
    /// `}`
    EndObject,
    /// `[`
    BeginArray,
    /// `]`
    EndArray,
    /// A member's name; its `:` is consumed too.
    Key,
    /// A string.
    Str,
    /// A number.
    Number,
    /// `true`
    True,
    /// `false`
    False,
    /// `null`
    Null,
    /// The value is complete.
    End,
    /// The text is refused: see [`Scan::error`]. Every later call says so again.
    Error,
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Expect {
    Value,
    ValueOrEnd,
    KeyOrEnd,
    CommaOrEnd,
    Nothing,
}

/// First byte of a string that was unescaped in place: `0xFE content 0xFF… "`. Neither byte occurs in UTF-8, so the
/// form is never taken for JSON and an unescaped string can be read again (decision 003).
pub const SOFT: u8 = 0xFE;
/// Fills the room that the escapes took, up to the closing quote.
pub const FILL: u8 = 0xFF;

/// The scanner's place in a text. The text itself is passed to every call, so that it may be changed in between.
///
/// # Memory
/// Nothing but this struct: nesting is a bit per level.
#[derive(Clone, Copy)]
pub struct Scan {
    pos: usize,
    start: usize,
    end: usize,
    nest: u128,
    depth: u8,
    expect: Expect,
    whole: bool,
    soft: bool,
    marked: bool,
    escapes: bool,
    fault: Kind,
}

impl Scan {
    /// Scans one whole text: anything but blanks after the value is an error.
    pub const fn text() -> Self {
        Self::at(0, true, false)
    }

    /// Scans the value that starts at byte `pos` and stops at its end. Strings may stand in their unescaped form.
    pub const fn value(pos: usize) -> Self {
        Self::at(pos, false, true)
    }

    const fn at(pos: usize, whole: bool, soft: bool) -> Self {
        Self {
            pos,
            start: pos,
            end: pos,
            nest: 0,
            depth: 0,
            expect: Expect::Value,
            whole,
            soft,
            marked: false,
            escapes: false,
            fault: Kind::Syntax,
        }
    }

    /// The next token of `b`.
    pub const fn next(&mut self, b: &[u8]) -> Token {
        let mut i = blanks(b, self.pos);
        match self.expect {
            Expect::Value => {}
            Expect::ValueOrEnd => {
                if at(b, i) == b']' {
                    return self.close(i, Token::EndArray);
                }
            }
            Expect::KeyOrEnd => {
                if at(b, i) == b'}' {
                    return self.close(i, Token::EndObject);
                }
                return self.key(b, i);
            }
            Expect::CommaOrEnd => {
                if self.depth == 0 {
                    return self.finish(b, i);
                }
                let object = self.nest & 1 == 1;
                match at(b, i) {
                    b',' => {
                        i = blanks(b, i + 1);
                        if object {
                            return self.key(b, i);
                        }
                    }
                    b'}' if object => return self.close(i, Token::EndObject),
                    b']' if !object => return self.close(i, Token::EndArray),
                    _ => return self.refuse(b, i, Kind::Syntax),
                }
            }
            Expect::Nothing => return Token::Error,
        }
        self.token(b, i)
    }

    /// Moves past the rest of the container whose beginning was the last token; a scalar is past already.
    /// `false` when the text is refused on the way.
    pub const fn skip(&mut self, b: &[u8], last: Token) -> bool {
        match last {
            Token::BeginObject | Token::BeginArray => {}
            Token::Error => return false,
            _ => return true,
        }
        let outer = self.depth.wrapping_sub(1);
        loop {
            match self.next(b) {
                Token::Error => return false,
                Token::EndObject | Token::EndArray if self.depth == outer => return true,
                _ => {}
            }
        }
    }

    /// First byte of the last token; of a string or key, the byte after its opening quote.
    #[inline(always)]
    pub const fn start(&self) -> usize {
        self.start
    }

    /// The byte after the last token; of a string or key, its closing quote (or the fill before that).
    #[inline(always)]
    pub const fn end(&self) -> usize {
        self.end
    }

    /// The next byte to be read: after a value, the first byte behind it.
    #[inline(always)]
    pub const fn pos(&self) -> usize {
        self.pos
    }

    /// How many containers are open.
    #[inline(always)]
    pub const fn depth(&self) -> u8 {
        self.depth
    }

    /// Whether the last string holds escapes, or the last number a fraction or an exponent.
    #[inline(always)]
    pub const fn marked(&self) -> bool {
        self.marked
    }

    /// Whether any string so far holds escapes; [`Scan::forget`] starts anew.
    #[inline(always)]
    pub const fn escapes(&self) -> bool {
        self.escapes
    }

    /// Starts [`Scan::escapes`] anew.
    pub const fn forget(&mut self) {
        self.escapes = false;
    }

    /// Why the text was refused.
    pub const fn error(&self) -> Error {
        Error::new(self.fault, self.pos)
    }

    const fn token(&mut self, b: &[u8], i: usize) -> Token {
        self.expect = Expect::CommaOrEnd;
        match at(b, i) {
            b'"' => self.string(b, i + 1, Token::Str),
            b'{' => self.open(b, i, true),
            b'[' => self.open(b, i, false),
            b'-' | b'0'..=b'9' => self.number(b, i),
            b't' => self.word(b, i, b"true", Token::True),
            b'f' => self.word(b, i, b"false", Token::False),
            b'n' => self.word(b, i, b"null", Token::Null),
            SOFT if self.soft => self.softened(b, i + 1, Token::Str),
            _ => self.refuse(b, i, Kind::Syntax),
        }
    }

    const fn key(&mut self, b: &[u8], i: usize) -> Token {
        let seen = match at(b, i) {
            b'"' => self.string(b, i + 1, Token::Key),
            SOFT if self.soft => self.softened(b, i + 1, Token::Key),
            _ => self.refuse(b, i, Kind::Syntax),
        };
        if let Token::Error = seen {
            return seen;
        }
        let colon = blanks(b, self.pos);
        if at(b, colon) != b':' {
            return self.refuse(b, colon, Kind::Syntax);
        }
        self.pos = colon + 1;
        self.expect = Expect::Value;
        seen
    }

    const fn open(&mut self, b: &[u8], i: usize, object: bool) -> Token {
        if self.depth >= DEPTH_MAX {
            return self.refuse(b, i, Kind::Depth);
        }
        self.depth += 1;
        self.nest = (self.nest << 1) | object as u128;
        self.start = i;
        self.end = i + 1;
        self.pos = i + 1;
        if object {
            self.expect = Expect::KeyOrEnd;
            Token::BeginObject
        } else {
            self.expect = Expect::ValueOrEnd;
            Token::BeginArray
        }
    }

    const fn close(&mut self, i: usize, token: Token) -> Token {
        self.depth = self.depth.wrapping_sub(1);
        self.nest >>= 1;
        self.start = i;
        self.end = i + 1;
        self.pos = i + 1;
        self.expect = Expect::CommaOrEnd;
        token
    }

    const fn finish(&mut self, b: &[u8], i: usize) -> Token {
        if self.whole && i < b.len() {
            return self.refuse(b, i, Kind::Trailing);
        }
        Token::End
    }

    const fn word(&mut self, b: &[u8], i: usize, word: &[u8], token: Token) -> Token {
        let mut k = 1;
        while k < word.len() {
            if at(b, i + k) != at(word, k) {
                return self.refuse(b, i + k, Kind::Syntax);
            }
            k += 1;
        }
        self.start = i;
        self.end = i + k;
        self.pos = i + k;
        token
    }

    const fn number(&mut self, b: &[u8], start: usize) -> Token {
        let mut i = start;
        self.marked = false;
        if at(b, i) == b'-' {
            i += 1;
        }
        let whole = i;
        i = digits(b, i);
        // A zero stands alone: "01" would be octal to some readers.
        if i == whole || (at(b, whole) == b'0' && i > whole + 1) {
            return self.refuse(b, i, Kind::Syntax);
        }
        if at(b, i) == b'.' {
            self.marked = true;
            let fraction = i + 1;
            i = digits(b, fraction);
            if i == fraction {
                return self.refuse(b, i, Kind::Syntax);
            }
        }
        if let b'e' | b'E' = at(b, i) {
            self.marked = true;
            i += 1;
            if let b'+' | b'-' = at(b, i) {
                i += 1;
            }
            let exponent = i;
            i = digits(b, exponent);
            if i == exponent {
                return self.refuse(b, i, Kind::Syntax);
            }
        }
        self.start = start;
        self.end = i;
        self.pos = i;
        Token::Number
    }

    const fn string(&mut self, b: &[u8], start: usize, token: Token) -> Token {
        let mut i = start;
        self.marked = false;
        loop {
            i = plain(b, i);
            match at(b, i) {
                b'"' => break,
                b'\\' => {
                    self.marked = true;
                    self.escapes = true;
                    let n = escape_len(b, i);
                    if n == 0 {
                        let lone = at(b, i + 1) == b'u' && hex4(b, i + 2) >= 0;
                        return self.refuse(b, i, if lone { Kind::Surrogate } else { Kind::Escape });
                    }
                    i += n;
                }
                0x80.. => {
                    let n = utf8_len(b, i);
                    if n == 0 {
                        return self.refuse(b, i, Kind::Utf8);
                    }
                    i += n;
                }
                _ => return self.refuse(b, i, Kind::Syntax),
            }
        }
        self.start = start;
        self.end = i;
        self.pos = i + 1;
        token
    }

    const fn softened(&mut self, b: &[u8], start: usize, token: Token) -> Token {
        let mut i = start;
        while i < b.len() && at(b, i) != FILL {
            i += 1;
        }
        let end = i;
        while at(b, i) == FILL {
            i += 1;
        }
        if at(b, i) != b'"' {
            return self.refuse(b, i, Kind::Syntax);
        }
        self.marked = false;
        self.start = start;
        self.end = end;
        self.pos = i + 1;
        token
    }

    #[cold]
    const fn refuse(&mut self, b: &[u8], i: usize, kind: Kind) -> Token {
        self.expect = Expect::Nothing;
        self.pos = if i < b.len() { i } else { b.len() };
        self.fault = match kind {
            Kind::Depth => kind,
            _ if i >= b.len() => Kind::Truncated,
            _ => kind,
        };
        Token::Error
    }
}

const fn blanks(b: &[u8], mut i: usize) -> usize {
    while let b' ' | b'\t' | b'\n' | b'\r' = at(b, i) {
        i += 1;
    }
    i
}

const fn digits(b: &[u8], mut i: usize) -> usize {
    while let b'0'..=b'9' = at(b, i) {
        i += 1;
    }
    i
}

const ONES: usize = usize::MAX / 255;
const TOPS: usize = ONES << 7;

/// The first byte from `i` on that ends a run of plain ASCII text: a quote, a backslash, a control character or
/// anything beyond ASCII.
const fn plain(b: &[u8], mut i: usize) -> usize {
    // Four words, then whole blocks: short strings never pay for the set-up of the block loop.
    let mut words = 0;
    loop {
        if words == 4 {
            i = plain_blocks(b, i);
        }
        words += 1;
        let Some(word) = chunk::<WORD>(b, i) else { break };
        let w = usize::from_le_bytes(*word);
        let quote = w ^ (ONES * b'"' as usize);
        let slash = w ^ (ONES * b'\\' as usize);
        // Each term sets the top bit of a byte that is special. A borrow may set it in the byte after one, never
        // before, so the lowest set bit is right.
        let hit = (w.wrapping_sub(ONES * 0x20) & !w)
            | (quote.wrapping_sub(ONES) & !quote)
            | (slash.wrapping_sub(ONES) & !slash)
            | w;
        let hit = hit & TOPS;
        if hit != 0 {
            return i + (hit.trailing_zeros() >> 3) as usize;
        }
        i += WORD;
    }
    while let 0x20..=0x21 | 0x23..=0x5B | 0x5D..=0x7F = at(b, i) {
        i += 1;
    }
    i
}

/// Whole 32-byte blocks of plain text. No exit inside a block, so that the compiler makes it vector code where there
/// are vectors; on small targets the word loop does as well.
const fn plain_blocks(b: &[u8], mut i: usize) -> usize {
    if WORD < 8 {
        return i;
    }
    while let Some(block) = chunk::<32>(b, i) {
        let mut special = false;
        let mut k = 0;
        while k < 32 {
            let c = at(block, k);
            special |= c < 0x20 || c == b'"' || c == b'\\' || c >= 0x80;
            k += 1;
        }
        if special {
            break;
        }
        i += 32;
    }
    i
}

/// The value of four hexadecimal digits, or -1.
pub(crate) const fn hex4(b: &[u8], i: usize) -> i32 {
    let mut v = 0;
    let mut k = 0;
    while k < 4 {
        let c = at(b, i + k);
        let d = match c {
            b'0'..=b'9' => c - b'0',
            b'a'..=b'f' => c - b'a' + 10,
            b'A'..=b'F' => c - b'A' + 10,
            _ => return -1,
        };
        v = (v << 4) | d as i32;
        k += 1;
    }
    v
}

/// Length of the escape at `i` in bytes, a surrogate pair counted as one; 0 when it is none.
pub(crate) const fn escape_len(b: &[u8], i: usize) -> usize {
    match at(b, i + 1) {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
        b'u' => match hex4(b, i + 2) {
            0xD800..=0xDBFF => {
                let second = at(b, i + 6) == b'\\' && at(b, i + 7) == b'u';
                match hex4(b, i + 8) {
                    0xDC00..=0xDFFF if second => 12,
                    _ => 0,
                }
            }
            -1 | 0xDC00..=0xDFFF => 0,
            _ => 6,
        },
        _ => 0,
    }
}

/// Length of the UTF-8 sequence at `i`, 2 to 4; 0 when it is none (RFC 3629, no overlong forms, no surrogates).
const fn utf8_len(b: &[u8], i: usize) -> usize {
    let second = at(b, i + 1);
    let (len, low, high) = match at(b, i) {
        0xC2..=0xDF => (2, 0x80, 0xBF),
        0xE0 => (3, 0xA0, 0xBF),
        0xED => (3, 0x80, 0x9F),
        0xE1..=0xEF => (3, 0x80, 0xBF),
        0xF0 => (4, 0x90, 0xBF),
        0xF1..=0xF3 => (4, 0x80, 0xBF),
        0xF4 => (4, 0x80, 0x8F),
        _ => return 0,
    };
    if second < low || second > high {
        return 0;
    }
    let mut k = 2;
    while k < len {
        if at(b, i + k) & 0xC0 != 0x80 {
            return 0;
        }
        k += 1;
    }
    len
}

/// Whether `text` is one valid JSON value: for schemas given as text, in `const` blocks.
pub const fn valid(text: &[u8]) -> bool {
    let mut scan = Scan::text();
    loop {
        match scan.next(text) {
            Token::End => return true,
            Token::Error => return false,
            _ => {}
        }
    }
}
