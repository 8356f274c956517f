//! The lines that leave. Params, results and errors are copied into them as text.

use acp_rpc::{Encode, Error, Id};

use super::member::with_at;
use super::message::{Answer, Call};
use super::spelling::{MARK, Side, Spelling};

/// The request that initializes a proxy.
pub(crate) const PROXY_INITIALIZE: &str = "proxy/initialize";
/// The request that initializes an agent.
pub(crate) const INITIALIZE: &str = "initialize";
/// The request of a form or a page, which may be about another request.
pub(crate) const ELICIT: &str = "elicitation/create";
/// The notification that cancels a request of its own connection.
pub(crate) const CANCEL: &str = "$/cancel_request";

/// The form of a call on one hop. Its names depend on the spelling of the hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As it is.
    Plain,
    /// As `proxy/initialize`.
    ProxyInitialize,
    /// Within `proxy/successor`.
    Enveloped,
}

/// Writes a request, or a notification if it has no `id`, as it is.
pub(crate) fn plain(buffer: &mut Vec<u8>, id: Option<i64>, message: &Call<'_>) {
    call(buffer, id, Form::Plain, message, (Side::Proxy, Spelling::Current));
}

/// Writes a request, or a notification if it has no `id`, in the form that a hop needs.
pub(crate) fn call(
    buffer: &mut Vec<u8>,
    id: Option<i64>,
    form: Form,
    call: &Call<'_>,
    (side, spelling): (Side, Spelling),
) {
    buffer.extend_from_slice(br#"{"jsonrpc":"2.0","#);
    if let Some(id) = id {
        buffer.extend_from_slice(br#""id":"#);
        put(buffer, &id);
        buffer.push(b',');
    }
    match form {
        Form::Plain => method_and_params(buffer, &call.method, call.params),
        Form::ProxyInitialize => {
            let marked = (spelling == Spelling::SendReceive)
                .then(|| with_at(call.params.unwrap_or("{}"), &MARK, "true"))
                .flatten();
            method_and_params(buffer, spelling.initialize(), marked.as_deref().or(call.params));
        }
        Form::Enveloped => {
            buffer.extend_from_slice(br#""method":""#);
            buffer.extend_from_slice(spelling.envelope(side, id.is_some()).as_bytes());
            buffer.extend_from_slice(br#"","params":{"#);
            method_and_params(buffer, &call.method, call.params);
            buffer.push(b'}');
        }
    }
    buffer.push(b'}');
}

fn method_and_params(buffer: &mut Vec<u8>, method: &str, params: Option<&str>) {
    buffer.extend_from_slice(br#""method":"#);
    put(buffer, method);
    if let Some(params) = params {
        buffer.extend_from_slice(br#","params":"#);
        buffer.extend_from_slice(params.as_bytes());
    }
}

/// Writes a response.
pub(crate) fn answer(buffer: &mut Vec<u8>, id: &Id, answer: Answer<'_>) {
    buffer.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    put(buffer, id);
    let (name, text) = match answer {
        Answer::Result(text) => (br#","result":"#.as_slice(), text),
        Answer::Error(text) => (br#","error":"#.as_slice(), text),
    };
    buffer.extend_from_slice(name);
    buffer.extend_from_slice(text.as_bytes());
    buffer.push(b'}');
}

/// Writes the cancellation of a request.
pub(crate) fn cancel(buffer: &mut Vec<u8>, id: i64) {
    buffer.extend_from_slice(br#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"#);
    put(buffer, &id);
    buffer.extend_from_slice(b"}}");
}

/// Returns the JSON text of an error object.
pub(crate) fn error_text(error: &Error) -> String {
    let mut text = Vec::new();
    put(&mut text, error);
    String::from_utf8(text).unwrap_or_default()
}

/// Returns the JSON text of an id.
pub(crate) fn id_text(id: &Id) -> String {
    let mut text = Vec::new();
    put(&mut text, id);
    String::from_utf8(text).unwrap_or_default()
}

fn put(buffer: &mut Vec<u8>, value: &(impl Encode + ?Sized)) {
    // Numbers, texts and error objects always have a JSON text.
    let _ = value.encode(buffer);
}
