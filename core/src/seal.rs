//! A ready [`Sealer`]: HMAC-SHA-256 (RFC 2104) of RustCrypto's `hmac` and `sha2`.
//!
//! These two crates keep a way to panic that only fat link-time optimization takes out (`lto = true`); the rest of the
//! crate has none without it (decision 002). Where that matters, implement [`Sealer`] over the hash unit of the chip.

use crate::error::{Error, Kind};
use crate::session::seal::{Pieces, Sealer, TAG_BYTES};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Length of the shortest key, in bytes. Keys of 32 random bytes are as strong as the tag.
pub const KEY_MIN_BYTES: usize = 16;

/// HMAC-SHA-256 under one key.
///
/// # Memory
/// The two hash states that the key leads to, 0.2 KiB, not the key itself; as much again on the stack for a tag. Neither
/// is wiped.
pub struct HmacSealer {
    keyed: Hmac<Sha256>,
}

impl HmacSealer {
    /// A sealer under `key`, which must come from a random source and stay with the server and its replicas.
    ///
    /// # Errors
    /// [`Kind::Declaration`] for a key below [`KEY_MIN_BYTES`]: it could be guessed, and every state with it.
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        match Hmac::new_from_slice(key) {
            Ok(keyed) if key.len() >= KEY_MIN_BYTES => Ok(Self { keyed }),
            _ => Err(Error::new(Kind::Declaration, 0)),
        }
    }
}

impl Sealer for HmacSealer {
    fn tag(&self, message: &Pieces<'_>) -> [u8; TAG_BYTES] {
        let mut mac = self.keyed.clone();
        message(&mut |piece| mac.update(piece));
        mac.finalize().into_bytes().into()
    }
}
