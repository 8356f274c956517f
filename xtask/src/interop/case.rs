//! One case: which processes to start, what to ask of them, and how to judge what happened.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;

use super::chain_cases::{Behind, Chain};
use super::layout::Layout;
use super::process::{self, Ended};
use super::schema::{self, Part};
use super::seen::Seen;
use super::tap;
use super::wire::{Side, Wire};

/// Generous: a loaded machine with two cores starts Node or Python in seconds.
const LIMIT: Duration = Duration::from_secs(60);

/// The text of `notes.txt` in every case's folder.
pub(super) const NOTES: &str = "alpha\nbeta\ngamma\n";

/// An implementation of the protocol that is not ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Peer {
    TypeScript,
    /// The TypeScript SDK with MCP over ACP.
    TypeScriptMcp,
    /// The example agent of the TypeScript SDK, from the last release whose npm package has one.
    TypeScriptExample,
    RustSdk,
    Python,
    /// The TypeScript SDK's router, which serves both versions, and its client of version 2.
    TypeScriptV2,
    /// The Rust SDK with its feature for version 2.
    RustSdkV2,
    /// The Rust SDK's conductor, and a proxy on that SDK.
    RustSdkProxies,
}

/// Who talks to whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pairing {
    /// `acp prompt` drives the peer's agent.
    OurClient,
    /// The peer's client drives this agent of ours.
    OurAgent(&'static str),
    /// `mcp_client`, which provides an MCP server, drives the peer's agent.
    OurMcpClient,
    /// The peer's client, which provides MCP servers, drives `mcp_agent`.
    OurMcpAgent,
    /// `client_v2`, which speaks both versions, drives the peer's agent.
    OurClientV2,
    /// The peer's client drives this agent of ours, which is built with version 2.
    OurAgentV2(&'static str),
    /// `acp prompt` drives an agent behind proxies.
    Chain(Chain, Behind),
    /// The peer's client drives the peer's own agent.
    Control,
}

pub(super) struct Case {
    pub(super) peer: Peer,
    pub(super) pairing: Pairing,
    pub(super) name: &'static str,
    pub(super) action: Action,
    /// The codes of the error answers that belong to the case, from either side.
    pub(super) errors: &'static [i64],
    pub(super) check: fn(&Seen) -> anyhow::Result<()>,
}

/// The action of the client.
#[derive(Debug, Clone, Copy)]
pub(super) enum Action {
    /// `acp prompt <prompt> --allow <allow>`, with Ctrl-C once `interrupt_at` was printed.
    Prompt { prompt: &'static str, allow: &'static str, interrupt_at: Option<&'static str> },
    /// The scenario for a scripted client; `cwd` is filled in.
    Scenario(fn() -> Value),
}

impl Case {
    /// Our programs in the case, as far as they are in the workspace.
    pub(super) fn our_binaries(&self) -> &[&'static str] {
        match &self.pairing {
            Pairing::OurClient => &["acp"],
            Pairing::OurAgent(name) => std::slice::from_ref(name),
            Pairing::Chain(chain, _) => chain.our_binaries(),
            Pairing::OurMcpClient
            | Pairing::OurMcpAgent
            | Pairing::OurClientV2
            | Pairing::OurAgentV2(_)
            | Pairing::Control => &[],
        }
    }

    /// Checks that our end wrote what the schema of the agreed version has.
    fn check_schema(&self, wire: &Wire) -> anyhow::Result<()> {
        let (ours, part) = match self.pairing {
            Pairing::OurClient | Pairing::OurClientV2 | Pairing::Chain(..) => (Side::Client, Part::Stable),
            Pairing::OurAgent(_) | Pairing::OurAgentV2(_) => (Side::Agent, Part::Stable),
            Pairing::OurMcpClient => (Side::Client, Part::Unstable),
            Pairing::OurMcpAgent => (Side::Agent, Part::Unstable),
            Pairing::Control => return Ok(()),
        };
        schema::check(wire, ours, part)
    }

    /// Starts the two ends in a fresh folder, waits for the client's end and checks what happened.
    /// The logs of a case that passed are removed unless they are asked for.
    pub(super) fn run(&self, layout: &Layout, keep_logs: bool) -> anyhow::Result<()> {
        let logs = layout.installed("logs").join(self.slug());
        if logs.exists() {
            fs::remove_dir_all(&logs).with_context(|| format!("cannot empty {}", logs.display()))?;
        }
        fs::create_dir_all(&logs)?;
        let folder = tempfile::tempdir()?;
        // A client may compare canonical paths, and some systems' temporary folder is a link.
        let cwd = folder.path().canonicalize()?;
        fs::write(cwd.join("notes.txt"), NOTES)?;
        let seen = self.converse(layout, &logs, cwd)?;
        // All that is wrong, not only the first: a conversation that went astray says more as a
        // whole.
        let verdicts = [
            (self.check)(&seen),
            seen.expect_errors(self.errors),
            seen.wire.check(),
            self.check_schema(&seen.wire),
        ];
        let wrong: Vec<String> =
            verdicts.into_iter().filter_map(Result::err).map(|error| format!("{error:#}")).collect();
        ensure!(wrong.is_empty(), "{}", wrong.join("; "));
        if !keep_logs {
            fs::remove_dir_all(&logs)?;
        }
        Ok(())
    }

    fn converse(&self, layout: &Layout, logs: &Path, cwd: PathBuf) -> anyhow::Result<Seen> {
        let agent = tap::wrap(logs, &self.agent(layout))?;
        let mut client = self.client(layout, &cwd);
        client.arg("--").args(agent).current_dir(&cwd);
        let interrupt_at = match self.action {
            Action::Prompt { interrupt_at, .. } => interrupt_at,
            Action::Scenario(_) => None,
        };
        let outcome = process::run(client, LIMIT, logs, interrupt_at)?;
        let status = match outcome.ended {
            Ended::Exited(status) => status,
            Ended::TimedOut => bail!("not done after {} s", LIMIT.as_secs()),
        };
        let report = match self.action {
            Action::Prompt { .. } => Value::Null,
            Action::Scenario(_) => {
                ensure!(status.success(), "the client ended with {status}: {}", last_line(logs));
                serde_json::from_str(&outcome.stdout).context("the client's report is not JSON")?
            }
        };
        Ok(Seen { report, status, stdout: outcome.stdout, wire: Wire::read(logs)?, folder: cwd })
    }

    fn client(&self, layout: &Layout, cwd: &Path) -> Command {
        match self.action {
            Action::Prompt { prompt, allow, .. } => {
                let mut acp = Command::new(layout.our_binary("acp"));
                acp.args(["prompt", prompt, "--allow", allow, "--cwd"]).arg(cwd);
                acp
            }
            Action::Scenario(scenario) => {
                let mut scenario = scenario();
                if let Some(members) = scenario.as_object_mut() {
                    members.insert("cwd".into(), cwd.display().to_string().into());
                }
                let mut client = match self.pairing {
                    Pairing::OurMcpClient => Command::new(layout.peer_binary("mcp_client")),
                    Pairing::OurClientV2 => Command::new(layout.peer_binary("client_v2")),
                    _ => self.peer.program(layout, Role::Client),
                };
                client.arg(scenario.to_string());
                client
            }
        }
    }

    fn agent(&self, layout: &Layout) -> Command {
        match self.pairing {
            Pairing::OurClient | Pairing::OurMcpClient | Pairing::OurClientV2 | Pairing::Control => {
                self.peer.program(layout, Role::Agent)
            }
            Pairing::OurAgentV2(name) => Command::new(layout.peer_binary(name)),
            Pairing::OurMcpAgent => Command::new(layout.peer_binary("mcp_agent")),
            Pairing::OurAgent(name) => Command::new(layout.our_binary(name)),
            Pairing::Chain(chain, behind) => chain.command(behind, layout),
        }
    }

    fn slug(&self) -> String {
        let line = self.to_string();
        let words: Vec<&str> =
            line.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
        words.join("-")
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = self.pairing.to_string();
        write!(f, "{:<18}  {direction:<22}  {:<20}", self.peer.name(), self.name)
    }
}

impl fmt::Display for Pairing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OurClient => f.write_str("agent <- acp"),
            Self::OurAgent(name) | Self::OurAgentV2(name) => write!(f, "client -> {name}"),
            Self::OurClientV2 => f.write_str("agent <- client_v2"),
            Self::OurMcpClient => f.write_str("agent <- mcp_client"),
            Self::OurMcpAgent => f.write_str("client -> mcp_agent"),
            Self::Chain(chain, _) => f.write_str(chain.name()),
            Self::Control => f.write_str("client -> its agent"),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Client,
    Agent,
}

impl Peer {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::TypeScript => "typescript",
            Self::TypeScriptMcp => "typescript-mcp",
            Self::TypeScriptExample => "typescript-example",
            Self::RustSdk => "rust-sdk",
            Self::Python => "python",
            Self::TypeScriptV2 => "typescript-v2",
            Self::RustSdkV2 => "rust-sdk-v2",
            Self::RustSdkProxies => "rust-sdk-proxies",
        }
    }

    pub(crate) fn program(self, layout: &Layout, role: Role) -> Command {
        let word = if role == Role::Client { "client" } else { "agent" };
        let script = |program: PathBuf, script: PathBuf| {
            let mut command = Command::new(program);
            command.arg(script);
            command
        };
        let npm = layout.installed("npm");
        match self {
            Self::TypeScript => script("node".into(), npm.join(format!("{word}.mjs"))),
            Self::TypeScriptMcp => script("node".into(), npm.join(format!("mcp-{word}.mjs"))),
            Self::TypeScriptExample => {
                script("node".into(), npm.join("node_modules/sdk-with-examples/dist/examples/agent.js"))
            }
            Self::TypeScriptV2 => script("node".into(), npm.join(format!("{word}-v2.mjs"))),
            Self::RustSdk => Command::new(layout.peer_binary(word)),
            Self::RustSdkV2 => Command::new(layout.peer_binary(&format!("{word}-v2"))),
            Self::RustSdkProxies => Command::new(layout.peer_binary("official_conductor")),
            Self::Python => script(layout.python(), layout.sources("python").join(format!("{word}.py"))),
        }
    }
}

fn last_line(logs: &Path) -> String {
    let text = fs::read_to_string(logs.join(process::STDERR)).unwrap_or_default();
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing").to_owned()
}
