//! Values that are passed through as they are.

use super::scan::valid;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

/// The name by which [`De`](super::De) and [`Ser`](super::Ser) know a [`Raw`]. No derive can give a type this name.
pub(super) const NAME: &str = "$midge::json::Raw";

/// The JSON text of one value, untouched: unread numbers, the order of members, and names that are there twice.
///
/// Understood by this crate's [`De`](super::De) and [`Ser`](super::Ser); other formats refuse it when reading and see a
/// byte string when writing.
///
/// # Memory
/// Borrows the text; nothing is copied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Raw<'a>(&'a [u8]);

impl<'a> Raw<'a> {
    /// `json` as a value; `None` when it is not exactly one valid JSON text. Usable in `const`.
    pub const fn new(json: &'a [u8]) -> Option<Self> {
        if valid(json) { Some(Self(json)) } else { None }
    }

    /// A value that was scanned before, and may be softened (see [`soften`](super::text::soften)).
    pub const fn scanned(value: &'a [u8]) -> Self {
        Self(value)
    }

    /// The text. Softened if it was read from a softened value: pass it on through
    /// [`Writer::value`](super::Writer::value).
    pub const fn get(&self) -> &'a [u8] {
        self.0
    }
}

impl Serialize for Raw<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(NAME, &Bytes(self.0))
    }
}

impl core::fmt::Debug for Raw<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        // Without the text: to show a `str` by `Debug` is a way to panic.
        f.write_str("Raw(…)")
    }
}

struct Bytes<'a>(&'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Raw<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(NAME, RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw<'de>;

    fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_borrowed_bytes<E: de::Error>(self, value: &'de [u8]) -> Result<Raw<'de>, E> {
        Ok(Raw(value))
    }
}
