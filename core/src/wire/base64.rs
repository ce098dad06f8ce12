//! Base64, encoded as a stream and decoded strictly (RFC 4648 §4, standard alphabet with padding).
//!
//! The encoder takes a blob in pieces of any size, so that a resource never has to lie in memory twice. The
//! decoder accepts exactly one spelling per byte string: no line breaks, no missing padding, no stray bits in
//! the last digit (RFC 4648 §3.5). Two spellings of one blob would compare unequal where the blobs are equal.

use core::fmt;

use crate::bytes::{at, chunk, copy, part, part_mut};

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Groups of three bytes that are encoded before they are handed on: 48 bytes in, 64 digits out.
const BLOCK_GROUPS: usize = 16;

/// How many digits `n` bytes encode to; stays at `usize::MAX` when that is no `usize`.
pub const fn encoded_len(n: usize) -> usize {
    n.div_ceil(3).saturating_mul(4)
}

/// How many bytes `input` decodes to if it is valid.
pub const fn decoded_len(input: &[u8]) -> usize {
    let n = input.len();
    let pads = match input {
        [.., b'=', b'='] => 2,
        [.., b'='] => 1,
        _ => 0,
    };
    (n / 4).saturating_mul(3).saturating_sub(pads)
}

/// Encodes bytes that arrive in pieces.
///
/// # Memory
/// Three bytes of state: up to two input bytes wait for the third of their group.
#[derive(Clone, Copy, Debug, Default)]
pub struct Encoder {
    held: [u8; 2],
    len: u8,
}

impl Encoder {
    /// An encoder at the start of a blob.
    pub const fn new() -> Self {
        Self { held: [0; 2], len: 0 }
    }

    /// What it holds back, to go on from with [`of`](Self::of).
    pub(crate) const fn held(&self) -> [u8; 3] {
        let [a, b] = self.held;
        [a, b, self.len]
    }

    /// An encoder that holds back what another one did.
    pub(crate) const fn of([a, b, len]: [u8; 3]) -> Self {
        Self { held: [a, b], len: if len < 2 { len } else { 2 } }
    }

    /// Encodes `input` and hands the digits to `put`, at most 64 at a time and always whole groups of four.
    pub fn encode_into(&mut self, input: &[u8], put: &mut impl FnMut(&[u8])) {
        let mut rest = input;
        while self.len > 0 {
            let Some((&byte, tail)) = rest.split_first() else { return };
            rest = tail;
            let [a, b] = self.held;
            if self.len == 1 {
                self.held = [a, byte];
                self.len = 2;
            } else {
                self.len = 0;
                put(&quad([a, b, byte]));
            }
        }
        let (groups, tail) = rest.as_chunks::<3>();
        let (blocks, last) = groups.as_chunks::<BLOCK_GROUPS>();
        for block in blocks {
            put_groups(block, put);
        }
        if !last.is_empty() {
            put_groups(last, put);
        }
        self.len = copy(&mut self.held, tail) as u8;
    }

    /// Ends the blob: hands the last, padded group to `put` if there is one, and starts over.
    pub fn finish(&mut self, put: &mut impl FnMut(&[u8])) {
        let [a, b] = self.held;
        match self.len {
            0 => {}
            1 => {
                let [d0, d1, ..] = quad([a, 0, 0]);
                put(&[d0, d1, b'=', b'=']);
            }
            _ => {
                let [d0, d1, d2, _] = quad([a, b, 0]);
                put(&[d0, d1, d2, b'=']);
            }
        }
        self.len = 0;
    }
}

fn put_groups(groups: &[[u8; 3]], put: &mut impl FnMut(&[u8])) {
    let mut out = [[0; 4]; BLOCK_GROUPS];
    for (group, digits) in groups.iter().zip(out.iter_mut()) {
        *digits = quad(*group);
    }
    put(part(out.as_flattened(), 0, groups.len().saturating_mul(4)));
}

#[inline(always)]
fn quad([a, b, c]: [u8; 3]) -> [u8; 4] {
    [digit(a >> 2), digit(a << 4 | b >> 4), digit(b << 2 | c >> 6), digit(c)]
}

/// The digit for the low six bits.
#[inline(always)]
fn digit(bits: u8) -> u8 {
    at(DIGITS, usize::from(bits & 63))
}

/// Why a text is not the base64 of anything, or cannot be decoded here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base64Error {
    /// The length is no multiple of four: digits or padding are missing.
    Length,
    /// The byte at this offset is no digit, or padding before the end.
    Byte(usize),
    /// The digit at this offset holds bits that the padding throws away.
    Bits(usize),
    /// The output is too small; this many bytes are needed.
    Space(usize),
}

impl fmt::Display for Base64Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Length => f.write_str("base64 of a length that is no multiple of four"),
            Self::Byte(at) => write!(f, "no base64 digit at byte {at}"),
            Self::Bits(at) => write!(f, "stray bits in the last base64 digit, at byte {at}"),
            Self::Space(needed) => write!(f, "{needed} bytes of output are needed"),
        }
    }
}

impl core::error::Error for Base64Error {}

/// Decodes `input` into the front of `out` and says how many bytes that are.
///
/// # Errors
/// [`Base64Error::Space`] before anything is written; on the others the contents of `out` are unspecified.
pub fn decode(input: &[u8], out: &mut [u8]) -> Result<usize, Base64Error> {
    let (groups, rest) = input.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(Base64Error::Length);
    }
    let len = decoded_len(input);
    if out.len() < len {
        return Err(Base64Error::Space(len));
    }
    let Some((last, whole)) = groups.split_last() else { return Ok(0) };
    let mut from = 0usize;
    for (group, bytes) in whole.iter().zip(out.as_chunks_mut::<3>().0) {
        *bytes = triple(group, from)?;
        from = from.wrapping_add(4);
    }
    let (bytes, n) = last_triple(last, from)?;
    copy(part_mut(out, len.wrapping_sub(n), len), part(&bytes, 0, n));
    Ok(len)
}

/// Decodes `buf` into its own front and says how many bytes that are.
///
/// # Errors
/// [`Base64Error::Length`] leaves `buf` as it was; after the others its contents are unspecified.
pub fn decode_in_place(buf: &mut [u8]) -> Result<usize, Base64Error> {
    if !buf.len().is_multiple_of(4) {
        return Err(Base64Error::Length);
    }
    let (mut from, mut to) = (0usize, 0usize);
    while let Some(group) = chunk::<4>(buf, from).copied() {
        // Three bytes are written where four have been read: the next group is never touched too early.
        let next = from.wrapping_add(4);
        let (bytes, n) =
            if next == buf.len() { last_triple(&group, from)? } else { (triple(&group, from)?, 3) };
        let end = to.wrapping_add(n);
        copy(part_mut(buf, to, end), part(&bytes, 0, n));
        (from, to) = (next, end);
    }
    Ok(to)
}

/// The three bytes of a group that is not the last; `from` is its offset, for the error.
#[inline]
fn triple(group: &[u8; 4], from: usize) -> Result<[u8; 3], Base64Error> {
    let [a, b, c, d] = group.map(value);
    if (a | b | c | d) > 63 {
        let bad = group.iter().position(|digit| value(*digit) > 63).unwrap_or(0);
        return Err(Base64Error::Byte(from.wrapping_add(bad)));
    }
    Ok([a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d])
}

/// The bytes of the last group and how many of them count.
fn last_triple(group: &[u8; 4], from: usize) -> Result<([u8; 3], usize), Base64Error> {
    let [a, b, c, d] = *group;
    // A padding place reads as the digit for zero; then the byte it leaves over must be zero too.
    let (group, n) = match (c, d) {
        (b'=', b'=') => ([a, b, b'A', b'A'], 1),
        (_, b'=') => ([a, b, c, b'A'], 2),
        _ => (*group, 3),
    };
    let bytes = triple(&group, from)?;
    if n < 3 && at(&bytes, n) != 0 {
        return Err(Base64Error::Bits(from.wrapping_add(n)));
    }
    Ok((bytes, n))
}

/// What a digit stands for; 255 for any other byte.
#[inline(always)]
const fn value(digit: u8) -> u8 {
    match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => 255,
    }
}
