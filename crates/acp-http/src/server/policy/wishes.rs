//! The members of a message that a policy is about.

use acp_json::Node;
use acp_rpc::Id;
use serde_json::value::RawValue;

use super::pick::{few, pick};

/// The folders and commands that a message names, each with the member that it stands in.
#[derive(Debug, Default)]
pub(super) struct Wishes {
    pub(super) id: Option<Id>,
    pub(super) folders: Vec<(String, String)>,
    pub(super) commands: Vec<String>,
}

/// A message that two readers could take for two messages.
#[derive(Debug)]
pub(super) struct Unclear {
    pub(super) id: Option<Id>,
    pub(super) member: &'static str,
}

/// The longest id of a request that is repeated, in bytes.
const LONGEST_ID: usize = 4 * 1024;
/// The transports of MCP that start no command.
const HARMLESS: [&str; 3] = ["http", "sse", "acp"];

impl Wishes {
    /// Reads a message. Some readers take the first of two members of one name, and others the
    /// last. So a message with two is refused, like one that is not JSON to this reader.
    pub(super) fn read(message: &[u8]) -> Result<Self, Unclear> {
        let broken = Unclear { id: None, member: "the message" };
        let Some(text) = std::str::from_utf8(message).ok() else { return Err(broken) };
        let Some([id, method, params]) = pick(text, ["id", "method", "params"]) else { return Err(broken) };
        let mut wishes = Self { id: id.map(read_id), ..Self::default() };
        // An answer chooses nothing.
        if let (Some(_), Some(params)) = (method, params.and_then(present)) {
            let unclear = |member| Unclear { id: wishes.id.clone(), member };
            let names = ["cwd", "additionalDirectories", "mcpServers"];
            let [cwd, more, servers] = pick(params, names).ok_or_else(|| unclear("params"))?;
            let folders = folders(cwd, more).map_err(unclear)?;
            let commands = commands(servers).map_err(unclear)?;
            (wishes.folders, wishes.commands) = (folders, commands);
        }
        Ok(wishes)
    }
}

/// Reads an id. One that is not an id, or very long, is answered as `null`.
fn read_id(id: &RawValue) -> Id {
    let text = Some(id.get()).filter(|text| text.len() <= LONGEST_ID);
    let node: Option<Node<'_>> = text.and_then(|text| serde_json::from_str(text).ok());
    node.as_ref().and_then(Id::from_node).unwrap_or(Id::Null)
}

/// Returns the text of a value that is not `null`, which counts as absent.
fn present(value: &RawValue) -> Option<&str> {
    Some(value.get()).filter(|text| *text != "null")
}

fn folders(cwd: Option<&RawValue>, more: Option<&RawValue>) -> Result<Vec<(String, String)>, &'static str> {
    let path = |text: &str| serde_json::from_str::<String>(text).ok();
    let mut folders = Vec::new();
    if let Some(cwd) = cwd.and_then(present) {
        folders.push(("cwd".to_owned(), path(cwd).ok_or("cwd")?));
    }
    if let Some(more) = more.and_then(present) {
        let name = "additionalDirectories";
        for (index, folder) in few(more).ok_or(name)?.into_iter().enumerate() {
            folders.push((format!("{name}[{index}]"), path(folder.get()).ok_or(name)?));
        }
    }
    Ok(folders)
}

fn commands(servers: Option<&RawValue>) -> Result<Vec<String>, &'static str> {
    let mut commands = Vec::new();
    if let Some(servers) = servers.and_then(present) {
        let name = "mcpServers";
        for (index, server) in few(servers).ok_or(name)?.into_iter().enumerate() {
            let [kind, command] = pick(server.get(), ["type", "command"]).ok_or(name)?;
            let kind: Option<String> = kind.and_then(|kind| serde_json::from_str(kind.get()).ok());
            let is_harmless = kind.is_some_and(|kind| HARMLESS.contains(&kind.as_str()));
            // Some readers go by the members.
            if command.is_some() || !is_harmless {
                commands.push(format!("{name}[{index}]"));
            }
        }
    }
    Ok(commands)
}
