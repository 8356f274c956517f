//! The page says what was found: nothing that failed or was not tried looks as if it worked.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::matrix::{Column, Tried};
use super::probes::{FEATURES, Feature, Found};
use super::report;
use super::results::{Agent, Results, Tally};

fn line<'a>(page: &'a str, start: &str) -> &'a str {
    page.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("no line {start:?} in {page}"))
}

#[test]
fn what_works_what_is_not_offered_and_what_fails_are_told_apart() {
    let mut found: BTreeMap<Feature, Found> =
        FEATURES.map(|feature| (feature, Found::Works(""))).into_iter().collect();
    found.insert(Feature::Reads, Found::NotOffered("reads them itself"));
    found.insert(Feature::Refused, Found::Failed("it ran\nall the same | twice".into()));
    found.insert(Feature::Continued, Found::Works("loaded"));
    found.remove(&Feature::Cancelled);
    let columns = [
        Column { agent: "good", tried: Tried::Yes { package: "good-cli 1.2.3".into(), found } },
        Column { agent: "gone", tried: Tried::No("npm has installed nothing".into()) },
    ];
    assert_eq!((columns[0].failures(), columns[1].failures()), (1, 0));
    let agents = columns.iter().map(Agent::new).collect();
    let page = report::render(&Results { agents, ..Results::default() });
    assert_eq!(line(&page, "|  |"), "|  | good |");
    assert_eq!(line(&page, "| package"), "| package | `good-cli 1.2.3` |");
    assert_eq!(line(&page, "| initialize"), "| initialize | yes |");
    assert_eq!(line(&page, "| session resumed"), "| session resumed or loaded | yes, loaded |");
    assert_eq!(line(&page, "| reads"), "| reads files through us | *no*: reads them itself |");
    assert_eq!(
        line(&page, "| tool call, refused"),
        r"| tool call, refused | **failed**: it ran all the same \| twice |"
    );
    assert_eq!(line(&page, "| cancelled"), "| cancelled in mid-turn | not tried |");
    assert_eq!(line(&page, "`gone`"), "`gone` was not tried: npm has installed nothing.");
}

#[test]
fn the_page_is_what_the_results_render_to() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs/INTEROP.md")).unwrap();
    assert!(
        page == report::render(&Results::read(&root).unwrap()),
        "docs/INTEROP.md was changed by hand: the commands that it names write it"
    );
}

fn tally(peer: &str, cases: &[(&str, Option<&str>)], not_tried: Option<&str>) -> Tally {
    let cases = cases.iter().map(|(name, failed)| ((*name).to_owned(), failed.map(str::to_owned)));
    Tally {
        peer: peer.to_owned(),
        pairing: "agent <- acp".into(),
        cases: cases.collect(),
        not_tried: not_tried.map(str::to_owned),
    }
}

#[test]
fn cases_with_other_sdks_are_counted_and_failures_named() {
    let table = [
        (tally("python", &[("one", None), ("two", None)], None), "| python | agent <- acp | 2 | none |"),
        (
            tally("python", &[("one", None), ("files", Some("no\ncopy"))], None),
            "| python | agent <- acp | 1 | files: no copy |",
        ),
        (tally("python", &[], Some("no node")), "| python | agent <- acp | 0 | not tried: no node |"),
    ];
    for (tally, wanted) in table {
        let page = report::render(&Results { sdks: vec![tally], ..Results::default() });
        assert_eq!(line(&page, "| python"), wanted);
    }
}

#[test]
fn what_was_not_run_keeps_its_last_result() {
    let mut results = Results::default();
    let whole = tally("python", &[("one", None), ("two", Some("late"))], None);
    results.add_tally(whole.clone(), true);
    results.add_tally(tally("typescript", &[], Some("no node")), true);
    // A run of some cases replaces those, and no others.
    results.add_tally(tally("python", &[("two", None), ("three", None)], None), false);
    let some = tally("python", &[("one", None), ("two", None), ("three", None)], None);
    assert_eq!(results.sdks[0], some);
    // A run that could not be made replaces nothing.
    results.add_tally(tally("python", &[], Some("no python")), true);
    assert_eq!(results.sdks[0], some);
    assert_eq!(results.sdks[1].not_tried.as_deref(), Some("no node"));
    // A run of all cases forgets cases that are gone.
    results.add_tally(whole.clone(), true);
    assert_eq!(results.sdks[0], whole);
    assert_eq!(results.sdks.len(), 2);

    let tried = |agent| {
        let tried = Tried::Yes { package: "cli 1".into(), found: BTreeMap::new() };
        Agent::new(&Column { agent, tried })
    };
    let gone = |agent| Agent::new(&Column { agent, tried: Tried::No("no npm".into()) });
    for agent in [gone("a"), tried("b"), tried("a"), gone("b")] {
        results.add_agent(agent);
    }
    assert_eq!(results.agents, [tried("a"), tried("b")]);
}
