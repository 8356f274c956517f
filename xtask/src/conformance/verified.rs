//! Failures that somebody has compared with the specification: `xtask/conformance/verified.toml`.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, ensure};
use serde::Deserialize;

/// The file, below the root of the project.
pub(super) const FILE: &str = "xtask/conformance/verified.toml";

/// All that was compared.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verified {
    #[serde(default, rename = "finding")]
    findings: Vec<Finding>,
    #[serde(default, rename = "dismissal")]
    dismissals: Vec<Dismissal>,
}

/// A failure that is one by the specification.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Finding {
    rule: String,
    subjects: Vec<String>,
    /// A sentence for the page: what was seen, and what the specification says.
    sentence: String,
}

/// A failure that says nothing about its subject.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Dismissal {
    rule: String,
    subjects: Vec<String>,
    /// A sentence for the page: why not.
    reason: String,
}

impl Verified {
    /// Reads the file.
    ///
    /// # Errors
    /// Fails if it cannot be read, or names a failure twice or without a sentence.
    pub fn read(root: &Path) -> anyhow::Result<Self> {
        let path = root.join(FILE);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("in {}", path.display()))
    }

    /// Reads the text of the file.
    ///
    /// # Errors
    /// See [`Self::read`].
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let verified: Self = toml::from_str(text)?;
        let mut named = Vec::new();
        for (rule, subjects, sentence) in verified.entries() {
            ensure!(!sentence.trim().is_empty(), "`{rule}` has no sentence");
            for subject in subjects {
                let name = (rule, subject.as_str());
                ensure!(!named.contains(&name), "`{rule}` of {subject} is named twice");
                named.push(name);
            }
        }
        Ok(verified)
    }

    /// Returns the sentence about a failure, if it is verified.
    #[must_use]
    pub fn sentence(&self, subject: &str, rule: &str) -> Option<&str> {
        let of_it =
            |finding: &&Finding| finding.rule == rule && finding.subjects.iter().any(|s| s == subject);
        self.findings.iter().find(of_it).map(|finding| finding.sentence.as_str())
    }

    /// Returns true if a failure says nothing about its subject.
    #[must_use]
    pub fn is_dismissed(&self, subject: &str, rule: &str) -> bool {
        self.dismissals
            .iter()
            .any(|dismissal| dismissal.rule == rule && dismissal.subjects.iter().any(|s| s == subject))
    }

    /// Returns the rule, the subjects and the reason of each failure that says nothing.
    pub fn dismissals(&self) -> impl Iterator<Item = (&str, &[String], &str)> {
        self.dismissals.iter().map(|it| (it.rule.as_str(), &*it.subjects, it.reason.as_str()))
    }

    fn entries(&self) -> impl Iterator<Item = (&str, &[String], &str)> {
        let findings = self.findings.iter().map(|it| (it.rule.as_str(), &*it.subjects, it.sentence.as_str()));
        findings.chain(self.dismissals())
    }

    /// Returns entries without a failure: `is_known` tells whether a subject breaks a rule.
    pub fn stale(&self, is_known: impl Fn(&str, &str) -> bool) -> Vec<String> {
        let all = self
            .entries()
            .flat_map(|(rule, subjects, _)| subjects.iter().map(move |subject| (subject.as_str(), rule)));
        all.filter(|(subject, rule)| !is_known(subject, rule))
            .map(|(subject, rule)| format!("{rule} of {subject}"))
            .collect()
    }
}
