//! The page of conformance: it shows the results, and accuses nobody without a check by hand.

use std::path::Path;

use serde_json::{Value, json};
use xtask::conformance::{Results, Verified, contradictions, generate, render};
use xtask::output::Mode;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

#[test]
fn page_and_lines_are_those_of_the_results() {
    generate(root(), Mode::Check).unwrap();
}

#[test]
fn our_programs_break_no_rule_and_each_finding_was_seen() {
    let (results, verified) = (Results::read(root()).unwrap(), Verified::read(root()).unwrap());
    let wrong = contradictions(&results, &verified);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let ours = results.subjects.iter().filter(|subject| subject.runs.len() == 2);
    assert!(ours.count() > 4, "agents are checked by both versions");
}

fn results(group: &str) -> Results {
    let broken = |id: &str, strength: &str| {
        json!({
            "id": id, "strength": strength, "text": "A sentence.", "scenario": "a call", "reason": "hidden words",
            "lines": [{"number": 3, "from": "agent", "message": {"id": 1}}],
        })
    };
    let run = json!({
        "protocol": 1, "date": "2026-11-23", "pass": ["v1-rpc-01"], "not_applicable": [],
        "inconclusive": [{"id": "v1-rpc-02", "reason": "time"}],
        "broken": [broken("v1-rpc-03", "MUST"), broken("v1-rpc-12", "SHOULD"), broken("v1-rpc-16", "fact")],
    });
    let subject = json!({"id": "a", "group": group, "side": "agent", "package": "a 1", "runs": [run]});
    let absent =
        json!({"id": "b", "group": group, "side": "agent", "package": "", "not_run": "gone", "runs": []});
    let all: Value = json!({"format": 1, "subjects": [subject, absent]});
    serde_json::from_value(all).unwrap()
}

const FINDING: &str = r#"
[[finding]]
rule = "v1-rpc-12"
subjects = ["a"]
sentence = "Answered -32603, expected -32601."
"#;

#[test]
fn a_breach_that_nobody_has_verified_is_not_printed() {
    let verified = Verified::parse(FINDING).unwrap();
    let outputs = render(&results("real"), &verified);
    let [page, lines] = outputs.as_slice() else { panic!("{outputs:?}") };
    assert!(
        page.text.contains("| `a` | agent | a 1 | 1 | 1 | 0 | 1 | 1 | 0 | 2 | 2026-11-23 |"),
        "{}",
        page.text
    );
    assert!(page.text.contains("Answered -32603, expected -32601."));
    assert!(!page.text.contains("v1-rpc-03") && !page.text.contains("hidden words"), "{}", page.text);
    assert!(page.text.contains("- `b`: gone."));
    assert_eq!(lines.path, Path::new("docs/conformance/a-v1.ndjson"));
    let line: Value = serde_json::from_str(lines.text.trim()).unwrap();
    assert_eq!(line, json!({"rule": "v1-rpc-12", "number": 3, "from": "agent", "message": {"id": 1}}));
    assert!(contradictions(&results("real"), &verified).is_empty());
}

#[test]
fn others_differ_from_facts_and_what_a_script_decides_is_not_counted() {
    let page = &render(&results("real"), &Verified::default())[0].text;
    assert!(page.contains("| 1 | 1 | 0 | 0 | 1 | 0 | 3 | 2026-11-23 |"), "{page}");
    assert!(page.contains("| [`v1-rpc-16`](rules/v1.md#v1-rpc-16) | A sentence. | `a` |"), "{page}");
    assert!(!page.contains("## Not counted"), "{page}");

    let verified = Verified::parse(
        r#"
        [[dismissal]]
        rule = "v1-rpc-16"
        subjects = ["a"]
        reason = "The script decides it."
        "#,
    );
    let verified = verified.unwrap();
    let page = &render(&results("real"), &verified)[0].text;
    assert!(page.contains("| 1 | 1 | 0 | 0 | 0 | 1 | 3 | 2026-11-23 |"), "{page}");
    assert!(
        page.contains("| [`v1-rpc-16`](rules/v1.md#v1-rpc-16) | `a` | The script decides it. |"),
        "{page}"
    );
    assert!(!page.contains("## Where programs differ"), "{page}");
    assert!(contradictions(&results("real"), &verified).is_empty());
}

#[test]
fn a_breach_of_ours_and_a_finding_about_none_are_errors() {
    let page = &render(&results("ours"), &Verified::default())[0];
    assert!(
        page.text.contains("| `a` | agent | a 1 | 1 | 1 | 2 | 1 | 0 | 0 | 1 | 2026-11-23 |"),
        "{}",
        page.text
    );
    assert_eq!(contradictions(&results("ours"), &Verified::default()).len(), 3);
    let other = Verified::parse(&FINDING.replace("12", "13")).unwrap();
    assert_eq!(contradictions(&results("real"), &other), ["v1-rpc-13 of a"]);
    assert!(Verified::parse(&FINDING.replace("Answered -32603, expected -32601.", " ")).is_err());
    assert!(Verified::parse(&format!("{FINDING}{FINDING}")).is_err());
}
