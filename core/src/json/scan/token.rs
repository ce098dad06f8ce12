//! The tokens that are longer than a byte.

use super::super::chars::{Run, TOPS, digits, escape_len, hex4, plain, until_fill};
use super::{FILL, Scan, Token};
use crate::bytes::{at, part};
use crate::error::Kind;

impl Scan {
    pub(super) const fn word(&mut self, b: &[u8], i: usize, word: &[u8], token: Token) -> Token {
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

    pub(super) const fn number(&mut self, b: &[u8], start: usize) -> Token {
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

    #[inline(never)]
    pub(super) const fn long_string(&mut self, b: &[u8], start: usize, token: Token) -> Token {
        self.start = start;
        self.marked = false;
        let mut run = Run { at: start, high: 0 };
        loop {
            run = plain(b, run);
            if at(b, run.at) == b'"' {
                break;
            }
            let n = self.escape(b, run.at);
            if n == 0 {
                return Token::Error;
            }
            run.at += n;
        }
        self.end = run.at;
        self.pos = run.at + 1;
        // Escapes are ASCII, so the content is checked as it stands, and only if something in it is not.
        if run.high & TOPS != 0
            && let Err(e) = core::str::from_utf8(part(b, start, run.at))
        {
            return self.refuse(b, start + e.valid_up_to(), Kind::Utf8);
        }
        token
    }

    /// The length of the escape at `i`; 0 when it is none, which is refused.
    const fn escape(&mut self, b: &[u8], i: usize) -> usize {
        if at(b, i) != b'\\' {
            self.refuse(b, i, Kind::Syntax);
            return 0;
        }
        self.marked = true;
        self.escapes = true;
        let n = escape_len(b, i);
        if n == 0 {
            let lone = at(b, i + 1) == b'u' && hex4(b, i + 2) >= 0;
            self.refuse(b, i, if lone { Kind::Surrogate } else { Kind::Escape });
        }
        n
    }

    pub(super) const fn softened(&mut self, b: &[u8], start: usize, token: Token) -> Token {
        let end = until_fill(b, start);
        let mut i = end;
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
}
