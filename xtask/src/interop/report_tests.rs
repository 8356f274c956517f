//! The page says what was found: nothing that failed or was not tried looks as if it worked.

use std::collections::BTreeMap;

use super::matrix::{Column, Tried};
use super::probes::{FEATURES, Feature, Found};
use super::report::{self, Section, Tally};

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
    let page = report::render("", &[report::agents(&columns)]);
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
fn a_command_writes_its_own_sections_and_leaves_the_others() {
    let section = |title, text: &str| Section { title, text: text.to_owned() };
    let first = report::render("", &[section("Agents", "| a |\n"), section("SDKs", "one\n\ntwo")]);
    let second = report::render(&first, &[section("SDKs", "three"), section("Tool", "four")]);
    let whole =
        report::render("", &[section("Agents", "| a |"), section("SDKs", "three"), section("Tool", "four")]);
    assert_eq!(second, whole);
}

#[test]
fn cases_with_other_sdks_are_counted_and_failures_named() {
    let tally = |failed: &[(&str, &str)], skipped: Option<&str>| Tally {
        peer: "python".into(),
        pairing: "agent <- acp".into(),
        passed: 7,
        failed: failed.iter().map(|(name, why)| ((*name).to_owned(), (*why).to_owned())).collect(),
        skipped: skipped.map(str::to_owned),
    };
    let table = [
        (tally(&[], None), "| python | agent <- acp | 7 | none |"),
        (tally(&[("files", "no copy")], None), "| python | agent <- acp | 7 | files: no copy |"),
        (tally(&[], Some("no node")), "| python | agent <- acp | 7 | not tried: no node |"),
    ];
    for (tally, wanted) in table {
        let page = report::render("", &[report::sdks(&[tally])]);
        assert_eq!(line(&page, "| python"), wanted);
    }
}
