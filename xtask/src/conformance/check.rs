//! One run of `acp check`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde_json::Value;

use super::leftovers;
use super::results::{Run, date_of, today};
use super::start;
use super::subject::Subject;
use crate::interop::layout::Layout;
use crate::interop::process::{self, Ended};
use crate::interop::recipes::Recipes;

/// The checker has limits of its own, so this one is for a checker that hangs.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// The report of a run, in the folder of its logs.
const REPORT: &str = "report.json";

/// A file of every session's folder, for agents that change it.
const NOTES: &str = "bread\n";

/// Checks a subject by the rules of one version.
pub(super) fn run(
    subject: &Subject,
    protocol: u8,
    layout: &Layout,
    recipes: Option<&Recipes>,
) -> anyhow::Result<Run> {
    let logs = logs(subject, protocol, layout);
    fs::create_dir_all(&logs)?;
    let json = logs.join(REPORT);
    if json.exists() {
        fs::remove_file(&json)?;
    }
    let folder = tempfile::tempdir()?;
    let cwd = folder.path().canonicalize()?;
    fs::write(cwd.join("notes.txt"), NOTES)?;
    let own = tempfile::tempdir()?;
    let mark = format!("{}-{}-{protocol}", std::process::id(), subject.id);
    let mut check = start::checker(subject, layout, recipes)?;
    check.args(["check", subject.side.word(), "--json"]).arg(&json).arg("--cwd").arg(&cwd);
    check.args(["--protocol", &protocol.to_string()]).env("ACP_PROTOCOL", protocol.to_string());
    let words: Vec<OsString> = start::words(subject, protocol, layout, own.path())?;
    check.args(subject.options(protocol)).arg("--").args(words).current_dir(&cwd);
    check.env(leftovers::VARIABLE, &mark);
    let outcome = process::run(check, LIMIT, &logs, None);
    let left = leftovers::end(&mark);
    if left > 0 {
        eprintln!("      {left} process(es) of {} outlived the check and were ended", subject.id);
    }
    match outcome?.ended {
        Ended::TimedOut => bail!("the check was not done after {} s", LIMIT.as_secs()),
        Ended::Exited(_) if json.exists() => {}
        Ended::Exited(status) => bail!("`acp check` ended with {status} without a report"),
    }
    read(&json, protocol, today())
}

/// Takes the results from the report of the last run.
pub(super) fn again(subject: &Subject, protocol: u8, layout: &Layout) -> anyhow::Result<Run> {
    let json = logs(subject, protocol, layout).join(REPORT);
    let day = fs::metadata(&json).and_then(|file| file.modified());
    read(&json, protocol, date_of(day.context("a report is missing")?))
}

fn logs(subject: &Subject, protocol: u8, layout: &Layout) -> PathBuf {
    layout.installed("logs/conformance").join(format!("{}-v{protocol}", subject.id))
}

fn read(json: &Path, protocol: u8, date: String) -> anyhow::Result<Run> {
    let text = fs::read_to_string(json).with_context(|| format!("cannot read {}", json.display()))?;
    let report: Value =
        serde_json::from_str(&text).with_context(|| format!("cannot understand {}", json.display()))?;
    Run::new(protocol, date, &report)
}
