//! The tree.

pub(crate) mod exact;

use std::borrow::Cow;
use std::fmt;

use serde_core::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_core::ser::{Serialize, SerializeMap, Serializer};

/// A JSON value whose text borrows from the parsed text.
///
/// Numbers keep their kind. An integer without a sign is [`U64`](Node::U64), a negative one
/// [`I64`](Node::I64), and a number with a fraction or an exponent is [`F64`](Node::F64). A number
/// that would lose digits as any of these is [`Exact`](Node::Exact). Objects keep the order of
/// their members. Of a name that occurs twice the last one counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Node<'a> {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer that is not negative.
    U64(u64),
    /// A negative integer.
    I64(i64),
    /// Any other number that a double represents exactly.
    F64(f64),
    /// Any other number, as its text: an integer of more than 64 bits, a fraction with more digits
    /// than a double has, or a number closer to zero than any double.
    ///
    /// [`parse`](crate::parse) and the other readers of JSON text in this crate make it. The parser
    /// of another library has already lost the text, and gives [`F64`](Node::F64).
    Exact(Cow<'a, str>),
    /// A string. It is borrowed unless it held escapes.
    Str(Cow<'a, str>),
    /// An array.
    Seq(Vec<Node<'a>>),
    /// An object: its members in the order of the text.
    Map(Vec<(Cow<'a, str>, Node<'a>)>),
}

impl<'a> Node<'a> {
    /// Returns the member with this name, if this is an object. Of a repeated name it is the last.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Node<'a>> {
        match self {
            Node::Map(members) => members.iter().rev().find(|(key, _)| key == name).map(|(_, node)| node),
            _ => None,
        }
    }

    /// Takes the member with this name out of an object, and drops earlier ones of the same name.
    pub fn take(&mut self, name: &str) -> Option<Node<'a>> {
        match self {
            Node::Map(members) => take_member(members, name),
            _ => None,
        }
    }

    /// Returns the text, if this is a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Node::Str(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value, if this is a boolean.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        match self {
            Node::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the number, if this is an integer that is not negative.
    #[must_use]
    pub const fn as_u64(&self) -> Option<u64> {
        match self {
            Node::U64(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the number, if this is an integer that fits 64 bits with a sign.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Node::U64(number) => i64::try_from(*number).ok(),
            Node::I64(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the number, or the nearest double. Returns `None` if it is beyond the largest
    /// double.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "the nearest double is what is asked for")]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Node::U64(number) => Some(*number as f64),
            Node::I64(number) => Some(*number as f64),
            Node::F64(number) => Some(*number),
            Node::Exact(text) => Some(exact::nearest(text)).filter(|number| number.is_finite()),
            _ => None,
        }
    }

    /// Returns true if this is `null`.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self, Node::Null)
    }

    /// Names the kind of the value for an error message: `a string`, `null`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Node::Null => "null",
            Node::Bool(_) => "a boolean",
            Node::U64(_) | Node::I64(_) | Node::F64(_) | Node::Exact(_) => "a number",
            Node::Str(_) => "a string",
            Node::Seq(_) => "an array",
            Node::Map(_) => "an object",
        }
    }

    /// Returns an equal value that owns its text.
    #[must_use]
    pub fn into_owned(self) -> Node<'static> {
        match self {
            Node::Null => Node::Null,
            Node::Bool(value) => Node::Bool(value),
            Node::U64(number) => Node::U64(number),
            Node::I64(number) => Node::I64(number),
            Node::F64(number) => Node::F64(number),
            Node::Exact(text) => Node::Exact(Cow::Owned(text.into_owned())),
            Node::Str(text) => Node::Str(Cow::Owned(text.into_owned())),
            Node::Seq(items) => Node::Seq(items.into_iter().map(Node::into_owned).collect()),
            Node::Map(members) => Node::Map(
                members
                    .into_iter()
                    .map(|(key, node)| (Cow::Owned(key.into_owned()), node.into_owned()))
                    .collect(),
            ),
        }
    }
}

/// Removes every member of this name and returns the last.
pub(crate) fn take_member<'a>(members: &mut Vec<(Cow<'a, str>, Node<'a>)>, name: &str) -> Option<Node<'a>> {
    let last = members.iter().rposition(|(key, _)| key == name)?;
    let (_, node) = members.remove(last);
    if members.iter().take(last).any(|(key, _)| key == name) {
        // In one pass: a peer decides how many members there are, and how often a name is repeated.
        members.retain(|(key, _)| key != name);
    }
    Some(node)
}

impl<'de: 'a, 'a> Deserialize<'de> for Node<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

/// The capacity that most arrays and objects need. To grow step by step from the start costs more.
const FEW: usize = 4;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Node<'de>, E> {
        Ok(Node::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Node<'de>, E> {
        Ok(Node::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node<'de>, D::Error> {
        Node::deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node<'de>, D::Error> {
        Node::deserialize(deserializer)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Node<'de>, E> {
        Ok(Node::Bool(value))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Node<'de>, E> {
        Ok(Node::U64(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Node<'de>, E> {
        Ok(u64::try_from(number).map_or(Node::I64(number), Node::U64))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Node<'de>, E> {
        Ok(exact::met(number))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Node<'de>, E> {
        Ok(Node::Str(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Node<'de>, E> {
        Ok(Node::Str(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Node<'de>, E> {
        Ok(Node::Str(Cow::Owned(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Node<'de>, A::Error> {
        let Some(first) = access.next_element()? else { return Ok(Node::Seq(Vec::new())) };
        let mut items = Vec::with_capacity(FEW);
        items.push(first);
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Node::Seq(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Node<'de>, A::Error> {
        let Some(Key(first)) = access.next_key()? else { return Ok(Node::Map(Vec::new())) };
        let mut members = Vec::with_capacity(FEW);
        members.push((first, access.next_value()?));
        while let Some(Key(key)) = access.next_key()? {
            members.push((key, access.next_value()?));
        }
        Ok(Node::Map(members))
    }
}

/// A member's name. It exists because `Cow`'s own `Deserialize` always copies.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;

        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member's name")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }

            fn visit_string<E: Error>(self, text: String) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(text)))
            }
        }

        deserializer.deserialize_str(KeyVisitor)
    }
}

impl Serialize for Node<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Node::Null => serializer.serialize_unit(),
            Node::Bool(value) => serializer.serialize_bool(*value),
            Node::U64(number) => serializer.serialize_u64(*number),
            Node::I64(number) => serializer.serialize_i64(*number),
            Node::F64(number) => serializer.serialize_f64(*number),
            Node::Exact(text) => exact::serialize(text, serializer),
            Node::Str(text) => serializer.serialize_str(text),
            Node::Seq(items) => serializer.collect_seq(items),
            Node::Map(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (key, node) in members {
                    map.serialize_entry(key, node)?;
                }
                map.end()
            }
        }
    }
}
