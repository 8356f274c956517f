//! The content of one line: ids, error objects, and the three kinds of message.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use acp_json::{Node, Value};
use serde_core::ser::{Serialize, SerializeMap, Serializer};

use super::envelope::{Envelope, Shape, Version};

/// The id of a request.
///
/// Ids compare by value and by JSON type, so `"1"` and `1` are two different ids. Fractional
/// numbers and integers beyond 64 bits are not ids.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Id {
    /// `null`. Accepted from a peer, never sent by this crate.
    Null,
    /// A 64-bit signed integer.
    Int(i64),
    /// A string.
    Str(Arc<str>),
}

/// The most characters of a string that are shown.
const LONGEST_SHOWN: usize = 64;

impl Id {
    /// Reads an id, or `None` if the value cannot be one.
    pub fn from_node(node: &Node<'_>) -> Option<Self> {
        match node {
            Node::Null => Some(Self::Null),
            Node::Str(text) => Some(Self::Str(Arc::from(text.as_ref()))),
            // Rule v1-rpc-07: nothing else is an id.
            other => other.as_i64().map(Self::Int),
        }
    }

    /// Returns the id as JSON.
    pub(crate) fn to_node(&self) -> Node<'static> {
        match self {
            Self::Null => Node::Null,
            Self::Int(id) => u64::try_from(*id).map_or(Node::I64(*id), Node::U64),
            Self::Str(id) => Node::Str(Cow::Owned(id.as_ref().to_owned())),
        }
    }
}

impl From<i64> for Id {
    fn from(id: i64) -> Self {
        Self::Int(id)
    }
}

impl From<&str> for Id {
    fn from(id: &str) -> Self {
        Self::Str(Arc::from(id))
    }
}

/// Shows the id in one line, as in JSON. A string is cut after 64 characters.
impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Int(id) => id.fmt(f),
            Self::Str(id) => match id.char_indices().nth(LONGEST_SHOWN) {
                None => fmt::Debug::fmt(id, f),
                Some((cut, _)) => write!(f, "{:?}..", id.get(..cut).unwrap_or_default()),
            },
        }
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Int(id) => serializer.serialize_i64(*id),
            Self::Str(id) => serializer.serialize_str(id),
        }
    }
}

/// A JSON-RPC error object: the answer to a request that failed.
///
/// Neither `Display` nor `Debug` shows `data`; [`reason`](Self::reason) does, for the user.
#[derive(Clone, PartialEq)]
pub struct Error {
    /// The error code. Codes outside 32 bits are clamped when they arrive.
    pub code: i32,
    /// One short sentence for a person.
    pub message: Cow<'static, str>,
    /// Anything else worth saying, of any JSON type.
    pub data: Option<Value>,
}

impl Error {
    /// The line is not JSON.
    pub const PARSE_ERROR: i32 = -32700;
    /// The line is JSON but not a message.
    pub const INVALID_REQUEST: i32 = -32600;
    /// Nobody here answers this method.
    pub const METHOD_NOT_FOUND: i32 = -32601;
    /// The params cannot be read or are not supported.
    pub const INVALID_PARAMS: i32 = -32602;
    /// The handler failed, and the caller is not to blame.
    pub const INTERNAL_ERROR: i32 = -32603;
    /// The request was cancelled before it was done.
    pub const REQUEST_CANCELLED: i32 = -32800;

    /// Creates an error with a code and a message and no data.
    pub fn new(code: i32, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// Returns this error with `data` attached.
    #[must_use]
    pub fn with_data(mut self, data: impl Into<Value>) -> Self {
        self.data = Some(data.into());
        self
    }

    /// Returns `-32700`: the line is not JSON.
    #[must_use]
    pub fn parse_error() -> Self {
        Self::new(Self::PARSE_ERROR, "the line is not valid JSON")
    }

    /// Returns `-32600`: the line is JSON, but not a request, notification or response.
    pub fn invalid_request(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Self::INVALID_REQUEST, message)
    }

    /// Returns `-32601`: nobody here answers `method`. The message shows at most 64 characters of
    /// it.
    #[must_use]
    pub fn method_not_found(method: &str) -> Self {
        match method.char_indices().nth(LONGEST_SHOWN) {
            None => Self::new(Self::METHOD_NOT_FOUND, format!("method not found: {method}")),
            Some((cut, _)) => {
                let shown = method.get(..cut).unwrap_or_default();
                Self::new(Self::METHOD_NOT_FOUND, format!("method not found: {shown}.."))
            }
        }
    }

    /// Returns `-32602`: the params cannot be read or are not supported.
    pub fn invalid_params(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Self::INVALID_PARAMS, message)
    }

    /// Returns `-32603`: the handler failed.
    pub fn internal(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(Self::INTERNAL_ERROR, message)
    }

    pub(crate) fn panicked() -> Self {
        Self::internal("the handler failed unexpectedly")
    }

    /// Returns `-32800`: the request was cancelled.
    #[must_use]
    pub fn cancelled() -> Self {
        Self::new(Self::REQUEST_CANCELLED, "the request was cancelled")
    }

    /// Reads an error object leniently: its place makes it an error, not its form.
    fn from_node(mut node: Node<'_>) -> Option<Self> {
        if !matches!(node, Node::Map(_)) {
            return None;
        }
        let code = node.get("code").and_then(code_of).unwrap_or(Self::INTERNAL_ERROR);
        let message = match node.take("message") {
            Some(Node::Str(message)) => Cow::Owned(message.into_owned()),
            _ => Cow::Borrowed("the peer gave no message"),
        };
        let data = node.take("data").filter(|data| !data.is_null());
        Some(Self { code, message, data: data.and_then(|data| acp_json::read(data).ok()) })
    }
}

/// Real peers pass on HTTP codes, and print numbers as their language does, so `400.0` counts too.
#[allow(clippy::cast_possible_truncation, reason = "float to integer casts saturate, which is the clamp")]
fn code_of(node: &Node<'_>) -> Option<i32> {
    match node {
        Node::F64(_) | Node::Exact(_) => node.as_f64().map(|code| code as i32),
        Node::U64(code) => Some(i32::try_from(*code).unwrap_or(i32::MAX)),
        Node::I64(code) => Some(i32::try_from(*code).unwrap_or(i32::MIN)),
        _ => None,
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let data = self.data.as_ref().map(|_| format_args!(".."));
        let mut error = f.debug_struct("Error");
        error.field("code", &self.code).field("message", &self.message).field("data", &data).finish()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (code {})", self.message, self.code)
    }
}

impl std::error::Error for Error {}

impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", &self.code)?;
        map.serialize_entry("message", &self.message)?;
        if let Some(data) = &self.data {
            map.serialize_entry("data", data)?;
        }
        map.end()
    }
}

/// One line, read and classified. It borrows text from the line where possible.
#[derive(Debug)]
pub enum Message<'a> {
    /// A method with an id. It wants an answer.
    Request {
        /// The caller's id.
        id: Id,
        /// The method's name.
        method: Cow<'a, str>,
        /// The params; `null` when the member is absent.
        params: Node<'a>,
    },
    /// A method without an id. It wants no answer.
    Notification {
        /// The method's name.
        method: Cow<'a, str>,
        /// The params; `null` when the member is absent.
        params: Node<'a>,
    },
    /// The answer to a request of this side.
    Response {
        /// The id of that request.
        id: Id,
        /// The content of the answer.
        answer: Answer<'a>,
    },
    /// An answer whose id is `null`, missing or invalid, so that it belongs to no request.
    Unaddressed {
        /// The error it carries, if it carries one.
        error: Option<Error>,
    },
    /// An object with an id and nothing else: a response without its `result`, or nonsense.
    Bare {
        /// The id.
        id: Id,
    },
    /// Valid JSON, but not a message. It must be refused with `-32600`.
    Invalid {
        /// The id to refuse under; `null` when the line does not look like a request.
        id: Id,
        /// The problem with it.
        problem: &'static str,
    },
}

/// The content of a response.
#[derive(Debug)]
pub enum Answer<'a> {
    /// `result`, of any JSON type.
    Result(Node<'a>),
    /// `error`.
    Error(Error),
    /// Neither could be found. The text says why.
    Malformed(&'static str),
}

/// A line that is not JSON, not UTF-8, or nested deeper than 127 levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotJson {
    /// The position where it stops being JSON: the offset in bytes, from 1.
    pub column: usize,
}

impl fmt::Display for NotJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not JSON at byte {}", self.column)
    }
}

impl std::error::Error for NotJson {}

impl<'a> Message<'a> {
    /// Reads one line.
    ///
    /// # Errors
    ///
    /// Fails if the line is not JSON.
    pub fn parse(line: &'a [u8]) -> Result<Self, NotJson> {
        let mut envelope = Envelope::default();
        let parse = || match std::str::from_utf8(line) {
            // One check of the whole line costs less than one of each string in it.
            Ok(text) => envelope.read(serde_json::Deserializer::from_str(text)),
            // It fails too, and says where.
            Err(_) => envelope.read(serde_json::Deserializer::from_slice(line)),
        };
        let (shape, lost_digits) = acp_json::watch_numbers(line, parse);
        // A parser fails at numbers beyond the largest double, which are valid JSON.
        let shape = shape.or_else(|error| match acp_json::parse_slice(line) {
            Ok(tree) => Ok(envelope.take(tree)),
            Err(_) => Err(NotJson { column: error.column() }),
        })?;
        Ok(match shape {
            Shape::Object => {
                if lost_digits && let Ok(exact) = acp_json::parse_slice(line) {
                    envelope.replace_values(exact);
                }
                Self::classify(envelope)
            }
            Shape::Array => Self::invalid("a message must be one JSON object: batches are not supported"),
            Shape::Scalar => Self::invalid("a message must be a JSON object"),
        })
    }

    fn classify(envelope: Envelope<'a>) -> Self {
        let id = envelope.id.as_ref().map(Id::from_node);
        match (envelope.method, envelope.result, envelope.error) {
            (Some(method), ..) => Self::call(id, envelope.version, method, envelope.params),
            (None, None, None) => match id.flatten() {
                Some(id) => Self::Bare { id },
                None => Self::invalid("a message needs a `method`, a `result` or an `error`"),
            },
            (None, result, error) => Self::response(id.flatten(), envelope.version, result, error),
        }
    }

    /// `id` is `None` when absent and `Some(None)` when present but impossible.
    fn call(id: Option<Option<Id>>, version: Version, method: Node<'a>, params: Option<Node<'a>>) -> Self {
        let params = params.unwrap_or(Node::Null);
        match (id, version, method) {
            (Some(None), ..) => Self::invalid("an `id` must be a string, a 64-bit integer or null"),
            (id, Version::Absent, _) => Self::refuse(id, "`jsonrpc` is missing: it must be \"2.0\""),
            (id, Version::Other, _) => Self::refuse(id, "`jsonrpc` must be \"2.0\""),
            (Some(Some(id)), Version::Two, Node::Str(method)) => Self::Request { id, method, params },
            (None, Version::Two, Node::Str(method)) => Self::Notification { method, params },
            (id, Version::Two, _) => Self::refuse(id, "`method` must be a string"),
        }
    }

    fn response(id: Option<Id>, version: Version, result: Option<Node<'a>>, error: Option<Node<'a>>) -> Self {
        // Some peers write both members, and `null` for the one that does not count.
        let (has_result, has_error) = (result.is_some(), error.as_ref().is_some_and(|it| !it.is_null()));
        let result = result.filter(|it| !(it.is_null() && has_error));
        let error = error.filter(|it| !(it.is_null() && has_result));
        let answer = match (version, result, error.map(Error::from_node)) {
            (_, Some(_), Some(_)) => Answer::Malformed("it has both a `result` and an `error`"),
            (_, _, Some(None)) => Answer::Malformed("its `error` is not an object"),
            (Version::Two, _, Some(Some(error))) => Answer::Error(error),
            (Version::Two, Some(result), None) => Answer::Result(result),
            (Version::Absent | Version::Other, ..) => Answer::Malformed("its `jsonrpc` is not \"2.0\""),
            (Version::Two, None, None) => Answer::Malformed("it has neither a `result` nor an `error`"),
        };
        match (id, answer) {
            (None | Some(Id::Null), Answer::Error(error)) => Self::Unaddressed { error: Some(error) },
            (None | Some(Id::Null), _) => Self::Unaddressed { error: None },
            (Some(id), answer) => Self::Response { id, answer },
        }
    }

    fn refuse(id: Option<Option<Id>>, problem: &'static str) -> Self {
        Self::Invalid { id: id.flatten().unwrap_or(Id::Null), problem }
    }

    const fn invalid(problem: &'static str) -> Self {
        Self::Invalid { id: Id::Null, problem }
    }
}
