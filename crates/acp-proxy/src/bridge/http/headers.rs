//! The headers that a request of the modern era has, beside its body.

use acp_rpc::{Error, Id};
use hyper::header::{HeaderMap, HeaderName};

use super::gate::only;
use crate::wire::member::{at, text};
use crate::wire::message::{Call, text_of};

/// The session of a client of the legacy era.
pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// The code of a request whose headers and body disagree.
const MISMATCH: i32 = -32020;

/// Checks that the headers say the same as the body of a request of the modern era.
pub(super) fn agree(headers: &HeaderMap, call: &Call<'_>) -> Result<(), Error> {
    let params = call.params.unwrap_or("{}");
    let version = at(params, &["_meta", "io.modelcontextprotocol/protocolVersion"]).and_then(text_of);
    same(headers, &VERSION, version.as_deref())?;
    same(headers, &METHOD, Some(&call.method))?;
    let member = match &*call.method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return Ok(()),
    };
    // A name that does not fit into a header is written in another way.
    let is_encoded = only(headers, &NAME).is_some_and(|name| name.starts_with("=?"));
    if is_encoded { Ok(()) } else { same(headers, &NAME, text(params, member).as_deref()) }
}

fn same(headers: &HeaderMap, name: &HeaderName, wanted: Option<&str>) -> Result<(), Error> {
    if only(headers, name) == wanted {
        return Ok(());
    }
    Err(Error::new(MISMATCH, format!("the header `{name}` and the body of the request disagree")))
}

/// Returns the status of an answer to a request of the modern era.
pub(super) fn status(answer: &str) -> hyper::StatusCode {
    use hyper::StatusCode;

    match at(answer, &["error", "code"]) {
        Some("-32601") => StatusCode::NOT_FOUND,
        Some("-32020" | "-32021" | "-32022" | "-32600" | "-32700") => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

/// Writes an error as the body of an answer.
pub(super) fn error_body(id: &Id, error: &Error) -> Vec<u8> {
    let mut body = Vec::new();
    let text = crate::wire::forms::error_text(error);
    crate::wire::forms::answer(&mut body, id, crate::wire::message::Answer::Error(&text));
    body
}
