//! The programs that are checked.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::interop::case::Peer;

/// A program that is checked, or cannot be.
#[derive(Debug)]
pub(super) struct Subject {
    /// Unique; also the name of its files.
    pub(super) id: &'static str,
    pub(super) group: Group,
    pub(super) side: Side,
    /// The versions of the protocol that it speaks and that the checker has rules for.
    pub(super) versions: &'static [u8],
    pub(super) start: Start,
    /// Further options of `acp check`.
    pub(super) options: &'static [&'static str],
    /// The options of version 2, if they are others.
    pub(super) options_of_v2: Option<&'static [&'static str]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    Ours,
    Sdk,
    Real,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    Agent,
    Client,
}

/// The way to start a subject. In the words for a client, `{agent}` is the agent. Clients of this
/// workspace ask for the version that `ACP_PROTOCOL` names, or `{protocol}` in their words.
#[derive(Clone, Copy, Debug)]
pub(super) enum Start {
    /// A program of this workspace, with its arguments.
    Example(&'static str, &'static [&'static str]),
    /// A program on another SDK, as `cargo xtask interop` starts it.
    Sdk(Peer),
    /// A real agent, by the recipe of this name.
    Real(&'static str),
    /// It cannot be checked, for this reason.
    Never(&'static str),
}

const BOTH: &[u8] = &[1, 2];
const V1: &[u8] = &[1];
const V2: &[u8] = &[2];

/// The words of an agent that runs the scripts of `xtask/interop/README.md`.
const SCRIPTED: &[&str] = &["--prompt", "stream", "--endless", "wait", "--permission", "permission"];
const WITH_FILES: &[&str] =
    &["--prompt", "stream", "--endless", "wait", "--permission", "permission", "--show", "files"];
/// It takes about a second for each step, and asks for permission in every turn.
const EXAMPLE: &[&str] = &[
    "--prompt",
    "Improve the project",
    "--endless",
    "Improve the project",
    "--permission",
    "Improve the project",
];
const STUB: &[&str] = &["--model-stub"];
/// An agent that answers at once.
const AT_ONCE: &[&str] = &["--never", "permission", "--never", "endless"];
/// The files of the checker's client say `hello`, whatever is written to them.
const EDIT: &[&str] = &["--permission", "notes.txt: hello -> hi", "--never", "endless"];
const TOOLS: &[&str] = &["--prompt", "tools", "--never", "permission", "--never", "endless"];
/// It waits for the user unless the prompt is a sentence.
const STEERED: &[&str] = &["--endless", "soup", "--never", "permission"];
const PROMPT: &[&str] = &["prompt", "--protocol", "{protocol}", "{prompt}", "--", "{agent}"];
const INTERRUPT: &[&str] = &["--interrupt"];
/// It runs one turn to its end.
const ONE_TURN: &[&str] = &["--never", "cancel"];
const ONCE: &[&str] = &["{prompt}", "--", "{agent}"];
const LINES: &[&str] = &["--stdin", "{prompt}", "--interrupt"];

const V1_ALONE: &str = "`one_shot_client` is the shortest client and asks for version 1 alone; `editor_client` and \
                        `record_replay`, which also prompt once, are checked in both versions";
const OF_ITSELF: &str = "it starts itself as the agent, so it cannot be given another one";

/// All subjects, in the order of the page.
pub(super) fn all() -> Vec<Subject> {
    let agent = |id, args, options| {
        let start = Start::Example(id, args);
        let (group, side) = (Group::Ours, Side::Agent);
        Subject { id, group, side, versions: BOTH, start, options, options_of_v2: None }
    };
    let client = |id, versions, start, options| Subject {
        id,
        group: Group::Ours,
        side: Side::Client,
        versions,
        start,
        options,
        options_of_v2: None,
    };
    let sdk = |id, side, versions, peer, options| {
        let start = Start::Sdk(peer);
        Subject { id, group: Group::Sdk, side, versions, start, options, options_of_v2: None }
    };
    let real = |id, versions, options| {
        let start = Start::Real(id);
        let (group, side) = (Group::Real, Side::Agent);
        Subject { id, group, side, versions, start, options, options_of_v2: None }
    };
    vec![
        agent("echo_agent", &[], AT_ONCE),
        agent("coding_agent", &[], STUB),
        // It works on the client's files, which version 2 does not have.
        Subject { options_of_v2: Some(AT_ONCE), ..agent("editor_agent", &[], EDIT) },
        agent("ext_methods", &["serve"], AT_ONCE),
        agent("mcp_agent", &[], TOOLS),
        agent("persistent_agent", &["{folder}"], AT_ONCE),
        agent("router_agent", &["upper", "reverse"], AT_ONCE),
        agent("steering", &["serve"], STEERED),
        client("acp-prompt", BOTH, Start::Example("acp", PROMPT), INTERRUPT),
        client("one_shot_client", V1, Start::Example("one_shot_client", ONCE), ONE_TURN),
        client("one_shot_client-v2", V2, Start::Never(V1_ALONE), &[]),
        client("editor_client", BOTH, Start::Example("editor_client", ONCE), ONE_TURN),
        client("repl_client", BOTH, Start::Example("repl_client", &["--", "{agent}"]), LINES),
        client(
            "record_replay",
            BOTH,
            Start::Example("record_replay", &["record", "{folder}/turn.ndjson", "{prompt}", "--", "{agent}"]),
            ONE_TURN,
        ),
        client(
            "tui_client",
            BOTH,
            Start::Never("it needs a terminal, which `acp check client` does not have"),
            &[],
        ),
        client("ext_methods-client", V1, Start::Never(OF_ITSELF), &[]),
        client("steering-client", V1, Start::Never(OF_ITSELF), &[]),
        sdk("typescript-agent", Side::Agent, V1, Peer::TypeScript, WITH_FILES),
        sdk("typescript-example-agent", Side::Agent, V1, Peer::TypeScriptExample, EXAMPLE),
        sdk("typescript-v2-agent", Side::Agent, V2, Peer::TypeScriptV2, SCRIPTED),
        sdk("python-agent", Side::Agent, V1, Peer::Python, WITH_FILES),
        sdk("rust-sdk-agent", Side::Agent, V1, Peer::RustSdk, WITH_FILES),
        sdk("rust-sdk-v2-agent", Side::Agent, V2, Peer::RustSdkV2, SCRIPTED),
        sdk("typescript-client", Side::Client, V1, Peer::TypeScript, &[]),
        sdk("python-client", Side::Client, V1, Peer::Python, &[]),
        sdk("rust-sdk-client", Side::Client, V1, Peer::RustSdk, &[]),
        sdk("typescript-v2-client", Side::Client, V2, Peer::TypeScriptV2, &[]),
        sdk("rust-sdk-v2-client", Side::Client, V2, Peer::RustSdkV2, &[]),
        real("gemini", V1, &["--profile", "gemini"]),
        real("opencode", V1, &["--profile", "opencode"]),
        real("qwen", V1, &["--profile", "qwen"]),
        real("codex-acp", BOTH, &["--profile", "codex"]),
        real("claude", BOTH, &["--profile", "claude"]),
    ]
}

impl Subject {
    /// Returns the further options of a check in this version.
    pub(super) fn options(&self, protocol: u8) -> &'static [&'static str] {
        self.options_of_v2.filter(|_| protocol == 2).unwrap_or(self.options)
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<26} {:<9} {}", self.id, self.group.word(), self.side.word())
    }
}

impl Group {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Sdk => "other SDK",
            Self::Real => "real",
        }
    }
}

impl Side {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Client => "client",
        }
    }
}
