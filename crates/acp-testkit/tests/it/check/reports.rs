//! Reports: the text, the JSON, expected failures, and the status.

use acp_testkit::check::{Baseline, Coverage, Status, Version};

use super::mutant::{Base, Fault, recode};
use super::{NONE, check};

/// A correct agent but for the code of one error, which a MUST or a SHOULD rule is about.
const WRONG_CODE: Fault = Fault::Answer("_acp_check/none", |message| recode(message, -32601, -32603));

#[tokio::test(start_paused = true)]
async fn a_failure_shows_the_rule_and_the_lines() {
    let report = check(Base::Full, WRONG_CODE, &["v1-rpc-12", "v1-rpc-13", "v1-tr-04"]).await;
    let text = report.to_string();
    for part in [
        "JSON-RPC envelope and conventions                  0     1     1     0",
        "Transport: stdio and custom                        1     0     0     0",
        "warning v1-rpc-12 (SHOULD): A request for an unimplemented method gets `-32601`.",
        "  scenario: methods that nobody has",
        "  _acp_check/none: expected the error [-32601], seen the error -32603",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    for (way, part) in [("→ {", "\"method\":\"_acp_check/none\""), ("← {", "\"code\":-32603")] {
        let has = |line: &str| line.contains(way) && line.contains("\"id\":2") && line.contains(part);
        assert!(text.lines().any(has), "{part}\n{text}");
    }
    assert!(!text.contains("again:"), "there is no command: {text}");
    assert_eq!((report.status(false), report.status(true)), (Status::Passed, Status::Failed));
}

#[tokio::test(start_paused = true)]
async fn the_json_has_a_row_for_each_rule() {
    let json = check(Base::Full, WRONG_CODE, &["v1-rpc-12", "v1-tr-04"]).await.to_json();
    assert_eq!((&json["format"], &json["protocol"], &json["side"]), (&1.into(), &1.into(), &"agent".into()));
    assert_eq!((&json["counts"]["pass"], &json["counts"]["fail"]), (&1.into(), &1.into()));
    let rules = json["rules"].as_array().unwrap();
    assert_eq!(rules.len(), 2);
    assert_eq!((&rules[0]["id"], &rules[0]["verdict"]), (&"v1-rpc-12".into(), &"fail".into()));
    let lines = rules[0]["lines"].as_array().unwrap();
    assert_eq!(lines[0]["from"], "checker");
    assert!(
        lines.iter().any(|line| line["from"] == "agent" && line["text"].as_str().unwrap().contains("-32603"))
    );
    assert_eq!((&rules[1]["verdict"], rules[1].get("reason")), (&"pass".into(), None));
}

#[tokio::test(start_paused = true)]
async fn an_expected_failure_is_none_and_one_that_passes_is_named() {
    let mut report = check(Base::Full, WRONG_CODE, &["v1-rpc-12", "v1-rpc-14"]).await;
    assert_eq!(Baseline::of(&report), "v1-rpc-12\n");
    let baseline = Baseline::parse("# known\n v1-rpc-12 # the code\n\nv1-rpc-14\nv1-rpc-19\n");
    assert_eq!(baseline.apply(&mut report), ["v1-rpc-14"]);
    assert_eq!(report.status(true), Status::Passed);
    assert!(report.outcome("v1-rpc-12").is_none());
    // A failure that nobody expects stays one.
    let mut report = check(Base::Full, WRONG_CODE, &["v1-rpc-12"]).await;
    assert!(Baseline::default().apply(&mut report).is_empty());
    assert_eq!(report.status(true), Status::Failed);
}

#[tokio::test(start_paused = true)]
async fn an_open_rule_has_a_status_of_its_own() {
    let report = check(Base::Plain, NONE, &["v1-perm-08"]).await;
    assert_eq!(report.status(false), Status::Inconclusive);
    assert!(report.to_string().contains("\nopen v1-perm-08: a permission request"), "{report}");
    assert_eq!([Status::Passed, Status::Failed, Status::Inconclusive].map(Status::exit_code), [0, 1, 3]);
}

#[test]
fn the_coverage_names_the_rules_without_a_case() {
    let coverage = Coverage::of_agents(Version::V1);
    let text = coverage.to_string();
    assert!(text.contains("\nPrompt turn "), "{text}");
    for rule in &coverage.missing {
        let reason = rule.unchecked.as_deref().expect("a rule without a case has a reason");
        assert!(text.contains(&format!("\n  {}: {reason}\n", rule.id)), "{text}");
    }
}
