use super::super::scan::Token;
use super::{De, DeError};
use crate::error::{Error, Kind};
use serde::de::{DeserializeSeed, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// The elements of the array that De stands in.
pub(super) struct Items<'a, 'de> {
    de: &'a mut De<'de>,
    depth: u8,
}

impl<'a, 'de> Items<'a, 'de> {
    pub(super) fn new(de: &'a mut De<'de>, depth: u8) -> Self {
        Self { de, depth }
    }
}

impl<'de> SeqAccess<'de> for Items<'_, 'de> {
    type Error = DeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, DeError> {
        // Asked once more after the end, there must be no reading on in the container around.
        if self.de.scan.depth() < self.depth {
            return Ok(None);
        }
        match self.de.advance()? {
            Token::EndArray => Ok(None),
            token => value(self.de, token, seed).map(Some),
        }
    }
}

/// The members of the object that De stands in.
pub(super) struct Members<'a, 'de> {
    de: &'a mut De<'de>,
    depth: u8,
}

impl<'a, 'de> Members<'a, 'de> {
    pub(super) fn new(de: &'a mut De<'de>, depth: u8) -> Self {
        Self { de, depth }
    }
}

impl<'de> MapAccess<'de> for Members<'_, 'de> {
    type Error = DeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, DeError> {
        if self.de.scan.depth() < self.depth {
            return Ok(None);
        }
        match self.de.advance()? {
            Token::EndObject => Ok(None),
            token => value(self.de, token, seed).map(Some),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, DeError> {
        let token = self.de.advance()?;
        value(self.de, token, seed)
    }
}

/// Reads what begins with `token`; an error that knows no place is one about this value.
fn value<'de, T: DeserializeSeed<'de>>(de: &mut De<'de>, token: Token, seed: T) -> Result<T::Value, DeError> {
    let start = de.place(token);
    de.hold(token);
    seed.deserialize(de).map_err(|e| e.or_at(start))
}

/// An enum: its variant's name, alone or with a value.
pub(super) struct Choice<'a, 'de> {
    de: &'a mut De<'de>,
    valued: bool,
}

impl<'a, 'de> Choice<'a, 'de> {
    pub(super) fn new(de: &'a mut De<'de>, valued: bool) -> Self {
        Self { de, valued }
    }

    fn value(self) -> Result<&'a mut De<'de>, DeError> {
        if self.valued {
            return Ok(self.de);
        }
        Err(Error::new(Kind::Type, self.de.scan.start()).into())
    }
}

impl<'de> EnumAccess<'de> for Choice<'_, 'de> {
    type Error = DeError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), DeError> {
        let variant = seed.deserialize(&mut *self.de)?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for Choice<'_, 'de> {
    type Error = DeError;

    fn unit_variant(self) -> Result<(), DeError> {
        if self.valued { <()>::deserialize(self.de) } else { Ok(()) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, DeError> {
        seed.deserialize(self.value()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, DeError> {
        self.value()?.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeError> {
        self.value()?.deserialize_map(visitor)
    }
}
