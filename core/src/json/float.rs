//! Floats, exactly: read by our own routine, correctly rounded; written by `zmij`, shortest (decision 003).

mod big;

use super::num::{Decimal, sign};
use super::write::Writer;
use crate::error::Kind;
use big::Big;
use core::cmp::Ordering;

/// The `f64` nearest to the number `token`, ties to even.
///
/// # Errors
/// [`Kind::Range`] when it is beyond the largest `f64`, [`Kind::Type`] when it is no number.
///
/// # Memory
/// 0.7 KiB of stack. Time is linear in the token, whatever its exponent says.
pub fn to_f64(token: &[u8]) -> Result<f64, Kind> {
    read(token, &Format { bits: 53, least: -1022, most: 1023 }).map(f64::from_bits)
}

/// The `f32` nearest to the number `token`, ties to even; not the `f32` nearest to the nearest `f64`.
///
/// # Errors
/// As for [`to_f64`].
pub fn to_f32(token: &[u8]) -> Result<f32, Kind> {
    let bits = read(token, &Format { bits: 24, least: -126, most: 127 })?;
    // The sign stands in the top bit of either.
    Ok(f32::from_bits((bits >> 32) as u32 & 1 << 31 | bits as u32))
}

/// A binary format: bits of precision, exponents of the least and the greatest normal number.
struct Format {
    bits: u32,
    least: i32,
    most: i32,
}

/// Digits that can matter: the halfway point between two neighbours has at most 767.
const DIGITS_MAX: u32 = 768;

fn read(token: &[u8], format: &Format) -> Result<u64, Kind> {
    let (negative, digits) = sign(token);
    let sign = u64::from(negative) << 63;
    let decimal = Decimal::split(digits)?;
    let mut top = Big::new(0);
    let tens = significant(&decimal, &mut top)?;
    if top.is_zero() {
        return Ok(sign);
    }
    // The value is `top / bottom * 2^twos`, each of the two below 2^2600.
    let mut bottom = Big::new(1);
    if tens < 0 {
        bottom.times_five_to(tens.unsigned_abs());
    } else {
        top.times_five_to(tens.unsigned_abs());
    }
    let shift = top.bit_len() as i32 - bottom.bit_len() as i32;
    let mut exponent = tens.wrapping_add(shift);
    if shift < 0 {
        top.shift_left(shift.unsigned_abs())
    } else {
        bottom.shift_left(shift.unsigned_abs())
    }
    if top.cmp(&bottom) == Ordering::Less {
        top.shift_left(1);
        exponent = exponent.wrapping_sub(1);
    }
    if exponent > format.most {
        return Err(Kind::Range);
    }
    let bits = divide(&mut top, &bottom, exponent, format);
    let infinity =
        (format.most.wrapping_sub(format.least).wrapping_add(2) as u64) << (format.bits.wrapping_sub(1));
    if bits >= infinity { Err(Kind::Range) } else { Ok(sign | bits) }
}

/// `top / bottom`, which is in 1..2, as the bits of a float with that exponent.
fn divide(top: &mut Big, bottom: &Big, exponent: i32, format: &Format) -> u64 {
    // Below the least normal number there are fewer bits, down to none for what is rounded to the least of all.
    let missing = format.least.wrapping_sub(exponent).max(0) as u32;
    let Some(count) = format.bits.checked_sub(missing) else { return 0 };
    let mut quotient = 0_u64;
    for _ in 0..count {
        quotient <<= 1;
        if top.cmp(bottom) != Ordering::Less {
            top.subtract(bottom);
            quotient |= 1;
        }
        top.shift_left(1);
    }
    // What is left, doubled by the last shift, against the divisor: the next bit and all that follow it.
    let up = match top.cmp(bottom) {
        Ordering::Less => 0,
        Ordering::Equal => quotient & 1,
        Ordering::Greater => 1,
    };
    let biased = exponent.wrapping_sub(format.least).max(0) as u64;
    // The leading bit of a normal number adds the missing one to the exponent, as does a carry out of the rounding.
    (biased << format.bits.wrapping_sub(1)).wrapping_add(quotient).wrapping_add(up)
}

/// The number's digits as one integer, and the power of ten to multiply it by.
fn significant(decimal: &Decimal<'_>, sum: &mut Big) -> Result<i32, Kind> {
    let (mut chunk, mut scale) = (0_u32, 1_u32);
    let (mut zeros, mut kept, mut lost) = (0_i64, 0_u32, false);
    for d in decimal.digits() {
        if d > 9 {
            return Err(Kind::Type);
        }
        if d == 0 && kept == 0 {
            zeros = zeros.wrapping_add(1);
        } else if kept < DIGITS_MAX {
            kept = kept.wrapping_add(1);
            chunk = chunk.wrapping_mul(10).wrapping_add(u32::from(d));
            scale = scale.wrapping_mul(10);
            if scale == 1_000_000_000 {
                sum.times_plus(scale, chunk);
                (chunk, scale) = (0, 1);
            }
        } else {
            lost |= d > 0;
        }
    }
    sum.times_plus(scale, chunk);
    // Where the first digit stands: the value is below 10^place. Here the huge exponents end.
    let place = decimal.point.saturating_sub(zeros);
    if kept == 0 || place < -400 {
        *sum = Big::new(0);
        return Ok(0);
    }
    if place > 400 {
        return Err(Kind::Range);
    }
    let tens = (place as i32).wrapping_sub(kept as i32);
    if lost {
        // Anything beyond the digits that count only says that the value is not exactly halfway.
        sum.times_plus(10, 1);
        return Ok(tens.wrapping_sub(1));
    }
    Ok(tens)
}

impl Writer<'_> {
    /// Adds a float, in the fewest digits that read back the same; `null` when it is not finite.
    pub fn f64(&mut self, value: f64) {
        if value.is_finite() {
            self.raw(zmij::Buffer::new().format_finite(value).as_bytes())
        } else {
            self.null()
        }
    }

    /// [`f64`](Self::f64) for an `f32`.
    pub fn f32(&mut self, value: f32) {
        if value.is_finite() {
            self.raw(zmij::Buffer::new().format_finite(value).as_bytes())
        } else {
            self.null()
        }
    }
}
