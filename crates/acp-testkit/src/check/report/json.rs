//! The report for programs.

use serde_json::{Value, json};

use super::Report;
use crate::check::client::with;
use crate::check::verdict::Outcome;
use crate::peer::Way;

impl Report {
    /// Returns the report as JSON. Its form is stable: members may be added, none change or go.
    ///
    /// ```json
    /// {
    ///   "format": 1,
    ///   "protocol": 1,
    ///   "side": "agent",
    ///   "command": ["my-agent"],
    ///   "counts": {"pass": 1, "fail": 1, "not-applicable": 0, "inconclusive": 0},
    ///   "rules": [
    ///     {"id": "v1-rpc-02", "strength": "MUST", "area": "…", "text": "…", "verdict": "pass",
    ///      "scenario": "…"},
    ///     {"id": "v1-rpc-04", "strength": "MUST", "area": "…", "text": "…", "verdict": "fail",
    ///      "scenario": "…", "reason": "…",
    ///      "lines": [{"number": 3, "from": "agent", "text": "{}"}]}
    ///   ]
    /// }
    /// ```
    ///
    /// The member `unreached` is the reason of [`unreached`](Self::unreached), and is absent
    /// without one.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let [pass, fail, not_applicable, inconclusive] = self.counts();
        let json = json!({
            "format": 1,
            "protocol": self.version.number(),
            "side": self.side,
            "command": self.command,
            "counts": {
                "pass": pass, "fail": fail, "not-applicable": not_applicable, "inconclusive": inconclusive,
            },
            "rules": self.outcomes.iter().map(|outcome| rule(outcome, self.side)).collect::<Vec<_>>(),
        });
        match &self.unreached {
            Some(reason) => with(json, "unreached", reason.as_str().into()),
            None => json,
        }
    }
}

fn rule(outcome: &Outcome, side: &str) -> Value {
    let mut json = json!({
        "id": outcome.rule.id,
        "strength": outcome.rule.strength.to_string(),
        "area": outcome.rule.area,
        "text": outcome.rule.text,
        "verdict": outcome.verdict.name(),
        "scenario": outcome.scenario,
    });
    if let Some(reason) = outcome.verdict.reason() {
        json = with(json, "reason", reason.into());
    }
    if !outcome.lines.is_empty() {
        let line = |(number, line): &(usize, crate::peer::Line)| {
            let from = if line.way == Way::Sent { "checker" } else { side };
            json!({"number": number, "from": from, "text": line.text()})
        };
        json = with(json, "lines", outcome.lines.iter().map(line).collect());
    }
    json
}
