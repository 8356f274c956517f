//! The wire form of each kind of message, written straight into a buffer.

use super::encode::{Encode, encode_str};
use super::message::{Error, Id};

type Result = std::result::Result<(), serde_json::Error>;

pub(crate) fn request<P: Encode + ?Sized>(buffer: &mut Vec<u8>, id: i64, method: &str, params: &P) -> Result {
    buffer.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    id.encode(buffer)?;
    buffer.extend_from_slice(br#","method":"#);
    call(buffer, method, params)
}

pub(crate) fn notification<P: Encode + ?Sized>(buffer: &mut Vec<u8>, method: &str, params: &P) -> Result {
    buffer.extend_from_slice(br#"{"jsonrpc":"2.0","method":"#);
    call(buffer, method, params)
}

pub(crate) fn cancel(buffer: &mut Vec<u8>, id: i64) -> Result {
    buffer.extend_from_slice(br#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"#);
    id.encode(buffer)?;
    buffer.extend_from_slice(b"}}");
    Ok(())
}

pub(crate) fn response(buffer: &mut Vec<u8>, id: &Id, result: &dyn Encode) -> Result {
    buffer.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    id.encode(buffer)?;
    buffer.extend_from_slice(br#","result":"#);
    result.encode(buffer)?;
    buffer.push(b'}');
    Ok(())
}

pub(crate) fn error(buffer: &mut Vec<u8>, id: &Id, error: &Error) -> Result {
    buffer.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    id.encode(buffer)?;
    buffer.extend_from_slice(br#","error":"#);
    error.encode(buffer)?;
    buffer.push(b'}');
    Ok(())
}

fn call<P: Encode + ?Sized>(buffer: &mut Vec<u8>, method: &str, params: &P) -> Result {
    encode_str(method, buffer)?;
    let before = buffer.len();
    buffer.extend_from_slice(br#","params":"#);
    let start = buffer.len();
    params.encode(buffer)?;
    params.leaves(buffer.get(start..).unwrap_or_default())?;
    // JSON-RPC has no null params: the member is left out.
    if buffer.get(start..) == Some(b"null".as_slice()) {
        buffer.truncate(before);
    }
    buffer.push(b'}');
    Ok(())
}
