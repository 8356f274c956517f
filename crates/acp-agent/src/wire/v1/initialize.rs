//! The params and the result of `initialize`.

use acp_json::{Node, ReadError, Record as _};
use acp_types::v1::{
    AgentCapabilities, ClientCapabilities, Implementation, InitializeRequest, InitializeResponse,
    ProtocolVersion,
};
use serde_core::ser::{Serialize, SerializeMap as _, Serializer};

/// Reads the params. A newer request names the client by the member `info`, and its capabilities
/// by `capabilities`. Those have other meanings: only what means the same here is taken from them
/// (rules `v1-init-08`, `v1-init-09`).
pub(in crate::wire) fn read(params: Node<'_>) -> Result<InitializeRequest, ReadError> {
    let params = if params.is_null() { Node::Map(Vec::new()) } else { params };
    let info: Option<Implementation> = params.get("info").and_then(|info| acp_json::read(info.clone()).ok());
    let newer = params.get("capabilities").cloned();
    let mut request: InitializeRequest = acp_json::read(params)?;
    if request.protocol_version > ProtocolVersion::LATEST {
        request.client_info = request.client_info.or(info);
        take_newer(&mut request.client_capabilities, newer.unwrap_or_default());
    }
    Ok(request)
}

/// Adds the capabilities of a client that speaks a newer version: login in a terminal, questions by
/// form and page, and options that are on or off, which every such client knows. What the request
/// states in the form of this version counts.
fn take_newer(capabilities: &mut ClientCapabilities, mut newer: Node<'_>) {
    let terminal = newer.get("auth").and_then(|auth| auth.get("terminal"));
    capabilities.auth.terminal |= matches!(terminal, Some(Node::Map(_)));
    if capabilities.elicitation.is_none() {
        capabilities.elicitation = newer.take("elicitation").and_then(|asked| acp_json::read(asked).ok());
    }
    if capabilities.meta.is_none() {
        capabilities.meta = newer.take("_meta").and_then(|meta| acp_json::read(meta).ok());
    }
    let session = capabilities.session.get_or_insert_default();
    let options = session.config_options.get_or_insert_default();
    options.boolean.get_or_insert_default();
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

#[cfg(test)]
mod tests {
    use acp_types::v1::ClientCapabilities;

    use super::read;

    /// Returns terminal login, questions by form and page, options that are on or off, terminals.
    fn taken(params: &str) -> [bool; 5] {
        let ClientCapabilities { auth, elicitation, session, terminal, .. } =
            read(acp_json::parse(params).unwrap()).unwrap().client_capabilities;
        let has =
            |of: fn(&acp_types::v1::ElicitationCapabilities) -> bool| elicitation.as_ref().is_some_and(of);
        let options = session.and_then(|session| session.config_options);
        let boolean = options.is_some_and(|options| options.boolean.is_some());
        [
            auth.terminal,
            has(|asked| asked.form.is_some()),
            has(|asked| asked.url.is_some()),
            boolean,
            terminal,
        ]
    }

    #[test]
    fn a_newer_client_keeps_what_means_the_same() {
        for (params, expected) in [
            (r#"{"protocolVersion":2}"#, [false, false, false, true, false]),
            (
                r#"{"protocolVersion":2,"capabilities":{"auth":{"terminal":{}},"elicitation":{"form":{},"url":{}},
                   "terminal":true,"fs":{"readTextFile":true}}}"#,
                [true, true, true, true, false],
            ),
            (
                r#"{"protocolVersion":3,"capabilities":{"auth":{"terminal":true},"elicitation":5}}"#,
                [false, false, false, true, false],
            ),
            (
                r#"{"protocolVersion":2,"clientCapabilities":{"elicitation":{"url":{}},"terminal":true},
                   "capabilities":{"elicitation":{"form":{}}}}"#,
                [false, false, true, true, true],
            ),
            (r#"{"protocolVersion":2,"capabilities":7}"#, [false, false, false, true, false]),
            // Version 1 does not have these members.
            (
                r#"{"protocolVersion":1,"capabilities":{"auth":{"terminal":{}},"elicitation":{"form":{}}}}"#,
                [false; 5],
            ),
        ] {
            assert_eq!(taken(params), expected, "{params}");
        }
    }
}
