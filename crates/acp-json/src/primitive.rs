//! Readers of the types that every schema is built from.

use std::sync::Arc;

use crate::node::Node;
use crate::path::At;
use crate::read::FromNode;
use crate::report::{Problem, ReadError};

impl FromNode for () {
    fn from_node(node: Node<'_>, at: &At<'_>) -> Result<Self, ReadError> {
        if node.is_null() { Ok(()) } else { Err(ReadError::expected(at, "null", &node)) }
    }
}

impl FromNode for bool {
    fn from_node(node: Node<'_>, at: &At<'_>) -> Result<Self, ReadError> {
        node.as_bool().ok_or_else(|| ReadError::expected(at, "a boolean", &node))
    }
}

impl FromNode for f64 {
    fn from_node(node: Node<'_>, at: &At<'_>) -> Result<Self, ReadError> {
        node.as_f64().ok_or_else(|| match node {
            Node::Exact(_) => ReadError::new(at, Problem::OutOfRange { expected: "a double" }),
            _ => ReadError::expected(at, "a number", &node),
        })
    }
}

macro_rules! integers {
    ($($type:ty: $name:literal),* $(,)?) => {$(
        impl FromNode for $type {
            fn from_node(node: Node<'_>, at: &At<'_>) -> Result<Self, ReadError> {
                let number = match node {
                    Node::U64(number) => Self::try_from(number).ok(),
                    Node::I64(number) => Self::try_from(number).ok(),
                    // `1.0` is an integer by JSON Schema, and some writers produce it.
                    Node::F64(number) => whole(number).and_then(|number| Self::try_from(number).ok()),
                    Node::Exact(_) => None,
                    other => return Err(ReadError::expected(at, $name, &other)),
                };
                number.ok_or_else(|| ReadError::new(at, Problem::OutOfRange { expected: $name }))
            }
        }
    )*};
}

integers! {
    u16: "an unsigned 16-bit integer",
    u32: "an unsigned 32-bit integer",
    u64: "an unsigned 64-bit integer",
    i32: "a 32-bit integer",
    i64: "a 64-bit integer",
}

/// Returns the integer that a float represents exactly, if there is one.
#[expect(clippy::cast_possible_truncation, reason = "the bound is checked first")]
fn whole(number: f64) -> Option<i64> {
    // The next one, 2^53, is also the double nearest to 2^53 + 1.
    const EXACT: f64 = 9_007_199_254_740_991.0;
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

impl FromNode for String {
    fn from_node(node: Node<'_>, at: &At<'_>) -> Result<Self, ReadError> {
        match node {
            Node::Str(text) => Ok(text.into_owned()),
            other => Err(ReadError::expected(at, "a string", &other)),
        }
    }
}

impl FromNode for Arc<str> {
    fn from_node(node: Node<'_>, at: &At<'_>) -> Result<Self, ReadError> {
        match node {
            Node::Str(text) => Ok(Arc::from(&*text)),
            other => Err(ReadError::expected(at, "a string", &other)),
        }
    }
}

impl<T: FromNode> FromNode for Box<T> {
    fn from_node(node: Node<'_>, at: &At<'_>) -> Result<Self, ReadError> {
        T::from_node(node, at).map(Box::new)
    }
}

impl<T: FromNode> FromNode for Option<T> {
    fn from_node(node: Node<'_>, at: &At<'_>) -> Result<Self, ReadError> {
        if node.is_null() { Ok(None) } else { T::from_node(node, at).map(Some) }
    }
}

impl<T: FromNode> FromNode for Vec<T> {
    fn from_node(node: Node<'_>, at: &At<'_>) -> Result<Self, ReadError> {
        match node {
            Node::Seq(items) => items
                .into_iter()
                .enumerate()
                .map(|(index, item)| T::from_node(item, &at.item(index)))
                .collect(),
            other => Err(ReadError::expected(at, "an array", &other)),
        }
    }
}
