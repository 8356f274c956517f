//! The members of a message that decide its way.

use std::borrow::Cow;
use std::fmt;

use acp_json::Node;
use acp_rpc::Id;
use serde_core::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The head of a message. Its values are skipped, not kept: the peer behind it parses them.
#[derive(Debug)]
pub(crate) struct Head<'a> {
    pub(crate) kind: Kind<'a>,
    /// `params.sessionId` of a call, `result.sessionId` of an answer, if it is a string.
    pub(crate) session: Option<Cow<'a, str>>,
    /// `result.protocolVersion` of an answer.
    pub(crate) version: Option<u64>,
}

#[derive(Debug)]
pub(crate) enum Kind<'a> {
    /// A request. Its id may be `null`.
    Request { id: Id, method: Cow<'a, str> },
    /// A notification.
    #[cfg_attr(
        not(any(feature = "server", feature = "sse")),
        allow(dead_code, reason = "a WebSocket of the client has one way for all of them")
    )]
    Notification { method: Cow<'a, str> },
    /// An answer. Without an id it belongs to no request.
    Answer { id: Option<Id>, is_error: bool },
}

/// The reason why bytes are not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    NotJson,
    NotMessage(&'static str),
}

impl<'a> Head<'a> {
    /// Reads the head of one message.
    pub(crate) fn read(message: &'a [u8]) -> Result<Self, Unread> {
        // Text that is skipped would not be checked by the parser.
        let text = std::str::from_utf8(message).map_err(|_| Unread::NotJson)?;
        let members = match serde_json::from_str(text).map_err(|_| Unread::NotJson)? {
            Shape::Object(members) => members,
            Shape::Array => return Err(Unread::NotMessage("batches are not supported: send one message")),
            Shape::Scalar => return Err(Unread::NotMessage("a message must be a JSON object")),
        };
        members.classify()
    }

    /// Returns the id of a request.
    #[cfg(feature = "server")]
    pub(crate) const fn request(&self) -> Option<&Id> {
        match &self.kind {
            Kind::Request { id, .. } => Some(id),
            _ => None,
        }
    }

    /// Returns the method of a request or notification.
    #[cfg(any(feature = "server", feature = "sse", feature = "__wire"))]
    pub(crate) fn method(&self) -> Option<&str> {
        match &self.kind {
            Kind::Request { method, .. } | Kind::Notification { method } => Some(method),
            Kind::Answer { .. } => None,
        }
    }
}

impl<'a> Members<'a> {
    fn classify(self) -> Result<Head<'a>, Unread> {
        let refuse = |problem| Err(Unread::NotMessage(problem));
        if !self.is_two {
            return refuse("`jsonrpc` must be \"2.0\"");
        }
        let is_call = self.method.is_some();
        let kind = match (self.method, self.id.as_ref().map(Id::from_node)) {
            (Some(Node::Str(method)), None) => Kind::Notification { method },
            (Some(Node::Str(method)), Some(Some(id))) => Kind::Request { id, method },
            (Some(Node::Str(_)), Some(None)) => {
                return refuse("an `id` must be a string, a 64-bit integer or null");
            }
            (Some(_), _) => return refuse("`method` must be a string"),
            (None, id) if self.result.is_some() || self.has_error => {
                let id = id.flatten().filter(|id| *id != Id::Null);
                Kind::Answer { id, is_error: self.has_error && self.result.is_none() }
            }
            (None, _) => return refuse("a message needs a `method`, a `result` or an `error`"),
        };
        let inner = if is_call { self.params } else { self.result }.unwrap_or_default();
        Ok(Head { kind, session: inner.session, version: inner.version })
    }
}

/// The JSON type of a message.
enum Shape<'a> {
    Object(Members<'a>),
    Array,
    Scalar,
}

/// Members of the outer object. If one is given twice, the last one counts.
#[derive(Default)]
struct Members<'a> {
    is_two: bool,
    id: Option<Node<'a>>,
    method: Option<Node<'a>>,
    params: Option<Inner<'a>>,
    result: Option<Inner<'a>>,
    has_error: bool,
}

/// Members of `params` or `result`.
#[derive(Default)]
struct Inner<'a> {
    session: Option<Cow<'a, str>>,
    version: Option<u64>,
}

enum Name {
    Jsonrpc,
    Id,
    Method,
    Params,
    Result,
    Error,
    SessionId,
    ProtocolVersion,
    Other,
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;
        impl Visitor<'_> for NameVisitor {
            type Value = Name;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a member")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Name, E> {
                Ok(match name {
                    "jsonrpc" => Name::Jsonrpc,
                    "id" => Name::Id,
                    "method" => Name::Method,
                    "params" => Name::Params,
                    "result" => Name::Result,
                    "error" => Name::Error,
                    "sessionId" => Name::SessionId,
                    "protocolVersion" => Name::ProtocolVersion,
                    _ => Name::Other,
                })
            }
        }
        deserializer.deserialize_identifier(NameVisitor)
    }
}

/// The rest of a visitor of anything: each kind of value but objects.
macro_rules! others {
    ($array:expr, $scalar:expr) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a JSON value")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok($array)
        }

        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok($scalar)
        }

        fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
            Ok($scalar)
        }

        fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
            Ok($scalar)
        }

        fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
            Ok($scalar)
        }

        fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
            Ok($scalar)
        }

        fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
            Ok($scalar)
        }
    };
}

impl<'de> Deserialize<'de> for Shape<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ShapeVisitor;
        impl<'de> Visitor<'de> for ShapeVisitor {
            type Value = Shape<'de>;

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Members::default();
                while let Some(name) = map.next_key()? {
                    match name {
                        Name::Jsonrpc => {
                            let version: Node<'de> = map.next_value()?;
                            members.is_two = version.as_str() == Some("2.0");
                        }
                        Name::Id => members.id = Some(map.next_value()?),
                        Name::Method => members.method = Some(map.next_value()?),
                        Name::Params => members.params = Some(map.next_value()?),
                        Name::Result => members.result = Some(map.next_value()?),
                        // Some peers write `null` for the one of the two that does not count.
                        Name::Error => members.has_error = map.next_value::<Option<IgnoredAny>>()?.is_some(),
                        _ => _ = map.next_value::<IgnoredAny>()?,
                    }
                }
                Ok(Shape::Object(members))
            }

            others!(Shape::Array, Shape::Scalar);
        }
        deserializer.deserialize_any(ShapeVisitor)
    }
}

impl<'de> Deserialize<'de> for Inner<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InnerVisitor;
        impl<'de> Visitor<'de> for InnerVisitor {
            type Value = Inner<'de>;

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut inner = Inner::default();
                while let Some(name) = map.next_key()? {
                    match name {
                        Name::SessionId => {
                            inner.session = match map.next_value()? {
                                Node::Str(session) => Some(session),
                                _ => None,
                            }
                        }
                        Name::ProtocolVersion => {
                            let version: Node<'de> = map.next_value()?;
                            inner.version = version.as_i64().and_then(|version| version.try_into().ok());
                        }
                        _ => _ = map.next_value::<IgnoredAny>()?,
                    }
                }
                Ok(inner)
            }

            others!(Inner::default(), Inner::default());
        }
        deserializer.deserialize_any(InnerVisitor)
    }
}
