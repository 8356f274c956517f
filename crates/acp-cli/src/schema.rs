//! The schema of a call to an agent, by the version of the protocol.

use acp_client::ProtocolVersion;
use acp_testkit::Definition;
pub(crate) use acp_types::method::Kind;
use acp_types::method::{MethodInfo, Side};
use acp_types::{v1, v2};

use crate::nearest::nearest;

/// A call that the protocol knows, or an extension.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) kind: Kind,
    /// The definition of its params.
    params: Option<Definition>,
}

impl Call {
    /// Finds a method of agents. The error is a sentence for the user.
    pub(crate) fn find(version: ProtocolVersion, method: &str) -> Result<Self, String> {
        if method.starts_with('_') {
            return Ok(Self::unknown());
        }
        let (name, methods) = match version {
            ProtocolVersion::V2 => ("v2", v2::methods::METHODS),
            _ => ("v1", v1::methods::METHODS),
        };
        let served = |info: &&MethodInfo| matches!(info.handler, Side::Agent | Side::Both);
        let Some(info) = methods.iter().filter(served).find(|info| info.name == method) else {
            let near = match nearest(method, methods.iter().filter(served).map(|info| info.name)) {
                Some(near) => format!(": did you mean `{near}`?"),
                None => String::new(),
            };
            return Err(format!(
                "agents of version {version} have no method `{method}`{near} (extensions begin with `_`, and `--raw` \
                 sends any method)"
            ));
        };
        if method == "initialize" {
            return Err("the agent is asked by `initialize` in any case: `acp info --json` shows its answer"
                .to_owned());
        }
        let params = Definition::find(name, info.params).map_err(|error| error.to_string())?;
        Ok(Self { kind: info.kind, params: Some(params) })
    }

    /// Returns a call that the protocol does not know.
    pub(crate) const fn unknown() -> Self {
        Self { kind: Kind::Request, params: None }
    }

    /// Returns the faults of params, each with its path.
    pub(crate) fn faults(&self, params: &serde_json::Value) -> Vec<String> {
        let Some(definition) = &self.params else { return Vec::new() };
        let text = params.to_string();
        let node = match acp_json::parse(&text) {
            Ok(node) => node,
            Err(error) => return vec![error.to_string()],
        };
        let mut report = acp_json::Report::default();
        match definition.round_trip(node, &mut report) {
            Ok(_) => report.notes().iter().map(fault).collect(),
            Err(error) => vec![error.to_string()],
        }
    }
}

fn fault(note: &acp_json::Note) -> String {
    match note.reason() {
        Some(reason) => format!("`{}`: {reason}", note.path),
        None => {
            format!("`{}`: the protocol has no such member; data of extensions goes into `_meta`", note.path)
        }
    }
}
