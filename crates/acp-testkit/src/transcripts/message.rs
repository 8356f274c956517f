//! The JSON-RPC envelope, as far as these checks need it.
//!
//! These checks do not use `acp-rpc`. It reads leniently and keeps the parts that a peer needs: it
//! drops members that are reported here, and mends error objects that are read here as they came.

use std::borrow::Cow;

use acp_json::{Node, ReadError, read};
use acp_types::v1::RequestId;

/// A line of the wire.
pub(super) struct Message<'a> {
    pub(super) body: Body<'a>,
    /// Members that JSON-RPC does not know.
    pub(super) extra: Vec<String>,
}

pub(super) enum Body<'a> {
    Request {
        id: Id,
        method: Cow<'a, str>,
        params: Node<'a>,
    },
    Notification {
        method: Cow<'a, str>,
        params: Node<'a>,
    },
    Success {
        id: Id,
        result: Node<'a>,
    },
    /// Some peers leave out the id of an error that answers an unreadable message.
    Failure {
        id: Id,
        error: Node<'a>,
    },
}

/// An id as a key. `1` and `"1"` are two ids, and each direction has ids of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Id {
    None,
    Integer(i64),
    Text(String),
}

impl<'a> Message<'a> {
    pub(super) fn parse(line: &'a str) -> Result<Self, String> {
        let mut node = acp_json::parse(line).map_err(|error| error.to_string())?;
        if !matches!(node, Node::Map(_)) {
            return Err(format!("a message must be an object, not {}", node.kind()));
        }
        if node.take("jsonrpc").as_ref().and_then(Node::as_str) != Some("2.0") {
            return Err("`jsonrpc` must be \"2.0\"".to_owned());
        }
        let id = node.take("id").map(id).transpose().map_err(|error| format!("`id`: {error}"))?;
        let body = match (node.take("method"), node.take("result"), node.take("error")) {
            (Some(method), None, None) => {
                let Node::Str(method) = method else {
                    return Err(format!("`method`: expected a string, found {}", method.kind()));
                };
                // Absent and `null` both mean no params.
                let params = node.take("params").filter(|params| !params.is_null());
                let params = params.unwrap_or_else(|| Node::Map(Vec::new()));
                match id {
                    Some(id) => Body::Request { id, method, params },
                    None => Body::Notification { method, params },
                }
            }
            (None, Some(result), None) => Body::Success { id: id.ok_or("a result without `id`")?, result },
            (None, None, Some(error)) => Body::Failure { id: id.unwrap_or(Id::None), error },
            _ => return Err("a message must have one of `method`, `result` and `error`".to_owned()),
        };
        let rest = if let Node::Map(rest) = node { rest } else { Vec::new() };
        let extra = rest.into_iter().map(|(name, _)| name.into_owned()).collect();
        Ok(Message { body, extra })
    }
}

fn id(node: Node<'_>) -> Result<Id, ReadError> {
    Ok(match read::<RequestId>(node)? {
        RequestId::Null => Id::None,
        RequestId::Integer(number) => Id::Integer(number),
        RequestId::String(text) => Id::Text(text),
        other => Id::Text(acp_json::to_string(&other)),
    })
}
