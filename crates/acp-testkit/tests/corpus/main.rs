//! The generated types against the canonical schema, over a corpus made from that schema.
//!
//! Three opinions on every instance: a JSON Schema validator, the plain second [`reading`] of the schema, and
//! the types. Without hints and differences the reading must agree with the validator; with them it must
//! agree with the types, verdict and output alike.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test stops at a broken assumption, and shows its totals with --nocapture"
)]

mod differences;
mod instances;
mod judge;
mod mutations;
mod reading;
mod shape;

use std::collections::BTreeSet;
use std::thread;

use acp_testkit::{CanonicalSchema, Definition};

use differences::DIFFERENCES;
use instances::Instances;
use judge::Tally;
use mutations::{mutations, text};

#[test]
fn types_agree_with_the_canonical_schema() {
    let schema = CanonicalSchema::v1().unwrap();
    let names: Vec<&str> = Definition::all("v1").unwrap().map(|definition| definition.name()).collect();
    let halves: Vec<Vec<&str>> =
        (0..2).map(|half| names.iter().copied().skip(half).step_by(2).collect()).collect();
    let tally = thread::scope(|scope| {
        let workers: Vec<_> =
            halves.iter().map(|names| scope.spawn(|| judge_definitions(&schema, names))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).fold(Tally::default(), Tally::plus)
    });
    println!("{tally}");
    let problems = tally.problems();
    assert!(problems.is_empty(), "{} problems, the first:\n{}", problems.len(), first_lines(problems));
    let listed: BTreeSet<_> = DIFFERENCES
        .iter()
        .flat_map(|difference| {
            difference.definitions.iter().map(|name| (difference.rule, (*name).to_owned()))
        })
        .collect();
    let shown = tally.differences();
    let unused: Vec<_> = listed.difference(&shown).collect();
    let unlisted: Vec<_> = shown.difference(&listed).collect();
    assert!(unused.is_empty(), "the corpus shows no trace of the differences {unused:?}");
    assert!(unlisted.is_empty(), "differences that are not listed: {unlisted:?}");
}

fn judge_definitions(schema: &CanonicalSchema, names: &[&str]) -> Tally {
    let definitions = schema.definitions();
    let instances = Instances { definitions };
    let mut tally = Tally::default();
    for name in names {
        let full = instances.full(name);
        let mut texts: BTreeSet<String> = instances.branches(&definitions[*name]).iter().map(text).collect();
        texts.extend(full.iter().map(text));
        // What the schema is known to accept, before anything is varied.
        tally.valid(schema, name, &texts);
        texts.extend(full.iter().flat_map(mutations));
        texts.extend(["null", "[]", "{}", "\"other\"", "7", "-1", "{", ""].map(str::to_owned));
        for text in &texts {
            tally.judge(schema, name, text);
        }
    }
    tally
}

fn first_lines(problems: &[String]) -> String {
    problems.iter().take(40).map(|problem| format!("{problem}\n")).collect()
}
