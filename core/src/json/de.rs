//! serde, reading: values in place, text borrowed, every failure with its byte.

mod access;
mod error;

use super::num::{to_i64, to_u64};
use super::scan::{SOFT, Scan, Token};
use super::{raw, text};
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

impl<'de> De<'de> {
    /// Reads `value`; an empty slice is an absent one.
    pub const fn new(value: &'de [u8]) -> Self {
        Self { b: value, scan: Scan::value(0), held: None }
    }

    /// A member that is not there: `None` for an option, [`Kind::Missing`] for all else.
    pub const fn absent() -> Self {
        Self::new(&[])
    }

    fn take(&mut self) -> Result<Token, DeError> {
        if let Some(token) = self.held.take() {
            return Ok(token);
        }
        match self.scan.next(self.b) {
            Token::Error if self.b.is_empty() => Err(Error::new(Kind::Missing, 0).into()),
            Token::Error => Err(self.scan.error().into()),
            token => Ok(token),
        }
    }

    /// The next token of a container; a value that nobody took is left out.
    fn advance(&mut self) -> Result<Token, DeError> {
        if let Some(token) = self.held.take() {
            self.scan.skip(self.b, token);
        }
        self.take()
    }

    fn hold(&mut self, token: Token) {
        self.held = Some(token);
    }

    /// The whole value when it is a string and nothing was read yet: its end is known, so it is not scanned again.
    fn whole(&mut self) -> Option<&'de str> {
        if self.scan.pos() > 0 {
            return None;
        }
        let text = text::content(self.b)?;
        // A string that was not softened goes the long way, which refuses it.
        if at(self.b, 0) != SOFT && crate::bytes::find(self.b, b'\\').is_some() {
            return None;
        }
        self.scan = Scan::done(self.b.len());
        Some(text)
    }

    /// First byte of `token`, the last one read.
    fn place(&self, token: Token) -> usize {
        match token {
            Token::Key | Token::Str => self.scan.start().wrapping_sub(1),
            _ => self.scan.start(),
        }
    }

    #[cold]
    fn wrong(&self, token: Token) -> DeError {
        Error::new(Kind::Type, self.place(token)).into()
    }

    fn span(&self) -> &'de [u8] {
        part(self.b, self.scan.start(), self.scan.end())
    }

    fn string(&mut self) -> Result<&'de str, DeError> {
        if let Some(text) = self.whole() {
            return Ok(text);
        }
        match self.take()? {
            token @ (Token::Key | Token::Str) => self.text(token),
            token => Err(self.wrong(token)),
        }
    }

    fn text(&self, token: Token) -> Result<&'de str, DeError> {
        if self.scan.marked() {
            return Err(Error::new(Kind::Escape, self.place(token)).into());
        }
        core::str::from_utf8(self.span()).map_err(|_| Error::new(Kind::Utf8, self.place(token)).into())
    }

    /// The text of a number, which in a name stands between quotes.
    fn number(&mut self) -> Result<&'de [u8], DeError> {
        match self.take()? {
            Token::Number => Ok(self.span()),
            Token::Key => {
                let text = self.span();
                let mut scan = Scan::text();
                let is_number =
                    scan.next(text) == Token::Number && scan.end() == text.len() && scan.start() == 0;
                if is_number { Ok(text) } else { Err(self.wrong(Token::Key)) }
            }
            token => Err(self.wrong(token)),
        }
    }

    fn i64(&mut self) -> Result<i64, DeError> {
        let token = self.number()?;
        to_i64(token).map_err(|kind| self.at_last(kind))
    }

    fn u64(&mut self) -> Result<u64, DeError> {
        let token = self.number()?;
        to_u64(token).map_err(|kind| self.at_last(kind))
    }

    #[cold]
    fn at_last(&self, kind: Kind) -> DeError {
        Error::new(kind, self.scan.start()).into()
    }

    /// Gives `result` the place of the last token if its error has none.
    fn placed<T>(&self, result: Result<T, DeError>) -> Result<T, DeError> {
        result.map_err(|e| e.or_at(self.scan.start()))
    }

    /// Ends the container that began at `start` in `depth` containers, after the visitor has had its fill.
    fn finish<T>(&mut self, result: Result<T, DeError>, start: usize, depth: u8) -> Result<T, DeError> {
        let value = result.map_err(|e| {
            // What is there too often or unknown is the last thing read; all else concerns the container.
            let last = matches!(e.kind(), Kind::Duplicate | Kind::Unknown);
            e.or_at(if last { self.scan.start() } else { start })
        })?;
        if self.scan.depth() > depth {
            let token = self.advance()?;
            if !matches!(token, Token::EndObject | Token::EndArray) {
                return Err(Error::new(Kind::Length, start).into());
            }
        }
        Ok(value)
    }

    fn any_number<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, DeError> {
        let token = self.span();
        let exact = match token {
            _ if cfg!(feature = "float") && self.scan.marked() => None,
            [b'-', ..] => to_i64(token).ok().map(Integer::Negative),
            _ => to_u64(token).ok().map(Integer::Positive),
        };
        let result = match exact {
            Some(Integer::Negative(value)) => visitor.visit_i64(value),
            Some(Integer::Positive(value)) => visitor.visit_u64(value),
            #[cfg(feature = "float")]
            None => match super::float::to_f64(token) {
                Ok(value) => visitor.visit_f64(value),
                Err(kind) => Err(self.at_last(kind)),
            },
            #[cfg(not(feature = "float"))]
            None => Err(self.at_last(to_i64(token).err().unwrap_or(Kind::Range))),
        };
        self.placed(result)
    }
}

enum Integer {
    Negative(i64),
    Positive(u64),
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
