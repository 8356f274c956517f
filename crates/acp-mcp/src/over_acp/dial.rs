//! Connects a server over the ACP connection.

use std::error::Error;

use acp_types::v1::McpServerAcpId;

use super::link::AcpLink;
use super::transport::{AcpTransport, End};
use crate::error::{AcpCallError, McpError, UNKNOWN_SERVER, shortened};
use crate::negotiate::dial::Dial;
use crate::negotiate::{Input, Route};
use crate::wire::{Wire, WireError};

/// Returns the error of a request that caused an error of the transport, if there is one.
pub(crate) fn error_in(method: &'static str, error: &(dyn Error + 'static)) -> Option<McpError> {
    let inner = error.downcast_ref::<WireError>()?.0.downcast_ref::<AcpCallError>()?;
    Some(McpError::Acp { method, error: inner.clone() })
}

/// Connects a server of `type: "acp"`. Nothing is opened in advance: each request stands alone.
pub(crate) struct AcpDial {
    link: AcpLink,
    server: McpServerAcpId,
    end: End,
}

impl AcpDial {
    pub(crate) fn new(link: AcpLink, server: McpServerAcpId) -> Self {
        Self { link, server, end: End::default() }
    }
}

impl Dial for AcpDial {
    async fn dial(&mut self, _: Route) -> Result<Wire, McpError> {
        self.end = End::default();
        Ok(Wire::new(AcpTransport::new(self.link.clone(), self.server.clone(), self.end.clone())))
    }

    async fn ended(&mut self) -> Option<McpError> {
        self.end.take().map(|error| error_of(&error))
    }

    fn input(&self, _: &WireError) -> Input {
        Input::Unreachable
    }

    fn error(&self, error: &WireError) -> Option<McpError> {
        let inner: Option<&AcpCallError> = error.0.downcast_ref();
        Some(inner.map_or_else(|| McpError::unreachable(error), error_of))
    }
}

/// Translates the error that ended the connection to a server.
fn error_of(error: &AcpCallError) -> McpError {
    match error {
        AcpCallError::Refused { code: UNKNOWN_SERVER, .. } => {
            McpError::NotProvided { problem: shortened(&error.to_string()) }
        }
        error => McpError::unreachable(error),
    }
}
