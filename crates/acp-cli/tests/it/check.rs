//! `acp check`: the report, its files and the exit status.

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

/// Checks an agent by these options. They end with `--` and its command.
fn check(options: &[&str]) -> (Output, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_acp"))
        .args(["check", "agent"])
        .args(options)
        .output()
        .expect("acp runs");
    let text = String::from_utf8(output.stdout.clone()).expect("UTF-8");
    (output, text)
}

/// A command of an agent that keeps the rules.
const AGENT: [&str; 3] = ["--", env!("CARGO_BIN_EXE_acp"), "demo-agent"];

/// An agent that answers the first request, and then nothing.
#[cfg(unix)]
const ODD: [&str; 4] = [
    "--",
    "sh",
    "-c",
    r#"read line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":7}}'; cat > /dev/null"#,
];

fn with<'a>(options: &[&'a str], agent: &[&'a str]) -> Vec<&'a str> {
    options.iter().chain(agent).copied().collect()
}

#[test]
fn an_agent_that_keeps_the_rules_passes() {
    let rules = ["--rule", "v1-init-04", "--rule", "v1-rpc-12", "--rule", "v1-rpc-16", "--strict"];
    let (output, text) = check(&with(&rules, &AGENT));
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.lines().last().expect("a table").starts_with("all "), "{text}");
}

#[cfg(unix)]
#[test]
fn a_failure_is_shown_written_and_expected() {
    let folder = tempfile::tempdir().expect("a folder");
    let (json, baseline) = (folder.path().join("report.json"), folder.path().join("known"));
    let (junit, markdown) = (folder.path().join("report.xml"), folder.path().join("report.md"));
    let json_option = format!("--json={}", json.display());
    let junit_option = format!("--junit={}", junit.display());
    let markdown_option = format!("--markdown={}", markdown.display());
    let files = [json_option.as_str(), &junit_option, &markdown_option];
    let rules = with(&["--rule", "v1-init-04", "--rule=v1-init-13", "--rule=v1-init-15"], &files);
    let (output, text) = check(&with(&rules, &ODD));
    assert_eq!(output.status.code(), Some(1), "{text}");
    for part in [
        "failure v1-init-04 (MUST): If the requested version is supported, the answer repeats it.",
        "  expected the version 1, seen Some(7)",
        "warning v1-init-15 (SHOULD): ",
        "  again: acp check agent --rule v1-init-13 -- sh -c 'read line; ",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let report: Value = serde_json::from_slice(&fs::read(&json).expect("written")).expect("JSON");
    assert_eq!(report["counts"]["fail"], 3);
    let [junit, markdown] = [junit, markdown].map(|file| fs::read_to_string(file).expect("written"));
    assert!(junit.contains("tests=\"3\" failures=\"2\" errors=\"0\""), "{junit}");
    assert!(junit.contains("again: acp check agent --rule v1-init-04 -- sh -c 'read line; "), "{junit}");
    assert!(markdown.contains("## Failure: v1-init-04 (MUST)"), "{markdown}");

    let known = format!("--baseline={}", baseline.display());
    fs::write(&baseline, "v1-init-04\nv1-init-13\nv1-init-15\n").expect("written");
    let rules = ["--rule=v1-init-04", "--rule=v1-init-13", "--rule=v1-init-15", &known];
    let (output, text) = check(&with(&rules, &ODD));
    assert_eq!(output.status.code(), Some(0), "{text}");
    let (output, text) = check(&with(&["--rule=v1-init-04", &known], &AGENT));
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.ends_with("\nexpected to fail, and passes: v1-init-04\n"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_rule_that_cannot_be_judged_has_a_status_of_its_own() {
    let (output, text) = check(&with(&["--rule=v1-new-01", "--timeout=0.2"], &ODD));
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("\nopen v1-new-01: three sessions"), "{text}");
}

#[test]
fn the_list_needs_no_agent_and_a_wrong_rule_is_named() {
    let (output, text) = check(&["--list"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text.contains("\nPrompt turn ") && text.contains("\nwithout a case:\n"), "{text}");
    let (output, _) = check(&with(&["--rule", "v1-nobody"], &AGENT));
    assert_eq!(output.status.code(), Some(2));
    let problem = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(problem.contains("`--rule v1-nobody`: no such rule of version 1 is judged"), "{problem}");
}

#[test]
fn version_2_has_rules_of_its_own() {
    let rules = ["--protocol=2", "--rule=v2-init-02", "--rule=v2-turn-02", "--rule=v1-tr-04", "--strict"];
    let (output, text) = check(&with(&rules, &AGENT));
    assert_eq!(output.status.code(), Some(0), "{text}");
    let (output, text) = check(&["--list", "--protocol", "2"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text.contains("\nPrompt lifecycle ") && text.contains("\n  v2-state-05: "), "{text}");
    // A rule of another version that does not hold here.
    let (output, _) = check(&with(&["--protocol=2", "--rule=v1-init-04"], &AGENT));
    assert_eq!(output.status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn an_agent_that_does_not_speak_the_version_is_not_judged() {
    let (output, text) = check(&with(&["--protocol=2", "--rule=v2-new-01", "--rule=v2-init-05"], &ODD));
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("the agent does not choose version 2"), "{text}");
}
