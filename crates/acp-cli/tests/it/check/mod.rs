//! `acp check`: the report, its files and the exit status.

#[cfg(unix)]
mod again;
#[cfg(unix)]
mod servers;

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

/// Not even a status that CI allows for open rules hides a wrong command.
#[cfg(unix)]
#[test]
fn an_agent_that_never_initializes_is_an_error_with_its_last_words() {
    for (agent, reason) in [
        (&["--", "sh", "-c", "echo no key >&2; exit 3"][..], "status 3; its last words on stderr:\nno key\n"),
        (&["--", "/acp-check/none"], "it does not start: No such file or directory (os error 2)\n"),
    ] {
        let (output, text) = check(&with(&["--rule=v1-new-01", "--rule=v1-new-03"], agent));
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.ends_with(reason) && !text.contains("\nopen "), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn a_profile_leads_the_agent_to_the_stub_and_has_prompts() {
    let folder = tempfile::tempdir().expect("a folder");
    let (profile, seen) = (folder.path().join("own.toml"), folder.path().join("seen"));
    let text = "name = 'own'\nprivate_home = true\nenv = { BASE = '{url}' }\n\
                prompts = { endless = 'wait in {cwd}' }\n";
    fs::write(&profile, text).expect("written");
    // It writes down its environment, opens a session, writes down the prompt, and ends the turn.
    let answer = |id: u8, result: &str| {
        format!("echo '{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{{result}}}}}'; ")
    };
    let script = format!(
        "echo \"$BASE $HOME\" >> '{0}'; read line; {1}read line; {2}read line; echo \"$line\" >> '{0}'; {3}\
         cat > /dev/null",
        seen.display(),
        answer(1, "\"protocolVersion\":1"),
        answer(2, "\"sessionId\":\"s\""),
        answer(3, "\"stopReason\":\"end_turn\""),
    );
    let profile_option = format!("--profile={}", profile.display());
    let options = ["--rule=v1-cancel-05", &profile_option, "--cwd=/", "--", "sh", "-c", &script];
    let (output, text) = check(&options);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("the turn has ended before its first update"), "{text}");
    let seen = fs::read_to_string(&seen).expect("written");
    let (environment, prompt) = seen.split_once('\n').expect("two lines");
    let (base, home) = environment.split_once(' ').expect("two values");
    assert!(base.starts_with("http://127.0.0.1:") && !std::path::Path::new(home).exists(), "{environment}");
    assert!(prompt.contains("\"text\":\"wait in /\""), "{prompt}");

    for (value, problem) in [
        ("nobody", "`--profile nobody`: it must be a file, or one of claude, codex, gemini, "),
        ("/none/x", "`--profile /none/x`: No such file"),
    ] {
        let (output, _) = check(&with(&["--profile", value], &AGENT));
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && err.contains(problem), "{err}");
    }
}

#[test]
fn the_list_needs_no_agent_and_a_wrong_rule_is_named() {
    let (output, text) = check(&["--list"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text.contains("\nPrompt turn ") && text.contains("\nwithout a case:\n"), "{text}");
    // The longest name of an area has room in its column.
    let widths = text.lines().take_while(|line| !line.is_empty()).map(str::len);
    assert_eq!(widths.collect::<std::collections::BTreeSet<_>>().len(), 1, "{text}");
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

/// Checks a client by these options. They end with `--` and its command.
fn check_client(options: &[&str]) -> (Output, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_acp"))
        .args(["check", "client"])
        .args(options)
        .output()
        .expect("acp runs");
    let text = String::from_utf8(output.stdout.clone()).expect("UTF-8");
    (output, text)
}

/// A command of a client that keeps the rules.
const CLIENT: [&str; 6] = ["--", env!("CARGO_BIN_EXE_acp"), "prompt", "{prompt}", "--", "{agent}"];

#[test]
fn a_client_that_keeps_the_rules_passes() {
    let rules = [
        "v1-tr-01",
        "v1-tr-05",
        "v1-tr-08",
        "v1-init-01",
        "v1-init-06",
        "v1-turn-01",
        "v1-rpc-16",
        "v1-cap-07",
        "v1-cmd-03",
        "v1-fs-06",
    ];
    let mut options: Vec<String> = rules.iter().map(|rule| format!("--rule={rule}")).collect();
    options.extend(["--strict".to_owned(), "--timeout=60".to_owned()]);
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let (output, text) = check_client(&with(&options, &CLIENT));
    assert_eq!(output.status.code(), Some(0), "{text}");
    let all = text.lines().last().expect("a table");
    assert_eq!(all.split_whitespace().collect::<Vec<_>>(), ["all", "10", "0", "0", "0"], "{text}");
}

#[test]
fn a_client_is_checked_in_the_version_that_it_asks_for() {
    let rules = ["--protocol=2", "--rule=v2-init-01", "--rule=v2-state-11", "--rule=v1-tr-08"];
    let with_version =
        ["--", env!("CARGO_BIN_EXE_acp"), "prompt", "--protocol=2", "{prompt}", "--", "{agent}"];
    let (output, text) = check_client(&with(&rules, &with_version));
    assert_eq!(output.status.code(), Some(0), "{text}");
    let all = text.lines().last().expect("a table");
    assert_eq!(all.split_whitespace().collect::<Vec<_>>(), ["all", "3", "0", "0", "0"], "{text}");
    let (output, text) = check_client(&with(&rules, &CLIENT));
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("does not ask for version 2, but for version 1"), "{text}");
    let (_, text) = check_client(&["--list", "--protocol=2"]);
    assert!(text.contains("\n  v2-new-04: ") && text.contains("\nof an earlier version: "), "{text}");
}

/// A client that holds its agent until its own input ends.
#[cfg(unix)]
#[test]
fn a_client_that_takes_lines_ends_with_them() {
    let line = |id: u8, method: &str, params: &str| {
        format!(r#"echo '{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}'; "#)
    };
    let script = [
        "{ ".to_owned(),
        line(1, "initialize", r#"{"protocolVersion":1}"#),
        line(2, "session/new", r#"{"cwd":"/","mcpServers":[]}"#),
        line(3, "session/prompt", r#"{"sessionId":"s","prompt":[{"type":"text","text":"hello"}]}"#),
        "cat > /dev/null; } | {agent}".to_owned(),
    ];
    let options = ["--rule=v1-tr-08", "--timeout=60", "--stdin={prompt}", "--", "sh", "-c", &script.concat()];
    let (output, text) = check_client(&options);
    assert_eq!(output.status.code(), Some(0), "{text}");
}

#[test]
fn a_thing_that_is_never_done_fits_the_side_and_the_other_options() {
    let (output, text) = check(&with(&["--rule=v1-perm-08", "--never=permission"], &AGENT));
    assert_eq!(output.status.code(), Some(0), "{text}");
    let (output, text) = check(&with(&["--rule=v1-perm-08"], &AGENT));
    assert_eq!(output.status.code(), Some(3), "{text}");
    for (options, agent, problem) in [
        (&["--never=cancel"][..], true, "`--never cancel` is for `acp check client`"),
        (
            &["--never=endless", "--endless=wait"],
            true,
            "`--endless` and `--never endless` contradict each other",
        ),
        (&["--never=permission"], false, "`--never permission` is for `acp check agent`"),
        (
            &["--never=cancel", "--interrupt"],
            false,
            "`--interrupt` and `--never cancel` contradict each other",
        ),
    ] {
        let (output, _) =
            if agent { check(&with(options, &AGENT)) } else { check_client(&with(options, &CLIENT)) };
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && err.contains(problem), "{err}");
    }
}

/// A client that breaks rules: a shell script that writes to its agent, whose command it is given.
#[cfg(unix)]
#[test]
fn a_client_that_breaks_a_rule_is_shown_with_its_lines() {
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}"#;
    let script = format!("echo '{request}' | {{agent}}");
    let rules = ["--rule=v1-init-12", "--rule=v1-turn-01", "--", "sh", "-c", &script];
    let (output, text) = check_client(&rules);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for part in [
        "failure v1-init-12 (MUST): The request declares the client's capabilities.",
        "\"method\":\"initialize\"",
        "  again: acp check client --rule v1-init-12 -- sh -c ",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[cfg(unix)]
#[test]
fn a_client_that_never_initializes_is_an_error_with_its_last_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let json = folder.path().join("report.json");
    let json_option = format!("--json={}", json.display());
    for (client, reason) in [
        (
            &["--", "sh", "-c", "echo no key >&2; exit 3", "{agent}"][..],
            "without starting its agent: the process exited with status 3; its last words on stderr:\nno key\n",
        ),
        (&["--", "/acp-check/none", "{agent}"], "does not start: No such file or directory (os error 2)\n"),
        (
            &["--", "sh", "-c", "{agent} < /dev/null; echo no key >&2; exit 3"],
            "expected an `initialize`: the process exited with status 3; its last words on stderr:\nno key\n",
        ),
    ] {
        let rules = ["--rule=v1-new-02", "--rule=v1-init-12", "--timeout=60", &json_option];
        let (output, text) = check_client(&with(&rules, client));
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("\nthe client has never sent `initialize`, so rules are open: "), "{text}");
        assert!(text.ends_with(reason) && !text.contains("\nopen "), "{text}");
        let report: Value = serde_json::from_slice(&fs::read(&json).expect("written")).expect("JSON");
        let told = report["unreached"].as_str().expect("a reason");
        assert!(told.ends_with(reason.trim_end()), "{told}");
    }
    let (output, text) = check_client(&with(&["--rule=v1-init-12", &json_option], &CLIENT));
    assert_eq!(output.status.code(), Some(0), "{text}");
    let report: Value = serde_json::from_slice(&fs::read(&json).expect("written")).expect("JSON");
    assert_eq!(report.get("unreached"), None, "{report}");
}

#[test]
fn a_client_needs_a_place_for_its_agent() {
    let (output, text) = check_client(&["--list"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text.contains("\nPrompt turn ") && text.contains("\nwithout a case:\n"), "{text}");
    for (options, problem) in [
        (&["--", "my-client"][..], "the command has no `{agent}`"),
        (
            &["--rule=v1-nobody", "--", "my-client", "{agent}"],
            "`--rule v1-nobody`: no such rule of version 1",
        ),
        (&["--rule=v2-init-01", "--", "my-client", "{agent}"], "see `acp check client --list --protocol 1`"),
        (&["--endless=x", "--", "my-client", "{agent}"], "`--endless` is for `acp check agent`"),
    ] {
        let (output, _) = check_client(options);
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains(problem), "{told}");
    }
}
