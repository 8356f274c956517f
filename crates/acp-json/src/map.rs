//! Objects with free member names.

use std::fmt;

use serde_core::de::{Deserialize, Deserializer};
use serde_core::ser::{Serialize, Serializer};

use crate::node::Node;
use crate::path::At;
use crate::read::FromNode;
use crate::report::ReadError;
use crate::value::Value;

/// A JSON object with free names, in the order in which they came.
///
/// Look-ups walk the members: these maps hold a handful of them.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Map<V = Value> {
    members: Vec<(Box<str>, V)>,
}

impl<V> Map<V> {
    /// An empty map.
    #[must_use]
    pub const fn new() -> Self {
        Map { members: Vec::new() }
    }

    /// How many members there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The member of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&V> {
        self.members.iter().find(|(key, _)| **key == *name).map(|(_, value)| value)
    }

    /// The member of this name, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut V> {
        self.members.iter_mut().find(|(key, _)| **key == *name).map(|(_, value)| value)
    }

    /// Whether there is a member of this name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Sets a member: at the place of an earlier one of its name, else at the end. Returns the earlier one.
    pub fn insert(&mut self, name: impl Into<Box<str>>, value: V) -> Option<V> {
        let name = name.into();
        if let Some(slot) = self.get_mut(&name) {
            return Some(std::mem::replace(slot, value));
        }
        self.members.push((name, value));
        None
    }

    /// Takes a member out; the others keep their order.
    pub fn remove(&mut self, name: &str) -> Option<V> {
        let position = self.members.iter().position(|(key, _)| **key == *name)?;
        Some(self.members.remove(position).1)
    }

    /// The members in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &V)> {
        self.members.iter().map(|(key, value)| (&**key, value))
    }

    /// The names in order.
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
        let mut map = Map::new();
        map.extend(members);
        map
    }
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
        let mut map = Map { members: Vec::with_capacity(members.len()) };
        for (key, node) in members {
            let value = V::from_node(node, &at.member(&key))?;
            map.insert(key, value);
        }
        Ok(map)
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
