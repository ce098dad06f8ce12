//! Percent-decoding of a value.

use core::fmt;

use crate::bytes::part;

use super::parse::{BROKEN, unit};

/// Why a raw value cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The `%` at this byte is not followed by two hexadecimal digits.
    Escape(usize),
    /// The decoded bytes are no UTF-8.
    Utf8,
    /// The output is too small; this many bytes are needed.
    Space(usize),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Escape(at) => write!(f, "bad percent-encoding at byte {at}"),
            Self::Utf8 => f.write_str("percent-encoding of bytes that are no UTF-8"),
            Self::Space(needed) => write!(f, "{needed} bytes of output are needed"),
        }
    }
}

impl core::error::Error for DecodeError {}

/// Whether `raw` holds no `%`: it is its own value and needs no [`decode`].
pub fn is_plain(raw: &[u8]) -> bool {
    crate::bytes::find(raw, b'%').is_none()
}

/// Decodes `%XX` in `raw` into the front of `out`; every other byte, `+` too, stands for itself.
///
/// The result may hold any character: a `/` from `%2F`, a NUL, `..`. Whoever makes a path of it checks it first.
///
/// # Errors
/// [`DecodeError`]; on any of them the contents of `out` are unspecified.
///
/// # Memory
/// At most `raw.len()` bytes of `out`.
pub fn decode<'o>(raw: &[u8], out: &'o mut [u8]) -> Result<&'o str, DecodeError> {
    let (mut i, mut n) = (0usize, 0usize);
    while i < raw.len() {
        let (code, len) = unit(raw, i);
        if code == BROKEN {
            return Err(DecodeError::Escape(i));
        }
        if let Some(slot) = out.get_mut(n) {
            *slot = code as u8;
        }
        i = i.wrapping_add(len);
        n = n.wrapping_add(1);
    }
    if n > out.len() {
        return Err(DecodeError::Space(n));
    }
    core::str::from_utf8(part(out, 0, n)).map_err(|_| DecodeError::Utf8)
}
