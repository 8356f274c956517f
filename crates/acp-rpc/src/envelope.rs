//! The outer object of a message, read in one pass with its members in any order.

use std::fmt;

use acp_json::Node;
use serde_core::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::message::Id;

/// The JSON type of a whole line.
pub(crate) enum Shape<'a> {
    Object(Envelope<'a>),
    Array,
    Scalar,
}

/// The members of a message; a member given twice counts as given last.
#[derive(Default)]
pub(crate) struct Envelope<'a> {
    pub(crate) version: Version,
    pub(crate) id: Option<Node<'a>>,
    pub(crate) method: Option<Node<'a>>,
    pub(crate) params: Option<Node<'a>>,
    pub(crate) result: Option<Node<'a>>,
    pub(crate) error: Option<Node<'a>>,
}

/// What `jsonrpc` says.
#[derive(Clone, Copy, Default)]
pub(crate) enum Version {
    #[default]
    Absent,
    Two,
    Other,
}

/// What can be made out of the envelope of a line that is not read: that is too long, too heavy or not JSON.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Head {
    pub(crate) id: Option<Id>,
    pub(crate) is_call: bool,
    pub(crate) is_response: bool,
}

impl Head {
    /// Reads as far as the line goes, or is JSON. Nested values are passed over, whatever is in them: numbers that do
    /// not fit, broken text, any depth. So the only id is that of the message.
    pub(crate) fn read(line: &[u8]) -> Self {
        let mut seen = Self::default();
        let mut reader = serde_json::Deserializer::from_slice(line);
        // It fails where the line is cut off or goes wrong; what counts is what was seen until then.
        let _cut_off = reader.deserialize_map(HeadVisitor(&mut seen));
        seen
    }
}

impl<'de> Deserialize<'de> for Shape<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ShapeVisitor)
    }
}

struct ShapeVisitor;

impl<'de> Visitor<'de> for ShapeVisitor {
    type Value = Shape<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut envelope = Envelope::default();
        while let Some(member) = map.next_key()? {
            let value: Node<'de> = map.next_value()?;
            match member {
                Member::Jsonrpc if value.as_str() == Some("2.0") => envelope.version = Version::Two,
                Member::Jsonrpc => envelope.version = Version::Other,
                Member::Id => envelope.id = Some(value),
                Member::Method => envelope.method = Some(value),
                Member::Params => envelope.params = Some(value),
                Member::Result => envelope.result = Some(value),
                Member::Error => envelope.error = Some(value),
                Member::Other => {}
            }
        }
        Ok(Shape::Object(envelope))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        // The entries are read, not skipped, so that what is not JSON or not UTF-8 is still found out.
        while seq.next_element::<Node<'de>>()?.is_some() {}
        Ok(Shape::Array)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Shape::Scalar)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Shape::Scalar)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Shape::Scalar)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Shape::Scalar)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
        Ok(Shape::Scalar)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Shape::Scalar)
    }
}

enum Member {
    Jsonrpc,
    Id,
    Method,
    Params,
    Result,
    Error,
    Other,
}

impl<'de> Deserialize<'de> for Member {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MemberVisitor;
        impl Visitor<'_> for MemberVisitor {
            type Value = Member;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member name")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Member, E> {
                Ok(match name {
                    "jsonrpc" => Member::Jsonrpc,
                    "id" => Member::Id,
                    "method" => Member::Method,
                    "params" => Member::Params,
                    "result" => Member::Result,
                    "error" => Member::Error,
                    _ => Member::Other,
                })
            }
        }
        deserializer.deserialize_identifier(MemberVisitor)
    }
}

struct HeadVisitor<'h>(&'h mut Head);

impl<'de> Visitor<'de> for HeadVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut id = None;
        loop {
            let member = map.next_key()?;
            // Only what follows an id, if only the end, proves that the id itself was not cut off.
            self.0.id = id.take().or_else(|| self.0.id.take());
            match member {
                Some(Member::Id) => {
                    let value: Node<'de> = map.next_value()?;
                    id = Id::from_node(&value);
                    continue;
                }
                Some(Member::Method | Member::Params) => self.0.is_call = true,
                Some(Member::Result | Member::Error) => self.0.is_response = true,
                Some(Member::Jsonrpc | Member::Other) => {}
                None => return Ok(()),
            }
            map.next_value::<IgnoredAny>()?;
        }
    }
}
