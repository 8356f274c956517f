//! Objects with free member names.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde_core::de::{Deserialize, Deserializer};
use serde_core::ser::{Serialize, Serializer};

use crate::node::Node;
use crate::path::At;
use crate::read::FromNode;
use crate::report::ReadError;
use crate::value::Value;

/// A JSON object with any member names, in the order of the text.
///
/// Look-ups walk the members, because these maps hold only a handful.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Map<V = Value> {
    members: Vec<(Box<str>, V)>,
}

impl<V> Map<V> {
    /// Makes an empty map.
    #[must_use]
    pub const fn new() -> Self {
        Map { members: Vec::new() }
    }

    /// Returns the number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns true if the map has no member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the member of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&V> {
        self.members.iter().find(|(key, _)| **key == *name).map(|(_, value)| value)
    }

    /// Returns the member of this name for changes.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut V> {
        self.members.iter_mut().find(|(key, _)| **key == *name).map(|(_, value)| value)
    }

    /// Returns true if the map has a member of this name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Sets a member, at the place of an earlier one of its name or else at the end. Returns the
    /// earlier one.
    pub fn insert(&mut self, name: impl Into<Box<str>>, value: V) -> Option<V> {
        let name = name.into();
        if let Some(slot) = self.get_mut(&name) {
            return Some(std::mem::replace(slot, value));
        }
        self.members.push((name, value));
        None
    }

    /// Takes a member out. The others keep their order.
    pub fn remove(&mut self, name: &str) -> Option<V> {
        let position = self.members.iter().position(|(key, _)| **key == *name)?;
        Some(self.members.remove(position).1)
    }

    /// Returns the members in order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &V)> {
        self.members.iter().map(|(key, value)| (&**key, value))
    }

    /// Returns the names in order.
    #[must_use]
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.members.iter().map(|(key, _)| &**key)
    }
}

impl<V> Default for Map<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: fmt::Debug> fmt::Debug for Map<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Into<Box<str>>, V> FromIterator<(K, V)> for Map<V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        let members = members.into_iter().map(|(name, value)| (name.into(), value)).collect();
        Map { members: without_repeats(members) }
    }
}

/// Drops every member but the last of each name.
///
/// Above a few members it avoids a look-up per member, because a peer decides how many there are.
fn without_repeats<K: AsRef<str>, V>(mut members: Vec<(K, V)>) -> Vec<(K, V)> {
    const FEW: usize = 16;
    if members.len() <= FEW {
        let repeats = |rest: &[(K, V)]| {
            let [(name, _), later @ ..] = rest else { return false };
            later.iter().any(|(other, _)| other.as_ref() == name.as_ref())
        };
        if !(0..members.len()).any(|index| members.get(index..).is_some_and(repeats)) {
            return members;
        }
    }
    let mut seen = HashSet::with_capacity(members.len());
    let is_last: Vec<bool> = members.iter().rev().map(|(name, _)| seen.insert(name.as_ref())).collect();
    drop(seen);
    let mut is_last = is_last.into_iter().rev();
    members.retain(|_| is_last.next().unwrap_or(true));
    members
}

impl<K: Into<Box<str>>, V> Extend<(K, V)> for Map<V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, members: I) {
        for (name, value) in members {
            self.insert(name, value);
        }
    }
}

impl<K: Into<Box<str>>, V, const N: usize> From<[(K, V); N]> for Map<V> {
    fn from(members: [(K, V); N]) -> Self {
        members.into_iter().collect()
    }
}

impl<V> IntoIterator for Map<V> {
    type Item = (Box<str>, V);
    type IntoIter = std::vec::IntoIter<(Box<str>, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.members.into_iter()
    }
}

impl<V: FromNode> FromNode for Map<V> {
    fn from_node(node: Node<'_>, at: &At<'_>) -> Result<Self, ReadError> {
        let Node::Map(members) = node else {
            return Err(ReadError::expected(at, "an object", &node));
        };
        let read = |(key, node): (Cow<'_, str>, Node<'_>)| {
            let value = V::from_node(node, &at.member(&key))?;
            Ok((Box::from(key), value))
        };
        let members = without_repeats(members).into_iter().map(read).collect::<Result<_, _>>()?;
        Ok(Map { members })
    }
}

impl<V: Serialize> Serialize for Map<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, V: FromNode> Deserialize<'de> for Map<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::deserialize(deserializer)
    }
}
