//! The cases of a client with a server, and what came of them.

use std::fs;
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde_json::{Map, Value};

use super::exchanges::Recorder;
use super::peers::{Sdk, Way};
use crate::interop::layout::Layout;
use crate::interop::process::{self, Ended};
use crate::interop::serving::Serving;

/// The cases of every client, in its order, and their titles.
pub(super) const CASES: [(&str, &str); 5] = [
    ("turn", "prompt, streamed"),
    ("permission", "permission"),
    ("cancel", "cancel"),
    ("two", "two sessions at once"),
    ("load", "reconnect and load"),
];

/// A client has at most 16 seconds for each case.
const LIMIT: Duration = Duration::from_secs(120);

/// The result of the cases of a client with a server.
pub(super) struct Outcome {
    pub(super) client: Sdk,
    pub(super) server: Sdk,
    pub(super) way: Way,
    /// The reason why the case failed, if it did.
    pub(super) cases: Vec<(&'static str, Option<String>)>,
    /// The requests that the server has refused.
    pub(super) refused: Vec<String>,
}

impl Outcome {
    pub(super) fn line(&self) -> String {
        line(self.client, self.server, self.way)
    }

    pub(super) fn failures(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.cases.iter().filter_map(|(name, failed)| Some((*name, failed.as_deref()?)))
    }

    pub(super) const fn is_about_us(&self) -> bool {
        matches!((self.client, self.server), (Sdk::Ours, _) | (_, Sdk::Ours))
    }
}

pub(super) fn line(client: Sdk, server: Sdk, way: Way) -> String {
    format!("{} -> {}, {}", client.name(), server.name(), way.name())
}

/// Runs the cases of a client with a server of its own.
pub(super) fn run(client: Sdk, server: Sdk, way: Way, layout: &Layout) -> anyhow::Result<Outcome> {
    let slug: String = line(client, server, way)
        .chars()
        .map(|char| if char.is_alphanumeric() { char } else { '-' })
        .collect();
    let logs = layout.installed("logs/remote").join(slug);
    fs::create_dir_all(&logs)?;
    let serving = Serving::start(server.server(layout), &logs.join("server"))?;
    let recorder = Recorder::before(serving.address())?;
    let mut command = client.client(layout);
    command.arg(way.word()).arg(format!("{}://{}/acp", way.word(), recorder.address()));
    let outcome = process::run(command, LIMIT, &logs, None)?;
    if let Ended::TimedOut = outcome.ended {
        bail!("the client is not done after {} s", LIMIT.as_secs());
    }
    let report: Map<String, Value> =
        serde_json::from_str(outcome.stdout.trim()).context("the client's report is not JSON")?;
    let case = |name: &'static str| match report.get(name).and_then(Value::as_str) {
        Some("ok") => (name, None),
        Some(failed) => (name, Some(failed.to_owned())),
        None => (name, Some("the client does not report it".to_owned())),
    };
    let cases = CASES.iter().map(|(name, _)| case(name)).collect();
    Ok(Outcome { client, server, way, cases, refused: recorder.refused() })
}
