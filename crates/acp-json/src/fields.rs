//! Reading the members of an object, each by the rule that its schema gives.

use std::borrow::Cow;

use serde_core::ser::SerializeMap;

use crate::members::Members;
use crate::node::Node;
use crate::path::At;
use crate::read::FromNode;
use crate::report::{NoteKind, Problem, ReadError};

/// A type that is a JSON object, or shares one with others. It reads its members and leaves the
/// rest.
pub trait Record: Sized {
    /// Takes the members that belong to this type.
    ///
    /// # Errors
    /// Names the member that is missing or malformed.
    fn read(fields: &mut Fields<'_, '_>) -> Result<Self, ReadError>;

    /// Writes the members of this value.
    ///
    /// # Errors
    /// Fails if the serializer fails.
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;
}

impl<T: Record> Record for Box<T> {
    fn read(fields: &mut Fields<'_, '_>) -> Result<Self, ReadError> {
        T::read(fields).map(Box::new)
    }

    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        T::write(self, map)
    }
}

/// Implements [`FromNode`], `Serialize` and `Deserialize` for types that implement [`Record`].
///
/// `null => Default` after the name makes a bare `null` read as the type's default. It serves
/// payloads that may be `null` as a whole.
#[macro_export]
macro_rules! record {
    ($type:ty) => {
        impl $crate::FromNode for $type {
            fn from_node(node: $crate::Node<'_>, at: &$crate::At<'_>) -> Result<Self, $crate::ReadError> {
                $crate::Fields::read_all(node, at)
            }
        }
        $crate::record!(@serde $type);
    };
    ($type:ty, null => Default) => {
        impl $crate::FromNode for $type {
            fn from_node(node: $crate::Node<'_>, at: &$crate::At<'_>) -> Result<Self, $crate::ReadError> {
                if node.is_null() { Ok(Self::default()) } else { $crate::Fields::read_all(node, at) }
            }
        }
        $crate::record!(@serde $type);
    };
    (@serde $type:ty) => {
        impl $crate::__serde::Serialize for $type {
            fn serialize<S: $crate::__serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::serialize(self, serializer)
            }
        }
        $crate::from_node!($type);
    };
}

/// Implements `Deserialize` for types that implement [`FromNode`].
#[macro_export]
macro_rules! from_node {
    ($type:ty) => {
        impl<'de> $crate::__serde::Deserialize<'de> for $type {
            fn deserialize<D: $crate::__serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::deserialize(deserializer)
            }
        }
    };
}

/// The reader of a member's value: `T::from_node`, or [`skip_invalid`] for lists.
type Reader<T> = fn(Node<'_>, &At<'_>) -> Result<T, ReadError>;

/// The members of one object while they are being read. Each method takes one of them out.
#[derive(Clone, Debug)]
pub struct Fields<'n, 'p> {
    members: Members<'n>,
    at: &'p At<'p>,
}

impl<'n, 'p> Fields<'n, 'p> {
    /// Reads a whole object as a `T`.
    ///
    /// # Errors
    /// Fails if the node is not an object, or if `T` refuses it.
    pub fn read_all<T: Record>(node: Node<'n>, at: &'p At<'p>) -> Result<T, ReadError> {
        let Node::Map(members) = node else {
            return Err(ReadError::expected(at, "an object", &node));
        };
        let mut fields = Fields { members: Members::new(members), at };
        let value = T::read(&mut fields)?;
        fields.note_rest();
        Ok(value)
    }

    /// Returns the position of the object.
    #[must_use]
    pub const fn at(&self) -> &'p At<'p> {
        self.at
    }

    /// Returns true if the object still has a member of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.members.has(name)
    }

    /// Takes the member that tells variants apart.
    ///
    /// # Errors
    /// Fails if the member is missing or is not a string.
    pub fn tag(&mut self, name: &'static str) -> Result<Cow<'n, str>, ReadError> {
        let at = self.at.member(name);
        match self.members.take(name) {
            Some(Node::Str(text)) => Ok(text),
            Some(other) => Err(ReadError::expected(&at, "a string", &other)),
            None => Err(ReadError::missing(&at)),
        }
    }

    /// Takes the member that tells variants apart, where one variant does not have it. `null`
    /// counts as absent.
    ///
    /// # Errors
    /// Fails if the member is there but is not a string.
    pub fn optional_tag(&mut self, name: &'static str) -> Result<Option<Cow<'n, str>>, ReadError> {
        match self.members.take(name) {
            None | Some(Node::Null) => Ok(None),
            Some(Node::Str(text)) => Ok(Some(text)),
            Some(other) => Err(ReadError::expected(&self.at.member(name), "a string", &other)),
        }
    }

    /// Takes the tag like [`optional_tag`](Self::optional_tag). A value that is not a string reads
    /// as absent and is noted.
    pub fn lenient_tag(&mut self, name: &'static str) -> Option<Cow<'n, str>> {
        self.optional_tag(name).unwrap_or_else(|error| {
            self.at.member(name).note(NoteKind::Defaulted(error));
            None
        })
    }

    /// Checks that the object has at most one of these members.
    ///
    /// # Errors
    /// Fails if it has more.
    pub fn one_of(&self, names: &[&str]) -> Result<(), ReadError> {
        let present: Vec<&str> = names.iter().copied().filter(|name| self.has(name)).collect();
        if present.len() < 2 {
            return Ok(());
        }
        let message = format!("only one of these members may be there: `{}`", present.join("`, `"));
        Err(ReadError::new(self.at, Problem::Other(message)))
    }

    /// Tries a reader on a copy. Nothing is taken and nothing is noted.
    ///
    /// # Errors
    /// Fails if the reader fails.
    pub fn check<T>(
        &self,
        read: impl FnOnce(&mut Fields<'n, 'p>) -> Result<T, ReadError>,
    ) -> Result<(), ReadError> {
        let mark = self.at.mark();
        let result = read(&mut self.clone());
        self.at.rewind(mark);
        result.map(drop)
    }

    /// Takes every member that is left, in order.
    pub fn rest(&mut self) -> Vec<(Cow<'n, str>, Node<'n>)> {
        self.members.rest()
    }

    /// Takes a member that must be there and well-formed.
    ///
    /// # Errors
    /// Fails if the member is missing or malformed.
    pub fn required<T>(&mut self, name: &'static str, reader: Reader<T>) -> Result<T, ReadError> {
        let at = self.at.member(name);
        let node = self.members.take(name).ok_or_else(|| ReadError::missing(&at))?;
        reader(node, &at)
    }

    /// Takes a member that must be there. A malformed value reads as the default and is noted.
    ///
    /// # Errors
    /// Fails if the member is missing.
    pub fn required_lenient<T: Default>(
        &mut self,
        name: &'static str,
        reader: Reader<T>,
    ) -> Result<T, ReadError> {
        let at = self.at.member(name);
        let node = self.members.take(name).ok_or_else(|| ReadError::missing(&at))?;
        Ok(lenient(node, &at, reader).unwrap_or_default())
    }

    /// Takes a member that must be there. `null` reads as the default.
    ///
    /// # Errors
    /// Fails if the member is missing or malformed.
    pub fn required_or_null<T: Default>(
        &mut self,
        name: &'static str,
        reader: Reader<T>,
    ) -> Result<T, ReadError> {
        let at = self.at.member(name);
        match self.members.take(name).ok_or_else(|| ReadError::missing(&at))? {
            Node::Null => Ok(T::default()),
            node => reader(node, &at),
        }
    }

    /// Takes a member that may be absent or `null`.
    ///
    /// # Errors
    /// Fails if the member is malformed.
    pub fn optional<T>(&mut self, name: &'static str, reader: Reader<T>) -> Result<Option<T>, ReadError> {
        match self.members.take(name) {
            None | Some(Node::Null) => Ok(None),
            Some(node) => reader(node, &self.at.member(name)).map(Some),
        }
    }

    /// Takes a member that may be absent or `null`. A malformed value reads as absent and is noted.
    pub fn optional_lenient<T>(&mut self, name: &'static str, reader: Reader<T>) -> Option<T> {
        match self.members.take(name) {
            None | Some(Node::Null) => None,
            Some(node) => lenient(node, &self.at.member(name), reader),
        }
    }

    /// Takes a member that may be absent, which means `default`. `null` is malformed.
    ///
    /// # Errors
    /// Fails if the member is malformed.
    pub fn defaulted<T>(
        &mut self,
        name: &'static str,
        reader: Reader<T>,
        default: fn() -> T,
    ) -> Result<T, ReadError> {
        match self.members.take(name) {
            None => Ok(default()),
            Some(node) => reader(node, &self.at.member(name)),
        }
    }

    /// Takes a member that may be absent or `null`, which both mean `default`.
    ///
    /// # Errors
    /// Fails if the member is malformed.
    pub fn defaulted_or_null<T>(
        &mut self,
        name: &'static str,
        reader: Reader<T>,
        default: fn() -> T,
    ) -> Result<T, ReadError> {
        match self.members.take(name) {
            None | Some(Node::Null) => Ok(default()),
            Some(node) => reader(node, &self.at.member(name)),
        }
    }

    /// Takes a member that may be absent. Absence, `null` and (noted) malformed values mean
    /// `default`.
    pub fn defaulted_lenient<T>(&mut self, name: &'static str, reader: Reader<T>, default: fn() -> T) -> T {
        match self.members.take(name) {
            None | Some(Node::Null) => default(),
            Some(node) => lenient(node, &self.at.member(name), reader).unwrap_or_else(default),
        }
    }

    /// Takes a member whose absence, `null` and value mean three things. The outer `Option` says
    /// whether the member was there, the inner one whether it was more than `null`.
    ///
    /// # Errors
    /// Fails if the member is malformed.
    pub fn patch<T>(
        &mut self,
        name: &'static str,
        reader: Reader<T>,
    ) -> Result<Option<Option<T>>, ReadError> {
        match self.members.take(name) {
            None => Ok(None),
            Some(Node::Null) => Ok(Some(None)),
            Some(node) => reader(node, &self.at.member(name)).map(|value| Some(Some(value))),
        }
    }

    /// Takes a member like [`patch`](Self::patch). A malformed value reads as absent and is noted.
    pub fn patch_lenient<T>(&mut self, name: &'static str, reader: Reader<T>) -> Option<Option<T>> {
        match self.members.take(name) {
            None => None,
            Some(Node::Null) => Some(None),
            Some(node) => lenient(node, &self.at.member(name), reader).map(Some),
        }
    }

    fn note_rest(&self) {
        if self.at.takes_notes() {
            for name in self.members.names() {
                self.at.member(name).note(NoteKind::Ignored);
            }
        }
    }
}

/// Reads a list and leaves out malformed items. Each is noted.
///
/// # Errors
/// Fails if the node is not an array.
pub fn skip_invalid<T: FromNode>(node: Node<'_>, at: &At<'_>) -> Result<Vec<T>, ReadError> {
    let Node::Seq(items) = node else {
        return Err(ReadError::expected(at, "an array", &node));
    };
    let read = |(index, item)| {
        let at = at.item(index);
        let mark = at.mark();
        T::from_node(item, &at)
            .inspect_err(|error: &ReadError| {
                at.rewind(mark);
                at.note(NoteKind::Skipped(error.clone()));
            })
            .ok()
    };
    // Usually no item is left out, which a filtering iterator cannot know when it allocates. The
    // capacity is bounded, because the items of a long list may all be malformed.
    let mut list = Vec::with_capacity(items.len().min(16));
    list.extend(items.into_iter().enumerate().filter_map(read));
    Ok(list)
}

fn lenient<T>(node: Node<'_>, at: &At<'_>, reader: Reader<T>) -> Option<T> {
    let mark = at.mark();
    reader(node, at)
        .inspect_err(|error| {
            at.rewind(mark);
            at.note(NoteKind::Defaulted(error.clone()));
        })
        .ok()
}
