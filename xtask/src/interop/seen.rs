//! The traces of one case, and the questions that its check may ask about them.

use std::fs;
use std::path::PathBuf;
use std::process::ExitStatus;

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::wire::Wire;

#[derive(Debug)]
pub(super) struct Seen {
    /// The scripted client's report; null when the client was ours.
    pub(super) report: Value,
    /// How the client ended, and what it printed.
    pub(super) status: ExitStatus,
    pub(super) stdout: String,
    pub(super) wire: Wire,
    /// The folder the session worked in.
    pub(super) folder: PathBuf,
}

impl Seen {
    /// The stop reasons of all finished turns, from the wire.
    pub(super) fn expect_stops(&self, wanted: &[&str]) -> anyhow::Result<()> {
        let stops = self.wire.stops();
        ensure!(stops == wanted, "the turns ended with {stops:?}, expected {wanted:?}");
        Ok(())
    }

    /// The scripted client finished its scenario, and its SDK understood every update that the
    /// agent sent, in the agent's order and within the turn. Updates of the session itself may come
    /// at any time.
    pub(super) fn expect_understood(&self) -> anyhow::Result<()> {
        if let Some(error) = self.report.get("error") {
            anyhow::bail!("the client met an error: {error}");
        }
        let late =
            self.report.get("late").and_then(Value::as_array).context("the report has no late updates")?;
        let late = kinds(late.iter());
        ensure!(late.is_empty(), "the client saw {late:?} outside of the turns");
        let turns = self.report.get("turns").and_then(Value::as_array).context("the report has no turns")?;
        for (index, turn) in turns.iter().enumerate() {
            let understood = kinds(turn.get("updates").and_then(Value::as_array).into_iter().flatten());
            let sent = kinds(self.wire.updates(index).into_iter());
            ensure!(understood == sent, "turn {index}: the SDK understood {understood:?} of {sent:?}");
        }
        Ok(())
    }

    /// The codes of all error answers, from both sides: which of them comes first may be up to the
    /// two of them.
    pub(super) fn expect_errors(&self, wanted: &[i64]) -> anyhow::Result<()> {
        let mut errors = self.wire.errors();
        errors.sort_unstable();
        let mut wanted = wanted.to_vec();
        wanted.sort_unstable();
        ensure!(errors == wanted, "error answers {errors:?}, expected {wanted:?}");
        Ok(())
    }

    /// All agent message text of a turn.
    pub(super) fn text(&self, turn: usize) -> String {
        let updates = self.wire.updates(turn);
        let chunks = updates.iter().filter(|update| kind(update) == "agent_message_chunk");
        chunks.filter_map(|chunk| chunk.pointer("/content/text").and_then(Value::as_str)).collect()
    }

    pub(super) fn expect_text(&self, turn: usize, wanted: &str) -> anyhow::Result<()> {
        let text = self.text(turn);
        ensure!(text == wanted, "turn {turn} said {text:?}, expected {wanted:?}");
        Ok(())
    }

    pub(super) fn expect_printed(&self, wanted: &str) -> anyhow::Result<()> {
        ensure!(self.stdout.contains(wanted), "`acp` did not print {wanted:?}; it printed {:?}", self.stdout);
        Ok(())
    }

    /// The last status that a turn reported for a tool call, or none when it was not reported.
    pub(super) fn status_of(&self, turn: usize, tool_call: &str) -> Option<String> {
        let updates = self.wire.updates(turn);
        let of_call =
            updates.iter().filter(|update| update.get("toolCallId").is_some_and(|id| id == tool_call));
        let status = of_call.filter_map(|update| update.get("status").and_then(Value::as_str)).next_back();
        status.map(str::to_owned)
    }

    /// The id of the session, when one was made.
    pub(super) fn session(&self) -> Option<String> {
        let made = self.wire.results("session/new").next()?.get("sessionId")?;
        made.as_str().map(str::to_owned)
    }

    /// How it ended, in a few words: for one that did not end as it should.
    pub(super) fn complaint(&self) -> String {
        let ends: Vec<_> =
            self.wire.results("session/prompt").map(|result| result.get("stopReason")).collect();
        let errors = self.wire.error_messages();
        format!("`acp` ended with {}, the turns with {ends:?}, errors {errors:?}", self.status)
    }

    /// The text of a file in the session's folder; none when it does not exist.
    pub(super) fn file(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.folder.join(name)).ok()
    }

    pub(super) fn expect_file(&self, name: &str, wanted: &str) -> anyhow::Result<()> {
        let text = self.file(name);
        ensure!(text.as_deref() == Some(wanted), "{name} holds {text:?}, expected {wanted:?}");
        Ok(())
    }

    /// The outcome that the client answered to the n-th permission request: an option's kind, or
    /// `cancelled`.
    pub(super) fn permission(&self, index: usize) -> anyhow::Result<String> {
        let request = self.wire.calls("session/request_permission").nth(index);
        let request = request.with_context(|| format!("there was no permission request {index}"))?;
        let result = self.wire.results("session/request_permission").nth(index);
        let result = result.with_context(|| format!("permission request {index} got no result"))?;
        let Some(chosen) = result.pointer("/outcome/optionId") else { return Ok("cancelled".into()) };
        let options = request.json.pointer("/params/options").and_then(Value::as_array);
        let option = options.into_iter().flatten().find(|option| option.get("optionId") == Some(chosen));
        let kind = option.and_then(|option| option.get("kind")).and_then(Value::as_str);
        Ok(kind.context("the chosen option was not offered or has no kind")?.to_owned())
    }

    pub(super) fn expect_permissions(&self, wanted: &[&str]) -> anyhow::Result<()> {
        let asked = self.wire.calls("session/request_permission").count();
        let answers = (0..asked).map(|index| self.permission(index)).collect::<anyhow::Result<Vec<_>>>()?;
        ensure!(answers == wanted, "the permissions were answered {answers:?}, expected {wanted:?}");
        Ok(())
    }
}

fn kinds<'a>(updates: impl Iterator<Item = &'a Value>) -> Vec<&'a str> {
    updates.map(kind).filter(|kind| !is_of_the_session(kind)).collect()
}

/// Tells whether updates of this kind describe the session itself, and not a turn.
pub(super) fn is_of_the_session(kind: &str) -> bool {
    const KINDS: [&str; 5] = [
        "available_commands_update",
        "config_option_update",
        "current_mode_update",
        "session_info_update",
        "usage_update",
    ];
    KINDS.contains(&kind)
}

pub(super) fn kind(update: &Value) -> &str {
    update.get("sessionUpdate").and_then(Value::as_str).unwrap_or("(no kind)")
}
