//! Time, as the caller tells it.

/// A point on the caller's own clock, in milliseconds since any fixed moment.
///
/// Core reads no clock: every deadline is set from, and compared with, what the caller passes in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Millis(pub u64);

impl Millis {
    /// This moment and `ms` milliseconds more; the end of time when that overflows.
    pub const fn after(self, ms: u64) -> Self {
        Self(self.0.saturating_add(ms))
    }
}
