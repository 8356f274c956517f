//! `docs/INTEROP.md`: who we have been tried with, and what came of it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Context as _;

use super::probes::{FEATURES, Feature};
use super::results::{Agent, Results, Tally};
use super::table::{plain, row};

/// A part of the page.
struct Section {
    title: &'static str,
    /// Markdown, without the title.
    text: String,
}

const CONFORMANCE: &str = "MCP conformance tool";
const MCP: &str = "MCP servers";
const REMOTE: &str = "Remote agents";

/// The page, below the root of the project.
const PAGE: &str = "docs/INTEROP.md";

const HEAD: &str = "\
# Interoperation

Tests of this project together with other implementations of the protocol. Four commands run them, judge them by the
messages on the wire, and write this page: `cargo xtask interop --write`, and the same with `conformance`, `mcp` or `remote`
after `interop`. They keep their results in `xtask/interop/results.json`. [TESTING.md](TESTING.md) says what they need.
";

/// Changes what a run was about, and writes the results and the page.
pub(super) fn update(root: &Path, change: impl FnOnce(&mut Results)) -> anyhow::Result<()> {
    write(root, &Results::update(root, change)?)
}

/// Writes the page.
fn write(root: &Path, results: &Results) -> anyhow::Result<()> {
    let path = root.join(PAGE);
    fs::write(&path, render(results)).with_context(|| format!("cannot write {}", path.display()))
}

/// The whole page.
pub(super) fn render(results: &Results) -> String {
    let sections = [
        agents(&results.agents),
        sdks(&results.sdks),
        Section { title: CONFORMANCE, text: results.conformance.clone() },
        Section { title: MCP, text: results.mcp.clone() },
        Section { title: REMOTE, text: results.remote.clone() },
    ];
    let mut page = HEAD.to_owned();
    for Section { title, text } in sections {
        let _ = write!(page, "\n## {title}\n\n{}\n", text.trim());
    }
    page
}

/// The real agents: what works with each.
fn agents(agents: &[Agent]) -> Section {
    let mut text = "\
`acp prompt` with agents from npm. Each agent runs without a network, beside a server that stands in for its model. *no*
means that the agent does not offer this, so there is nothing to test.\n\n"
        .to_owned();
    let tried: Vec<&Agent> = agents.iter().filter(|agent| agent.not_tried.is_none()).collect();
    row(&mut text, "", tried.iter().map(|tried| tried.agent.clone()));
    row(&mut text, "---", tried.iter().map(|_| "---".to_owned()));
    row(&mut text, "package", tried.iter().map(|tried| format!("`{}`", tried.package)));
    for feature in FEATURES.map(Feature::title) {
        let found = |tried: &&Agent| tried.cells.iter().find(|(title, _)| title == feature).cloned();
        let cells = tried.iter().map(|tried| found(tried).map_or("not tried".to_owned(), |(_, cell)| cell));
        row(&mut text, feature, cells);
    }
    for agent in agents {
        if let Some(reason) = &agent.not_tried {
            let _ = write!(text, "\n`{}` was not tried: {}.\n", agent.agent, plain(reason));
        }
    }
    Section { title: "Real agents", text }
}

/// The agents and clients that are built on other SDKs.
fn sdks(tallies: &[Tally]) -> Section {
    let mut text = "\
Agents and clients that are built on other SDKs, and the example agents that come with them: `cargo xtask interop --list`
names the cases. Peers whose name ends in *-v2* speak version 2. Our ends of these cases, `client_v2` and the agents in
*_v2*, are built for both versions. Every message of ours is valid by the schema of the version that was agreed on.\n\n"
        .to_owned();
    row(&mut text, "built on", ["who talks to whom", "passed", "failed"].map(str::to_owned).into_iter());
    row(&mut text, "---", ["---", "---", "---"].map(str::to_owned).into_iter());
    for tally in tallies {
        let failures = tally.cases.iter().filter_map(|(name, failed)| Some((name, failed.as_ref()?)));
        let failures: Vec<_> = failures.map(|(name, why)| format!("{name}: {}", plain(why))).collect();
        let failed = match &tally.not_tried {
            Some(reason) => format!("not tried: {}", plain(reason)),
            None if failures.is_empty() => "none".to_owned(),
            None => failures.join("; "),
        };
        let passed = (tally.cases.len() - failures.len()).to_string();
        row(&mut text, &tally.peer, [tally.pairing.clone(), passed, failed].into_iter());
    }
    Section { title: "Other SDKs", text }
}
