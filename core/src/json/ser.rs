//! serde, writing: any `Serialize` onto a [`Writer`], streamed.

mod key;

use super::raw;
use super::write::Writer;
use crate::error::Kind;
use core::fmt::{self, Display};
use key::Key;
use serde::ser::{self, Serialize, Serializer};

/// Writes `value` onto `w`, as `serde_json` would: unit variants as strings, other variants as `{"Name": …}`, bytes as an
/// array of numbers, floats that are not finite as `null`.
///
/// # Errors
/// [`Kind::Refused`] from the type itself, [`Kind::Type`] for a map key that is no string, number or boolean,
/// [`Kind::Range`] for an integer beyond 64 bits, [`Kind::Declaration`] for a float without the feature `float`. What was
/// written until then can be closed ([`Writer::close_all`]). A full buffer is no error here: the sink remembers it.
pub fn to_writer<T: Serialize + ?Sized>(w: &mut Writer<'_>, value: &T) -> Result<(), SerError> {
    value.serialize(Ser::new(w))
}

/// A serde serializer onto a [`Writer`].
pub struct Ser<'w, 'e> {
    w: &'w mut Writer<'e>,
    /// Bytes are the text of a [`raw::Raw`].
    raw: bool,
}

impl<'w, 'e> Ser<'w, 'e> {
    /// A serializer of one value onto `w`.
    pub fn new(w: &'w mut Writer<'e>) -> Self {
        Self { w, raw: false }
    }
}

/// Why a value cannot be JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SerError(Kind);

impl SerError {
    /// What is wrong.
    pub const fn kind(&self) -> Kind {
        self.0
    }
}

impl Display for SerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.phrase())
    }
}

impl fmt::Debug for SerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.phrase())
    }
}

impl core::error::Error for SerError {}

impl ser::Error for SerError {
    fn custom<T: Display>(_: T) -> Self {
        Self(Kind::Refused)
    }
}

/// Formats straight into the open string, so that no memory is needed for the whole.
pub(super) struct Pieces<'w, 'e>(&'w mut Writer<'e>);

impl fmt::Write for Pieces<'_, '_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.0.text(piece);
        Ok(())
    }
}

fn format<T: Display + ?Sized>(w: &mut Writer<'_>, value: &T) -> Result<(), SerError> {
    fmt::write(&mut Pieces(w), format_args!("{value}")).map_err(|_| SerError(Kind::Refused))
}

/// An open container, and a variant's object around it.
pub struct Open<'w, 'e> {
    w: &'w mut Writer<'e>,
    variant: bool,
}

impl<'w, 'e> Open<'w, 'e> {
    fn array(w: &'w mut Writer<'e>, variant: Option<&str>) -> Self {
        named(w, variant);
        w.array();
        Self { w, variant: variant.is_some() }
    }

    fn object(w: &'w mut Writer<'e>, variant: Option<&str>) -> Self {
        named(w, variant);
        w.object();
        Self { w, variant: variant.is_some() }
    }

    fn member<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), SerError> {
        self.w.key(name);
        to_writer(self.w, value)
    }

    fn done(self) -> Result<(), SerError> {
        self.w.close();
        if self.variant {
            self.w.close();
        }
        Ok(())
    }
}

fn named(w: &mut Writer<'_>, variant: Option<&str>) {
    if let Some(name) = variant {
        w.object();
        w.key(name);
    }
}

macro_rules! scalars {
    ($($serialize:ident $write:ident $from:ty),*) => {$(
        fn $serialize(self, value: $from) -> Result<(), SerError> {
            self.w.$write(value.into());
            Ok(())
        }
    )*};
}

impl<'w, 'e> Serializer for Ser<'w, 'e> {
    type Ok = ();
    type Error = SerError;
    type SerializeSeq = Open<'w, 'e>;
    type SerializeTuple = Open<'w, 'e>;
    type SerializeTupleStruct = Open<'w, 'e>;
    type SerializeTupleVariant = Open<'w, 'e>;
    type SerializeMap = Open<'w, 'e>;
    type SerializeStruct = Open<'w, 'e>;
    type SerializeStructVariant = Open<'w, 'e>;

    scalars! {
        serialize_bool bool bool, serialize_i8 i64 i8, serialize_i16 i64 i16, serialize_i32 i64 i32,
        serialize_i64 i64 i64, serialize_u8 u64 u8, serialize_u16 u64 u16, serialize_u32 u64 u32,
        serialize_u64 u64 u64
    }

    #[cfg(feature = "float")]
    scalars! { serialize_f32 f32 f32, serialize_f64 f64 f64 }

    #[cfg(not(feature = "float"))]
    fn serialize_f32(self, _: f32) -> Result<(), SerError> {
        Err(SerError(Kind::Declaration))
    }

    #[cfg(not(feature = "float"))]
    fn serialize_f64(self, _: f64) -> Result<(), SerError> {
        Err(SerError(Kind::Declaration))
    }

    fn serialize_i128(self, value: i128) -> Result<(), SerError> {
        match i64::try_from(value) {
            Ok(value) => self.serialize_i64(value),
            Err(_) => self.serialize_u128(u128::try_from(value).unwrap_or(u128::MAX)),
        }
    }

    fn serialize_u128(self, value: u128) -> Result<(), SerError> {
        self.serialize_u64(u64::try_from(value).map_err(|_| SerError(Kind::Range))?)
    }

    fn serialize_char(self, value: char) -> Result<(), SerError> {
        self.w.begin_str();
        super::text::with_char(value, |text| self.w.text(text));
        self.w.end_str();
        Ok(())
    }

    fn serialize_str(self, value: &str) -> Result<(), SerError> {
        self.w.str(value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), SerError> {
        if self.raw {
            self.w.value(value);
            return Ok(());
        }
        self.w.array();
        for byte in value {
            self.w.u64(u64::from(*byte));
        }
        self.w.close();
        Ok(())
    }

    fn serialize_none(self) -> Result<(), SerError> {
        self.w.null();
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), SerError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), SerError> {
        self.serialize_none()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), SerError> {
        self.serialize_none()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), SerError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), SerError> {
        if name == raw::NAME {
            return value.serialize(Self { w: self.w, raw: true });
        }
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), SerError> {
        self.w.object();
        self.w.key(variant);
        to_writer(self.w, value)?;
        self.w.close();
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Open<'w, 'e>, SerError> {
        Ok(Open::array(self.w, None))
    }

    fn serialize_tuple(self, _: usize) -> Result<Open<'w, 'e>, SerError> {
        Ok(Open::array(self.w, None))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Open<'w, 'e>, SerError> {
        Ok(Open::array(self.w, None))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'w, 'e>, SerError> {
        Ok(Open::array(self.w, Some(variant)))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Open<'w, 'e>, SerError> {
        Ok(Open::object(self.w, None))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Open<'w, 'e>, SerError> {
        Ok(Open::object(self.w, None))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'w, 'e>, SerError> {
        Ok(Open::object(self.w, Some(variant)))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), SerError> {
        self.w.begin_str();
        format(self.w, value)?;
        self.w.end_str();
        Ok(())
    }
}

macro_rules! arrays {
    ($($name:ident $add:ident),*) => {$(
        impl ser::$name for Open<'_, '_> {
            type Ok = ();
            type Error = SerError;

            fn $add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerError> {
                to_writer(self.w, value)
            }

            fn end(self) -> Result<(), SerError> {
                self.done()
            }
        }
    )*};
}

arrays! {
    SerializeSeq serialize_element, SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field, SerializeTupleVariant serialize_field
}

macro_rules! objects {
    ($($name:ident)*) => {$(
        impl ser::$name for Open<'_, '_> {
            type Ok = ();
            type Error = SerError;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), SerError> {
                self.member(name, value)
            }

            fn end(self) -> Result<(), SerError> {
                self.done()
            }
        }
    )*};
}

objects! { SerializeStruct SerializeStructVariant }

impl ser::SerializeMap for Open<'_, '_> {
    type Ok = ();
    type Error = SerError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), SerError> {
        key.serialize(Key(self.w))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerError> {
        to_writer(self.w, value)
    }

    fn end(self) -> Result<(), SerError> {
        self.done()
    }
}
