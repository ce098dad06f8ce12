//! Integers out of number tokens, exactly.

use crate::error::Kind;
use core::cmp::Ordering;

/// The integer that `token` stands for: `7`, `7.0`, `70e-1` and `0.7e1` are the same one, as in JSON Schema.
///
/// Takes time linear in the token whatever its exponent says, and never divides.
///
/// # Errors
/// [`Kind::Type`] when it has a fraction or is no number, [`Kind::Range`] when it does not fit.
pub fn to_i64(token: &[u8]) -> Result<i64, Kind> {
    let (negative, digits) = sign(token);
    let size = magnitude(digits)?;
    match (negative, size) {
        (false, ..=MAX) => Ok(size as i64),
        // One more fits below zero than above; wrapping gives exactly that one.
        (true, ..=MIN) => Ok((size as i64).wrapping_neg()),
        _ => Err(Kind::Range),
    }
}

/// [`to_i64`] for integers that are not negative. `-0` is 0.
///
/// # Errors
/// As for [`to_i64`].
pub fn to_u64(token: &[u8]) -> Result<u64, Kind> {
    let (negative, digits) = sign(token);
    match magnitude(digits)? {
        0 => Ok(0),
        _ if negative => Err(Kind::Range),
        size => Ok(size),
    }
}

const MAX: u64 = i64::MAX as u64;
const MIN: u64 = i64::MIN.unsigned_abs();

pub(super) fn sign(token: &[u8]) -> (bool, &[u8]) {
    match token {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    }
}

fn magnitude(digits: &[u8]) -> Result<u64, Kind> {
    let mut value = 0_u64;
    // 19 digits are below 2^64, so nothing is checked but that they are digits.
    if digits.len() <= 19 {
        for c in digits {
            let d = c.wrapping_sub(b'0');
            if d > 9 {
                return exact(digits);
            }
            value = times_ten(value).wrapping_add(u64::from(d));
        }
        return if digits.is_empty() { Err(Kind::Type) } else { Ok(value) };
    }
    exact(digits)
}

/// Shifts, because a 64-bit multiplication is a library call on the smallest targets.
fn times_ten(value: u64) -> u64 {
    (value << 3).wrapping_add(value << 1)
}

/// A number token without its sign, taken apart.
pub(super) struct Decimal<'a> {
    mantissa: &'a [u8],
    whole: usize,
    /// How many digits stand before the decimal point once the exponent has moved it; negative when zeros are missing
    /// after it.
    pub point: i64,
}

impl<'a> Decimal<'a> {
    pub(super) fn split(digits: &'a [u8]) -> Result<Self, Kind> {
        let mut parts = digits.splitn(2, |c| matches!(c, b'e' | b'E'));
        let mantissa = parts.next().unwrap_or(&[]);
        let shift = match parts.next() {
            Some(text) => exponent(text)?,
            None => 0,
        };
        if mantissa.is_empty() {
            return Err(Kind::Type);
        }
        let whole = mantissa.iter().position(|c| *c == b'.').unwrap_or(mantissa.len());
        let point = shift.saturating_add(i64::try_from(whole).unwrap_or(i64::MAX));
        Ok(Self { mantissa, whole, point })
    }

    /// The values of the digits; above 9 where there is none.
    pub(super) fn digits(&self) -> impl Iterator<Item = u8> {
        let whole = self.whole;
        let digits = self.mantissa.iter().enumerate().filter(move |(i, _)| *i != whole);
        digits.map(|(_, c)| c.wrapping_sub(b'0'))
    }
}

/// Compares two JSON numbers exactly, without floats, in time linear in the texts whatever their exponents say.
pub(crate) fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let ((a_negative, a), (b_negative, b)) = (sign(a), sign(b));
    let (a, b) = (Size::of(a), Size::of(b));
    // Zero has no sign.
    match (a_negative && a.is_some(), b_negative && b.is_some()) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (true, true) => Size::compare(&b, &a),
        (false, false) => Size::compare(&a, &b),
    }
}

/// `0.d1d2d3… × 10^point`, where `d1` is not zero.
struct Size<'a> {
    decimal: Decimal<'a>,
    /// Zeros before `d1`.
    zeros: usize,
    point: i64,
}

impl<'a> Size<'a> {
    /// `None` for zero.
    fn of(digits: &'a [u8]) -> Option<Self> {
        let decimal = Decimal::split(digits).ok()?;
        let zeros = decimal.digits().position(|d| d != 0)?;
        let point = decimal.point.saturating_sub(i64::try_from(zeros).unwrap_or(i64::MAX));
        Some(Self { decimal, zeros, point })
    }

    fn compare(a: &Option<Self>, b: &Option<Self>) -> Ordering {
        let (a, b) = match (a, b) {
            (Some(a), Some(b)) => (a, b),
            (a, b) => return a.is_some().cmp(&b.is_some()),
        };
        if a.point != b.point {
            return a.point.cmp(&b.point);
        }
        let (mut a, mut b) = (a.decimal.digits().skip(a.zeros), b.decimal.digits().skip(b.zeros));
        loop {
            // Where one has no digit left, it has zeros.
            let order = match (a.next(), b.next()) {
                (None, None) => return Ordering::Equal,
                (a, b) => a.unwrap_or(0).cmp(&b.unwrap_or(0)),
            };
            if order != Ordering::Equal {
                return order;
            }
        }
    }
}

/// Digits before the decimal point count, digits after it must be zero.
#[cold]
fn exact(digits: &[u8]) -> Result<u64, Kind> {
    let decimal = Decimal::split(digits)?;
    let point = decimal.point;
    let mut sum = Sum { value: 0, over: false };
    let mut place = 0_i64;
    for d in decimal.digits() {
        if d > 9 || (place >= point && d != 0) {
            return Err(Kind::Type);
        }
        if place < point {
            sum.push(d);
        }
        place = place.wrapping_add(1);
    }
    // A zero stays zero and anything else is out of range within 20 steps, so a huge exponent costs nothing.
    while place < point && sum.value != 0 && !sum.over {
        sum.push(0);
        place = place.wrapping_add(1);
    }
    if sum.over { Err(Kind::Range) } else { Ok(sum.value) }
}

struct Sum {
    value: u64,
    over: bool,
}

impl Sum {
    fn push(&mut self, digit: u8) {
        match times_ten(self.value).checked_add(u64::from(digit)) {
            Some(value) if self.value <= u64::MAX / 10 => self.value = value,
            _ => self.over = true,
        }
    }
}

fn exponent(text: &[u8]) -> Result<i64, Kind> {
    /// Beyond any position in a message, and far from overflow when positions are added.
    const FAR: i64 = 1 << 40;
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    let mut value = 0_i64;
    for c in digits {
        let d = c.wrapping_sub(b'0');
        if d > 9 {
            return Err(Kind::Type);
        }
        if value < FAR {
            value = (value << 3).wrapping_add(value << 1).wrapping_add(i64::from(d));
        }
    }
    match digits {
        [] => Err(Kind::Type),
        _ if negative => Ok(value.wrapping_neg()),
        _ => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_in_any_form() {
        for (token, want) in [
            ("0", Ok(0)),
            ("-0", Ok(0)),
            ("-0.0e5", Ok(0)),
            ("1.0", Ok(1)),
            ("1e3", Ok(1000)),
            ("10e-1", Ok(1)),
            ("0.7e1", Ok(7)),
            ("-120.50E+1", Ok(-1205)),
            ("1.5", Err(Kind::Type)),
            ("15e-1", Err(Kind::Type)),
            ("1e-1", Err(Kind::Type)),
            ("0e999999999999999999999", Ok(0)),
            ("0e-999999999999999999999", Ok(0)),
            ("1e999999999", Err(Kind::Range)),
            ("1e-999999999", Err(Kind::Type)),
            ("9223372036854775807", Ok(i64::MAX)),
            ("9223372036854775808", Err(Kind::Range)),
            ("-9223372036854775808", Ok(i64::MIN)),
            ("-9223372036854775809", Err(Kind::Range)),
            ("9.223372036854775807e18", Ok(i64::MAX)),
            ("922337203685477580700e-2", Ok(i64::MAX)),
            ("", Err(Kind::Type)),
            ("-", Err(Kind::Type)),
            ("1e", Err(Kind::Type)),
            ("0x1", Err(Kind::Type)),
        ] {
            assert_eq!(to_i64(token.as_bytes()), want, "{token}");
        }
    }

    #[test]
    fn unsigned_to_the_edge() {
        assert_eq!(to_u64(b"18446744073709551615"), Ok(u64::MAX));
        assert_eq!(to_u64(b"18446744073709551616"), Err(Kind::Range));
        assert_eq!(to_u64(b"184467440737095516150e-1"), Ok(u64::MAX));
        assert_eq!(to_u64(b"00000000000000000000000000000000001"), Ok(1));
        assert_eq!(to_u64(b"-1"), Err(Kind::Range));
        assert_eq!(to_u64(b"-0"), Ok(0));
    }

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
