//! `acp prompt --mcp` as a person types it: the agent is the example `mcp_agent`, and npx starts
//! the MCP server.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use crate::interop::case::NOTES;
use crate::interop::layout::Layout;
use crate::interop::print::print;
use crate::interop::process::{self, Ended};
use crate::interop::seen::Seen;
use crate::interop::wire::Wire;
use crate::interop::{install, tap};

const LIMIT: Duration = Duration::from_secs(180);

/// The line that `--only` looks for.
pub(super) const LINE: &str = "acp prompt --mcp, server-filesystem by npx";

/// The package is there already, in the folder of the servers: nothing is fetched.
const SERVER: &str = "files=npx --no @modelcontextprotocol/server-filesystem root";

/// The name of a case, and its result.
pub(super) type Tried = (&'static str, Result<(), String>);

struct Case {
    name: &'static str,
    tool: &'static str,
    /// Where it reads, from the folder of the servers.
    path: Option<&'static str>,
    check: fn(&Seen) -> anyhow::Result<()>,
}

const CASES: [Case; 3] = [
    Case { name: "lists the tools", tool: "tools", path: None, check: lists },
    Case { name: "reads a file", tool: "files__read_text_file", path: Some("root/notes.txt"), check: reads },
    Case {
        name: "is refused a file that is elsewhere",
        tool: "files__read_text_file",
        path: Some("package.json"),
        check: is_refused,
    },
];

pub(super) fn run(layout: &Layout) -> anyhow::Result<Vec<Tried>> {
    install::our_binaries(&BTreeSet::from(["acp", "mcp_agent"]), layout)
        .context("our own binaries do not build")?;
    let folder = layout.installed("mcp").canonicalize()?;
    fs::write(folder.join("root/notes.txt"), NOTES)?;
    let mut tried = Vec::new();
    for case in &CASES {
        let outcome = case.run(&folder, layout).map_err(|error| format!("{error:#}"));
        let (word, why) = match &outcome {
            Ok(()) => ("ok  ", String::new()),
            Err(why) => ("FAIL", format!(": {why}")),
        };
        print(&format!("{word}  {LINE}  {}{why}", case.name))?;
        tried.push((case.name, outcome));
    }
    Ok(tried)
}

impl Case {
    fn run(&self, folder: &Path, layout: &Layout) -> anyhow::Result<()> {
        let logs = layout.installed("logs/mcp/npx").join(self.name.replace(' ', "-"));
        if logs.exists() {
            fs::remove_dir_all(&logs)?;
        }
        fs::create_dir_all(&logs)?;
        let arguments = self.path.map(|path| json!({ "path": folder.join(path) }).to_string());
        let prompt = format!("{} {}", self.tool, arguments.unwrap_or_default());
        let agent = Command::new(layout.our_binary("mcp_agent"));
        let mut acp = Command::new(layout.our_binary("acp"));
        acp.args(["prompt", prompt.trim(), "--mcp", SERVER, "--cwd"]).arg(folder);
        acp.arg("--").args(tap::wrap(&logs, &agent)?).current_dir(folder);
        let outcome = process::run(acp, LIMIT, &logs, None)?;
        let Ended::Exited(status) = outcome.ended else {
            anyhow::bail!("not done after {} s", LIMIT.as_secs())
        };
        let seen = Seen {
            report: Value::Null,
            status,
            stdout: outcome.stdout,
            wire: Wire::read(&logs)?,
            folder: folder.to_owned(),
        };
        seen.wire.check()?;
        ensure!(seen.status.success(), "{}", seen.complaint());
        seen.expect_stops(&["end_turn"])?;
        (self.check)(&seen)
    }
}

fn lists(seen: &Seen) -> anyhow::Result<()> {
    ["files__read_text_file", "files__write_file", "files__list_directory"]
        .iter()
        .try_for_each(|tool| seen.expect_printed(tool))
}

fn reads(seen: &Seen) -> anyhow::Result<()> {
    expect_call(seen, "completed")?;
    seen.expect_printed(NOTES.trim_end())
}

fn is_refused(seen: &Seen) -> anyhow::Result<()> {
    expect_call(seen, "failed")?;
    seen.expect_printed("Access denied")
}

/// There is one tool call, and this became of it.
fn expect_call(seen: &Seen, wanted: &str) -> anyhow::Result<()> {
    let updates = seen.wire.updates(0);
    let calls: BTreeSet<&str> =
        updates.iter().filter_map(|update| update.get("toolCallId")?.as_str()).collect();
    let [call] = calls.iter().copied().collect::<Vec<_>>()[..] else {
        anyhow::bail!("not one tool call but {calls:?}")
    };
    let status = seen.status_of(0, call);
    ensure!(status.as_deref() == Some(wanted), "the tool call is {status:?} instead of {wanted}");
    Ok(())
}
