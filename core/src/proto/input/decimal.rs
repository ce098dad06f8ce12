//! Numbers compared as text: exactly, without floats.

use crate::bytes::part;
use core::cmp::Ordering;

/// Compares two JSON numbers.
///
/// Takes time linear in the texts whatever their exponents say.
pub(super) fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let (a, b) = (Decimal::of(a), Decimal::of(b));
    match (a.is_negative, b.is_negative) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (true, true) => b.compare_size(&a),
        (false, false) => a.compare_size(&b),
    }
}

/// `0.d1d2d3… × 10^point`, where `d1` is not zero.
struct Decimal<'a> {
    is_negative: bool,
    /// Digits and the decimal point, from the first digit on that is not zero; empty for zero.
    digits: &'a [u8],
    point: i64,
}

impl<'a> Decimal<'a> {
    fn of(token: &'a [u8]) -> Self {
        let (negative, token) = match token {
            [b'-', rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        let e = token.iter().position(|c| matches!(c, b'e' | b'E')).unwrap_or(token.len());
        let mantissa = part(token, 0, e);
        let shift = exponent(part(token, e.wrapping_add(1), token.len()));
        let whole = mantissa.iter().position(|c| *c == b'.').unwrap_or(mantissa.len());
        match mantissa.iter().position(|c| matches!(c, b'1'..=b'9')) {
            None => Self { is_negative: false, digits: &[], point: 0 },
            Some(first) => {
                // Behind the decimal point, which is no digit, a place is one less.
                let lead = if first > whole { first.wrapping_sub(1) } else { first };
                let point = (whole as i64).wrapping_sub(lead as i64);
                let digits = part(mantissa, first, mantissa.len());
                Self { is_negative: negative, digits, point: point.saturating_add(shift) }
            }
        }
    }

    fn compare_size(&self, other: &Self) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => return Ordering::Equal,
            (true, false) => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            (false, false) => {}
        }
        if self.point != other.point {
            return self.point.cmp(&other.point);
        }
        let digits = |of: &Self| of.digits.iter().copied().filter(|c| *c != b'.');
        let (mut a, mut b) = (digits(self), digits(other));
        loop {
            // Where one has no digit left, it has zeros.
            let order = match (a.next(), b.next()) {
                (None, None) => return Ordering::Equal,
                (a, b) => a.unwrap_or(b'0').cmp(&b.unwrap_or(b'0')),
            };
            if order != Ordering::Equal {
                return order;
            }
        }
    }
}

/// Saturates far beyond the places of any message.
fn exponent(text: &[u8]) -> i64 {
    const FAR: i64 = 1 << 40;
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    let mut value = 0_i64;
    for c in digits {
        if value < FAR {
            value = (value << 3).wrapping_add(value << 1).wrapping_add(i64::from(c.wrapping_sub(b'0')));
        }
    }
    if negative { value.wrapping_neg() } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_as_numbers() {
        let ascending = [
            "-1e999999999999999999999",
            "-12.5",
            "-12",
            "-0.5e-3",
            "0",
            "1e-999999999999999999999",
            "0.00999",
            "0.01",
            "0.5",
            "0.50000000000000000000000000000000000001",
            "1",
            "9.99",
            "10",
            "1e2",
            "123456789012345678901234567890",
            "1e30",
            "9e99999999999999999999999",
        ];
        for (i, a) in ascending.iter().enumerate() {
            for (k, b) in ascending.iter().enumerate() {
                assert_eq!(compare(a.as_bytes(), b.as_bytes()), i.cmp(&k), "{a} {b}");
            }
        }
    }

    #[test]
    fn one_number_has_many_spellings() {
        for (a, b) in [
            ("0", "-0"),
            ("0", "-0.000e7"),
            ("1", "1.000"),
            ("100", "1E+2"),
            ("0.01", "1e-2"),
            ("12.50", "0.0125e3"),
            ("120", "12e1"),
            ("-7", "-70e-1"),
        ] {
            assert_eq!(compare(a.as_bytes(), b.as_bytes()), Ordering::Equal, "{a} {b}");
        }
    }
}
