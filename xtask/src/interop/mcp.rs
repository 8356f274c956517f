//! `cargo xtask interop mcp`: real MCP servers on stdio, of both eras and of both, connected by acp-mcp under each policy.
//!
//! The driver (`xtask/interop/mcp-driver`) does whatever a server offers; a case passes when it speaks what it should, and
//! understands everything.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use serde::Deserialize;

use super::layout::Layout;
use super::{install, print, process, report};

pub(super) const COMMAND: &str = "mcp";

const HELP: &str = "\
cargo xtask interop mcp [--write]

Connects real MCP servers by acp-mcp, as either era and as both. What is missing is installed from npm and PyPI into the
git-ignored folder .interop. --write keeps what came of it in docs/INTEROP.md.";

const LIMIT: Duration = Duration::from_secs(180);

/// A server, and what it is written in.
struct Peer {
    name: &'static str,
    program: Program,
    args: &'static [&'static str],
    era: Eras,
}

enum Program {
    Node,
    /// The virtual environment of this name.
    Python(&'static str),
}

#[derive(Clone, Copy)]
enum Eras {
    Legacy,
    Modern,
    Both,
}

const PEERS: [Peer; 6] = [
    Peer {
        name: "server-everything 2026.8.31",
        program: Program::Node,
        args: &["node_modules/@modelcontextprotocol/server-everything/dist/index.js"],
        era: Eras::Legacy,
    },
    Peer {
        name: "server-filesystem 2026.8.31",
        program: Program::Node,
        args: &["node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", "root"],
        era: Eras::Legacy,
    },
    Peer {
        name: "TypeScript SDK 2.4.0, both eras",
        program: Program::Node,
        args: &["server.mjs", "serve"],
        era: Eras::Both,
    },
    Peer {
        name: "TypeScript SDK 2.4.0, modern only",
        program: Program::Node,
        args: &["server.mjs", "reject"],
        era: Eras::Modern,
    },
    Peer {
        name: "Python SDK 1.30.0",
        program: Program::Python("v1"),
        args: &["server_v1.py"],
        era: Eras::Legacy,
    },
    Peer {
        name: "Python SDK 2.3.0",
        program: Program::Python("v2"),
        args: &["server_v2.py"],
        era: Eras::Both,
    },
];

/// The option of the driver for each policy.
const POLICIES: [&[&str]; 3] = [&[], &["--legacy"], &["--modern"]];

/// What came of a server under each policy.
pub(super) struct Row {
    pub(super) server: &'static str,
    pub(super) cells: Vec<Result<String, String>>,
}

#[derive(Deserialize)]
struct Report {
    spoken: Option<String>,
    called: Vec<String>,
    got: Vec<String>,
    read: Vec<String>,
    failures: Vec<String>,
}

pub(super) fn run(args: &[String]) -> anyhow::Result<()> {
    let is_written = match args {
        [] => false,
        [write] if write == "--write" => true,
        [help] if help == "--help" || help == "-h" => return print(HELP),
        _ => bail!("unknown options\n\n{HELP}"),
    };
    let layout = Layout::find()?;
    install::mcp_servers(&layout).context("the servers cannot be installed")?;
    install::mcp_driver(&layout).context("the driver does not build")?;
    let (mut rows, mut failed) = (Vec::new(), 0);
    for peer in &PEERS {
        let mut cells = Vec::new();
        for options in POLICIES {
            let cell = try_with(peer, options, &layout).map_err(|error| format!("{error:#}"));
            let (word, remark) = match &cell {
                Ok(remark) => ("ok  ", remark),
                Err(remark) => ("FAIL", remark),
            };
            failed += usize::from(cell.is_err());
            print(&format!("{word}  {}  {}: {remark}", peer.name, options.first().unwrap_or(&"--auto")))?;
            cells.push(cell);
        }
        rows.push(Row { server: peer.name, cells });
    }
    if is_written {
        report::update(layout.root(), &[report::mcp_servers(&rows)])?;
    }
    ensure!(failed == 0, "{failed} failed; what was said is in .interop/logs/mcp");
    Ok(())
}

fn try_with(peer: &Peer, options: &[&str], layout: &Layout) -> anyhow::Result<String> {
    let folder = layout.installed("mcp");
    let mut command = Command::new(layout.mcp_driver());
    command.args(options).arg("--");
    match peer.program {
        Program::Node => command.arg("node"),
        Program::Python(environment) => command.arg(python(&folder.join(environment))),
    };
    command.args(peer.args).current_dir(&folder);
    let logs = layout.installed("logs/mcp").join(format!("{}{}", peer.name, options.concat()));
    fs::create_dir_all(&logs)?;
    let outcome = process::run(command, LIMIT, &logs, None)?;
    let report: Report = serde_json::from_str(outcome.stdout.trim()).context("the driver has no report")?;
    judge(peer.era, options, &report)
}

pub(super) fn python(environment: &Path) -> std::path::PathBuf {
    environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
}

fn judge(era: Eras, options: &[&str], report: &Report) -> anyhow::Result<String> {
    let expected = match (era, options) {
        (Eras::Legacy, ["--modern"]) | (Eras::Modern, ["--legacy"]) => None,
        (Eras::Legacy, _) | (Eras::Both, ["--legacy"]) => Some("legacy 2025-11-25"),
        _ => Some("modern 2026-07-28"),
    };
    ensure!(
        report.spoken.as_deref() == expected,
        "speaks {:?} instead of {expected:?}: {:?}",
        report.spoken,
        report.failures
    );
    let Some(spoken) = expected else {
        ensure!(report.failures.len() == 1, "it says nothing of why: {:?}", report.failures);
        return Ok("not connected, and said why".to_owned());
    };
    ensure!(report.failures.is_empty(), "{:?}", report.failures);
    ensure!(!report.called.is_empty(), "it has no tools");
    let counts =
        [(report.called.len(), "tools"), (report.got.len(), "prompts"), (report.read.len(), "resources")];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, of)| format!("{of} {count}")).collect();
    Ok(format!("{spoken}; {}", counts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(spoken: Option<&str>, called: &[&str], failures: &[&str]) -> Report {
        let all = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let spoken = spoken.map(str::to_owned);
        Report { spoken, called: all(called), got: all(&["p"]), read: all(&[]), failures: all(failures) }
    }

    #[test]
    fn a_server_is_spoken_to_as_the_policy_wants_or_not_at_all() {
        let (new, old) = (Some("modern 2026-07-28"), Some("legacy 2025-11-25"));
        for (era, options, report, verdict) in [
            (Eras::Both, &[][..], report(new, &["t"], &[]), Ok("modern 2026-07-28; tools 1, prompts 1")),
            (Eras::Both, &["--legacy"][..], report(new, &["t"], &[]), Err("instead of")),
            (Eras::Legacy, &[][..], report(old, &["t"], &["p: not understood"]), Err("not understood")),
            (Eras::Legacy, &[][..], report(old, &[], &[]), Err("no tools")),
            (Eras::Legacy, &["--modern"][..], report(None, &[], &["why"]), Ok("not connected, and said why")),
            (Eras::Legacy, &["--modern"][..], report(None, &[], &[]), Err("nothing of why")),
            (Eras::Modern, &["--legacy"][..], report(old, &["t"], &[]), Err("instead of None")),
        ] {
            match (judge(era, options, &report), verdict) {
                (Ok(remark), Ok(wanted)) => assert_eq!(remark, wanted),
                (Err(error), Err(wanted)) => assert!(error.to_string().contains(wanted), "{error}"),
                (judged, wanted) => panic!("{judged:?} instead of {wanted:?}"),
            }
        }
    }
}
