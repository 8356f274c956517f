//! The outer object of a message, read in one pass with its members in any order.

use std::fmt;

use acp_json::Node;
use serde_core::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The JSON type of a whole line.
pub(crate) enum Shape {
    Object,
    Array,
    Scalar,
}

/// The members of a message. If a member is given twice, the last one counts.
#[derive(Default)]
pub(crate) struct Envelope<'a> {
    pub(crate) version: Version,
    pub(crate) id: Option<Node<'a>>,
    pub(crate) method: Option<Node<'a>>,
    pub(crate) params: Option<Node<'a>>,
    pub(crate) result: Option<Node<'a>>,
    pub(crate) error: Option<Node<'a>>,
}

impl<'a> Envelope<'a> {
    /// Reads a whole line, and takes the members of an object.
    pub(crate) fn read<R: serde_json::de::Read<'a>>(
        &mut self,
        mut reader: serde_json::Deserializer<R>,
    ) -> Result<Shape, serde_json::Error> {
        let shape = Fill(self).deserialize(&mut reader)?;
        reader.end()?;
        Ok(shape)
    }

    /// Takes the members of a tree that a line was read into by other means.
    pub(crate) fn take(&mut self, mut tree: Node<'a>) -> Shape {
        match &tree {
            Node::Map(_) => {}
            Node::Seq(_) => return Shape::Array,
            _ => return Shape::Scalar,
        }
        let version = match tree.take("jsonrpc") {
            None => Version::Absent,
            Some(version) if version.as_str() == Some("2.0") => Version::Two,
            Some(_) => Version::Other,
        };
        let mut take = |name| tree.take(name);
        let (id, method, params) = (take("id"), take("method"), take("params"));
        *self = Envelope { version, id, method, params, result: take("result"), error: take("error") };
        Shape::Object
    }

    /// Takes the values of the members from another tree of the same text.
    pub(crate) fn replace_values(&mut self, mut tree: Node<'a>) {
        for (name, value) in [
            ("id", &mut self.id),
            ("params", &mut self.params),
            ("result", &mut self.result),
            ("error", &mut self.error),
        ] {
            if value.is_some() {
                *value = tree.take(name);
            }
        }
    }
}

/// The value of `jsonrpc`.
#[derive(Clone, Copy, Default)]
pub(crate) enum Version {
    #[default]
    Absent,
    Two,
    Other,
}

/// Fills an envelope in place: it is large, and would be moved at each step otherwise.
struct Fill<'e, 'a>(&'e mut Envelope<'a>);

impl<'de> DeserializeSeed<'de> for Fill<'_, 'de> {
    type Value = Shape;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Shape, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Fill<'_, 'de> {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Shape, A::Error> {
        let Fill(envelope) = self;
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
        Ok(Shape::Object)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Shape, A::Error> {
        // The entries are read, not skipped, to find text that is not JSON or not UTF-8.
        while seq.next_element::<Node<'de>>()?.is_some() {}
        Ok(Shape::Array)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Shape, E> {
        Ok(Shape::Scalar)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Shape, E> {
        Ok(Shape::Scalar)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Shape, E> {
        Ok(Shape::Scalar)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Shape, E> {
        Ok(Shape::Scalar)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Shape, E> {
        Ok(Shape::Scalar)
    }

    fn visit_unit<E: Error>(self) -> Result<Shape, E> {
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
