//! Text and integers as JSON has them.

use super::chars::{Run, plain};
use crate::bytes::{at, hex_digit, part};

/// The decimal digits of `value`.
#[inline]
pub fn decimal(value: u64, digits: &mut [u8; 20]) -> &[u8] {
    #[cfg(target_pointer_width = "64")]
    return by_division(value, digits);
    #[cfg(not(target_pointer_width = "64"))]
    return by_subtraction(value, digits);
}

/// [`decimal`] as text, for sentences.
pub fn decimal_text(value: u64, digits: &mut [u8; 20]) -> &str {
    core::str::from_utf8(decimal(value, digits)).unwrap_or("")
}

#[cfg(target_pointer_width = "64")]
fn by_division(value: u64, digits: &mut [u8; 20]) -> &[u8] {
    let (mut rest, mut n) = (value, 0_usize);
    for place in digits.iter_mut().rev() {
        *place = b'0'.wrapping_add((rest % 10) as u8);
        rest /= 10;
        n = n.wrapping_add(1);
        if rest == 0 {
            break;
        }
    }
    part(digits, digits.len().wrapping_sub(n), digits.len())
}

/// Powers of ten are subtracted, not divided by: 64-bit division is a library call on small targets.
#[cfg(any(test, not(target_pointer_width = "64")))]
fn by_subtraction(value: u64, digits: &mut [u8; 20]) -> &[u8] {
    let (mut rest, mut n) = (value, 0_usize);
    for power in POWERS {
        let mut digit = b'0';
        while rest >= power {
            rest = rest.wrapping_sub(power);
            digit = digit.wrapping_add(1);
        }
        if digit > b'0' || n > 0 || power == 1 {
            if let Some(place) = digits.get_mut(n) {
                *place = digit;
            }
            n = n.wrapping_add(1);
        }
    }
    part(digits, 0, n)
}

#[cfg(any(test, not(target_pointer_width = "64")))]
const POWERS: [u64; 20] = [
    10_000_000_000_000_000_000,
    1_000_000_000_000_000_000,
    100_000_000_000_000_000,
    10_000_000_000_000_000,
    1_000_000_000_000_000,
    100_000_000_000_000,
    10_000_000_000_000,
    1_000_000_000_000,
    100_000_000_000,
    10_000_000_000,
    1_000_000_000,
    100_000_000,
    10_000_000,
    1_000_000,
    100_000,
    10_000,
    1_000,
    100,
    10,
    1,
];

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
            return put(&[b'\\', b'u', b'0', b'0', hex_digit(c >> 4), hex_digit(c & 15)]);
        }
    };
    put(&[b'\\', short]);
}

/// The first byte from `i` on that must be escaped.
#[inline]
fn clean(b: &[u8], i: usize) -> usize {
    plain(b, Run { at: i, high: 0 }).at.min(b.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn digits_are_those_of_the_number() {
        let mut value = u64::MAX;
        for step in 0..400_u64 {
            for n in [value, value.wrapping_add(1), step] {
                let text = n.to_string();
                assert_eq!(decimal(n, &mut [0; 20]), text.as_bytes());
                assert_eq!(by_subtraction(n, &mut [0; 20]), text.as_bytes());
            }
            value = if step % 20 == 0 { u64::MAX >> (step / 20) } else { value / 10 };
        }
    }
}
