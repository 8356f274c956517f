//! Parts of a request: headers with ids, the media type, the body.

use std::pin::pin;
use std::time::Duration;

use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, HeaderName};
use http_body_util::BodyExt as _;
use hyper::body::Buf as _;

use super::connection::Posting;
use crate::server::refusal::Refused;

/// Returns the value of a header that must not be there twice.
pub(super) fn id_of(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, Refused> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| Refused::TWO_IDS),
        (Some(_), Some(_)) => Err(Refused::TWO_IDS),
    }
}

/// Returns true for `application/json`, with parameters or without. Anything else could be sent by
/// any web page without a question before.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let (Some(value), None) = (types.next(), types.next()) else { return false };
    let essence = value.as_bytes().split(|byte| *byte == b';').next().unwrap_or_default();
    essence.trim_ascii().eq_ignore_ascii_case(b"application/json")
}

/// Returns true if the body is compressed. A few bytes could become gigabytes.
pub(super) fn is_encoded(headers: &HeaderMap) -> bool {
    headers
        .get_all(CONTENT_ENCODING)
        .iter()
        .any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

/// Returns true if a length is declared that is above the limit.
pub(super) fn is_too_long(headers: &HeaderMap, limit: usize) -> bool {
    let declared = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    declared.is_some_and(|length| usize::try_from(length).map_or(true, |length| length > limit))
}

/// Reads a body of at most `limit` bytes, and counts them.
pub(super) async fn read<B>(
    body: B,
    limit: usize,
    time: Duration,
    mut posting: Option<&mut Posting>,
) -> Result<Vec<u8>, Refused>
where
    B: http_body::Body,
{
    let reading = async {
        let mut body = pin!(body);
        let mut bytes = Vec::new();
        while let Some(frame) = body.frame().await {
            let Ok(mut data) = frame.map_err(|_| Refused::BODY_CUT)?.into_data() else { continue };
            if data.remaining() > limit - bytes.len() {
                return Err(Refused::TOO_LARGE);
            }
            if posting.as_mut().is_some_and(|posting| !posting.add(data.remaining())) {
                return Err(Refused::TOO_MANY_POSTS);
            }
            while data.has_remaining() {
                let chunk = data.chunk();
                bytes.extend_from_slice(chunk);
                let length = chunk.len();
                data.advance(length);
            }
        }
        Ok(bytes)
    };
    tokio::time::timeout(time, reading).await.unwrap_or(Err(Refused::BODY_TIME))
}
