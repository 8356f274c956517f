//! The outer object of a message, read in one pass with its members in any order.

use std::fmt;

use acp_json::Node;
use serde_core::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The JSON type of a whole line.
pub(crate) enum Shape<'a> {
    Object(Envelope<'a>),
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

/// A tree that a line was read into by other means.
impl<'a> From<Node<'a>> for Shape<'a> {
    fn from(mut tree: Node<'a>) -> Self {
        match &tree {
            Node::Map(_) => {}
            Node::Seq(_) => return Self::Array,
            _ => return Self::Scalar,
        }
        let version = match tree.take("jsonrpc") {
            None => Version::Absent,
            Some(version) if version.as_str() == Some("2.0") => Version::Two,
            Some(_) => Version::Other,
        };
        let mut take = |name| tree.take(name);
        let (id, method, params) = (take("id"), take("method"), take("params"));
        Self::Object(Envelope { version, id, method, params, result: take("result"), error: take("error") })
    }
}

impl<'a> Envelope<'a> {
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
        // The entries are read, not skipped, to find text that is not JSON or not UTF-8.
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
