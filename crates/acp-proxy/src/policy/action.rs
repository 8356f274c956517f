//! The action that an agent asks for, in either version of the protocol.

use acp_json::Node;
use acp_types::v1::ToolKind;

use super::command::CommandLine;
use crate::flow::reply::Reply;

/// The request that asks the user.
pub(super) const PERMISSION: &str = "session/request_permission";

/// The requests that a policy decides about.
pub(super) const METHODS: [&str; 4] =
    [PERMISSION, "fs/read_text_file", "fs/write_text_file", "terminal/create"];

/// The parts of a request that rules look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Action {
    pub(super) kind: ToolKind,
    pub(super) paths: Vec<String>,
    pub(super) command: Option<CommandLine>,
}

impl Action {
    pub(super) fn of(method: &str, params: &Node<'_>) -> Self {
        let path = || text(params, "path").into_iter().collect();
        match method {
            "fs/read_text_file" => Self { kind: ToolKind::Read, paths: path(), command: None },
            "fs/write_text_file" => Self { kind: ToolKind::Edit, paths: path(), command: None },
            "terminal/create" => {
                let mut words: Vec<String> = text(params, "command").into_iter().collect();
                words.extend(texts(params.get("args")));
                // A variable can make another program out of a command, such as by `PATH`.
                let command = match assignments(params.get("env")) {
                    Some(assignments) => CommandLine::Shell(format!("{assignments} {}", words.join(" "))),
                    None => CommandLine::Words(words),
                };
                Self { kind: ToolKind::Execute, paths: Vec::new(), command: Some(command) }
            }
            _ => Self::of_permission(params),
        }
    }

    /// Version 1 has the tool call in the request, version 2 in its subject, which may also be a
    /// command.
    fn of_permission(params: &Node<'_>) -> Self {
        let subject = params.get("subject");
        let call = params.get("toolCall").filter(|call| !call.is_null()).or_else(|| subject?.get("toolCall"));
        let kind = call.and_then(|call| text(call, "kind"));
        let command = subject.and_then(|subject| text(subject, "command")).map(CommandLine::Shell);
        let default = if command.is_some() { ToolKind::Execute } else { ToolKind::Other };
        Self {
            kind: kind.map_or(default, |kind| kind.as_str().into()),
            paths: paths(call),
            command: command.or_else(|| command_of(call?.get("rawInput")?)),
        }
    }
}

/// Returns the paths of a tool call: its locations, and those of its diffs.
fn paths(call: Option<&Node<'_>>) -> Vec<String> {
    let of = |list: &str| match call.and_then(|call| call.get(list)) {
        Some(Node::Seq(items)) => items.iter().filter_map(|item| text(item, "path")).collect(),
        _ => Vec::new(),
    };
    let mut paths = of("locations");
    paths.extend(of("content"));
    paths
}

/// Returns the variables that a command gets, as a shell would write them. What is not a list of
/// variables stands there too, so that it is seen.
fn assignments(env: Option<&Node<'_>>) -> Option<String> {
    let assignment = |item: &Node<'_>| match (text(item, "name"), text(item, "value")) {
        (Some(name), Some(value)) => format!("{name}={value}"),
        _ => format!("?={}", serde_json::to_string(item).unwrap_or_default()),
    };
    match env? {
        Node::Null => None,
        Node::Seq(items) if items.is_empty() => None,
        Node::Seq(items) => Some(items.iter().map(assignment).collect::<Vec<_>>().join(" ")),
        other => Some(assignment(other)),
    }
}

/// Returns the command in the input of a tool, by the name that most agents give it.
fn command_of(input: &Node<'_>) -> Option<CommandLine> {
    match input.get("command")? {
        Node::Str(line) => Some(CommandLine::Shell(line.to_string())),
        words @ Node::Seq(_) => Some(CommandLine::Words(texts(Some(words)))),
        _ => None,
    }
}

/// Returns the answer that chooses the first option of one of these kinds, the first kind first.
pub(super) fn chosen(params: &Node<'_>, kinds: &[&str]) -> Option<Reply> {
    let Some(Node::Seq(options)) = params.get("options") else { return None };
    let option = kinds.iter().find_map(|kind| {
        options.iter().find(|option| option.get("kind").and_then(Node::as_str) == Some(kind))
    });
    let id = option?.get("optionId")?.clone().into_owned();
    Reply::of(&map([("outcome", map([("outcome", Node::Str("selected".into())), ("optionId", id)]))])).ok()
}

/// Returns the answer that is not consent.
pub(super) fn cancelled() -> Reply {
    Reply::of(&map([("outcome", map([("outcome", Node::Str("cancelled".into()))]))]))
        .unwrap_or_else(Into::into)
}

/// Returns the question about a file or a command of the client.
pub(super) fn question(method: &str, params: &Node<'_>, action: &Action) -> Node<'static> {
    let about = match &action.command {
        Some(CommandLine::Words(words)) => words.join(" "),
        Some(CommandLine::Shell(line)) => line.clone(),
        None => action.paths.join(", "),
    };
    let text = |text: &str| Node::Str(text.to_owned().into());
    let location = |path: &String| map([("path", text(path))]);
    let call = map([
        ("toolCallId", text(&format!("policy {method} {about}"))),
        ("title", text(&format!("{method}: {about}"))),
        ("kind", text(action.kind.as_str())),
        ("locations", Node::Seq(action.paths.iter().map(location).collect())),
    ]);
    let option =
        |id: &str, name: &str| map([("optionId", text(id)), ("name", text(name)), ("kind", text(id))]);
    let options = vec![option("allow_once", "Allow"), option("reject_once", "Reject")];
    let session = params.get("sessionId").cloned().unwrap_or_default().into_owned();
    map([("sessionId", session), ("toolCall", call), ("options", Node::Seq(options))])
}

/// Returns true if the answer to [`question`] is consent.
pub(super) fn allows(answer: &Reply) -> bool {
    let outcome = answer.result().and_then(|result| acp_json::parse(result.as_str()).ok());
    let chosen = outcome.as_ref().and_then(|result| result.get("outcome")?.get("optionId")?.as_str());
    chosen == Some("allow_once")
}

fn map<const N: usize>(members: [(&'static str, Node<'static>); N]) -> Node<'static> {
    Node::Map(members.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

fn text(node: &Node<'_>, name: &str) -> Option<String> {
    node.get(name)?.as_str().map(str::to_owned)
}

fn texts(list: Option<&Node<'_>>) -> Vec<String> {
    match list {
        Some(Node::Seq(items)) => items.iter().filter_map(Node::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}
