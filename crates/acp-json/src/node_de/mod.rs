//! Reading types that implement serde's traits only from a tree.

mod error;

use std::borrow::Cow;

use serde_core::de::value::{
    BorrowedStrDeserializer, MapAccessDeserializer, MapDeserializer, SeqDeserializer,
};
use serde_core::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess, Visitor,
};
use serde_core::forward_to_deserialize_any;

pub use self::error::NodeError;
use self::error::NodeError as Error;
use crate::node::{Node, exact};
use crate::path::At;
use crate::report::{Problem, ReadError};

impl<'a> Node<'a> {
    /// Reads a type that implements serde's `Deserialize`.
    ///
    /// # Errors
    /// Fails if the type's own reader fails. The error has neither the payload nor the path.
    pub fn parse<T: Deserialize<'a>>(self) -> Result<T, ReadError> {
        T::deserialize(self).map_err(|error| ReadError::new(&At::root(), Problem::Other(error.to_string())))
    }
}

impl<'de> IntoDeserializer<'de, Error> for Node<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Node<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Node::Null => visitor.visit_unit(),
            Node::Bool(value) => visitor.visit_bool(value),
            Node::U64(number) => visitor.visit_u64(number),
            Node::I64(number) => visitor.visit_i64(number),
            Node::F64(number) => visitor.visit_f64(number),
            Node::Exact(text) => exact::hand_on(&text, |number| visitor.visit_f64(number)),
            Node::Str(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Node::Str(Cow::Owned(text)) => visitor.visit_string(text),
            Node::Seq(items) => {
                let mut access = SeqDeserializer::new(items.into_iter());
                let value = visitor.visit_seq(&mut access)?;
                access.end()?;
                Ok(value)
            }
            Node::Map(members) => {
                let mut access =
                    MapDeserializer::new(members.into_iter().map(|(key, node)| (Name(key), node)));
                let value = visitor.visit_map(&mut access)?;
                access.end()?;
                Ok(value)
            }
        }
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let number = if let Node::Exact(text) = &self { text.parse().ok() } else { None };
        match number {
            Some(number) => visitor.visit_u128(number),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let number = if let Node::Exact(text) = &self { text.parse().ok() } else { None };
        match number {
            Some(number) => visitor.visit_i128(number),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Node::Str(text) => visitor.visit_enum(Name(text)),
            Node::Map(members) if members.len() == 1 => {
                let access = MapDeserializer::new(members.into_iter().map(|(key, node)| (Name(key), node)));
                visitor.visit_enum(Variant(access))
            }
            Node::Map(members) => {
                let one = "an object with one member, the variant";
                Err(Error::invalid_length(members.len(), &one))
            }
            other => other.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier
    }
}

/// An externally tagged variant: `{"variant": payload}`.
struct Variant<A>(A);

impl<'de, A: MapAccess<'de, Error = Error>> EnumAccess<'de> for Variant<A> {
    type Error = Error;
    type Variant = <MapAccessDeserializer<A> as EnumAccess<'de>>::Variant;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self::Variant), Error> {
        MapAccessDeserializer::new(self.0).variant_seed(seed)
    }
}

/// A member's name or a bare variant.
struct Name<'de>(Cow<'de, str>);

impl<'de> IntoDeserializer<'de, Error> for Name<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Name<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> EnumAccess<'de> for Name<'de> {
    type Error = Error;
    type Variant = <BorrowedStrDeserializer<'de, Error> as EnumAccess<'de>>::Variant;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self::Variant), Error> {
        let value = seed.deserialize(self)?;
        // A bare string never has a payload, and serde's own access for strings says so.
        let (_, unit) = BorrowedStrDeserializer::new("")
            .variant_seed(std::marker::PhantomData::<serde_core::de::IgnoredAny>)?;
        Ok((value, unit))
    }
}
