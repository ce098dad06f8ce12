//! What the scanner looks for inside a token.

use super::scan::FILL;
use crate::bytes::{WORD, at, chunk, part};

pub(super) const fn digits(b: &[u8], mut i: usize) -> usize {
    while let b'0'..=b'9' = at(b, i) {
        i += 1;
    }
    i
}

const ONES: usize = usize::MAX / 255;
/// The top bit of every byte of a word.
pub(super) const TOPS: usize = ONES << 7;

/// A run of text without quotes, backslashes and control characters.
#[derive(Clone, Copy)]
pub(super) struct Run {
    /// The byte after it.
    pub at: usize,
    /// Has a bit of [`TOPS`] set if anything in it is not ASCII. May be set too by what follows in the same word.
    pub high: usize,
}

/// Where the string content that starts at `i` ends, if it is short and plain ASCII; else 0. Most names are, and pay for
/// no more than this.
#[inline(always)]
pub(super) const fn short_end(b: &[u8], mut i: usize) -> usize {
    let mut rest = part(b, i, b.len());
    // Room for the longest names of the protocol, such as `io.modelcontextprotocol/clientCapabilities`.
    if let Some((near, _)) = rest.split_at_checked(7 * WORD) {
        rest = near;
    }
    while let Some((word, more)) = rest.split_first_chunk::<WORD>() {
        let w = usize::from_le_bytes(*word);
        let hit = (ends(w) | w) & TOPS;
        if hit != 0 {
            let end = i + (hit.trailing_zeros() >> 3) as usize;
            return if at(b, end) == b'"' { end } else { 0 };
        }
        i += WORD;
        rest = more;
    }
    0
}

/// Goes on with `run` to its end.
#[inline]
pub(super) const fn plain(b: &[u8], run: Run) -> Run {
    let Run { at: mut i, mut high } = run;
    // Four words, then whole blocks: short strings never pay for the set-up of the block loop.
    let blocks_from = i + 4 * WORD;
    while let Some(word) = chunk::<WORD>(b, i) {
        let w = usize::from_le_bytes(*word);
        high |= w;
        let hit = special(w);
        if hit != 0 {
            return Run { at: i + (hit.trailing_zeros() >> 3) as usize, high };
        }
        i += WORD;
        if i == blocks_from {
            let run = plain_blocks(b, Run { at: i, high });
            (i, high) = (run.at, run.high);
        }
    }
    while let c @ (0x20..=0x21 | 0x23..=0x5B | 0x5D..) = at(b, i) {
        high |= c as usize;
        i += 1;
    }
    Run { at: i, high }
}

/// The top bits of those bytes of `w` that end a run. A borrow may set one too many after the first that is right, never
/// before it.
#[inline(always)]
pub(super) const fn special(w: usize) -> usize {
    ends(w) & !w & TOPS
}

/// [`special`], but without a meaning in the lower bits, and in the top bit of bytes that are not ASCII.
#[inline(always)]
const fn ends(w: usize) -> usize {
    // With one bit turned over the quote comes next to the control characters, so that one comparison finds both.
    let low = (w ^ (ONES * 2)).wrapping_sub(ONES * 0x21);
    let slash = (w ^ (ONES * b'\\' as usize)).wrapping_sub(ONES);
    low | slash
}

/// The first filler byte from `i` on, or the end of `b`.
pub(super) const fn until_fill(b: &[u8], mut i: usize) -> usize {
    while let Some(word) = chunk::<WORD>(b, i) {
        let w = !usize::from_le_bytes(*word);
        if w.wrapping_sub(ONES) & !w & TOPS != 0 {
            break;
        }
        i += WORD;
    }
    while i < b.len() && at(b, i) != FILL {
        i += 1;
    }
    i
}

/// Whole 64-byte blocks. No exit inside a block, so that the compiler makes it vector code where there are vectors; on
/// small targets the word loop does as well.
const fn plain_blocks(b: &[u8], run: Run) -> Run {
    let Run { at: mut i, mut high } = run;
    if WORD < 8 {
        return run;
    }
    while let Some(block) = chunk::<64>(b, i) {
        let (ends, foreign) = survey(block);
        if ends {
            break;
        }
        high |= (foreign as usize) << 7;
        i += 64;
    }
    Run { at: i, high }
}

/// Whether a byte of `block` ends a run, and whether one is not ASCII.
#[inline(always)]
pub(super) const fn survey(block: &[u8; 64]) -> (bool, bool) {
    let (mut ends, mut foreign, mut k) = (false, false, 0);
    while k < block.len() {
        let c = at(block, k);
        // As in `ends`: the quote and the control characters in one comparison.
        ends |= (c ^ 2 < 0x21) | (c == b'\\');
        foreign |= c >= 0x80;
        k += 1;
    }
    (ends, foreign)
}

/// The value of four hexadecimal digits, or -1.
pub(super) const fn hex4(b: &[u8], i: usize) -> i32 {
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
pub(super) const fn escape_len(b: &[u8], i: usize) -> usize {
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
