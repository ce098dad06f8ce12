//! A small subset of regular expressions, for the `pattern` of a string argument.
//!
//! JSON Schema patterns are ECMA-262 expressions, and they run on text that a peer chose: this module takes the
//! part of them that needs no backtracking and no memory. Supported: characters, `.`, classes (`[a-z0-9_-]`,
//! `[^…]`), the escapes `\d \D \w \W \s \S \t \n \r \f \v \xHH \uHHHH` and any escaped punctuation, the
//! quantifiers `* + ? {m} {m,} {m,n}` on one of those, `^` at the start and `$` at the end. Without an anchor a
//! match may lie anywhere in the text, as JSON Schema says. Meanings are those of ECMA-262 with the `u` flag:
//! characters are Unicode scalar values, `\d` and `\w` are ASCII, `\s` is not, `.` leaves out line ends.
//!
//! Not supported, and refused by [`check`]: groups, alternation, assertions, `\b`, `\p{…}`, lazy quantifiers.
//!
//! A pattern is a chain of atoms; what may be matched next is a set of at most [`ATOMS_MAX`] places in it, kept
//! as bits. One step per character moves all of them, so the time is at most pattern length times text length.

use core::fmt;

use crate::bytes::{at, part};

mod parse;

use parse::{Item, Parser, UNBOUNDED, item};

/// The most atoms a pattern may have, where `{m,n}` counts as `n`: they and the end are the bits of one word.
pub const ATOMS_MAX: usize = 63;

/// What is wrong with a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternFault {
    /// A group or a look-around assertion.
    Group,
    /// An alternation.
    Alternation,
    /// An escape that is not among the supported ones.
    Escape,
    /// A quantifier with nothing to repeat: at the start, after another one, or a lazy one.
    Quantifier,
    /// Repetition bounds that are malformed or the wrong way round.
    Bounds,
    /// A class that is empty, does not end, or has a range that is none.
    Class,
    /// An anchor that is not at its end of the pattern.
    Anchor,
    /// A closing bracket that nothing opened.
    Bracket,
    /// More than [`ATOMS_MAX`] atoms, repetitions counted.
    TooLarge,
}

/// What is wrong with a pattern, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// What is wrong.
    pub fault: PatternFault,
    /// The byte of the pattern it is at.
    pub at: usize,
}

impl PatternError {
    /// One phrase that says what is wrong and what is allowed; a `&str` so that a const check can panic with it.
    pub const fn phrase(self) -> &'static str {
        match self.fault {
            PatternFault::Group => "pattern: groups and assertions are not supported",
            PatternFault::Alternation => {
                "pattern: alternation is not supported, use an enum or two arguments"
            }
            PatternFault::Escape => {
                "pattern: unknown escape, only \\d \\w \\s, \\x \\u and escaped punctuation are supported"
            }
            PatternFault::Quantifier => {
                "pattern: a quantifier must follow one character or class, and is never lazy"
            }
            PatternFault::Bounds => "pattern: repetition must be {m}, {m,} or {m,n} with m <= n",
            PatternFault::Class => {
                "pattern: a class must end, must not be empty, and its ranges must go upwards"
            }
            PatternFault::Anchor => "pattern: ^ is supported at the start only and $ at the end only",
            PatternFault::Bracket => "pattern: a closing bracket must be escaped",
            PatternFault::TooLarge => "pattern: more than 63 characters and classes, repetitions counted",
        }
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {})", self.phrase(), self.at)
    }
}

impl core::error::Error for PatternError {}

/// Says whether `pattern` is in the subset; usable in a constant, so that a bad pattern does not compile.
///
/// ```
/// # use midge::dispatch::pattern::check;
/// const CODE: &str = "^[A-Z]{2}-[0-9]+$";
/// const _: () = assert!(check(CODE).is_ok());
/// ```
///
/// # Errors
/// The first fault and the byte it is at.
pub const fn check(pattern: &str) -> Result<(), PatternError> {
    let mut parser = Parser::new(pattern);
    let mut atoms = 0usize;
    loop {
        match parser.next() {
            Ok(Some(atom)) => {
                atoms = atoms.saturating_add(atom.places());
                if atoms > ATOMS_MAX {
                    return Err(PatternError { fault: PatternFault::TooLarge, at: atom.from });
                }
            }
            Ok(None) => return Ok(()),
            Err(e) => return Err(e),
        }
    }
}

/// Whether `text` matches `pattern`; a pattern that [`check`] refuses matches nothing.
///
/// # Memory
/// About 600 bytes of stack on a 32-bit target, whatever the text.
pub fn is_match(pattern: &str, text: &str) -> bool {
    match Program::new(pattern) {
        Ok(program) => program.run(text),
        Err(_) => false,
    }
}

/// A pattern laid out as a chain of places, each with the text of its atom.
struct Program<'p> {
    p: &'p [u8],
    atoms: [(usize, usize); ATOMS_MAX],
    /// The places that may be passed without a character.
    skip: u64,
    /// The places that stay open after they took a character.
    stay: u64,
    len: usize,
    from_start: bool,
    to_end: bool,
}

impl<'p> Program<'p> {
    fn new(pattern: &'p str) -> Result<Self, PatternError> {
        check(pattern)?;
        let mut parser = Parser::new(pattern);
        let (from_start, to_end) = (parser.from_start, parser.to_end);
        let p = pattern.as_bytes();
        let mut program =
            Self { p, atoms: [(0, 0); ATOMS_MAX], skip: 0, stay: 0, len: 0, from_start, to_end };
        while let Some(atom) = parser.next()? {
            let places = atom.places();
            for k in 0..places {
                let bit = bit(program.len);
                program.skip |= if k >= atom.min { bit } else { 0 };
                program.stay |= if atom.max == UNBOUNDED && k.wrapping_add(1) == places { bit } else { 0 };
                if let Some(slot) = program.atoms.get_mut(program.len) {
                    *slot = (atom.from, atom.to);
                }
                program.len = program.len.wrapping_add(1);
            }
        }
        Ok(program)
    }

    fn run(&self, text: &str) -> bool {
        let (start, accept) = (self.pass(1), bit(self.len));
        let mut places = start;
        for c in text.chars() {
            if places & accept != 0 && !self.to_end {
                return true;
            }
            places = self.step(places, c as u32);
            if !self.from_start {
                places |= start;
            }
            if places == 0 {
                return false;
            }
        }
        places & accept != 0
    }

    /// The places open after `c`.
    fn step(&self, places: u64, c: u32) -> u64 {
        let mut next = 0u64;
        // Repetitions put one atom at neighbouring places: it is looked at once per character.
        let mut known = ((0, 0), false);
        let mut left = places & !bit(self.len);
        while left != 0 {
            let place = left.trailing_zeros() as usize;
            left &= left.wrapping_sub(1);
            let Some(atom) = self.atoms.get(place) else { break };
            if known.0 != *atom {
                known = (*atom, takes(part(self.p, atom.0, atom.1), c));
            }
            if known.1 {
                next |= (self.stay & bit(place)) | bit(place.wrapping_add(1));
            }
        }
        self.pass(next)
    }

    /// `places` and those that can be reached from them without a character.
    fn pass(&self, mut places: u64) -> u64 {
        loop {
            let more = places | (places & self.skip) << 1;
            if more == places {
                return places;
            }
            places = more;
        }
    }
}

fn bit(place: usize) -> u64 {
    1u64.wrapping_shl(place as u32)
}

/// Whether the atom takes `c`.
fn takes(atom: &[u8], c: u32) -> bool {
    match at(atom, 0) {
        b'.' => !matches!(c, 0x0A | 0x0D | 0x2028 | 0x2029),
        b'[' => class_takes(atom, c),
        _ => item(atom, 0).is_some_and(|(item, _)| item_takes(item, c)),
    }
}

fn class_takes(class: &[u8], c: u32) -> bool {
    let negated = at(class, 1) == b'^';
    let mut i = if negated { 2 } else { 1 };
    let end = class.len().wrapping_sub(1);
    while i < end {
        let Some((low, to)) = item(class, i) else { return false };
        i = to;
        let mut hit = item_takes(low, c);
        if at(class, i) == b'-' && i.wrapping_add(1) < end {
            let Some((high, to)) = item(class, i.wrapping_add(1)) else { return false };
            i = to;
            hit = matches!((low, high), (Item::Char(low), Item::Char(high)) if (low..=high).contains(&c));
        }
        if hit {
            return !negated;
        }
    }
    negated
}

fn item_takes(item: Item, c: u32) -> bool {
    match item {
        Item::Char(it) => it == c,
        Item::Set(name) => set_takes(name.to_ascii_lowercase(), c) != name.is_ascii_uppercase(),
    }
}

fn set_takes(name: u8, c: u32) -> bool {
    let ascii = if c < 0x80 { c as u8 } else { 0 };
    match name {
        b'd' => ascii.is_ascii_digit(),
        b'w' => ascii.is_ascii_alphanumeric() || ascii == b'_',
        // ECMA-262 §12.2 and §12.3: white space and line terminators.
        _ => {
            matches!(c, 0x09..=0x0D | 0x20 | 0xA0 | 0x1680 | 0x2000..=0x200A | 0x2028 | 0x2029 | 0x202F | 0x205F | 0x3000 | 0xFEFF)
        }
    }
}
