//! What the scanner looks for inside a token.

use crate::bytes::{WORD, at, chunk};

pub(super) const fn blanks(b: &[u8], mut i: usize) -> usize {
    while let b' ' | b'\t' | b'\n' | b'\r' = at(b, i) {
        i += 1;
    }
    i
}

pub(super) const fn digits(b: &[u8], mut i: usize) -> usize {
    while let b'0'..=b'9' = at(b, i) {
        i += 1;
    }
    i
}

const ONES: usize = usize::MAX / 255;
const TOPS: usize = ONES << 7;

/// The first byte from `i` on that ends a run of plain ASCII text: a quote, a backslash, a control character or
/// anything beyond ASCII.
pub(super) const fn plain(b: &[u8], mut i: usize) -> usize {
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

/// Length of the UTF-8 sequence at `i`, 2 to 4; 0 when it is none (RFC 3629, no overlong forms, no surrogates).
pub(super) const fn utf8_len(b: &[u8], i: usize) -> usize {
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
