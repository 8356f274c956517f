//! `acp prompt` before chains in which the conductor or a proxy is the official Rust SDK's.

use std::process::Command;

use anyhow::ensure;
use serde_json::Value;

use super::case::{Action, Case, Pairing, Peer};
use super::client_cases::{self, Row};
use super::layout::Layout;
use super::seen::Seen;

/// The components between the client and the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chain {
    /// The official conductor with our proxy that changes prompts.
    QuietInOfficial,
    /// The official conductor with our proxy that offers a tool.
    ToolInOfficial,
    /// The official conductor with ours as a proxy.
    OursInOfficial,
    /// Our conductor with a proxy on the official SDK.
    OfficialInOurs,
    /// Our conductor with the official one as a proxy.
    NestedInOurs,
}

/// The agent behind a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Behind {
    /// The scripted agent on the official SDK.
    Scripted,
    /// Our `echo_agent`.
    Echo,
    /// Our `mcp_agent`, which takes MCP servers over ACP.
    Mcp,
}

/// The text that `quiet_proxy` adds to a prompt.
const WISH: &str = "\nAnswer in one sentence.";

pub(super) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for chain in [Chain::QuietInOfficial, Chain::OursInOfficial, Chain::OfficialInOurs, Chain::NestedInOurs] {
        cases.extend(client_cases::SCRIPTED.map(|row| case(chain, Behind::Scripted, row)));
    }
    for chain in [Chain::QuietInOfficial, Chain::OursInOfficial] {
        cases.push(case(chain, Behind::Echo, ("changed-prompt", "hello", "once", None, &[], changed)));
    }
    for chain in [Chain::OfficialInOurs, Chain::NestedInOurs] {
        cases.push(case(chain, Behind::Scripted, ("changed-answer", "stream", "once", None, &[], marked)));
    }
    let tool = ("tool", "clock__elapsed", "once", None, &[][..], called as fn(&Seen) -> anyhow::Result<()>);
    cases.push(case(Chain::ToolInOfficial, Behind::Mcp, tool));
    cases
}

fn case(chain: Chain, behind: Behind, (name, prompt, allow, interrupt_at, errors, check): Row) -> Case {
    Case {
        peer: Peer::RustSdkProxies,
        pairing: Pairing::Chain(chain, behind),
        name,
        action: Action::Prompt { prompt, allow, interrupt_at },
        errors,
        check,
    }
}

fn changed(seen: &Seen) -> anyhow::Result<()> {
    client_cases::finished(seen)?;
    seen.expect_text(0, &format!("hello{WISH}"))
}

fn marked(seen: &Seen) -> anyhow::Result<()> {
    client_cases::finished(seen)?;
    let answer = seen.wire.results("session/prompt").next();
    let mark = answer.and_then(|answer| answer.pointer("/_meta/official_proxy"));
    ensure!(mark == Some(&Value::Bool(true)), "the proxy has not changed the answer {answer:?}");
    Ok(())
}

fn called(seen: &Seen) -> anyhow::Result<()> {
    client_cases::finished(seen)?;
    seen.expect_printed("seconds old")
}

impl Chain {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::QuietInOfficial => "official conductor, quiet_proxy",
            Self::ToolInOfficial => "official conductor, tool_proxy",
            Self::OursInOfficial => "official conductor, acp conduct --as-proxy, quiet_proxy",
            Self::OfficialInOurs => "acp conduct, official proxy",
            Self::NestedInOurs => "acp conduct, official conductor, official proxy",
        }
    }

    /// Our programs in it.
    pub(super) const fn our_binaries(self) -> &'static [&'static str] {
        match self {
            Self::ToolInOfficial => &["acp", "tool_proxy"],
            _ => &["acp", "quiet_proxy", "echo_agent"],
        }
    }

    pub(super) fn command(self, behind: Behind, layout: &Layout) -> Command {
        let (acp, official) = (layout.our_binary("acp"), layout.peer_binary("official_conductor"));
        let (quiet, tool) = (layout.our_binary("quiet_proxy"), layout.our_binary("tool_proxy"));
        let proxy = layout.peer_binary("official_proxy");
        let agent = match behind {
            Behind::Scripted => layout.peer_binary("agent"),
            Behind::Echo => layout.our_binary("echo_agent"),
            Behind::Mcp => layout.peer_binary("mcp_agent"),
        };
        let mut command = Command::new(match self {
            Self::QuietInOfficial | Self::ToolInOfficial | Self::OursInOfficial => &official,
            Self::OfficialInOurs | Self::NestedInOurs => &acp,
        });
        match self {
            Self::QuietInOfficial => command.arg("agent").arg(quiet),
            Self::ToolInOfficial => command.arg("agent").arg(tool),
            // Each component of the official conductor is one argument, which it splits at spaces.
            Self::OursInOfficial => {
                let nested = format!("{} conduct --as-proxy {}", acp.display(), quiet.display());
                command.args(["agent", &nested])
            }
            Self::OfficialInOurs => command.arg("conduct").arg(proxy).arg("--"),
            Self::NestedInOurs => command.arg("conduct").arg(official).arg("proxy").arg(proxy).arg("--"),
        };
        command.arg(agent);
        command
    }
}
