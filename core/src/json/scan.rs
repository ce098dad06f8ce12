//! A validating pull scanner: strict RFC 8259 and UTF-8, no recursion, usable in `const`.

mod member;
mod token;

pub(crate) use member::NAME_MAX;

use super::chars::short_end;
use crate::bytes::{at, blanks};
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

    /// Scans one whole text again after some of its strings were unescaped in place.
    pub const fn text_again() -> Self {
        Self::at(0, true, true)
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

    /// Stands behind a value that starts at 0 and ends at `pos`.
    pub(crate) const fn done(pos: usize) -> Self {
        let mut scan = Self::at(0, false, true);
        scan.pos = pos;
        scan.expect = Expect::CommaOrEnd;
        scan
    }

    /// Goes on inside the outermost object, behind a member that ends at byte `pos`: for texts whose beginning was compared
    /// already. To be called on a new scanner only.
    pub(crate) const fn begin_object_at(&mut self, pos: usize) -> Token {
        self.depth = 1;
        self.nest = 1;
        self.pos = pos;
        self.expect = Expect::CommaOrEnd;
        Token::BeginObject
    }

    /// The next token of `b`.
    pub const fn next(&mut self, b: &[u8]) -> Token {
        let mut i = blanks(b, self.pos);
        let named = match self.expect {
            Expect::Value => false,
            Expect::ValueOrEnd => {
                if at(b, i) == b']' {
                    return self.close(i, Token::EndArray);
                }
                false
            }
            Expect::KeyOrEnd => {
                if at(b, i) == b'}' {
                    return self.close(i, Token::EndObject);
                }
                true
            }
            Expect::CommaOrEnd => {
                if self.depth == 0 {
                    return self.finish(b, i);
                }
                let object = self.nest & 1 == 1;
                match at(b, i) {
                    b',' => i = blanks(b, i + 1),
                    b'}' if object => return self.close(i, Token::EndObject),
                    b']' if !object => return self.close(i, Token::EndArray),
                    _ => return self.refuse(b, i, Kind::Syntax),
                }
                object
            }
            Expect::Nothing => return Token::Error,
        };
        if named { self.key(b, i) } else { self.token(b, i) }
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
            let token = match self.expect {
                Expect::KeyOrEnd | Expect::CommaOrEnd if self.nest & 1 == 1 => self.name(b),
                Expect::Value if at(b, self.pos) == b'"' => {
                    self.expect = Expect::CommaOrEnd;
                    self.string(b, self.pos + 1, Token::Str)
                }
                _ => self.next(b),
            };
            match token {
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

    #[inline]
    const fn string(&mut self, b: &[u8], start: usize, token: Token) -> Token {
        match short_end(b, start) {
            0 => self.long_string(b, start, token),
            end => {
                self.marked = false;
                self.start = start;
                self.end = end;
                self.pos = end + 1;
                token
            }
        }
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
