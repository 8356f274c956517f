//! The stand-in for `mcp` without that feature. None of its values can exist.

use std::convert::Infallible;
use std::path::Path;

use acp_types::v1::{McpServer, Notice, SessionId};

use crate::client::Client;
use crate::error::Result;
use crate::facts::profile::McpTransports;
#[cfg(feature = "unstable")]
use crate::wire::Wire;

pub(crate) enum Servers {}

#[expect(dead_code, reason = "no servers are connected")]
pub(crate) struct OfSession<'a> {
    pub(crate) client: &'a Client,
    pub(crate) cwd: &'a Path,
    pub(crate) servers: &'a [McpServer],
}

impl Servers {
    pub(crate) const fn transports() -> McpTransports {
        McpTransports { http: false, sse: false }
    }

    pub(crate) fn start(&self, _: &OfSession<'_>) -> (Mcp, Reports) {
        match *self {}
    }

    #[cfg(feature = "unstable")]
    pub(crate) const fn reach_client() -> bool {
        false
    }

    #[cfg(feature = "unstable")]
    pub(crate) fn is_about_ours(&self, _: &Wire, _: &acp_json::Node<'_>) -> bool {
        match *self {}
    }

    #[cfg(feature = "unstable")]
    pub(crate) fn notified(&self, _: &Wire, _: acp_json::Node<'_>) -> acp_rpc::Delivery {
        match *self {}
    }

    pub(crate) async fn end(&self) {
        match *self {}
    }
}

#[derive(Clone)]
pub(crate) struct Mcp(Infallible);

impl Mcp {
    pub(crate) fn named(&self, _: &SessionId) {
        match self.0 {}
    }

    pub(crate) async fn end(&self) {
        match self.0 {}
    }

    pub(crate) fn end_soon(&self) {
        match self.0 {}
    }
}

pub(crate) struct Reports(Infallible);

impl Reports {
    pub(crate) async fn send<R>(self, _: &SessionId, _: impl Fn(Notice) -> R)
    where
        R: Future<Output = Result<()>>,
    {
        match self.0 {}
    }
}
