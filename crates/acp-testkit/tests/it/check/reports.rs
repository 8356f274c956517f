//! Reports: the text, the JSON, expected failures, and the status.

use acp_testkit::check::{Baseline, Coverage, Status, Unsteady, Version};

use super::mutant::{Base, Fault, recode};
use super::{NONE, check};

/// A correct agent but for the code of one error, which a MUST or a SHOULD rule is about.
const WRONG_CODE: Fault = Fault::Answer("_acp_check/none", |message| recode(message, -32601, -32603));

#[tokio::test(start_paused = true)]
async fn a_failure_shows_the_rule_and_the_lines() {
    let report = check(Base::Full, WRONG_CODE, &["v1-rpc-12", "v1-rpc-13", "v1-tr-04"]).await;
    let text = report.to_string();
    for part in [
        "JSON-RPC envelope and conventions                      0     1     1     0",
        "Transport: stdio and custom                            1     0     0     0",
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

/// A message that tries to end the text that it stands in.
const HOSTILE: Fault = Fault::Answer("_acp_check/none", |message| {
    recode(message, -32601, -32603);
    message["error"]["message"] = "]]></failure><a b=\"&'\">\u{1b}[31m ````\r ``` \u{ffff}| <b>".into();
});

#[tokio::test(start_paused = true)]
async fn junit_is_xml_whatever_the_agent_says() {
    let report = check(Base::Full, HOSTILE, &["v1-rpc-12", "v1-rpc-13", "v1-tr-04"]).await;
    for (strict, failures) in [(false, "0"), (true, "1")] {
        let xml = report.to_junit(strict);
        let document = roxmltree::Document::parse(&xml).unwrap_or_else(|error| panic!("{error}: {xml}"));
        let root = document.root_element();
        let counts = ["tests", "failures", "errors", "skipped"].map(|name| root.attribute(name).unwrap());
        assert_eq!((root.tag_name().name(), counts), ("testsuites", ["3", failures, "0", "1"]));
        let tests: Vec<_> = root.descendants().filter(|node| node.has_tag_name("testcase")).collect();
        let name = tests[0].attribute("name").unwrap();
        assert!(name.starts_with("v1-rpc-12 (SHOULD): A request for an unimplemented method"), "{name}");
        assert_eq!(tests[0].attribute("classname"), Some("JSON-RPC envelope and conventions"));
        let said = tests[0].first_element_child().unwrap();
        assert_eq!(said.tag_name().name(), if strict { "failure" } else { "system-out" });
        let text = said.text().unwrap();
        assert!(text.contains("scenario: methods that nobody has\n"), "{text}");
        assert!(text.contains(r#"]]></failure><a b=\"&'\">"#), "{text}");
        assert!(tests[1].first_element_child().unwrap().has_tag_name("skipped"));
        assert!(tests[2].first_element_child().is_none());
    }
    // An open rule is an error.
    let open = check(Base::Plain, NONE, &["v1-perm-08"]).await.to_junit(false);
    let document = roxmltree::Document::parse(&open).unwrap();
    let error = document.descendants().find(|node| node.has_tag_name("error")).unwrap();
    let reason = "no prompt is set for which the agent asks: `--permission TEXT` sets it, and `--never permission` says \
                  that there is none";
    assert_eq!(error.attribute("message"), Some(reason));
}

#[tokio::test(start_paused = true)]
async fn markdown_keeps_foreign_text_in_its_blocks() {
    let page = check(Base::Full, HOSTILE, &["v1-rpc-12", "v1-rpc-13", "v1-tr-04"]).await.to_markdown();
    for part in [
        "| JSON-RPC envelope and conventions | 0 | 1 | 1 | 0 |\n",
        "| **all** | 1 | 1 | 1 | 0 |\n",
        "\n## Warning: v1-rpc-12 (SHOULD)\n\nA request for an unimplemented method gets `-32601`.\n\n`````text\n",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    // The block begins and ends with more backticks than the agent has sent.
    let outside: String = page.split("`````").step_by(2).collect();
    assert!(!outside.contains("failure>") && outside.contains("## Warning"), "{outside}");
    let open = check(Base::Plain, NONE, &["v1-perm-08"]).await.to_markdown();
    assert!(open.contains("\n## Open: v1-perm-08 "), "{open}");
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

#[tokio::test(start_paused = true)]
async fn verdicts_that_differ_are_counted() {
    let rules = ["v1-rpc-12", "v1-tr-04"];
    let mut runs = vec![check(Base::Full, NONE, &rules).await, check(Base::Full, NONE, &rules).await];
    assert_eq!(Unsteady::among(&runs), []);
    runs.push(check(Base::Full, WRONG_CODE, &rules).await);
    let unsteady = Unsteady::among(&runs);
    let [rule] = unsteady.as_slice() else { panic!("{unsteady:?}") };
    let lines: Vec<_> = rule.to_string().lines().map(str::to_owned).collect();
    assert!(lines[0].starts_with("unsteady v1-rpc-12: A request for an unimplemented method"), "{rule}");
    assert_eq!(lines[1], "  2 of 3 runs: pass");
    assert!(lines[2].starts_with("  1 of 3 runs: fail: _acp_check/none: expected the error"), "{rule}");
}
