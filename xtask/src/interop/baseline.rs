//! Which scenarios of the conformance tool are expected to fail, and why.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, ensure};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    expected: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    revision: String,
    reason: String,
    scenarios: Vec<String>,
}

/// Reasons, by revision and scenario.
#[derive(Debug, Default)]
pub(super) struct Baseline(BTreeMap<(String, String), String>);

/// The meaning of a scenario's result.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Meaning<'a> {
    Passed,
    /// It fails, for this reason.
    Expected(&'a str),
    /// It fails, and nobody knew.
    Failed,
    /// It passes although it is listed.
    PassesNow,
}

impl Baseline {
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("in {}", path.display()))
    }

    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let file: File = toml::from_str(text)?;
        let mut reasons = BTreeMap::new();
        for Entry { revision, reason, scenarios } in file.expected {
            ensure!(!reason.trim().is_empty(), "an entry of {revision} has no reason");
            for scenario in scenarios {
                let earlier = reasons.insert((revision.clone(), scenario.clone()), reason.clone());
                ensure!(earlier.is_none(), "`{scenario}` of {revision} is listed twice");
            }
        }
        Ok(Self(reasons))
    }

    pub(super) fn meaning(&self, revision: &str, scenario: &str, has_passed: bool) -> Meaning<'_> {
        match (self.0.get(&(revision.to_owned(), scenario.to_owned())), has_passed) {
            (None, true) => Meaning::Passed,
            (None, false) => Meaning::Failed,
            (Some(_), true) => Meaning::PassesNow,
            (Some(reason), false) => Meaning::Expected(reason),
        }
    }

    /// Entries that are about nothing: `is_known` says whether a revision has a scenario.
    pub(super) fn unknown(&self, is_known: impl Fn(&str, &str) -> bool) -> Vec<String> {
        let unknown = self.0.keys().filter(|(revision, scenario)| !is_known(revision, scenario));
        unknown.map(|(revision, scenario)| format!("{revision} {scenario}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        [[expected]]
        revision = "2026-07-28"
        reason = "not built yet"
        scenarios = ["auth/a", "gone"]
    "#;

    #[test]
    fn only_what_is_listed_may_fail_and_it_has_to() {
        let baseline = Baseline::parse(FILE).unwrap();
        for (revision, scenario, has_passed, meaning) in [
            ("2026-07-28", "tools_call", true, Meaning::Passed),
            ("2026-07-28", "tools_call", false, Meaning::Failed),
            ("2026-07-28", "auth/a", false, Meaning::Expected("not built yet")),
            ("2026-07-28", "auth/a", true, Meaning::PassesNow),
            ("2025-11-25", "auth/a", false, Meaning::Failed),
        ] {
            assert_eq!(baseline.meaning(revision, scenario, has_passed), meaning, "{revision} {scenario}");
        }
        assert_eq!(baseline.unknown(|_, scenario| scenario == "auth/a"), ["2026-07-28 gone"]);
    }

    #[test]
    fn a_file_that_contradicts_itself_is_refused() {
        let twice = format!("{FILE}{FILE}");
        let no_reason = FILE.replace("not built yet", " ");
        let misspelt = FILE.replace("reason", "raeson");
        for (text, complaint) in [
            (&twice, "`auth/a` of 2026-07-28 is listed twice"),
            (&no_reason, "an entry of 2026-07-28 has no reason"),
            (&misspelt, "unknown field"),
        ] {
            let error = Baseline::parse(text).unwrap_err().to_string();
            assert!(error.contains(complaint), "{error}");
        }
    }
}
