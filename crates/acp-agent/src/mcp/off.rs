//! What stands in the place of `mcp` without that feature: nothing of it can be there.

use crate::facts::profile::McpTransports;
use crate::handler::agent::Agent;
use crate::open::opening::Opening;
use crate::open::request::Opens;

pub(crate) enum Servers {}

impl Servers {
    pub(crate) const fn of<A: Agent>(_: &A, _: &acp_rpc::Options) -> Option<Self> {
        None
    }

    pub(crate) const fn transports() -> McpTransports {
        McpTransports { http: false, sse: false }
    }

    pub(crate) fn start<O: Opens>(&self, _: &Opening<O>) -> Mcp {
        match *self {}
    }

    #[cfg(feature = "unstable")]
    pub(crate) const fn reach_client() -> bool {
        false
    }

    #[cfg(feature = "unstable")]
    pub(crate) fn is_about_ours(&self, _: &acp_json::Node<'_>) -> bool {
        match *self {}
    }

    #[cfg(feature = "unstable")]
    pub(crate) fn notified(&self, _: acp_json::Node<'_>) -> acp_rpc::Delivery {
        match *self {}
    }

    pub(crate) async fn end(&self) {
        match *self {}
    }
}

#[derive(Clone)]
pub(crate) enum Mcp {}

impl Mcp {
    pub(crate) fn named(&self, _: &acp_types::v1::SessionId) {
        match *self {}
    }

    pub(crate) async fn end(&self) {
        match *self {}
    }

    pub(crate) fn end_soon(&self) {
        match *self {}
    }
}
