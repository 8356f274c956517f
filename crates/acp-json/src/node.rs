//! The tree.

use std::borrow::Cow;
use std::fmt;

use serde_core::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_core::ser::{Serialize, SerializeMap, Serializer};

use crate::exact;

/// A JSON value whose text points into the text it was parsed from.
///
/// Numbers keep their kind: an integer without a sign is [`U64`](Node::U64), a negative one
/// [`I64`](Node::I64), a number with a fraction or an exponent [`F64`](Node::F64). A number that
/// would lose digits as any of them is [`Exact`](Node::Exact). Objects keep the order of their
/// members. If a name occurs twice, the last one counts.
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
    /// Any other number that a double stands for.
    F64(f64),
    /// Any other number, as its text: an integer of more than 64 bits, a fraction of more digits
    /// than a double has, or a number that is closer to zero than any double.
    ///
    /// Only [`parse`](crate::parse) and the other readers of JSON text in this crate make it. The
    /// parser of another library has lost the text already, and gives an [`F64`](Node::F64).
    Exact(Cow<'a, str>),
    /// A string. It is borrowed unless it had escapes.
    Str(Cow<'a, str>),
    /// An array.
    Seq(Vec<Node<'a>>),
    /// An object: its members in the order in which they came.
    Map(Vec<(Cow<'a, str>, Node<'a>)>),
}

impl<'a> Node<'a> {
    /// Returns the member of an object with this name, or the last one if the name occurs twice.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Node<'a>> {
        match self {
            Node::Map(members) => members.iter().rev().find(|(key, _)| key == name).map(|(_, node)| node),
            _ => None,
        }
    }

    /// Takes the member with this name out of an object, and drops earlier ones of that name.
    pub fn take(&mut self, name: &str) -> Option<Node<'a>> {
        match self {
            Node::Map(members) => take_member(members, name),
            _ => None,
        }
    }

    /// Returns the text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Node::Str(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value of a boolean.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        match self {
            Node::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns an integer that is not negative.
    #[must_use]
    pub const fn as_u64(&self) -> Option<u64> {
        match self {
            Node::U64(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns an integer that fits 64 bits with a sign.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Node::U64(number) => i64::try_from(*number).ok(),
            Node::I64(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the number, or the double that is nearest to it. It is `None` beyond the largest
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

    /// Tells whether this is `null`.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self, Node::Null)
    }

    /// Returns the kind of JSON value as an error names it: `a string`, `null`.
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

    /// Returns this value with its own copy of the text.
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
        // In one pass: a peer chooses how often it repeats a name, and among how many others.
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

/// The room that most arrays and objects need. Requested at once, because the first step of growing
/// costs more.
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

/// The name of a member. `Cow`'s own `Deserialize` always copies, so it is not used.
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
