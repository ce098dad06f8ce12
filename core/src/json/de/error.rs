use crate::error::{Error, Kind};
use serde::de::{self, Expected, Unexpected};

/// Why a value was refused, where, and which member it concerns.
///
/// No text of the peer's and none of serde's: the words are chosen where the error is shown, so that no formatting code
/// is linked for errors.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DeError {
    error: Error,
    field: Option<&'static str>,
}

/// serde makes errors without knowing the place; [`De`](super::De) puts it in on the way out.
const NOWHERE: u32 = u32::MAX;

impl DeError {
    const fn nowhere(kind: Kind) -> Self {
        Self { error: Error { kind, at: NOWHERE }, field: None }
    }

    const fn member(kind: Kind, name: &'static str) -> Self {
        Self { error: Error { kind, at: NOWHERE }, field: Some(name) }
    }

    /// The same error, at byte `at` unless it has a place already.
    #[cold]
    pub(crate) fn or_at(self, at: usize) -> Self {
        if self.error.at != NOWHERE {
            return self;
        }
        Self { error: Error::new(self.error.kind, at), field: self.field }
    }

    /// What is wrong.
    pub const fn kind(&self) -> Kind {
        self.error.kind
    }

    /// The byte of the value it is wrong at.
    pub const fn at(&self) -> usize {
        self.error.at as usize
    }

    /// The member that is absent or there twice.
    pub const fn field(&self) -> Option<&'static str> {
        self.field
    }

    /// Hands the path of what is wrong in `value`, the one that was read, to `put`, in pieces: `lamp.colors[2].red`. Of
    /// a member that is missing it is the path it should have. Empty when the value itself is wrong.
    pub fn write_path(&self, value: &[u8], put: &mut impl FnMut(&str)) {
        let mut empty = true;
        crate::json::path::write_path(value, self.at(), &mut |piece| {
            empty = false;
            put(piece);
        });
        if let (Kind::Missing, Some(field)) = (self.error.kind, self.field) {
            if !empty {
                put(".");
            }
            put(field);
        }
    }
}

impl From<Error> for DeError {
    fn from(error: Error) -> Self {
        Self { error, field: None }
    }
}

impl From<DeError> for Error {
    fn from(e: DeError) -> Self {
        e.error
    }
}

impl core::fmt::Display for DeError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if let Some(field) = self.field {
            f.write_str(field)?;
            f.write_str(" ")?;
        }
        self.error.fmt(f)
    }
}

impl core::fmt::Debug for DeError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for DeError {}

impl de::Error for DeError {
    fn custom<T: core::fmt::Display>(_: T) -> Self {
        Self::nowhere(Kind::Refused)
    }

    fn invalid_type(_: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self::nowhere(Kind::Type)
    }

    fn invalid_value(got: Unexpected<'_>, _: &dyn Expected) -> Self {
        Self::nowhere(match got {
            Unexpected::Unsigned(_) | Unexpected::Signed(_) | Unexpected::Float(_) => Kind::Range,
            _ => Kind::Refused,
        })
    }

    fn invalid_length(_: usize, _: &dyn Expected) -> Self {
        Self::nowhere(Kind::Length)
    }

    fn unknown_variant(_: &str, _: &'static [&'static str]) -> Self {
        Self::nowhere(Kind::Unknown)
    }

    fn unknown_field(_: &str, _: &'static [&'static str]) -> Self {
        Self::nowhere(Kind::Unknown)
    }

    fn missing_field(name: &'static str) -> Self {
        Self::member(Kind::Missing, name)
    }

    fn duplicate_field(name: &'static str) -> Self {
        Self::member(Kind::Duplicate, name)
    }
}
