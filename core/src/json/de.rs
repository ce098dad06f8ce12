//! serde, reading: values in place, text borrowed, every failure with its byte.

mod access;
mod error;
mod read;

use super::raw;
use super::scan::{SOFT, Scan, Token};
use crate::bytes::{at, part};
use crate::error::{Error, Kind};
use access::{Choice, Items, Members};
use serde::de::{Deserialize, Deserializer, Visitor};

pub use error::DeError;

/// Reads one value that was scanned before and [softened](super::text::soften), or that is absent.
///
/// Strings are borrowed from the value. Objects only become structs and maps, arrays only sequences and tuples;
/// unknown members are skipped unless the type refuses them; `null` and an absent member both are `None`. Depth is bound
/// by the type and by the scanner, never by recursion on input.
///
/// # Memory
/// This struct; recursion only as deep as the type nests.
pub struct De<'de> {
    b: &'de [u8],
    scan: Scan,
    held: Option<Token>,
    /// The value is known to be softened: a string is not searched for escapes again.
    sure: bool,
}

/// Reads a `T` out of `value`, which was scanned before and softened. An empty slice is an absent value.
///
/// # Errors
/// [`Kind::Type`], [`Kind::Range`], [`Kind::Length`], [`Kind::Missing`], [`Kind::Unknown`], [`Kind::Duplicate`] with the
/// byte of the value they concern; [`Kind::Refused`] from the type itself; [`Kind::Escape`] for a string that is not
/// softened.
pub fn from_value<'de, T: Deserialize<'de>>(value: &'de [u8]) -> Result<T, DeError> {
    let mut de = De::new(value);
    T::deserialize(&mut de).map_err(|e| e.or_at(0))
}

/// [`from_value`] of a value that this crate has softened itself.
pub(crate) fn from_softened<'de, T: Deserialize<'de>>(value: &'de [u8]) -> Result<T, DeError> {
    let mut de = De { sure: true, ..De::new(value) };
    T::deserialize(&mut de).map_err(|e| e.or_at(0))
}

impl<'de> De<'de> {
    /// Reads `value`; an empty slice is an absent one.
    pub const fn new(value: &'de [u8]) -> Self {
        Self { b: value, scan: Scan::value(0), held: None, sure: false }
    }

    /// A member that is not there: `None` for an option, [`Kind::Missing`] for all else.
    pub const fn absent() -> Self {
        Self::new(&[])
    }
}

macro_rules! integers {
    ($($deserialize:ident $visit:ident $read:ident $int:ty),*) => {$(
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
            let value = self.$read()?;
            match <$int>::try_from(value) {
                Ok(value) => self.placed(visitor.$visit(value)),
                Err(_) => Err(self.at_last(Kind::Range)),
            }
        }
    )*};
}

macro_rules! strings {
    ($($deserialize:ident)*) => {$(
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
            let text = self.string()?;
            self.placed(visitor.visit_borrowed_str(text))
        }
    )*};
}

impl<'de> Deserializer<'de> for &mut De<'de> {
    type Error = DeError;

    integers! {
        deserialize_i8 visit_i8 i64 i8, deserialize_i16 visit_i16 i64 i16,
        deserialize_i32 visit_i32 i64 i32, deserialize_i64 visit_i64 i64 i64,
        deserialize_u8 visit_u8 u64 u8, deserialize_u16 visit_u16 u64 u16,
        deserialize_u32 visit_u32 u64 u32, deserialize_u64 visit_u64 u64 u64,
        deserialize_i128 visit_i128 i64 i128, deserialize_u128 visit_u128 u64 u128
    }

    strings! { deserialize_str deserialize_string deserialize_identifier }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        let token = self.take()?;
        match token {
            Token::Number => self.any_number(visitor),
            Token::Null => self.placed(visitor.visit_unit()),
            Token::True | Token::False => self.placed(visitor.visit_bool(token == Token::True)),
            Token::Key | Token::Str => {
                let text = self.text(token)?;
                self.placed(visitor.visit_borrowed_str(text))
            }
            Token::BeginArray => {
                self.hold(token);
                self.deserialize_seq(visitor)
            }
            Token::BeginObject => {
                self.hold(token);
                self.deserialize_map(visitor)
            }
            _ => Err(self.wrong(token)),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        let value = match self.take()? {
            Token::True => true,
            Token::False => false,
            Token::Key if self.span() == b"true" => true,
            Token::Key if self.span() == b"false" => false,
            token => return Err(self.wrong(token)),
        };
        self.placed(visitor.visit_bool(value))
    }

    #[cfg(feature = "float")]
    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        let token = self.number()?;
        let value = super::float::to_f32(token).map_err(|kind| self.at_last(kind))?;
        self.placed(visitor.visit_f32(value))
    }

    #[cfg(feature = "float")]
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        let token = self.number()?;
        let value = super::float::to_f64(token).map_err(|kind| self.at_last(kind))?;
        self.placed(visitor.visit_f64(value))
    }

    #[cfg(not(feature = "float"))]
    fn deserialize_f32<V: Visitor<'de>>(self, _: V) -> Result<V::Value, DeError> {
        Err(self.at_last(Kind::Declaration))
    }

    #[cfg(not(feature = "float"))]
    fn deserialize_f64<V: Visitor<'de>>(self, _: V) -> Result<V::Value, DeError> {
        Err(self.at_last(Kind::Declaration))
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        let text = self.string()?;
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) => self.placed(visitor.visit_char(c)),
            _ => Err(self.at_last(Kind::Length)),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        if self.b.is_empty() {
            return visitor.visit_none();
        }
        if self.held.is_none() {
            // A lone string is not scanned just to see that it is not `null`.
            if self.scan.pos() == 0 && matches!(at(self.b, 0), b'"' | SOFT) {
                return visitor.visit_some(self);
            }
            let token = self.take()?;
            self.hold(token);
        }
        if self.held == Some(Token::Null) {
            self.held = None;
            return self.placed(visitor.visit_none());
        }
        visitor.visit_some(self)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        match self.take()? {
            Token::Null => self.placed(visitor.visit_unit()),
            token => Err(self.wrong(token)),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeError> {
        if name != raw::NAME {
            return visitor.visit_newtype_struct(self);
        }
        if self.held.is_none() && self.scan.pos() == 0 && !self.b.is_empty() {
            self.scan = Scan::done(self.b.len());
            return self.placed(visitor.visit_borrowed_bytes(self.b));
        }
        let token = self.take()?;
        let start = self.place(token);
        if matches!(token, Token::Key | Token::End) || !self.scan.skip(self.b, token) {
            return Err(self.wrong(token));
        }
        self.placed(visitor.visit_borrowed_bytes(part(self.b, start, self.scan.pos())))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        match self.take()? {
            Token::BeginArray => {
                let (start, inside) = (self.scan.start(), self.scan.depth());
                let result = visitor.visit_seq(Items::new(self, inside));
                self.finish(result, start, inside.wrapping_sub(1))
            }
            token => Err(self.wrong(token)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, DeError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, DeError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        match self.take()? {
            Token::BeginObject => {
                let (start, inside) = (self.scan.start(), self.scan.depth());
                let result = visitor.visit_map(Members::new(self, inside));
                self.finish(result, start, inside.wrapping_sub(1))
            }
            token => Err(self.wrong(token)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeError> {
        let token = self.take()?;
        match token {
            Token::Str | Token::Key => {
                self.hold(token);
                let result = visitor.visit_enum(Choice::new(self, false));
                self.placed(result)
            }
            Token::BeginObject => {
                let (start, outer) = (self.scan.start(), self.scan.depth().wrapping_sub(1));
                match self.take()? {
                    Token::Key => self.hold(Token::Key),
                    // `{}` names no variant.
                    _ => return Err(Error::new(Kind::Length, start).into()),
                }
                let result = visitor.visit_enum(Choice::new(self, true));
                self.finish(result, start, outer)
            }
            _ => Err(self.wrong(token)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeError> {
        let token = self.take()?;
        if !self.scan.skip(self.b, token) {
            return Err(self.scan.error().into());
        }
        self.placed(visitor.visit_unit())
    }
}
