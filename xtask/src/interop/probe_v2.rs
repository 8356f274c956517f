//! A turn of `client_v2` with a real agent, which is asked for version 2 first.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use serde_json::{Value, json};

use super::layout::Layout;
use super::matrix::LIMIT;
use super::probes::Found;
use super::process::{self, Ended};
use super::recipes::Recipes;
use super::schema::{self, Part};
use super::tap;
use super::wire::{Side, Wire};

const TEXT: &str = "alpha beta gamma delta";

/// Runs the turn.
pub(super) fn run(recipes: &Recipes, agent: &str, cwd: &Path, layout: &Layout) -> anyhow::Result<Found> {
    let logs = layout.installed("logs").join(format!("{agent}-version-2"));
    if logs.exists() {
        fs::remove_dir_all(&logs).with_context(|| format!("cannot empty {}", logs.display()))?;
    }
    fs::create_dir_all(&logs)?;
    let scenario = json!({
        "cwd": cwd.display().to_string(),
        "fs": true,
        "turns": [{ "prompt": format!("[[text {TEXT}]]") }],
    });
    let mut client = recipes.offline(layout.peer_binary("client_v2"));
    client.arg(scenario.to_string()).arg("--").args(tap::wrap(&logs, &recipes.agent(agent))?);
    client.current_dir(cwd);
    let outcome = process::run(client, LIMIT, &logs, None)?;
    let Ended::Exited(status) = outcome.ended else { bail!("not done after {} s", LIMIT.as_secs()) };
    ensure!(status.success(), "the client ended with {status}");
    let report: Value = serde_json::from_str(&outcome.stdout).context("the client's report is not JSON")?;
    let wire = Wire::read(&logs)?;
    schema::check(&wire, Side::Client, Part::Stable)?;
    let text = report.pointer("/turns/0/text").and_then(Value::as_str).unwrap_or_default();
    let stop = report.pointer("/turns/0/stopReason");
    ensure!(text.contains(TEXT) && stop == Some(&"end_turn".into()), "the turn is wrong: {report}");
    match report.get("version").and_then(Value::as_u64) {
        Some(2) => Ok(Found::Works("speaks it")),
        Some(1) => Ok(Found::Works("goes on with version 1")),
        version => bail!("version {version:?} is spoken"),
    }
}
