//! Comparison of the three opinions on an instance.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use acp_json::Node;
use acp_testkit::{CanonicalSchema, Failure, round_trip};
use serde_json::Value as Json;

use super::differences::{Facts, Rule};
use super::instances::Instances;
use super::mutations::{mutations, text};
use super::reading::{Mode, Reading};
use super::shape::{arms, is_any};

/// The judges of the types of a version.
#[derive(Clone, Copy)]
pub(crate) struct Judge<'s> {
    pub(crate) schema: &'s CanonicalSchema,
    pub(crate) facts: &'static Facts,
    pub(crate) extent: Extent,
}

/// The part of the mutations that is judged. Values that are made to be valid are always judged:
/// they have every member, arm and limit of every definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All, with `ACP_TESTS=full`.
    Full,
    /// One in eight, and always the same.
    Sample,
}

impl Extent {
    pub(crate) fn of_the_run() -> Self {
        match std::env::var_os("ACP_TESTS").is_some_and(|tests| tests == "full") {
            true => Self::Full,
            false => Self::Sample,
        }
    }

    /// Chooses by a hash of name and text (FNV-1a), so that the choice depends on nothing else.
    fn takes(self, definition: &str, text: &str) -> bool {
        let bytes = definition.bytes().chain(text.bytes());
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        self == Self::Full || (hash >> 32) % 8 == 0
    }
}

impl Judge<'_> {
    /// Judges instances of these definitions.
    pub(crate) fn definitions(self, names: &[&str]) -> Tally {
        let definitions = self.schema.definitions();
        let valid = Instances { definitions, mixed: false };
        let all = Instances { mixed: true, ..valid };
        let mut tally = Tally::default();
        for name in names {
            let mut texts: BTreeSet<String> = valid.branches(&definitions[*name]).iter().map(text).collect();
            texts.extend(valid.full(name).iter().map(text));
            // The values that the schema is known to accept, before any variation.
            self.valid(name, &texts, &mut tally);
            let full = all.full(name);
            texts.extend(full.iter().map(text));
            texts.extend(full.iter().flat_map(mutations).filter(|text| self.extent.takes(name, text)));
            texts.extend(["null", "[]", "{}", "\"other\"", "7", "-1", "{", ""].map(str::to_owned));
            for text in &texts {
                self.instance(name, text, &mut tally);
            }
        }
        tally
    }

    /// Checks that instances which were made to be valid are valid. A value that is newer than this
    /// version of the protocol is valid only in an open enum.
    fn valid(self, definition: &str, texts: &BTreeSet<String>, tally: &mut Tally) {
        for text in texts {
            let json: Json = serde_json::from_str(text).unwrap();
            let valid = self.schema.accepts(definition, &json) || text.contains("later_value");
            tally.check(valid, || format!("{definition} {text}: made to be valid, but is not"));
        }
    }

    fn instance(self, definition: &str, text: &str, tally: &mut Tally) {
        tally.instances += 1;
        let written =
            acp_json::parse(text).map_err(Failure::Read).and_then(|node| self.round_trip(definition, node));
        let Ok(json) = serde_json::from_str::<Json>(text) else {
            tally.not_json += 1;
            // A number above the largest double is still JSON. It is kept wherever anything may
            // stand.
            let is_beyond = serde_json::from_str::<Json>(&text.replace("1e400", "1e300")).is_ok();
            return tally.check(is_beyond || written.is_err(), || {
                format!("{definition} {text}: no JSON, but was read")
            });
        };
        let valid = self.schema.accepts(definition, &json);
        let reading = |mode| {
            let mut reading = Reading::new(self.schema.definitions(), self.facts, mode);
            (reading.definition(definition, &json), reading.used)
        };
        let (by_schema, _) = reading(Mode::Schema);
        tally.check(by_schema.is_some() == valid, || {
            format!("{definition} {text}: the validator says {valid}, the reading {by_schema:?}")
        });
        let (expected, used) = reading(Mode::Reader);
        let found = written.as_ref().ok().map(|text| serde_json::from_str::<Json>(text).unwrap());
        tally.check(expected == found, || {
            let found = written.as_ref().map_err(Failure::to_string);
            format!("{definition} {text}: expected {}, found {found:?}", shown(expected.as_ref()))
        });
        if let Ok(once) = &written {
            self.written(definition, text, once, tally);
        }
        tally.count(valid, &expected, reading(Mode::Lenient).0 == expected, &used);
        #[cfg(feature = "schemars")]
        self.type_schema(definition, &json, valid, written.as_deref().ok(), tally);
    }

    /// Checks the text that was written for an instance: it reads as an equal value, and each
    /// member stands in it once.
    fn written(self, definition: &str, text: &str, once: &String, tally: &mut Tally) {
        let node = acp_json::parse(once).unwrap();
        let schema = &self.schema.definitions()[definition];
        // JSON of any shape is kept as it came, repeats included.
        let free = is_any(schema) || arms(schema).is_some_and(|arms| arms.iter().any(is_any));
        let repeats = match acp_json::parse(text).unwrap() {
            input if repeats_a_member(&input) => !free && names_repeat(&node),
            _ => repeats_a_member(&node),
        };
        tally.check(!repeats, || format!("{definition} {text}: a member is written twice in {once}"));
        let again = self.round_trip(definition, node);
        tally.check(again.as_ref() == Ok(once), || {
            format!("{definition} {text}: read again, {once} became {again:?}")
        });
    }

    fn round_trip(self, definition: &str, node: Node<'_>) -> Result<String, Failure> {
        round_trip(self.facts.version, definition, node)
    }
}

/// The totals of the judgements.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    instances: usize,
    not_json: usize,
    accepted: usize,
    refused: usize,
    lenient: usize,
    differences: BTreeMap<(Rule, String), usize>,
    /// Values that the type's own schema refuses and the canonical one accepts.
    #[cfg(feature = "schemars")]
    pub(crate) narrowed: BTreeMap<(Rule, String), usize>,
    problems: Vec<String>,
}

impl Tally {
    fn count(
        &mut self,
        valid: bool,
        expected: &Option<Json>,
        by_hints_alone: bool,
        used: &BTreeSet<(Rule, &str)>,
    ) {
        match (valid, expected) {
            _ if !by_hints_alone => {
                // A single difference in an instance shows that it is needed.
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

    pub(crate) fn check(&mut self, holds: bool, problem: impl FnOnce() -> String) {
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
        #[cfg(feature = "schemars")]
        for (difference, count) in other.narrowed {
            *self.narrowed.entry(difference).or_default() += count;
        }
        self.problems.extend(other.problems);
        self
    }
}

/// Returns true if a member occurs twice in an object, at any depth. A reader of JSON may take
/// either.
fn repeats_a_member(node: &Node<'_>) -> bool {
    match node {
        Node::Map(members) => names_repeat(node) || members.iter().any(|(_, value)| repeats_a_member(value)),
        Node::Seq(items) => items.iter().any(repeats_a_member),
        _ => false,
    }
}

fn names_repeat(node: &Node<'_>) -> bool {
    let Node::Map(members) = node else { return false };
    members
        .iter()
        .enumerate()
        .any(|(index, (name, _))| members.iter().skip(index + 1).any(|(other, _)| other == name))
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
        #[cfg(feature = "schemars")]
        for ((rule, definition), count) in &self.narrowed {
            writeln!(f, "{count:>7} {rule:?} in the type's own schema of {definition}")?;
        }
        Ok(())
    }
}
