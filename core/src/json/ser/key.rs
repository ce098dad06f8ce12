use super::{SerError, format};
use crate::error::Kind;
use crate::json::write::Writer;
use core::fmt::Display;
use serde::ser::{Impossible, Serialize, Serializer};

/// Writes a map's key: a string, or a number or boolean in quotes.
pub(super) struct Key<'w, 'e>(pub &'w mut Writer<'e>);

const NO_KEY: SerError = SerError(Kind::Type);

macro_rules! signed {
    ($($serialize:ident $from:ty),*) => {$(
        fn $serialize(self, value: $from) -> Result<(), SerError> {
            self.0.key_integer(value < 0, i64::from(value).unsigned_abs());
            Ok(())
        }
    )*};
}

macro_rules! unsigned {
    ($($serialize:ident $from:ty),*) => {$(
        fn $serialize(self, value: $from) -> Result<(), SerError> {
            self.0.key_integer(false, u64::from(value));
            Ok(())
        }
    )*};
}

macro_rules! refused {
    ($($serialize:ident($($arg:ty),*) -> $out:ty;)*) => {$(
        fn $serialize(self, $(_: $arg),*) -> Result<$out, SerError> {
            Err(NO_KEY)
        }
    )*};
}

type Never = Impossible<(), SerError>;

impl Serializer for Key<'_, '_> {
    type Ok = ();
    type Error = SerError;
    type SerializeSeq = Never;
    type SerializeTuple = Never;
    type SerializeTupleStruct = Never;
    type SerializeTupleVariant = Never;
    type SerializeMap = Never;
    type SerializeStruct = Never;
    type SerializeStructVariant = Never;

    signed! { serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64 }
    unsigned! { serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64 }

    fn serialize_i128(self, value: i128) -> Result<(), SerError> {
        let size = u64::try_from(value.unsigned_abs()).map_err(|_| SerError(Kind::Range))?;
        self.0.key_integer(value < 0, size);
        Ok(())
    }

    fn serialize_u128(self, value: u128) -> Result<(), SerError> {
        let size = u64::try_from(value).map_err(|_| SerError(Kind::Range))?;
        self.0.key_integer(false, size);
        Ok(())
    }

    fn serialize_bool(self, value: bool) -> Result<(), SerError> {
        self.serialize_str(if value { "true" } else { "false" })
    }

    fn serialize_f32(self, value: f32) -> Result<(), SerError> {
        if !value.is_finite() {
            return Err(NO_KEY);
        }
        #[cfg(feature = "float")]
        return self.serialize_str(zmij::Buffer::new().format_finite(value));
        #[cfg(not(feature = "float"))]
        return Err(SerError(Kind::Declaration));
    }

    fn serialize_f64(self, value: f64) -> Result<(), SerError> {
        if !value.is_finite() {
            return Err(NO_KEY);
        }
        #[cfg(feature = "float")]
        return self.serialize_str(zmij::Buffer::new().format_finite(value));
        #[cfg(not(feature = "float"))]
        return Err(SerError(Kind::Declaration));
    }

    fn serialize_char(self, value: char) -> Result<(), SerError> {
        crate::json::text::with_char(value, |text| self.0.key(text));
        Ok(())
    }

    fn serialize_str(self, value: &str) -> Result<(), SerError> {
        self.0.key(value);
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), SerError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), SerError> {
        value.serialize(self)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), SerError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), SerError> {
        Err(NO_KEY)
    }

    refused! {
        serialize_bytes(&[u8]) -> ();
        serialize_none() -> ();
        serialize_unit() -> ();
        serialize_unit_struct(&'static str) -> ();
        serialize_seq(Option<usize>) -> Never;
        serialize_tuple(usize) -> Never;
        serialize_tuple_struct(&'static str, usize) -> Never;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Never;
        serialize_map(Option<usize>) -> Never;
        serialize_struct(&'static str, usize) -> Never;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Never;
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), SerError> {
        self.0.begin_key();
        format(self.0, value)?;
        self.0.end_key();
        Ok(())
    }
}
