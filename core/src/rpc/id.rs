//! Ids and progress tokens: bytes that come back as they came, type included.

use crate::json::scan::{Scan, Token};
use crate::limits::{ID_MAX_BYTES, TOKEN_MAX_BYTES};

/// A request id: the JSON text of a string or an integer. `1` and `"1"` are two ids.
pub type Id = heapless::Vec<u8, ID_MAX_BYTES, u8>;

/// A progress token, likewise.
pub type ProgressToken = heapless::Vec<u8, TOKEN_MAX_BYTES, u8>;

/// Whether `text` is a string or an integer. A fraction, even `1.0`, is refused: MCP's ids are integers
/// (2026-07-28 basic, "Requests"), and a reader that kept `1` would not find it again.
pub fn is_id(text: &[u8]) -> bool {
    let mut scan = Scan::text();
    let ok = match scan.next(text) {
        Token::Str => true,
        Token::Number => !scan.marked(),
        _ => false,
    };
    ok && scan.next(text) == Token::End
}
