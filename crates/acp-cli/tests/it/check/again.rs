//! Cases that are repeated: by the command of a failure, and by `--repeat`.

use std::fs;
use std::process::Command;

use super::{AGENT, ODD, check, with};

/// Runs a line of a shell in which `acp` is the program.
fn run(line: &str) -> (Option<i32>, String) {
    let script = format!("acp() {{ '{}' \"$@\"; }}; {line}", env!("CARGO_BIN_EXE_acp"));
    let output = Command::new("sh").args(["-c", &script]).output().expect("it runs");
    (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
}

#[test]
fn the_command_that_repeats_a_case_has_the_options_that_were_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name).display().to_string();
    let [json, markdown, junit, known] = ["report.json", "report.md", "report.xml", "known"].map(file);
    fs::write(&known, "").expect("written");
    let (profile, robot) = (file("own profile.toml"), file("robot.json"));
    fs::write(&profile, "name = 'own'\n").expect("written");
    let words: Vec<_> = ODD[2..].iter().map(|word| serde_json::Value::from(*word)).collect();
    let description = serde_json::json!({"command": ODD[1], "args": words});
    fs::write(&robot, description.to_string()).expect("written");
    let profile_shown = format!("'--profile={profile}'");
    let robot_shown = format!("--agent={robot}");
    let table: &[(&[&str], &str)] = &[
        (&[], ""),
        (&["--strict"], "--strict"),
        (&["--protocol", "1"], "--protocol=1"),
        (&["--timeout", "9.5", "--turn-timeout=30"], "--timeout=9.5 --turn-timeout=30"),
        (&["--cwd=/"], "--cwd=/"),
        (&["--prompt", "it's one"], r"'--prompt=it'\''s one'"),
        (&["--prompt=", "--login=key"], "--prompt= --login=key"),
        (&["--endless=a b", "--permission=-c"], "'--endless=a b' --permission=-c"),
        (&["--show=$d", "--show", "e"], "'--show=$d' --show=e"),
        (&["--model-stub"], "--model-stub"),
        (&["--profile", &profile], &profile_shown),
        (&["--rule=v1-init-13"], ""),
        (&["--json", &json, "--junit", &junit, "--markdown", &markdown, "--baseline", &known], ""),
        (&["--strict", "--model-stub", "--timeout=5"], "--strict --model-stub --timeout=5"),
        (&["--agent", &robot], &robot_shown),
    ];
    for (given, shown) in table {
        let is_named = given.contains(&"--agent");
        let agent = if is_named { &[][..] } else { &ODD };
        let (output, text) = check(&with(&with(&["--rule=v1-init-04"], given), agent));
        assert_eq!(output.status.code(), Some(1), "{given:?}: {text}");
        let line = text.lines().find(|line| line.starts_with("  again: acp check agent --rule v1-init-04 "));
        let line = line.unwrap_or_else(|| panic!("{given:?}: {text}")).trim();
        let tail = if is_named { "" } else { " -- sh -c 'read line;" };
        let words = line.strip_prefix("again: acp check agent --rule v1-init-04").expect("begins so");
        let (options, _) = words.split_once(" -- ").unwrap_or((words, ""));
        assert_eq!(options.trim(), *shown, "{given:?}: {line}");
        assert!(words.contains(tail), "{given:?}: {line}");

        // It gives this one case again, with the same words about the case.
        let (code, repeated) = run(line.strip_prefix("again: ").expect("begins so"));
        assert_eq!(code, Some(1), "{given:?}: {repeated}");
        assert!(repeated.contains("\nfailure v1-init-04 (MUST): "), "{given:?}: {repeated}");
        assert!(repeated.contains(&format!("\n  {line}\n")), "{given:?}: {repeated}");
        assert!(!repeated.contains("v1-init-13"), "{given:?}: {repeated}");
    }
}

/// An agent that speaks version 2 and breaks a rule of it: it takes a session without `cwd`.
const LATER: [&str; 4] = [
    "--",
    "sh",
    "-c",
    r#"read line
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":2,"capabilities":{},"info":{"name":"a","version":"1"}}}'
while read -r line; do
  id=$(printf %s "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"sessionId\":\"s$id\"}}"
done"#,
];

#[test]
fn a_case_of_version_2_is_repeated_in_version_2() {
    let (output, text) = check(&with(&["--protocol=2", "--rule=v2-new-01", "--cwd=/", "--strict"], &LATER));
    assert_eq!(output.status.code(), Some(1), "{text}");
    let again = text.split("  again: ").nth(1).unwrap_or_else(|| panic!("{text}"));
    assert!(
        again.starts_with("acp check agent --rule v2-new-01 --protocol=2 --cwd=/ --strict -- sh -c "),
        "{text}"
    );
    let (code, repeated) = run(again);
    assert_eq!((code, repeated), (Some(1), text));
}

#[test]
fn the_runs_of_a_steady_agent_have_the_same_verdicts() {
    let options = ["--repeat=3", "--rule=v1-init-04", "--rule=v1-rpc-12"];
    let (output, text) = check(&with(&options, &AGENT));
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.ends_with("\n3 runs: the verdicts of 0 rules differ\n"), "{text}");
}

#[test]
fn a_verdict_that_differs_is_shown_and_fails() {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = folder.path().join("mark");
    // The second run finds the mark of the first.
    let script = format!(
        "read line; v=1; [ -e '{0}' ] && v=7; touch '{0}'; \
         echo '{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"protocolVersion\":'$v'}}}}'; cat > /dev/null",
        mark.display()
    );
    let (output, text) = check(&["--repeat=3", "--rule=v1-init-04", "--", "sh", "-c", &script]);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for part in [
        "\nunsteady v1-init-04: If the requested version is supported",
        "\n  1 of 3 runs: pass\n  2 of 3 runs: fail: expected the version 1, seen Some(7)\n",
        "\n3 runs: the verdicts of 1 rules differ\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}
