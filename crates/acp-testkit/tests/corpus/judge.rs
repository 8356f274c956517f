//! What the three opinions on an instance come to.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use acp_testkit::{CanonicalSchema, Failure, round_trip};
use serde_json::Value as Json;

use crate::differences::Rule;
use crate::reading::{Mode, Reading};

#[derive(Debug, Default)]
pub(crate) struct Tally {
    instances: usize,
    not_json: usize,
    accepted: usize,
    refused: usize,
    lenient: usize,
    differences: BTreeMap<(Rule, String), usize>,
    problems: Vec<String>,
}

impl Tally {
    /// Checks that instances which were made to be valid are. Those with a value that came later than this
    /// version of the protocol are only if their enum is open.
    pub(crate) fn valid(&mut self, schema: &CanonicalSchema, definition: &str, texts: &BTreeSet<String>) {
        for text in texts {
            let json: Json = serde_json::from_str(text).unwrap();
            if !schema.accepts(definition, &json) && !text.contains("later_value") {
                self.problems.push(format!("{definition} {text}: made to be valid, but is not"));
            }
        }
    }

    /// Judges one instance.
    pub(crate) fn judge(&mut self, schema: &CanonicalSchema, definition: &str, text: &str) {
        self.instances += 1;
        let written =
            acp_json::parse(text).map_err(Failure::Read).and_then(|node| round_trip("v1", definition, node));
        let Ok(json) = serde_json::from_str::<Json>(text) else {
            self.not_json += 1;
            return self.check(written.is_err(), || format!("{definition} {text}: no JSON, but was read"));
        };
        let valid = schema.accepts(definition, &json);
        let reading = |mode| {
            let mut reading = Reading::new(schema.definitions(), mode);
            (reading.definition(definition, &json), reading.used)
        };
        let (by_schema, _) = reading(Mode::Schema);
        self.check(by_schema.is_some() == valid, || {
            format!("{definition} {text}: the validator says {valid}, the reading {by_schema:?}")
        });
        let (expected, used) = reading(Mode::Reader);
        let found = written.as_ref().ok().map(|text| serde_json::from_str::<Json>(text).unwrap());
        self.check(expected == found, || {
            let found = written.as_ref().map_err(Failure::to_string);
            format!("{definition} {text}: expected {}, found {found:?}", shown(expected.as_ref()))
        });
        if let Ok(once) = &written {
            let again = round_trip("v1", definition, acp_json::parse(once).unwrap());
            self.check(again.as_ref() == Ok(once), || {
                format!("{definition} {text}: read again, {once} became {again:?}")
            });
        }
        self.count(valid, &expected, reading(Mode::Lenient).0 == expected, &used);
    }

    fn count(
        &mut self,
        valid: bool,
        expected: &Option<Json>,
        by_hints_alone: bool,
        used: &BTreeSet<(Rule, &str)>,
    ) {
        match (valid, expected) {
            _ if !by_hints_alone => {
                // Only an instance with a single difference shows that this one is needed.
                if let [(rule, definition)] = used.iter().copied().collect::<Vec<_>>()[..] {
                    *self.differences.entry((rule, definition.to_owned())).or_default() += 1;
                }
            }
            (true, Some(_)) => self.accepted += 1,
            (false, None) => self.refused += 1,
            (false, Some(_)) => self.lenient += 1,
            (true, None) => self.problems.push("valid, and refused without a difference".to_owned()),
        }
    }

    fn check(&mut self, holds: bool, problem: impl FnOnce() -> String) {
        if !holds {
            self.problems.push(problem());
        }
    }

    pub(crate) fn problems(&self) -> &[String] {
        &self.problems
    }

    pub(crate) fn differences(&self) -> BTreeSet<(Rule, String)> {
        self.differences.keys().cloned().collect()
    }

    pub(crate) fn plus(mut self, other: Tally) -> Tally {
        self.instances += other.instances;
        self.not_json += other.not_json;
        self.accepted += other.accepted;
        self.refused += other.refused;
        self.lenient += other.lenient;
        for (difference, count) in other.differences {
            *self.differences.entry(difference).or_default() += count;
        }
        self.problems.extend(other.problems);
        self
    }
}

fn shown(json: Option<&Json>) -> String {
    json.map_or_else(|| "a refusal".to_owned(), Json::to_string)
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { instances, not_json, accepted, refused, lenient, .. } = self;
        writeln!(f, "{instances:>7} instances")?;
        writeln!(f, "{accepted:>7} accepted by the schema and read to the same JSON")?;
        writeln!(f, "{refused:>7} refused by both")?;
        writeln!(f, "{lenient:>7} refused by the schema, read by its lenient hints")?;
        writeln!(f, "{not_json:>7} no JSON, refused")?;
        for ((rule, definition), count) in &self.differences {
            writeln!(f, "{count:>7} {rule:?} in {definition}")?;
        }
        Ok(())
    }
}
