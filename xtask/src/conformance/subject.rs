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
const EDIT: &[&str] = &["--permission", "notes.txt: bread -> cake", "--show", "notes.txt: cake -> bread"];
/// Its turns end when the user adds something, so each prompt is one that lasts.
const LASTING: &[&str] = &["--endless", "soup", "--turn-timeout", "2"];
const PROMPT: &[&str] = &["prompt", "--protocol", "{protocol}", "{prompt}", "--", "{agent}"];
const INTERRUPT: &[&str] = &["--interrupt"];
const LINES: &[&str] = &["--stdin", "{prompt}", "--interrupt"];

const OF_ITSELF: &str = "it starts itself as the agent, so it cannot be given another one";

/// All subjects, in the order of the page.
pub(super) fn all() -> Vec<Subject> {
    let agent = |id, args, options| {
        let start = Start::Example(id, args);
        Subject { id, group: Group::Ours, side: Side::Agent, versions: BOTH, start, options }
    };
    let client = |id, versions, start, options| Subject {
        id,
        group: Group::Ours,
        side: Side::Client,
        versions,
        start,
        options,
    };
    let sdk = |id, side, versions, peer, options| {
        let start = Start::Sdk(peer);
        Subject { id, group: Group::Sdk, side, versions, start, options }
    };
    let real = |id, versions, options| {
        let start = Start::Real(id);
        Subject { id, group: Group::Real, side: Side::Agent, versions, start, options }
    };
    vec![
        agent("echo_agent", &[], &[]),
        agent("coding_agent", &[], STUB),
        agent("editor_agent", &[], EDIT),
        agent("ext_methods", &["serve"], &[]),
        agent("mcp_agent", &[], &["--prompt", "tools"]),
        agent("persistent_agent", &["{folder}"], &[]),
        agent("router_agent", &["upper", "reverse"], &[]),
        agent("steering", &["serve"], LASTING),
        client("acp-prompt", BOTH, Start::Example("acp", PROMPT), INTERRUPT),
        client("one_shot_client", V1, Start::Example("one_shot_client", &["{prompt}", "--", "{agent}"]), &[]),
        client("editor_client", BOTH, Start::Example("editor_client", &["{prompt}", "--", "{agent}"]), &[]),
        client("repl_client", BOTH, Start::Example("repl_client", &["--", "{agent}"]), LINES),
        client(
            "record_replay",
            BOTH,
            Start::Example("record_replay", &["record", "{folder}/turn.ndjson", "{prompt}", "--", "{agent}"]),
            &[],
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
