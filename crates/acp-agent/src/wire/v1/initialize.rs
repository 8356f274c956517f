//! The params and the result of `initialize`.

use acp_json::{Node, ReadError, Record as _};
use acp_types::v1::{
    AgentCapabilities, BooleanConfigOptionCapabilities, ClientCapabilities, Implementation,
    InitializeRequest, InitializeResponse, ProtocolVersion,
};
use serde_core::ser::{Serialize, SerializeMap as _, Serializer};

/// Reads the params. A newer request names the client by the member `info` and describes it in
/// `capabilities`, of which some have a meaning in version 1: see [`add`]. Nothing else that
/// version 1 does not know is taken from it, and nothing of it offers files or terminals (rules
/// `v1-init-08`, `v1-init-09`).
pub(in crate::wire) fn read(params: Node<'_>) -> Result<InitializeRequest, ReadError> {
    let info: Option<Implementation> = params.get("info").and_then(|info| acp_json::read(info.clone()).ok());
    let newer = params.get("capabilities").cloned();
    let mut request: InitializeRequest =
        acp_json::read(if params.is_null() { Node::Map(Vec::new()) } else { params })?;
    if request.protocol_version > ProtocolVersion::LATEST {
        request.client_info = request.client_info.or(info);
        add(&mut request.client_capabilities, newer);
    }
    Ok(request)
}

/// Adds the capabilities that a client of a newer version has. It can log in to a terminal and ask
/// the user, if it says so, and it takes config options of every kind. A malformed part counts as
/// absent.
fn add(capabilities: &mut ClientCapabilities, newer: Option<Node<'_>>) {
    let newer = newer.unwrap_or(Node::Null);
    let is_object = |node: Option<&Node<'_>>| matches!(node, Some(Node::Map(_)));
    capabilities.auth.terminal |= is_object(newer.get("auth").and_then(|auth| auth.get("terminal")));
    let elicitation = newer.get("elicitation").and_then(|modes| acp_json::read(modes.clone()).ok());
    capabilities.elicitation = capabilities.elicitation.take().or(elicitation);
    let meta = newer.get("_meta").and_then(|meta| acp_json::read(meta.clone()).ok());
    capabilities.meta = capabilities.meta.take().or(meta);
    let session = capabilities.session.get_or_insert_default();
    let options = session.config_options.get_or_insert_default();
    options.boolean.get_or_insert_with(BooleanConfigOptionCapabilities::new);
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
#[allow(clippy::unwrap_used, reason = "what a test expects, it may insist on")]
mod tests {
    use super::read;

    /// Returns the capabilities that are read from these params, as JSON.
    fn capabilities(params: &str) -> String {
        let request = read(acp_json::parse(params).unwrap()).unwrap();
        acp_types::to_string(&request.client_capabilities)
    }

    #[test]
    fn a_newer_client_keeps_what_version_1_has_too() {
        const OPTIONS: &str = r#""session":{"configOptions":{"boolean":{}}}"#;
        let table = [
            // All of it, and nothing that is not meant for version 1.
            (
                r#"{"auth":{"terminal":{}},"elicitation":{"form":{}},"_meta":{"a":1},
                    "fs":{"readTextFile":true},"terminal":true,"session":{"notices":{}}}"#,
                r#"{@,"auth":{"terminal":true},"elicitation":{"form":{}},"_meta":{"a":1}}"#,
            ),
            ("{}", "{@}"),
            // Malformed parts are absent.
            (r#"{"auth":{"terminal":true},"elicitation":[],"_meta":3}"#, "{@}"),
            (
                r#"{"auth":{"terminal":null},"elicitation":{"form":null,"url":{}}}"#,
                r#"{@,"elicitation":{"url":{}}}"#,
            ),
            ("7", "{@}"),
        ];
        for (newer, expected) in table {
            let params = format!(r#"{{"protocolVersion":2,"capabilities":{newer}}}"#);
            assert_eq!(capabilities(&params), expected.replace('@', OPTIONS), "{params}");
            // Version 1 does not have the member.
            let params = format!(r#"{{"protocolVersion":1,"capabilities":{newer}}}"#);
            assert_eq!(capabilities(&params), "{}", "{params}");
        }
    }

    #[test]
    fn the_members_of_version_1_come_first() {
        let params = r#"{"protocolVersion":2,"clientCapabilities":{"terminal":true,"elicitation":{"url":{}}},
            "capabilities":{"elicitation":{"form":{}},"auth":{"terminal":{}}}}"#;
        let read = capabilities(params);
        for part in [r#""terminal":true"#, r#""elicitation":{"url":{}}"#, r#""auth":{"terminal":true}"#] {
            assert!(read.contains(part), "{read}");
        }
    }
}
