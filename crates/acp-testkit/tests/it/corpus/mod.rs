//! The generated types against the canonical schema, over a corpus made from that schema.
//!
//! Three opinions on every instance are compared: a JSON Schema validator, the plain second
//! [`reading`] of the schema, and the types. Without hints and differences the reading must agree
//! with the validator. With them it must agree with the types in verdict and output. The feature
//! `schemars` adds a fourth opinion: the JSON Schema that the type gives of itself.
//!
//! A test run judges one in eight of the mutations. `ACP_TESTS=full` judges all of them, and
//! checks that each listed difference shows.

mod differences;
mod instances;
mod judge;
mod mutations;
mod reading;
mod shape;
#[cfg(feature = "schemars")]
mod type_schemas;
mod v1;
#[cfg(feature = "v2")]
mod v2;

use std::collections::BTreeSet;
use std::thread;

use acp_testkit::{CanonicalSchema, Definition};

use differences::Facts;
use judge::{Extent, Judge, Tally};

#[test]
fn types_of_v1_agree_with_the_canonical_schema() {
    types_agree(&v1::FACTS);
}

#[cfg(feature = "v2")]
#[test]
fn types_of_v2_agree_with_the_canonical_schema() {
    types_agree(&v2::FACTS);
}

fn types_agree(facts: &'static Facts) {
    let schema = CanonicalSchema::load(facts.version).unwrap();
    let known = |name: &str| schema.definitions().contains_key(name);
    if cfg!(feature = "unstable") {
        // The stable schema lacks some of them.
        assert!(facts.names().all(known), "no definition: {:?}", facts.names().find(|name| !known(name)));
    }
    let names = Definition::all(facts.version).unwrap().map(|definition| definition.name());
    let names: Vec<&str> = names.collect();
    let missing = schema.definitions().iter().filter(|(name, _)| !names.contains(&name.as_str()));
    for (name, definition) in missing {
        // Envelopes are left out: their members belong to JSON-RPC.
        assert!(shape::flag(definition, "x-docs-ignore"), "no type for {name}");
    }
    let extent = Extent::of_the_run();
    let halves: Vec<Vec<&str>> =
        (0..2).map(|half| names.iter().copied().skip(half).step_by(2).collect()).collect();
    let tally = thread::scope(|scope| {
        let judge = |names| Judge { schema: &schema, facts, extent }.definitions(names);
        let workers: Vec<_> = halves.iter().map(|names| scope.spawn(move || judge(names))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).fold(Tally::default(), Tally::plus)
    });
    println!("{}\n{tally}", facts.version);
    let problems = tally.problems();
    assert!(problems.is_empty(), "{} problems, the first:\n{}", problems.len(), first_lines(problems));
    let listed: BTreeSet<_> =
        facts.listed().filter(|(_, name)| known(name)).map(|(rule, name)| (rule, name.to_owned())).collect();
    #[cfg(feature = "schemars")]
    type_schemas::show_the_listed_differences(&tally, &listed, extent);
    let shown = tally.differences();
    let unused: Vec<_> = listed.difference(&shown).collect();
    let unlisted: Vec<_> = shown.difference(&listed).collect();
    assert!(
        unused.is_empty() || extent == Extent::Sample,
        "the corpus shows no trace of the differences {unused:?}"
    );
    assert!(unlisted.is_empty(), "differences that are not listed: {unlisted:?}");
}

fn first_lines(problems: &[String]) -> String {
    problems.iter().take(40).map(|problem| format!("{problem}\n")).collect()
}
