//! The params and the result of `initialize`.

use acp_json::{Node, ReadError, Record as _};
use acp_types::v1::{
    AgentCapabilities, Implementation, InitializeRequest, InitializeResponse, ProtocolVersion,
};
use serde_core::ser::{Serialize, SerializeMap as _, Serializer};

/// Reads the params. A newer request names the client by the member `info`. Nothing else that
/// version 1 does not know is taken from it: its `capabilities` have other meanings and must not
/// switch anything on (rules `v1-init-08`, `v1-init-09`).
pub(in crate::wire) fn read(params: Node<'_>) -> Result<InitializeRequest, ReadError> {
    let info: Option<Implementation> = params.get("info").and_then(|info| acp_json::read(info.clone()).ok());
    let mut request: InitializeRequest =
        acp_json::read(if params.is_null() { Node::Map(Vec::new()) } else { params })?;
    if request.protocol_version > ProtocolVersion::LATEST {
        request.client_info = request.client_info.or(info);
    }
    Ok(request)
}

/// The result with its capabilities, also if they are empty. The protocol has them in every answer
/// (rule `v1-init-13`), while the type leaves out an empty member.
pub(in crate::wire) struct Complete(pub(in crate::wire) InitializeResponse);

impl Serialize for Complete {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.0.write(&mut map)?;
        if self.0.agent_capabilities == AgentCapabilities::default() {
            map.serialize_entry("agentCapabilities", &self.0.agent_capabilities)?;
        }
        map.end()
    }
}
