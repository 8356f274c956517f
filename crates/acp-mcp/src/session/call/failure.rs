//! The errors of requests, translated.

use std::error::Error;

use rmcp::model::ErrorData;

use super::web_pages;
use crate::error::{McpError, NotVisited};
use crate::negotiate::{Fault, Verdict};
use crate::values::version::Era;

/// Translates an error that a server answered with. Only the codes of its era have a meaning:
/// `mcp-neg-15`.
pub(super) fn of_fault(method: &'static str, era: Era, error: ErrorData) -> McpError {
    let fault = Fault::from(error);
    match fault.verdict() {
        Verdict::Versions(server) => return McpError::NoCommonVersion { client: Vec::new(), server },
        Verdict::MissingCapability(required) => return McpError::MissingClientCapability { required },
        Verdict::HeaderMismatch => return McpError::HeaderMismatch,
        // Outside of a negotiation the code of the pre-releases may mean anything.
        Verdict::MaybeVersions(_) | Verdict::Other => {}
    }
    if era == Era::Legacy
        && fault.code == web_pages::REQUIRED
        && let Some(elicitations) = web_pages::elicitations(fault.data.as_ref())
    {
        return McpError::UrlElicitationRequired { method, elicitations, reason: NotVisited::NotEnough };
    }
    if let ("resources/read" | "resources/subscribe", Some(uri)) = (method, fault.missing_resource(era)) {
        return McpError::ResourceNotFound { uri };
    }
    McpError::rpc(method, fault.code, &fault.message)
}

/// Translates an error of a transport.
#[cfg_attr(not(feature = "over-acp"), allow(unused_variables, reason = "only its error names the method"))]
pub(super) fn of_transport(method: &'static str, error: &(dyn Error + 'static)) -> McpError {
    #[cfg(feature = "over-acp")]
    if let Some(error) = crate::over_acp::error_in(method, error) {
        return error;
    }
    #[cfg(feature = "http")]
    if let Some(error) = crate::http::error_in(error) {
        return error;
    }
    McpError::unreachable(error)
}
