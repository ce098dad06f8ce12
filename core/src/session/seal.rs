//! What makes `requestState` worth trusting: a tag that only this server, or one with the same key, can make.

/// A keyed tag over a message, such as HMAC-SHA-256 (feature `seal`: `HmacSealer`).
///
/// `requestState` goes through the client's hands between two rounds of a call (2026-07-28 basic/patterns/mrtr): whatever
/// it says must be taken for the client's own invention unless a tag proves it ours. Replicas that share a key, and
/// set `Config::epoch_ms`, answer each other's rounds.
pub trait Sealer: Sync {
    /// The tag of the message whose pieces `message` hands, in order, to the closure it is given. Called with equal
    /// messages it gives equal tags; the pieces of equal messages may be cut elsewhere.
    fn tag(&self, message: &Pieces<'_>) -> [u8; TAG_BYTES];
}

/// A message that hands itself over piece by piece.
pub type Pieces<'m> = dyn Fn(&mut dyn FnMut(&[u8])) + 'm;

/// Length of a tag.
pub const TAG_BYTES: usize = 32;

/// Whether `a` and `b` are the same, in a time that does not depend on where they differ.
pub(crate) fn same_tag(a: &[u8; TAG_BYTES], b: &[u8; TAG_BYTES]) -> bool {
    let differing = a.iter().zip(b).fold(0, |bits, (a, b)| bits | (a ^ b));
    // Without this the compiler may stop at the first byte that differs.
    core::hint::black_box(differing) == 0
}
