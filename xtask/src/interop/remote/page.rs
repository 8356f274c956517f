//! The section of `docs/INTEROP.md` about remote agents.

use std::fmt::Write as _;

use super::browser::Found;
use super::known;
use super::pairs::{CASES, Outcome};
use super::peers::{SDKS, Sdk, WAYS};
use crate::interop::table::{plain, row};

const HEAD: &str = "\
Clients and servers over WebSocket and HTTP, of this project and of the three official SDKs, and a page in Chromium. All
clients run the same cases: *prompt, streamed* is `initialize`, `session/new` and a prompt whose text must be there before its
answer; *permission*; *cancel*; *two sessions at once*; and *reconnect and load*, a second connection that loads the session of
the first, whose history must be there before the answer. A cell names the cases that fail.\n\n";

/// Writes the section.
pub(super) fn section(outcomes: &[Outcome], in_browser: &Found) -> String {
    let mut text = HEAD.to_owned();
    row(&mut text, "client ↓ server →", columns().map(|(server, way)| format!("{}, {way}", server.name())));
    row(&mut text, "---", columns().map(|_| "---".to_owned()));
    for client in SDKS {
        let cells = columns().map(|(server, way)| {
            let is_it = |outcome: &&Outcome| {
                (outcome.client, outcome.server, outcome.way.name()) == (client, server, way)
            };
            outcomes.iter().find(is_it).map_or_else(|| "not tried".to_owned(), cell)
        });
        row(&mut text, client.name(), cells);
    }
    failures(&mut text, outcomes);
    let _ = write!(text, "\n{}", in_browser.paragraph());
    text
}

/// The columns: each server, by each way.
fn columns() -> impl Iterator<Item = (Sdk, &'static str)> {
    SDKS.into_iter().flat_map(|server| WAYS.into_iter().map(move |way| (server, way.name())))
}

fn cell(outcome: &Outcome) -> String {
    let failed: Vec<_> = outcome.failures().map(|(case, _)| format!("**{}**", title(case))).collect();
    if failed.is_empty() { "yes".to_owned() } else { failed.join(", ") }
}

fn title(case: &str) -> &str {
    CASES.iter().find(|(name, _)| *name == case).map_or(case, |(_, title)| title)
}

/// Lists what fails, with the requests that were refused on the wire.
fn failures(text: &mut String, outcomes: &[Outcome]) {
    for outcome in outcomes.iter().filter(|outcome| outcome.failures().next().is_some()) {
        let _ = write!(text, "\n{}:\n\n", outcome.line());
        for (case, why) in outcome.failures() {
            let reason = known::reason(outcome, case).map(|reason| format!(". {reason}")).unwrap_or_default();
            let _ = writeln!(text, "* {}: {}{reason}", title(case), plain(why));
        }
        let mut shown: Vec<&String> = Vec::new();
        for line in &outcome.refused {
            if !shown.contains(&line) {
                shown.push(line);
                let _ = writeln!(text, "* on the wire: `{}`", line.replace('`', "'"));
            }
        }
    }
}
