//! Reading a pattern, one quantified atom at a time, in constants too.

use super::{ATOMS_MAX, PatternError, PatternFault};
use crate::bytes::at;

pub(super) const UNBOUNDED: usize = usize::MAX;

/// One atom with its quantifier; `from..to` is the atom's text.
#[derive(Clone, Copy)]
pub(super) struct Atom {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) min: usize,
    pub(super) max: usize,
}

impl Atom {
    /// How many places in the chain the atom takes.
    pub(super) const fn places(&self) -> usize {
        if self.max != UNBOUNDED {
            self.max
        } else if self.min == 0 {
            1
        } else {
            self.min
        }
    }
}

pub(super) struct Parser<'p> {
    p: &'p [u8],
    i: usize,
    end: usize,
    pub(super) from_start: bool,
    pub(super) to_end: bool,
}

impl<'p> Parser<'p> {
    pub(super) const fn new(pattern: &'p str) -> Self {
        let p = pattern.as_bytes();
        let from_start = at(p, 0) == b'^';
        // A `$` that ends the pattern is an anchor unless an odd number of backslashes stands before it.
        let mut slashes = 0usize;
        let mut i = p.len().saturating_sub(1);
        let to_end = at(p, i) == b'$';
        while to_end && i > 0 && at(p, i - 1) == b'\\' {
            slashes += 1;
            i -= 1;
        }
        let to_end = to_end && slashes & 1 == 0;
        let end = if to_end { p.len() - 1 } else { p.len() };
        Self { p, i: from_start as usize, end, from_start, to_end }
    }

    const fn peek(&self) -> u8 {
        if self.i < self.end { at(self.p, self.i) } else { 0 }
    }

    const fn fail<T>(&self, fault: PatternFault) -> Result<T, PatternError> {
        Err(PatternError { fault, at: self.i })
    }

    pub(super) const fn next(&mut self) -> Result<Option<Atom>, PatternError> {
        if self.i >= self.end {
            return Ok(None);
        }
        let from = self.i;
        match self.peek() {
            b'(' | b')' => return self.fail(PatternFault::Group),
            b'|' => return self.fail(PatternFault::Alternation),
            b'^' | b'$' => return self.fail(PatternFault::Anchor),
            b'*' | b'+' | b'?' | b'{' => return self.fail(PatternFault::Quantifier),
            b']' | b'}' => return self.fail(PatternFault::Bracket),
            b'[' => {
                if let Err(e) = self.class() {
                    return Err(e);
                }
            }
            b'.' => self.i += 1,
            // ECMA-262 knows `\-` in classes only, and clients compile the schema's patterns.
            b'\\' if at(self.p, from + 1) == b'-' => return self.fail(PatternFault::Escape),
            _ => match self.item() {
                Ok(_) => {}
                Err(e) => return Err(e),
            },
        }
        let to = self.i;
        match self.quantifier() {
            Ok((min, max)) => Ok(Some(Atom { from, to, min, max })),
            Err(e) => Err(e),
        }
    }

    const fn item(&mut self) -> Result<Item, PatternError> {
        match item(self.p, self.i) {
            Some((item, to)) if to <= self.end => {
                self.i = to;
                Ok(item)
            }
            _ => self.fail(PatternFault::Escape),
        }
    }

    const fn class(&mut self) -> Result<(), PatternError> {
        let from = self.i;
        self.i += if at(self.p, self.i + 1) == b'^' { 2 } else { 1 };
        let first = self.i;
        while self.i < self.end && self.peek() != b']' {
            let low = match self.item() {
                Ok(item) => item,
                Err(e) => return Err(e),
            };
            if self.peek() != b'-' || at(self.p, self.i + 1) == b']' {
                continue;
            }
            self.i += 1;
            if self.i >= self.end {
                return self.fail(PatternFault::Class);
            }
            let high = match self.item() {
                Ok(item) => item,
                Err(e) => return Err(e),
            };
            match (low, high) {
                (Item::Char(low), Item::Char(high)) if low <= high => {}
                _ => return self.fail(PatternFault::Class),
            }
        }
        if self.i >= self.end || self.i == first {
            return Err(PatternError { fault: PatternFault::Class, at: from });
        }
        self.i += 1;
        Ok(())
    }

    const fn quantifier(&mut self) -> Result<(usize, usize), PatternError> {
        let (min, max) = match self.peek() {
            b'*' => (0, UNBOUNDED),
            b'+' => (1, UNBOUNDED),
            b'?' => (0, 1),
            b'{' => return self.bounds(),
            _ => return Ok((1, 1)),
        };
        self.i += 1;
        Ok((min, max))
    }

    const fn bounds(&mut self) -> Result<(usize, usize), PatternError> {
        let open = self.i;
        self.i += 1;
        let Some(min) = self.number() else { return self.fail(PatternFault::Bounds) };
        let mut max = min;
        if self.peek() == b',' {
            self.i += 1;
            max = match self.number() {
                Some(max) => max,
                None => UNBOUNDED,
            };
        }
        if self.peek() != b'}' || min > max {
            return self.fail(PatternFault::Bounds);
        }
        self.i += 1;
        if min > ATOMS_MAX || (max != UNBOUNDED && max > ATOMS_MAX) {
            return Err(PatternError { fault: PatternFault::TooLarge, at: open });
        }
        Ok((min, max))
    }

    const fn number(&mut self) -> Option<usize> {
        let from = self.i;
        let mut n = 0usize;
        while self.peek().is_ascii_digit() {
            // Saturates below `UNBOUNDED`; anything above `ATOMS_MAX` is refused anyway.
            n = n.saturating_mul(10).saturating_add((self.peek() - b'0') as usize);
            if n > 0xFFFF {
                n = 0xFFFF;
            }
            self.i += 1;
        }
        if self.i == from { None } else { Some(n) }
    }
}

/// What one character or escape stands for.
#[derive(Clone, Copy)]
pub(super) enum Item {
    Char(u32),
    /// The set of `\d`, `\w` or `\s`, or with a capital letter everything else.
    Set(u8),
}

/// Reads the character or escape at `i`, and says where it ends.
pub(super) const fn item(p: &[u8], i: usize) -> Option<(Item, usize)> {
    let c = at(p, i);
    if c != b'\\' {
        let (c, len) = scalar(p, i);
        return Some((Item::Char(c), i + len));
    }
    let c = at(p, i + 1);
    let plain = match c {
        b'd' | b'D' | b'w' | b'W' | b's' | b'S' => return Some((Item::Set(c), i + 2)),
        b't' => b'\t',
        b'n' => b'\n',
        b'r' => b'\r',
        b'f' => 0x0C,
        b'v' => 0x0B,
        b'x' => return escaped(p, i + 2, 2),
        b'u' => return escaped(p, i + 2, 4),
        b'^' | b'$' | b'\\' | b'.' | b'*' | b'+' | b'?' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'|'
        | b'/' | b'-' => c,
        _ => return None,
    };
    Some((Item::Char(plain as u32), i + 2))
}

/// The character written as `digits` hexadecimal digits from `i` on.
const fn escaped(p: &[u8], i: usize, digits: usize) -> Option<(Item, usize)> {
    let mut n = 0u32;
    let mut k = 0;
    while k < digits {
        let digit = match at(p, i + k) {
            c @ b'0'..=b'9' => c - b'0',
            c @ b'a'..=b'f' => c - b'a' + 10,
            c @ b'A'..=b'F' => c - b'A' + 10,
            _ => return None,
        };
        n = n << 4 | digit as u32;
        k += 1;
    }
    // Half of a surrogate pair is no character and would never match.
    if n >= 0xD800 && n < 0xE000 { None } else { Some((Item::Char(n), i + digits)) }
}

/// The scalar value at `i` of valid UTF-8, and its length in bytes.
const fn scalar(p: &[u8], i: usize) -> (u32, usize) {
    const fn tail(p: &[u8], i: usize) -> u32 {
        (at(p, i) & 0x3F) as u32
    }
    let c = at(p, i) as u32;
    match c {
        0..0x80 => (c, 1),
        0x80..0xE0 => ((c & 0x1F) << 6 | tail(p, i + 1), 2),
        0xE0..0xF0 => ((c & 0x0F) << 12 | tail(p, i + 1) << 6 | tail(p, i + 2), 3),
        _ => ((c & 0x07) << 18 | tail(p, i + 1) << 12 | tail(p, i + 2) << 6 | tail(p, i + 3), 4),
    }
}
