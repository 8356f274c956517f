//! One line, split into its members. Their values stay the text that they are.

use std::borrow::Cow;
use std::fmt;

use acp_json::Node;
use acp_rpc::Id;
use serde_core::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A message of JSON-RPC whose params and results are JSON text of the line.
#[derive(Debug)]
pub(crate) enum Message<'a> {
    Request { id: Id, call: Call<'a> },
    Notification(Call<'a>),
    Response { id: Id, answer: Answer<'a> },
    Invalid { id: Id, problem: &'static str },
    NotJson,
}

/// A method with its params as JSON text. Params that are absent and `null` are both `None`.
#[derive(Clone, Debug)]
pub(crate) struct Call<'a> {
    pub(crate) method: Cow<'a, str>,
    pub(crate) params: Option<&'a str>,
}

/// The JSON text of an answer's result or error.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer<'a> {
    Result(&'a str),
    Error(&'a str),
}

/// The members of an object that a message or an envelope may have. The last of two equal names
/// counts.
#[derive(Default)]
struct Members<'a> {
    jsonrpc: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
}

impl<'a> Message<'a> {
    /// Splits a line.
    pub(crate) fn split(line: &'a str) -> Self {
        let members: Members<'a> = match serde_json::from_str(line) {
            Ok(members) => members,
            Err(error) if error.is_data() => {
                return Self::invalid("a message must be one JSON object: batches are not supported");
            }
            Err(_) => return Self::NotJson,
        };
        match members.method {
            Some(method) => Self::call(&members, method),
            None => Self::response(&members),
        }
    }

    fn call(members: &Members<'a>, method: &'a RawValue) -> Self {
        let id = members.id.map(id_of);
        if id == Some(None) {
            return Self::invalid("an `id` must be a string, a 64-bit integer or null");
        }
        let id = id.flatten();
        let refused = |problem| Self::Invalid { id: id.clone().unwrap_or(Id::Null), problem };
        if members.jsonrpc.is_none_or(|version| version.get() != "\"2.0\"") {
            return refused("`jsonrpc` must be \"2.0\"");
        }
        let Some(method) = text_of(method.get()) else { return refused("`method` must be a string") };
        let call = Call { method, params: unless_null(members.params) };
        match id {
            Some(id) => Self::Request { id, call },
            None => Self::Notification(call),
        }
    }

    fn response(members: &Members<'a>) -> Self {
        let Some(Some(id)) = members.id.map(id_of) else {
            return Self::invalid("a message needs a `method`, or an `id` with a `result` or an `error`");
        };
        // Some peers write both members, and `null` for the one that does not count.
        let error = members.error.map(RawValue::get).filter(|error| *error != "null");
        match (members.result.map(RawValue::get), error) {
            (Some(result), None) => Self::Response { id, answer: Answer::Result(result) },
            (None | Some("null"), Some(error)) => Self::Response { id, answer: Answer::Error(error) },
            _ => Self::Response { id, answer: Answer::Error(MALFORMED) },
        }
    }

    const fn invalid(problem: &'static str) -> Self {
        Self::Invalid { id: Id::Null, problem }
    }
}

/// The error in place of an answer that has neither a result nor an error, or both.
const MALFORMED: &str = r#"{"code":-32603,"message":"the answer is not a valid JSON-RPC response"}"#;

/// A problem of an envelope, as the error that refuses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadEnvelope {
    NoMethod,
    BadParams,
}

impl<'a> Call<'a> {
    /// Splits the params of `proxy/successor`. Its `_meta` belongs to the hop and stays there.
    pub(crate) fn enveloped(params: Option<&'a str>) -> Result<Self, BadEnvelope> {
        let members: Members<'a> =
            params.and_then(|params| serde_json::from_str(params).ok()).ok_or(BadEnvelope::NoMethod)?;
        let method = members.method.and_then(|method| text_of(method.get())).ok_or(BadEnvelope::NoMethod)?;
        let params = unless_null(members.params);
        if params.is_some_and(|params| !params.starts_with(['{', '['])) {
            return Err(BadEnvelope::BadParams);
        }
        Ok(Self { method, params })
    }
}

fn unless_null(value: Option<&RawValue>) -> Option<&str> {
    value.map(RawValue::get).filter(|text| *text != "null")
}

fn id_of(value: &RawValue) -> Option<Id> {
    id_of_text(value.get())
}

/// Reads an id from its JSON text.
pub(crate) fn id_of_text(json: &str) -> Option<Id> {
    if let Ok(number) = json.parse() {
        return Some(Id::Int(number));
    }
    Id::from_node(&acp_json::parse(json).ok()?)
}

/// Reads the JSON text of a string. It is borrowed unless it has escapes.
pub(crate) fn text_of(json: &str) -> Option<Cow<'_, str>> {
    match serde_json::from_str::<Node<'_>>(json).ok()? {
        Node::Str(text) => Some(text),
        _ => None,
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Members::default();
        while let Some(Name(name)) = map.next_key()? {
            let value = Some(map.next_value::<&'de RawValue>()?);
            match name.as_ref() {
                "jsonrpc" => members.jsonrpc = value,
                "id" => members.id = value,
                "method" => members.method = value,
                "params" => members.params = value,
                "result" => members.result = value,
                "error" => members.error = value,
                _ => {}
            }
        }
        Ok(members)
    }
}

/// The name of a member. It is borrowed unless it has escapes.
pub(crate) struct Name<'a>(pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;
        impl<'de> Visitor<'de> for NameVisitor {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(name)))
            }

            fn visit_str<E>(self, name: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }
        deserializer.deserialize_str(NameVisitor)
    }
}
