//! The params and the result of `initialize`.

use acp_json::{Node, ReadError};
use acp_rpc::Error as RpcError;
use acp_types::Meta;
use acp_types::v1::{Implementation, InitializeRequest, InitializeResponse, ProtocolVersion};
use acp_types::v2;
use serde_core::ser::{Serialize, SerializeMap as _, Serializer};

use super::as_is::{json, member, members, read as read_as_is};
use super::auth_method::auth_method;
use super::capabilities::{agent_capabilities, client_capabilities};

/// Returns `-32022`: the client asks for a version that is older than all that the agent speaks.
pub(in crate::wire) fn too_old(requested: ProtocolVersion) -> RpcError {
    let data = v2::UnsupportedProtocolVersionErrorData::new(requested, [ProtocolVersion::V2]);
    let message = "`protocolVersion`: this agent speaks version 2 only";
    let error = RpcError::new(v2::ErrorCode::UNSUPPORTED_PROTOCOL_VERSION.0, message);
    match json(&data) {
        Ok(data) => error.with_data(data),
        Err(_) => error,
    }
}

/// Reads the params of a request for `version`. A request for a newer version than 2 may have
/// another shape: what can be read of it is taken (rule `v2-init-05`).
pub(in crate::wire) fn read(
    params: &Node<'_>,
    version: ProtocolVersion,
) -> Result<InitializeRequest, ReadError> {
    let asked: v2::InitializeRequest = match read_as_is(params.clone()) {
        Ok(asked) => asked,
        Err(error) if version == ProtocolVersion::V2 => return Err(error),
        Err(_) => readable(params, version),
    };
    let v2::Implementation { name, title, version: release, meta, .. } = asked.info;
    let mut info = Implementation::new(name, release);
    info.title = title;
    info.meta = meta;
    let mut request =
        InitializeRequest::new(version).client_capabilities(client_capabilities(asked.capabilities));
    request.client_info = Some(info);
    request.meta = asked.meta;
    Ok(request)
}

/// Reads the members of which each may be unreadable.
fn readable(params: &Node<'_>, version: ProtocolVersion) -> v2::InitializeRequest {
    let part = |name: &str| params.get(name).cloned().unwrap_or_default();
    let info = read_as_is(part("info"));
    let info = info.unwrap_or_else(|_| v2::Implementation::new("unknown", "unknown"));
    let mut asked = v2::InitializeRequest::new(version, info);
    asked.capabilities = read_as_is(part("capabilities")).unwrap_or_default();
    asked.meta = read_as_is::<Meta>(part("_meta")).ok();
    asked
}

/// The result. It has its capabilities also if they are empty.
pub(in crate::wire) struct Initialized(v2::InitializeResponse);

impl Initialized {
    /// Makes the result. `has_sessions` says that everything is served that sessions take.
    pub(in crate::wire) fn new(response: InitializeResponse, has_sessions: bool) -> Self {
        let own = response.agent_info.unwrap_or_else(|| Implementation::new("unknown", "unknown"));
        let mut info = v2::Implementation::new(own.name, own.version);
        info.title = own.title;
        info.meta = own.meta;
        let mut initialized = v2::InitializeResponse::new(ProtocolVersion::V2, info);
        initialized.capabilities = agent_capabilities(response.agent_capabilities, has_sessions);
        initialized.auth_methods = response.auth_methods.into_iter().filter_map(auth_method).collect();
        initialized.meta = response.meta;
        Initialized(initialized)
    }
}

impl Serialize for Initialized {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        members(&mut map, &self.0)?;
        if self.0.capabilities == v2::AgentCapabilities::default() {
            member(&mut map, "capabilities", &self.0.capabilities)?;
        }
        map.end()
    }
}
