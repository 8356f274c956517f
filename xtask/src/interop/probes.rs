//! The probes that are tried with every real agent, and the feature that each shows.

use std::path::Path;

use serde_json::Value;

use super::seen::{Seen, kind};

/// Something that an agent and our client can do together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Feature {
    Initialize,
    NewSession,
    Streaming,
    Continued,
    Allowed,
    Refused,
    Reads,
    Writes,
    Cancelled,
    Leaves,
    ProxyTool,
    Version2,
}

pub(super) const FEATURES: [Feature; 12] = [
    Feature::Initialize,
    Feature::NewSession,
    Feature::Streaming,
    Feature::Continued,
    Feature::Allowed,
    Feature::Refused,
    Feature::Reads,
    Feature::Writes,
    Feature::Cancelled,
    Feature::Leaves,
    Feature::ProxyTool,
    Feature::Version2,
];

/// The finding of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// It works; how, where there is more than one way.
    Works(&'static str),
    /// The agent does not do such a thing, but this instead.
    NotOffered(&'static str),
    Failed(String),
}

/// One run of `acp prompt` with an agent.
pub(super) struct Probe {
    pub(super) name: &'static str,
    /// With `{cwd}` for the session's folder, and `{tool}` for the name that the agent gives to the
    /// tool of the proxy.
    pub(super) prompt: &'static str,
    pub(super) allow: &'static str,
    /// The printed text at which Ctrl-C comes.
    pub(super) interrupt_at: Option<&'static str>,
    /// If true, it goes on with the session of the probe before.
    pub(super) continues: bool,
    /// If true, the agent is behind `acp conduct` and a proxy that offers a tool.
    pub(super) is_behind_proxy: bool,
    pub(super) features: &'static [Feature],
    /// None when it says nothing about the feature.
    pub(super) check: fn(&Seen, Feature) -> Option<Found>,
}

/// In this order: the session of the last one before is gone on with, and what one of them has
/// found out is not tried again.
pub(super) const PROBES: [Probe; 8] = [
    Probe {
        name: "stream",
        prompt: "[[text alpha beta gamma delta]]",
        allow: "reject",
        interrupt_at: None,
        continues: false,
        is_behind_proxy: false,
        features: &[Feature::Initialize, Feature::NewSession, Feature::Streaming, Feature::Leaves],
        check: stream,
    },
    Probe {
        name: "allow",
        prompt: "[[shell touch allowed.txt]]",
        allow: "once",
        interrupt_at: None,
        continues: false,
        is_behind_proxy: false,
        features: &[Feature::Allowed],
        check: allowed,
    },
    Probe {
        name: "refuse",
        prompt: "[[shell touch refused.txt]]",
        allow: "reject",
        interrupt_at: None,
        continues: false,
        is_behind_proxy: false,
        features: &[Feature::Refused],
        check: refused,
    },
    Probe {
        name: "files",
        prompt: "[[read {cwd}/notes.txt]] [[write {cwd}/notes.txt rewritten]]",
        allow: "once",
        interrupt_at: None,
        continues: false,
        is_behind_proxy: false,
        features: &[Feature::Reads, Feature::Writes],
        check: files,
    },
    Probe {
        name: "new-file",
        prompt: "[[write {cwd}/made.txt rewritten]]",
        allow: "once",
        interrupt_at: None,
        continues: false,
        is_behind_proxy: false,
        features: &[Feature::Writes],
        check: new_file,
    },
    Probe {
        name: "continue",
        prompt: "[[text once again]]",
        allow: "reject",
        interrupt_at: None,
        continues: true,
        is_behind_proxy: false,
        features: &[Feature::Continued],
        check: continued,
    },
    Probe {
        name: "cancel",
        prompt: "[[slow 60]]",
        allow: "reject",
        interrupt_at: Some("tick"),
        continues: false,
        is_behind_proxy: false,
        features: &[Feature::Cancelled],
        check: cancelled,
    },
    Probe {
        name: "proxy-tool",
        prompt: "[[tool {tool} {}]]",
        allow: "once",
        interrupt_at: None,
        continues: false,
        is_behind_proxy: true,
        features: &[Feature::ProxyTool],
        check: proxy_tool,
    },
];

impl Feature {
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Initialize => "initialize",
            Self::NewSession => "new session",
            Self::Streaming => "prompt, streamed",
            Self::Continued => "session resumed or loaded",
            Self::Allowed => "tool call, allowed",
            Self::Refused => "tool call, refused",
            Self::Reads => "reads files through us",
            Self::Writes => "writes files through us",
            Self::Cancelled => "cancelled in mid-turn",
            Self::Leaves => "leaves when its input ends",
            Self::ProxyTool => "calls a tool of a proxy",
            Self::Version2 => "asked for version 2",
        }
    }
}

fn stream(seen: &Seen, feature: Feature) -> Option<Found> {
    Some(match feature {
        Feature::Initialize => {
            let version =
                seen.wire.results("initialize").next().and_then(|result| result.get("protocolVersion"));
            works_if(version == Some(&1.into()), "", || format!("the version is {version:?}"))
        }
        Feature::NewSession => works_if(seen.session().is_some(), "", || seen.complaint()),
        Feature::Leaves => match seen.wire.left_by_itself() {
            true => Found::Works(""),
            false => Found::NotOffered("has to be ended"),
        },
        _ => {
            let chunks =
                seen.wire.updates(0).into_iter().filter(|update| kind(update) == "agent_message_chunk");
            let chunks = chunks.count();
            let is_whole = seen.text(0).contains("alpha beta gamma delta") && is_end(seen, "end_turn");
            works_if(is_whole && chunks > 1, "", || format!("{chunks} pieces of text; {}", seen.complaint()))
        }
    })
}

fn continued(seen: &Seen, _: Feature) -> Option<Found> {
    let offers = |pointer: &str| {
        let result = seen.wire.results("initialize").next();
        result
            .and_then(|result| result.pointer(pointer))
            .is_some_and(|value| !matches!(value, Value::Bool(false) | Value::Null))
    };
    let resumes = offers("/agentCapabilities/sessionCapabilities/resume");
    if !resumes && !offers("/agentCapabilities/loadSession") {
        return Some(Found::NotOffered("offers neither"));
    }
    let is_well = seen.text(0).contains("once again") && is_end(seen, "end_turn");
    Some(works_if(is_well, if resumes { "resumed" } else { "loaded" }, || seen.complaint()))
}

fn allowed(seen: &Seen, _: Feature) -> Option<Found> {
    let is_done = seen.file("allowed.txt").is_some();
    Some(match answers(seen).as_slice() {
        [] if is_done => Found::NotOffered("does not ask"),
        answers => {
            let is_allowed = !answers.is_empty() && answers.iter().all(|answer| answer == "allow_once");
            works_if(is_allowed && is_done, "", || {
                format!("answered {answers:?}, done: {is_done}; {}", seen.complaint())
            })
        }
    })
}

fn refused(seen: &Seen, _: Feature) -> Option<Found> {
    let is_done = seen.file("refused.txt").is_some();
    Some(match answers(seen).as_slice() {
        [] if is_done => Found::NotOffered("does not ask"),
        answers => {
            let is_refused = !answers.is_empty() && answers.iter().all(|answer| answer == "reject_once");
            works_if(is_refused && !is_done, "", || {
                format!("answered {answers:?}, done: {is_done}; {}", seen.complaint())
            })
        }
    })
}

fn files(seen: &Seen, feature: Feature) -> Option<Found> {
    // What the stand-in for the model says when it cannot do what it was told.
    let has_no_reader = seen.text(0).contains("No tool for directive read");
    if feature == Feature::Reads {
        return Some(match has_no_reader {
            true => Found::NotOffered("has no tool for it"),
            false => through_us(seen, "fs/read_text_file", "reads them itself"),
        });
    }
    if has_no_reader {
        return None;
    }
    Some(written(seen, "notes.txt"))
}

fn new_file(seen: &Seen, _: Feature) -> Option<Found> {
    Some(written(seen, "made.txt"))
}

fn written(seen: &Seen, name: &str) -> Found {
    let text = seen.file(name).unwrap_or_default();
    if text.trim_end() != "rewritten" {
        return Found::Failed(format!("{name} holds {text:?}; {}", seen.complaint()));
    }
    through_us(seen, "fs/write_text_file", "writes them itself")
}

fn through_us(seen: &Seen, method: &str, instead: &'static str) -> Found {
    match (seen.wire.calls(method).count(), seen.wire.results(method).count()) {
        (0, _) => Found::NotOffered(instead),
        (asked, answered) => works_if(answered > 0, "", || format!("{asked} times {method} and no result")),
    }
}

fn cancelled(seen: &Seen, _: Feature) -> Option<Found> {
    let cancels = seen.wire.calls("session/cancel").count();
    Some(works_if(cancels == 1 && is_end(seen, "cancelled"), "", || seen.complaint()))
}

/// The result of the tool stands in an update.
fn proxy_tool(seen: &Seen, _: Feature) -> Option<Found> {
    let is_told =
        seen.wire.updates(0).iter().any(|update| {
            kind(update).starts_with("tool_call") && update.to_string().contains(" seconds old")
        });
    Some(works_if(is_told && is_end(seen, "end_turn"), "", || {
        format!("the tool said nothing: {:?}; {}", seen.text(0), seen.complaint())
    }))
}

fn works_if(works: bool, how: &'static str, why_not: impl FnOnce() -> String) -> Found {
    if works { Found::Works(how) } else { Found::Failed(why_not()) }
}

fn is_end(seen: &Seen, reason: &str) -> bool {
    let ends: Vec<_> = seen.wire.results("session/prompt").map(|result| result.get("stopReason")).collect();
    ends == [Some(&reason.into())]
}

/// How our client answered the permission requests.
fn answers(seen: &Seen) -> Vec<String> {
    let asked = seen.wire.calls("session/request_permission").count();
    (0..asked).map(|index| seen.permission(index).unwrap_or_else(|error| format!("{error:#}"))).collect()
}

impl Probe {
    pub(super) fn prompt_in(&self, cwd: &Path, agent: &str) -> String {
        self.prompt.replace("{cwd}", &cwd.display().to_string()).replace("{tool}", tool_of(agent))
    }
}

/// Returns the name under which an agent offers the tool of `tool_proxy` to its model.
fn tool_of(agent: &str) -> &'static str {
    match agent {
        "opencode" => "clock_elapsed",
        "gemini" => "mcp_clock_elapsed",
        "codex-acp" => "mcp__clock::elapsed",
        _ => "mcp__clock__elapsed",
    }
}
