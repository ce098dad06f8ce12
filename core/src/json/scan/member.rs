//! Members in one step each, for the passes over whole messages: compact text, as nearly all of it is, takes no turn through
//! the states of the scanner; whatever else stands there does.

use super::super::chars::short_end;
use super::super::text::spell;
use super::{Expect, Scan, Token};
use crate::bytes::{at, blanks, part};

/// Room for any name that a table holds; the longest has 43 bytes.
pub(crate) const NAME_MAX: usize = 48;

impl Scan {
    /// Where the opening quote of the next name stands between the members of an object, if there are no blanks before it;
    /// else 0.
    #[inline(always)]
    pub(crate) const fn quote(&self, b: &[u8]) -> usize {
        let i = match (self.expect, at(b, self.pos)) {
            (Expect::CommaOrEnd, b',') => self.pos + 1,
            (Expect::KeyOrEnd, _) => self.pos,
            _ => return 0,
        };
        if at(b, i) == b'"' { i } else { 0 }
    }

    /// Takes the name between `quote` and `end`, which has no escapes, and the colon behind it.
    #[inline(always)]
    pub(crate) const fn take_name(&mut self, quote: usize, end: usize) -> Token {
        self.marked = false;
        self.start = quote + 1;
        self.end = end;
        self.pos = end + 2;
        self.expect = Expect::Value;
        Token::Key
    }

    /// [`Scan::next`] between the members of an object: a name, or the object's end.
    #[inline]
    pub(crate) const fn name(&mut self, b: &[u8]) -> Token {
        let quote = self.quote(b);
        if quote != 0 {
            let end = short_end(b, quote + 1);
            if end != 0 && at(b, end + 1) == b':' {
                return self.take_name(quote, end);
            }
        } else if at(b, self.pos) == b'}'
            && let Expect::KeyOrEnd | Expect::CommaOrEnd = self.expect
        {
            return self.close(self.pos, Token::EndObject);
        }
        self.next(b)
    }

    /// The member's name that was the last token, as text: a name may be spelled with escapes, and two readers must not see
    /// two messages in one. One that does not fit into `room` once its escapes are gone is left as it stands, and so is
    /// none that anybody knows.
    #[inline(always)]
    pub(crate) fn name_text<'n>(&self, b: &'n [u8], room: &'n mut [u8; NAME_MAX]) -> &'n [u8] {
        let raw = part(b, self.start, self.end);
        if self.marked { spell(raw, room) } else { raw }
    }

    /// First byte of the value of the member whose name was the last token, its quote included.
    #[inline(always)]
    pub(crate) const fn value_from(&self, b: &[u8]) -> usize {
        blanks(b, self.pos)
    }

    /// Moves past the value of the member whose name was the last token: what it begins with.
    #[inline]
    pub(crate) const fn value_of_member(&mut self, b: &[u8]) -> Token {
        let i = self.pos;
        self.expect = Expect::CommaOrEnd;
        let token = match at(b, i) {
            b'"' => return self.string(b, i + 1, Token::Str),
            b'-' | b'0'..=b'9' => return self.number(b, i),
            b'{' => self.open(b, i, true),
            _ => {
                self.expect = Expect::Value;
                self.next(b)
            }
        };
        if self.skip(b, token) { token } else { Token::Error }
    }
}
