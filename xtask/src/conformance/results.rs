//! The results of all checks so far: `docs/conformance/results.json`, from which the page is
//! rendered.

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::structure::Texts;
use super::subject::{Group, Side};

/// The file, below the root of the project.
pub(super) const FILE: &str = "docs/conformance/results.json";

/// The results about all subjects, in the order of the page.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Results {
    pub format: u8,
    pub subjects: Vec<Checked>,
}

/// The results about one subject.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checked {
    pub id: String,
    pub group: Group,
    pub side: Side,
    /// The package that it is, with its version.
    pub package: String,
    /// The reason why it was not checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_run: Option<String>,
    pub runs: Vec<Run>,
}

/// The verdicts about a subject by the rules of one version.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    pub protocol: u8,
    pub date: String,
    /// Ids of rules.
    pub pass: Vec<String>,
    /// Ids of rules.
    pub not_applicable: Vec<String>,
    pub inconclusive: Vec<Open>,
    pub broken: Vec<Broken>,
}

/// A rule that could not be judged.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Open {
    pub id: String,
    pub reason: String,
}

/// A rule that was seen to be broken.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Broken {
    pub id: String,
    /// `MUST`, `SHOULD` or `fact`.
    pub strength: String,
    pub text: String,
    pub scenario: String,
    /// The checker's words, without texts of the subject.
    pub reason: String,
    pub lines: Vec<Seen>,
}

/// The structure of a line of the wire.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Seen {
    pub number: u64,
    pub from: String,
    pub message: Value,
}

impl Results {
    /// Reads the file. Without one there are no results.
    ///
    /// # Errors
    /// Fails if it cannot be read or understood.
    pub fn read(root: &Path) -> anyhow::Result<Self> {
        let path = root.join(FILE);
        if !path.exists() {
            return Ok(Self { format: 1, subjects: Vec::new() });
        }
        let json = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&json).with_context(|| format!("cannot understand {}", path.display()))
    }

    /// Returns the text of the file: one that a difference between two runs can be read in.
    ///
    /// # Errors
    /// Never, for results that were read or made.
    pub fn text(&self) -> anyhow::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Takes new results. A subject that could not be checked keeps its earlier ones.
    pub(super) fn add(&mut self, new: Checked) {
        match self.subjects.iter_mut().find(|old| old.id == new.id) {
            Some(old) if new.not_run.is_some() && !old.runs.is_empty() => {}
            Some(old) => *old = new,
            None => self.subjects.push(new),
        }
    }
}

impl Run {
    /// Takes the verdicts out of a report of `acp check`.
    pub(super) fn new(protocol: u8, date: String, report: &Value) -> anyhow::Result<Self> {
        let rules = report["rules"].as_array().context("the report has no rules")?;
        let mut run = Self {
            protocol,
            date,
            pass: Vec::new(),
            not_applicable: Vec::new(),
            inconclusive: Vec::new(),
            broken: Vec::new(),
        };
        for rule in rules {
            let text = |member: &str| rule[member].as_str().unwrap_or_default().to_owned();
            let id = text("id");
            let mut texts = Texts::default();
            let lines: Vec<Seen> = rule["lines"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|line| Seen::new(line, &mut texts))
                .collect();
            let reason = texts.sentence(&text("reason"));
            match text("verdict").as_str() {
                "pass" => run.pass.push(id),
                "not-applicable" => run.not_applicable.push(id),
                "inconclusive" => run.inconclusive.push(Open { id, reason }),
                "fail" => {
                    let (strength, sentence, scenario) = (text("strength"), text("text"), text("scenario"));
                    run.broken.push(Broken { id, strength, text: sentence, scenario, reason, lines });
                }
                other => anyhow::bail!("`{id}` has the unknown verdict `{other}`"),
            }
        }
        Ok(run)
    }
}

impl Seen {
    fn new(line: &Value, texts: &mut Texts) -> Self {
        Self {
            number: line["number"].as_u64().unwrap_or_default(),
            from: line["from"].as_str().unwrap_or_default().to_owned(),
            message: texts.line(line["text"].as_str().unwrap_or_default()),
        }
    }
}

impl Broken {
    /// Tells a warning from a failure.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        self.strength.starts_with("SHOULD")
    }
}

/// The day in UTC, such as `2026-11-23`.
pub(super) fn today() -> String {
    date_of(SystemTime::now())
}

/// The day of a time, in UTC.
pub(super) fn date_of(time: SystemTime) -> String {
    date(time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() / 86_400)
}

/// The date of a day, counted from 1970-01-01. A year begins in March here, so that a leap day is
/// its last one.
fn date(day: u64) -> String {
    let day = day + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, year) = if month < 10 { (month + 3, year) } else { (month - 9, year + 1) };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year)
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn days_have_dates() {
        for (day, expected) in
            [(0, "1970-01-01"), (11_016, "2000-02-29"), (11_017, "2000-03-01"), (20_780, "2026-11-23")]
        {
            assert_eq!(date(day), expected);
        }
    }
}
