//! `docs/INTEROP.md`: who we have been tried with, and what came of it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Context as _;

use super::conformance;
use super::matrix::{Column, Tried};
use super::probes::{FEATURES, Found};

/// A part of the page.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) title: &'static str,
    /// Markdown, without the title.
    pub(super) text: String,
}

/// What came of the cases with one peer.
#[derive(Debug)]
pub(super) struct Tally {
    pub(super) peer: String,
    /// Who talks to whom.
    pub(super) pairing: String,
    pub(super) passed: usize,
    /// Name and reason.
    pub(super) failed: Vec<(String, String)>,
    pub(super) skipped: Option<String>,
}

/// The page, below the root of the project.
const PAGE: &str = "docs/INTEROP.md";

const HEAD: &str = "\
# Interoperation

What other implementations of the protocol and this one do together. The page is written by `cargo xtask interop --write`,
`cargo xtask interop conformance --write` and `cargo xtask interop mcp --write` from what went over the wire;
[TESTING.md](TESTING.md) says how they are run.
";

/// Writes these sections of the page and leaves the others as they are.
pub(super) fn update(root: &Path, sections: &[Section]) -> anyhow::Result<()> {
    let path = root.join(PAGE);
    let page = fs::read_to_string(&path).unwrap_or_default();
    fs::write(&path, render(&page, sections)).with_context(|| format!("cannot write {}", path.display()))
}

/// The whole page: sections that it had before and that are not among the new ones stay.
pub(super) fn render(before: &str, sections: &[Section]) -> String {
    let mut all: Vec<(&str, &str)> = Vec::new();
    for old in before.split("\n## ").skip(1) {
        let (title, text) = old.split_once('\n').unwrap_or((old, ""));
        all.push((title, text));
    }
    for new in sections {
        match all.iter_mut().find(|(title, _)| *title == new.title) {
            Some((_, text)) => *text = &new.text,
            None => all.push((new.title, &new.text)),
        }
    }
    let mut page = HEAD.to_owned();
    for (title, text) in all {
        let _ = write!(page, "\n## {title}\n\n{}\n", text.trim());
    }
    page
}

/// The conformance tool of MCP.
pub(super) fn conformance(tallies: &[conformance::Tally]) -> Section {
    let mut text = "\
The client scenarios of `@modelcontextprotocol/conformance`, against a program built on acp-mcp:
`cargo xtask interop conformance`. A scenario passes with all its checks. *Required* are those that a revision of MCP had
when it was released.\n\n"
        .to_owned();
    row(
        &mut text,
        "revision",
        ["required, passed", "all, passed", "their checks"].map(str::to_owned).into_iter(),
    );
    row(&mut text, "---", ["---", "---", "---"].map(str::to_owned).into_iter());
    for tally in tallies {
        let all = tally.passed
            + tally.failed.len()
            + tally.expected.iter().map(|(_, names)| names.len()).sum::<usize>();
        let cells = [
            format!("{} of {}", tally.required_passed, tally.required),
            format!("{} of {all}", tally.passed),
            tally.checks.to_string(),
        ];
        row(&mut text, tally.revision, cells.into_iter());
    }
    for tally in tallies {
        for (reason, names) in &tally.expected {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let _ = write!(text, "\n{}, {}: {}.\n", tally.revision, plain(reason), names.join(", "));
        }
        for failed in &tally.failed {
            let _ = write!(text, "\n{}, **failed**: {}.\n", tally.revision, plain(failed));
        }
    }
    Section { title: "MCP conformance tool", text }
}

/// The real agents: what works with each.
pub(super) fn agents(columns: &[Column]) -> Section {
    let mut text = "\
`acp prompt` with agents as they are installed from npm, each in a network namespace of its own with nothing but a
stand-in for the server of its model. *no* is what an agent does not offer: there is nothing to test.\n\n"
        .to_owned();
    let tried = columns.iter().filter_map(|column| match &column.tried {
        Tried::Yes { package, found } => Some((column.agent, package, found)),
        Tried::No(_) => None,
    });
    let tried = tried.collect::<Vec<_>>();
    row(&mut text, "", tried.iter().map(|(agent, ..)| (*agent).to_owned()));
    row(&mut text, "---", tried.iter().map(|_| "---".to_owned()));
    row(&mut text, "package", tried.iter().map(|(_, package, _)| format!("`{package}`")));
    for feature in FEATURES {
        let cells =
            tried.iter().map(|(.., found)| found.get(&feature).map_or_else(|| "not tried".to_owned(), cell));
        row(&mut text, feature.title(), cells);
    }
    for column in columns {
        if let Tried::No(reason) = &column.tried {
            let _ = write!(text, "\n`{}` was not tried: {}.\n", column.agent, plain(reason));
        }
    }
    Section { title: "Real agents", text }
}

/// What is built on other SDKs.
pub(super) fn sdks(tallies: &[Tally]) -> Section {
    let mut text = "\
Agents and clients that are built on other SDKs, and the example agents that come with them: `cargo xtask interop --list`
names the cases.\n\n"
        .to_owned();
    row(&mut text, "built on", ["who talks to whom", "passed", "failed"].map(str::to_owned).into_iter());
    row(&mut text, "---", ["---", "---", "---"].map(str::to_owned).into_iter());
    for tally in tallies {
        let failed = match (&tally.skipped, tally.failed.as_slice()) {
            (Some(reason), _) => format!("not tried: {}", plain(reason)),
            (None, []) => "none".to_owned(),
            (None, failed) => {
                let all: Vec<_> =
                    failed.iter().map(|(name, reason)| format!("{name}: {}", plain(reason))).collect();
                all.join("; ")
            }
        };
        row(&mut text, &tally.peer, [tally.pairing.clone(), tally.passed.to_string(), failed].into_iter());
    }
    Section { title: "Other SDKs", text }
}

fn cell(found: &Found) -> String {
    match found {
        Found::Works("") => "yes".to_owned(),
        Found::Works(how) => format!("yes, {how}"),
        Found::NotOffered(instead) => format!("*no*: {instead}"),
        Found::Failed(why) => format!("**failed**: {}", plain(why)),
    }
}

/// A line of a table.
pub(super) fn row(text: &mut String, head: &str, cells: impl Iterator<Item = String>) {
    let cells: Vec<String> = cells.collect();
    let _ = writeln!(text, "| {head} | {} |", cells.join(" | "));
}

/// On one line of a table.
pub(super) fn plain(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().collect();
    line.join(" ").replace('|', "\\|")
}
