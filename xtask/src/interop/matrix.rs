//! Runs the probes with the real agents that there are recipes for.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::Value;

use super::case::NOTES;
use super::layout::Layout;
use super::probe_v2;
use super::probes::{Feature, Found, PROBES, Probe};
use super::process;
use super::recipes::Recipes;
use super::schema::{self, Part};
use super::seen::Seen;
use super::tap;
use super::wire::{Side, Wire};

/// Real agents take seconds to start, on a machine that has other things to do.
pub(super) const LIMIT: Duration = Duration::from_secs(180);

/// The findings about one agent.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) agent: &'static str,
    pub(super) tried: Tried,
}

#[derive(Debug)]
pub(super) enum Tried {
    /// It could not be installed, or never.
    No(String),
    Yes {
        package: String,
        found: BTreeMap<Feature, Found>,
    },
}

impl Column {
    pub(super) fn failures(&self) -> usize {
        match &self.tried {
            Tried::No(_) => 0,
            Tried::Yes { found, .. } => {
                found.values().filter(|found| matches!(found, Found::Failed(_))).count()
            }
        }
    }
}

/// Tries everything with one agent. `tell` hears what was found as it is.
pub(super) fn run(
    recipes: &Recipes,
    agent: &'static str,
    layout: &Layout,
    mut tell: impl FnMut(Feature, &Found) -> anyhow::Result<()>,
) -> anyhow::Result<Column> {
    if let Err(error) = recipes.install(agent, layout) {
        return Ok(Column { agent, tried: Tried::No(format!("{error:#}")) });
    }
    let folder = tempfile::tempdir()?;
    let cwd = folder.path().canonicalize()?;
    let mut found = BTreeMap::new();
    let mut session = None;
    for probe in &PROBES {
        if probe.features.iter().all(|feature| found.contains_key(feature)) {
            continue;
        }
        fs::write(cwd.join("notes.txt"), NOTES)?;
        if probe.continues {
            thread::sleep(rest(agent));
        }
        let seen = converse(recipes, agent, probe, session.as_deref(), &cwd, layout);
        if let Ok(seen) = &seen {
            session = seen.session().or(session);
        }
        let seen = seen.and_then(|seen| schema::check(&seen.wire, Side::Client, Part::Stable).map(|()| seen));
        for feature in probe.features {
            let what = match &seen {
                Ok(seen) => (probe.check)(seen, *feature),
                Err(error) => Some(Found::Failed(format!("{error:#}"))),
            };
            let Some(what) = what else { continue };
            tell(*feature, &what)?;
            found.insert(*feature, what);
        }
    }
    let asked = probe_v2::run(recipes, agent, &cwd, layout);
    let asked = asked.unwrap_or_else(|error| Found::Failed(format!("{error:#}")));
    tell(Feature::Version2, &asked)?;
    found.insert(Feature::Version2, asked);
    Ok(Column { agent, tried: Tried::Yes { package: recipes.package(agent), found } })
}

/// How long a session must rest before another process may take it up. gemini names the file of a
/// session after the minute, and one that is loaded within its minute overwrites itself.
const fn rest(agent: &str) -> Duration {
    match agent.as_bytes() {
        b"gemini" => Duration::from_secs(61),
        _ => Duration::ZERO,
    }
}

fn converse(
    recipes: &Recipes,
    agent: &str,
    probe: &Probe,
    session: Option<&str>,
    cwd: &Path,
    layout: &Layout,
) -> anyhow::Result<Seen> {
    let logs = layout.installed("logs").join(format!("{agent}-{}", probe.name));
    if logs.exists() {
        fs::remove_dir_all(&logs).with_context(|| format!("cannot empty {}", logs.display()))?;
    }
    fs::create_dir_all(&logs)?;
    let mut client = recipes.offline(layout.our_binary("acp"));
    client
        .args(["prompt", &probe.prompt_in(cwd, agent), "--allow", probe.allow, "--timeout", "120", "--cwd"])
        .arg(cwd);
    if let Some(session) = session.filter(|_| probe.continues) {
        client.args(["--session", session]);
    }
    let mut peer = recipes.agent(agent);
    if probe.is_behind_proxy {
        let mut chain = Command::new(layout.our_binary("acp"));
        chain.arg("conduct").arg(layout.our_binary("tool_proxy")).arg("--");
        if agent == "codex-acp" {
            // It has its MCP tools in namespaces, and the model of the recipes calls none of those.
            chain.arg(layout.peer_binary("with_model"));
        }
        chain.arg(peer.get_program());
        peer = chain;
    }
    client.arg("--").args(tap::wrap(&logs, &peer)?).current_dir(cwd);
    let outcome = process::run(client, LIMIT, &logs, probe.interrupt_at)?;
    let process::Ended::Exited(status) = outcome.ended else {
        anyhow::bail!("not done after {} s", LIMIT.as_secs())
    };
    Ok(Seen {
        report: Value::Null,
        status,
        stdout: outcome.stdout,
        wire: Wire::read(&logs)?,
        folder: cwd.to_owned(),
    })
}
