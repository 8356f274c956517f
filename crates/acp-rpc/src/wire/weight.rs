//! The memory that a message takes once it is kept: an estimate on the high side.

use std::borrow::Cow;
use std::fmt;
use std::mem::size_of;

use acp_json::Node;
use serde_core::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::message::{Error as ErrorObject, NotJson};

/// The slot of a value in an array.
const ITEM: usize = size_of::<Node<'static>>();
/// The slot of a member in an object.
const MEMBER: usize = size_of::<(Cow<'static, str>, Node<'static>)>();
/// The least slots of an array or object that is not empty.
const FEW: usize = 4;
/// The most that one byte of JSON weighs: that of `[[[[…]]]]`, with some margin.
const HEAVIEST_BYTE: usize = 80;
/// The most that one comma or opening bracket adds: an object of one member with a short name and
/// text.
const HEAVIEST_MARK: usize = block(FEW * MEMBER) + 2 * block(1);

/// The size of the block that the allocator gives for so many bytes: with its own word, in steps of
/// two words.
pub(crate) const fn block(bytes: usize) -> usize {
    match bytes {
        0 => 0,
        1..=24 => 32,
        _ => (bytes + 8).next_multiple_of(16),
    }
}

/// Returns the memory behind a value that is kept as it is, names of members included. Typed values
/// take about as much: they have no names, but fixed sizes.
pub(crate) fn weight(node: &Node<'_>) -> usize {
    match node {
        Node::Null | Node::Bool(_) | Node::U64(_) | Node::I64(_) | Node::F64(_) => 0,
        Node::Exact(text) => block(text.len()),
        Node::Str(text) => block(text.len()),
        Node::Seq(items) => block(items.capacity() * ITEM) + items.iter().map(weight).sum::<usize>(),
        Node::Map(members) => {
            let inner = members.iter().map(|(name, node)| block(name.len()) + weight(node));
            block(members.capacity() * MEMBER) + inner.sum::<usize>()
        }
    }
}

/// Returns the memory behind an error object.
pub(crate) fn weight_of_error(error: &ErrorObject) -> usize {
    block(error.message.len()) + error.data.as_ref().map_or(0, |data| weight(data.as_node()))
}

/// Tells whether the values of a line would weigh more than `limit`, without building them.
///
/// Only long and dense lines are read for that.
pub(crate) fn is_too_heavy(line: &[u8], limit: usize) -> Result<bool, NotJson> {
    if line.len().saturating_mul(HEAVIEST_BYTE) <= limit {
        return Ok(false);
    }
    let marks = line.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
    if marks.saturating_mul(HEAVIEST_MARK).saturating_add(line.len()) <= limit {
        return Ok(false);
    }
    let mut scale = Scale { total: 0, limit };
    let mut reader = serde_json::Deserializer::from_slice(line);
    match Weigh(&mut scale).deserialize(&mut reader) {
        _ if scale.is_over() => Ok(true),
        Ok(()) => Ok(false),
        Err(error) => Err(NotJson { column: error.column() }),
    }
}

struct Scale {
    total: usize,
    limit: usize,
}

impl Scale {
    const fn is_over(&self) -> bool {
        self.total > self.limit
    }

    /// Adds bytes. Fails as soon as the total is above the limit.
    fn add<E: Error>(&mut self, bytes: usize) -> Result<(), E> {
        self.total = self.total.saturating_add(bytes);
        if self.is_over() { Err(E::custom("too heavy")) } else { Ok(()) }
    }

    /// Adds one slot of an array or object that has `count` so far.
    fn add_slot<E: Error>(&mut self, count: usize, slot: usize) -> Result<(), E> {
        match count {
            0 => self.add(block(FEW * slot)),
            _ if count < FEW => Ok(()),
            _ => self.add(slot),
        }
    }
}

/// Weighs a value as [`weight`] does, while its text goes by.
struct Weigh<'s>(&'s mut Scale);

impl<'de> DeserializeSeed<'de> for Weigh<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Weigh<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.0.add(block(text.len()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut count = 0;
        while items.next_element_seed(Weigh(self.0))?.is_some() {
            self.0.add_slot(count, ITEM)?;
            count += 1;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut count = 0;
        while members.next_key_seed(Weigh(self.0))?.is_some() {
            members.next_value_seed(Weigh(self.0))?;
            self.0.add_slot(count, MEMBER)?;
            count += 1;
        }
        Ok(())
    }
}
