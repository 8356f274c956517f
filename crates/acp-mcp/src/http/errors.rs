//! Errors of the transports over HTTP, translated.

use std::error::Error;

use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::client::{LONGEST, Refusal};
use crate::error::McpError;
use crate::wire::WireError;

pub(super) fn refusal_in(error: &WireError) -> Option<&Refusal> {
    match error.0.downcast_ref::<StreamableHttpError<Refusal>>()? {
        StreamableHttpError::Client(refusal) => Some(refusal),
        _ => None,
    }
}

/// Translates an error of the transports over HTTP. The result repeats nothing that the server
/// sent.
pub(crate) fn error_in(error: &(dyn Error + 'static)) -> Option<McpError> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        // The source of a wire error is the source of the error that it carries, so that error
        // itself is looked at here.
        let inner = error.downcast_ref::<WireError>().map(|error| &*error.0 as &(dyn Error + 'static));
        let error = inner.unwrap_or(error);
        #[cfg(feature = "sse")]
        if let Some(error) = error.downcast_ref::<McpError>() {
            return Some(error.clone());
        }
        if let Some(error) = error.downcast_ref::<StreamableHttpError<Refusal>>() {
            return Some(of_streamable(error));
        }
        cause = error.source();
    }
    None
}

fn of_streamable(error: &StreamableHttpError<Refusal>) -> McpError {
    match error {
        StreamableHttpError::Client(Refusal::Status { status, challenge, .. }) => match status {
            401 | 403 => McpError::AuthRequired { status: *status, challenge: challenge.clone() },
            _ => McpError::Http { status: *status },
        },
        StreamableHttpError::AuthRequired(error) => {
            McpError::AuthRequired { status: 401, challenge: Some(error.www_authenticate_header.clone()) }
        }
        StreamableHttpError::InsufficientScope(error) => {
            McpError::AuthRequired { status: 403, challenge: Some(error.www_authenticate_header.clone()) }
        }
        StreamableHttpError::HttpStatus(error) => match error.status {
            401 | 403 => McpError::AuthRequired { status: error.status, challenge: None },
            status => McpError::Http { status },
        },
        StreamableHttpError::Client(Refusal::Certificate(problem)) => McpError::certificate(problem),
        StreamableHttpError::Client(Refusal::Unreachable(problem)) => McpError::unreachable(problem),
        StreamableHttpError::ResponseBodyTooLarge { .. } => {
            McpError::unreachable(format_args!("an answer is longer than {LONGEST} bytes"))
        }
        StreamableHttpError::UnexpectedContentType(_) => {
            McpError::unreachable("an answer is neither JSON nor events")
        }
        StreamableHttpError::UnexpectedServerResponse(_) | StreamableHttpError::Deserialize(_) => {
            McpError::unreachable("an answer is not a message of MCP")
        }
        StreamableHttpError::SessionExpired => McpError::unreachable("the server has ended its session"),
        _ => McpError::unreachable("the exchange failed"),
    }
}
