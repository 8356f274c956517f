//! `cargo xtask interop mcp`: real MCP servers of both eras, reached in every way, connected by
//! acp-mcp under each policy.
//!
//! The driver (`xtask/interop/mcp-driver`) does whatever a server offers. A case is a row of the
//! compatibility matrix (`rows.rs`) with a server (`peers.rs`); it passes when the driver speaks
//! what it should and understands everything, and when what it has sent is what that row is about
//! (`judge.rs`).

mod judge;
#[cfg(test)]
mod judge_tests;
mod npx;
mod outcome;
mod page;
#[cfg(test)]
mod page_tests;
mod peers;
mod recorder;
#[cfg(test)]
mod recorder_tests;
mod rows;

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use self::judge::{Expected, Report, judge};
use self::outcome::Outcome;
use self::peers::{Binding, PEERS, Peer};
use self::recorder::{Recorder, Sent};
use self::rows::{Client, ROWS, Row, Spoken};
use super::layout::Layout;
use super::print::print;
use super::selection::Selection;
use super::serving::Serving;
use super::{install, process, report, tap};

pub(super) use self::peers::python;

pub(super) const COMMAND: &str = "mcp";

const HELP: &str = "\
cargo xtask interop mcp [options]

Connects real MCP servers by acp-mcp, over stdio, HTTP and HTTP+SSE, as either era and as both. What is missing is installed
from npm, PyPI and crates.io into the git-ignored folder .interop. Servers listen on the loopback device only.

  --only <text>  run the cases whose line contains the text (may be given more than once)
  --write        write what came of it to docs/INTEROP.md";

const LIMIT: Duration = Duration::from_secs(180);

pub(super) fn run(args: &[String]) -> anyhow::Result<()> {
    let Some(selection) = Selection::parse(args, HELP)? else { return print(HELP) };
    let layout = Layout::find()?;
    install::mcp_servers(&layout).context("the servers cannot be installed")?;
    install::mcp_driver(&layout).context("the driver does not build")?;
    let mut outcomes = Vec::new();
    for peer in &PEERS {
        outcomes.extend(try_peer(peer, &selection, &layout)?);
    }
    let prompts = if selection.wants(npx::LINE) { npx::run(&layout)? } else { Vec::new() };
    let failed = outcomes.iter().filter(|outcome| !outcome.has_passed()).count();
    let failed = failed + prompts.iter().filter(|(_, outcome)| outcome.is_err()).count();
    let all = outcomes.len() + prompts.len();
    ensure!(all > 0, "no case matches");
    if selection.write {
        report::update(layout.root(), |results| results.mcp = page::section(&outcomes, &prompts))?;
    }
    print(&format!("{} ok, {failed} failed", all - failed))?;
    ensure!(failed == 0, "{failed} failed; what was said is in .interop/logs/mcp");
    Ok(())
}

/// Tries all rows that are about servers like this one. Over HTTP the same server serves all of
/// them.
fn try_peer(peer: &'static Peer, selection: &Selection, layout: &Layout) -> anyhow::Result<Vec<Outcome>> {
    let line = |row: &Row| format!("{}  {}", row.name, peer.line());
    let rows = ROWS.iter().filter(|row| row.eras.contains(&peer.eras) && selection.wants(&line(row)));
    let rows = rows.collect::<Vec<_>>();
    let mut outcomes = Vec::new();
    if rows.is_empty() {
        return Ok(outcomes);
    }
    let logs = layout.installed("logs/mcp").join(peer.line().replace(", ", "-"));
    if logs.exists() {
        fs::remove_dir_all(&logs)?;
    }
    let serving = match peer.binding {
        Binding::Stdio => Ok(None),
        _ => Serving::start(peer.command(layout), &logs).map(Some).map_err(|error| format!("{error:#}")),
    };
    for row in rows {
        let clients = match &serving {
            Err(error) => row.clients.iter().map(|(client, _)| (*client, Err(error.clone()))).collect(),
            Ok(serving) => try_row(row, peer, serving.as_ref().map(Serving::address), &logs, layout),
        };
        for (client, cell) in &clients {
            let (word, remark) = match cell {
                Ok(remark) => ("ok  ", remark),
                Err(remark) => ("FAIL", remark),
            };
            print(&format!("{word}  {}, {}: {remark}", line(row), client.name()))?;
        }
        outcomes.push(Outcome { row, peer, clients });
    }
    Ok(outcomes)
}

/// Connects all clients of a row at once.
fn try_row(
    row: &'static Row,
    peer: &Peer,
    server: Option<SocketAddr>,
    logs: &Path,
    layout: &Layout,
) -> Vec<(Client, Result<String, String>)> {
    let is_sse = matches!(peer.binding, Binding::Sse(_));
    let try_one = |(client, spoken): (Client, Spoken)| {
        let expected = Expected { client, spoken, is_sse, refusal: peer.refusal };
        let logs = logs.join(format!("{}-{}", row.name, client.name()));
        connect(peer, server, expected, &logs, layout).map_err(|error| format!("{error:#}"))
    };
    thread::scope(|scope| {
        let running = row.clients.iter().map(|one| (one.0, scope.spawn(move || try_one(*one))));
        let running = running.collect::<Vec<_>>();
        let ended = running.into_iter().map(|(client, running)| {
            (client, running.join().unwrap_or_else(|_| Err("the case has panicked".to_owned())))
        });
        ended.collect()
    })
}

fn connect(
    peer: &Peer,
    server: Option<SocketAddr>,
    expected: Expected,
    logs: &Path,
    layout: &Layout,
) -> anyhow::Result<String> {
    fs::create_dir_all(logs)?;
    let recorder = server.map(Recorder::before).transpose()?;
    let mut driver = Command::new(layout.mcp_driver());
    driver.args(expected.client.option());
    let url = |path: &str| recorder.as_ref().map(|recorder| format!("http://{}{path}", recorder.address()));
    match peer.binding {
        Binding::Stdio => {
            let server = peer.command(layout);
            driver.arg("--").args(tap::wrap(logs, &server)?).current_dir(layout.installed("mcp"))
        }
        Binding::Http(path) | Binding::SseAsHttp(path) => driver.args(url(path)),
        Binding::Sse(path) | Binding::HttpAsSse(path) => driver.arg("--sse").args(url(path)),
    };
    let outcome = process::run(driver, LIMIT, logs, None)?;
    let report: Report = serde_json::from_str(outcome.stdout.trim()).context("the driver has no report")?;
    let sent = recorder.as_ref().map_or_else(|| tapped(logs), |recorder| Ok(recorder.sent()))?;
    judge(expected, &report, &sent)
}

/// Reads the messages that the client has sent over stdio.
fn tapped(logs: &Path) -> anyhow::Result<Vec<Sent>> {
    let lines = fs::read_to_string(logs.join(tap::WIRE)).context("the server was never started")?;
    let entries = lines.lines().map(serde_json::from_str::<Value>).collect::<Result<Vec<_>, _>>()?;
    let entries = entries.iter().filter(|entry| entry.get("dir") == Some(&"c2a".into()));
    let sent = entries.map(|entry| {
        let line = entry.get("line").and_then(Value::as_str).unwrap_or_default();
        Ok(Sent { message: serde_json::from_str(line)?, version_header: None })
    });
    sent.collect()
}
