//! Text and integers as JSON has them.

use super::chars::{Run, plain};
use crate::bytes::{at, part};

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
#[inline]
fn clean(b: &[u8], i: usize) -> usize {
    plain(b, Run { at: i, high: 0 }).at.min(b.len())
}
