//! Cursors: where a list goes on. Opaque to clients, and self-checking: a cursor that was altered, or that belongs to
//! another list or another state of the list, is refused and not misread.

use crate::bytes::{at, hex_digit};
use crate::json::text::content_bytes;

/// Length of a cursor, in characters.
pub const CURSOR_LEN: usize = 12;

/// The cursor of item `index` in list number `list`, which now has `len` items.
pub fn make(list: u8, len: usize, index: usize) -> [u8; CURSOR_LEN] {
    let mut out = [0; CURSOR_LEN];
    let word = (index as u64 & 0xFFFF) << 32 | u64::from(check(list, len, index));
    for (i, c) in out.iter_mut().enumerate() {
        let nibble = (word >> (44_usize.wrapping_sub(i.wrapping_mul(4)))) as u8 & 15;
        *c = hex_digit(nibble);
    }
    out
}

/// Why a request for a page is refused.
pub(crate) const NOT_OURS: &str =
    "\"cursor\" is not one that this server gave for this list: start again without it";

/// The first item of the page that the JSON token `cursor` asks for: the first of all when there is none.
pub(crate) fn first(list: u8, len: usize, cursor: &[u8]) -> Option<usize> {
    match cursor {
        b"" | b"null" => Some(0),
        token => content_bytes(token).and_then(|text| read(list, len, text)),
    }
}

/// The item that the cursor `text` names; `None` when it is not one that [`make`] would make now.
pub fn read(list: u8, len: usize, text: &[u8]) -> Option<usize> {
    let mut index = 0_usize;
    for i in 0..4 {
        let c = at(text, i);
        let nibble = match c {
            b'0'..=b'9' => c.wrapping_sub(b'0'),
            b'a'..=b'f' => c.wrapping_sub(b'a').wrapping_add(10),
            _ => return None,
        };
        index = index << 4 | usize::from(nibble);
    }
    (index < len && text == make(list, len, index)).then_some(index)
}

/// FNV-1a over what makes the cursor valid. Not a secret: a forged cursor only shows a page that could be listed anyway.
fn check(list: u8, len: usize, index: usize) -> u32 {
    let mut hash = 0x811C_9DC5_u32;
    for byte in [list, len as u8, (len >> 8) as u8, index as u8, (index >> 8) as u8] {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_check_themselves() {
        let cursor = make(1, 300, 257);
        assert_eq!(read(1, 300, &cursor), Some(257));
        assert_eq!(read(2, 300, &cursor), None);
        assert_eq!(read(1, 301, &cursor), None);
        for i in 0..CURSOR_LEN {
            let mut bad = cursor;
            bad[i] ^= 1;
            assert_eq!(read(1, 300, &bad), None);
        }
        assert_eq!(read(1, 300, b""), None);
    }
}
