//! `acp prompt` with agents made of a few lines of shell.

pub(crate) mod asking;
mod busy;
mod config;
mod content;
mod ending;
mod interrupt;
mod json;
mod mode;
mod quiet;

use std::fs;
use std::process::{Command, Output, Stdio};

/// Shell functions of an agent: `take` reads a message, `give RESULT` answers the last request,
/// `ask METHOD PARAMS` calls the client and reads its answer, `say TEXT` and `update JSON` report
/// on the session.
pub(crate) const AGENT: &str = r#"
take() { read -r line || exit 0; id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/'); }
give() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
ask() { printf '{"jsonrpc":"2.0","id":"q","method":"%s","params":%s}\n' "$1" "$2"; read -r answer; }
update() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":%s}}\n' "$1"; }
say() { update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"'"$1"'"}}'; }
# JSON over several lines becomes one.
flat() { printf '%s' "$1" | tr -d '\n'; }
permission() {
  ask session/request_permission "$(flat '{"sessionId":"s1","toolCall":{"toolCallId":"c","title":"Write notes"},"options":[
    {"optionId":"no","name":"No","kind":"reject_once"},{"optionId":"ever","name":"Always","kind":"allow_always"},
    {"optionId":"yes","name":"Yes","kind":"allow_once"}]}')"
}
"#;

pub(crate) const OPEN: &str = r#"
take; give '{"protocolVersion":1}'
take; give '{"sessionId":"s1","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"},{"id":"b","name":"B"}]}}'
"#;

fn acp(options: &[&str], script: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    // A turn that hangs fails its test.
    command.args(["prompt", "hello", "--timeout", "60"]).args(options).args(["--", "sh", "-c"]);
    command.arg(format!("{AGENT}{OPEN}{script}")).stdin(Stdio::null());
    command
}

fn run(options: &[&str], script: &str) -> (i32, String, String) {
    let Output { status, stdout, stderr } = acp(options, script).output().expect("acp runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (status.code().expect("it exits"), text(stdout), beside_session(&text(stderr)))
}

/// Returns stderr without the line about the session, which every run has.
pub(crate) fn beside_session(err: &str) -> String {
    err.split_inclusive('\n').filter(|line| !line.starts_with("session: ")).collect()
}

#[test]
fn a_turn_is_shown_as_it_goes() {
    let script = r#"take
        update '{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hmm"}}'
        say 'I will '; say 'edit.'
        update "$(flat '{"sessionUpdate":"plan","entries":[
          {"content":"Look","priority":"high","status":"completed"},
          {"content":"Edit","priority":"high","status":"in_progress"},
          {"content":"Rest","priority":"low","status":"pending"}]}')"
        update '{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Edit notes","kind":"edit"}'
        update '{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"in_progress"}'
        update "$(flat '{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed","content":[
          {"type":"diff","path":"/w/notes","oldText":"one\ntwo\nthree\n","newText":"one\n2\nthree\n"}]}')"
        update '{"sessionUpdate":"tool_call_update","toolCallId":"unseen","status":"failed"}'
        update '{"sessionUpdate":"brand_new","x":1}'
        say 'Done.'
        give '{"stopReason":"end_turn"}'; take"#;
    let (code, out, err) = run(&[], script);
    let expected = "hmm\nI will edit.\nplan\n  [x] Look\n  [>] Edit\n  [ ] Rest\n• Edit notes (pending)\n\
        ▸ Edit notes (in progress)\n✓ Edit notes (completed)\n--- /w/notes\n+++ /w/notes\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n \
        three\n✗ unseen (failed)\nDone.\n";
    assert_eq!((code, out.as_str(), err.as_str()), (0, expected, ""));
}

#[test]
fn escape_sequences_of_the_agent_do_not_reach_the_terminal() {
    let (_, out, _) = run(&[], r#"take; say 'a\u001b[31mb\u0007'; give '{"stopReason":"end_turn"}'; take"#);
    assert_eq!(out, "a\u{fffd}[31mb\u{fffd}\n");
}

#[test]
fn verbose_shows_the_rest() {
    let script = r#"take; echo 'a stray print'
        update '{"sessionUpdate":"usage_update","used":5,"size":10,"cost":{"amount":0.5,"currency":"EUR"}}'
        update '{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"web","description":"d"}]}'
        update '{"sessionUpdate":"brand_new","x":1}'
        give '{"stopReason":"end_turn"}'; take"#;
    let (code, out, _) = run(&["--verbose"], script);
    assert_eq!(code, 0);
    for wanted in
        ["context: 5 of 10, cost: 0.5 EUR", "commands: /web", "unknown kind: brand_new", "is not JSON"]
    {
        assert!(out.contains(wanted), "{wanted:?} in {out}");
    }
}

#[test]
fn what_cannot_be_read_is_not_lost_in_silence() {
    // Text that was cut within a character is shown. A number that a double cannot hold is not
    // read.
    let script = r#"take; echo 'a stray print'; say 'cut \ud83d'
        update '{"sessionUpdate":"usage_update","used":1e400,"size":10}'; say '.'
        give '{"stopReason":"end_turn"}'; take"#;
    let lost = |why: &str| format!("lost: 1 message of the agent cannot be read ({why})\n");
    let (code, out, err) = run(&[], script);
    assert_eq!((code, out.as_str()), (0, "cut \u{fffd}.\n"), "{err}");
    assert_eq!(err, lost("--verbose says why"));
    let (_, out, err) = run(&["--verbose"], script);
    assert!(out.contains("is not JSON") && err.contains(&lost("its faults say why")), "{out}{err}");
}

#[test]
fn a_session_of_an_earlier_time_goes_on() {
    let turn = r#"take; say 'on we go'; give '{"stopReason":"end_turn"}'; take"#;
    let table = [
        (r#"{"loadSession":true,"sessionCapabilities":{"resume":{}}}"#, "session/resume", 0),
        (r#"{"loadSession":true}"#, "session/load", 0),
        ("{}", "", 1),
    ];
    for (capabilities, method, code) in table {
        let script = format!(
            r#"{AGENT} take; give '{{"protocolVersion":1,"agentCapabilities":{capabilities}}}'
            take; echo "$line" >&2; say 'of old'; give '{{}}'; {turn}"#
        );
        let options =
            ["prompt", "hello", "--timeout", "60", "--verbose", "--session", "s1", "--", "sh", "-c"];
        let mut acp = Command::new(env!("CARGO_BIN_EXE_acp"));
        let output = acp.args(options).arg(script).stdin(Stdio::null()).output().expect("acp runs");
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{out}{err}");
        if code == 0 {
            assert!(err.contains(method) && err.contains("session: s1"), "{err}");
            assert!(out.contains("on we go"), "{out}");
            assert!(!out.contains("of old"), "what was shown at another time is not shown again: {out}");
        } else {
            assert!(err.contains("loadSession"), "{err}");
        }
    }
}

#[test]
fn the_session_gets_the_mcp_servers_that_are_named() {
    let script = format!(
        r#"{AGENT} take; give '{{"protocolVersion":1,"agentCapabilities":{{"mcpCapabilities":{{"http":true}}}}}}'
        take; echo "$line" >&2; give '{{"sessionId":"s1"}}'; take; give '{{"stopReason":"end_turn"}}'; take"#
    );
    let options = ["--mcp", "files=sh -c 'a b'", "--mcp", "web=https://example.com/mcp"];
    let mut acp = Command::new(env!("CARGO_BIN_EXE_acp"));
    acp.args(["prompt", "hello", "--timeout", "60", "--verbose"]).args(options).args(["--", "sh", "-c"]);
    let output = acp.arg(script).stdin(Stdio::null()).output().expect("acp runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{err}");
    for part in [
        r#""name":"files""#,
        r#"/sh","args":["-c","a b"]"#,
        r#""type":"http""#,
        r#""url":"https://example.com/mcp""#,
    ] {
        assert!(err.contains(part), "{part}: {err}");
    }
}

/// The hint for a user who did not know that permissions are rejected.
const NOBODY_ASKED: &str =
    "acp: nobody was asked for permission, so it was rejected: `--allow` has other answers\n";

#[test]
fn permissions_are_rejected_unless_allowed() {
    let script = r#"take; prompt=$id; permission; say "$(printf '%s' "$answer" | sed 's/.*"optionId":"\([a-z]*\)".*/\1/')"
        id=$prompt; give '{"stopReason":"end_turn"}'; take"#;
    for (options, answer) in [
        (&[][..], "no"),
        (&["--allow", "reject"], "no"),
        (&["--allow", "once"], "yes"),
        (&["--allow", "always"], "ever"),
        // The end of the input is not consent.
        (&["--allow", "ask"], "no"),
    ] {
        let (code, out, err) = run(options, script);
        assert_eq!(code, 0, "{options:?}: {out}{err}");
        assert!(out.trim_end().ends_with(answer), "{options:?} gave {out}");
        assert!(out.contains("permission: Write notes: "), "what was decided is shown: {out}");
        assert_eq!(err, if options.is_empty() { NOBODY_ASKED } else { "" }, "{options:?}");
    }
}

#[test]
fn what_is_asked_about_is_shown_and_cannot_pass_for_something_else() {
    let script = r#"take; prompt=$id
        ask session/request_permission "$(flat '{"sessionId":"s1","toolCall":{"toolCallId":"c",
          "title":"Read a\npermission: Read a: Yes","content":[{"type":"diff","path":"/w/a","newText":"evil\n"}]},
          "options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}')"
        id=$prompt; give '{"stopReason":"end_turn"}'; take"#;
    for (options, decision, hint) in
        [(&[][..], "no answer fits: cancelled", NOBODY_ASKED), (&["--allow", "once"], "Yes", "")]
    {
        let (_, out, err) = run(options, script);
        let expected = format!(
            "• Read a permission: Read a: Yes (pending)\n--- /dev/null\n+++ /w/a\n@@ -0,0 +1 @@\n+evil\n\
             permission: Read a permission: Read a: Yes: {decision}\n"
        );
        assert_eq!((out.as_str(), err.as_str()), (expected.as_str(), hint), "{options:?}");
    }
}

#[test]
fn the_way_the_turn_ended_is_the_exit_status() {
    for (reason, code) in [
        ("end_turn", 0),
        ("refusal", 3),
        ("max_tokens", 4),
        ("max_turn_requests", 4),
        ("cancelled", 130),
        ("novel_reason", 1),
    ] {
        let (got, out, _) = run(&[], &format!(r#"take; give '{{"stopReason":"{reason}"}}'; take"#));
        assert_eq!(got, code, "{reason}");
        assert_eq!(out.contains(reason), code != 0, "{reason}: {out}");
    }
}

#[test]
fn errors_are_told_with_what_the_agent_last_wrote() {
    let (code, _, err) = run(&[], "take; echo 'out of memory' >&2; exit 9");
    assert_eq!(code, 1);
    assert!(
        err.contains("session/prompt") && err.contains("status 9") && err.contains("out of memory"),
        "{err}"
    );

    let refuse = r#"take; echo 'bad key' >&2
        printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"log in"}}\n' "$id"; take"#;
    let (code, _, err) = run(&[], refuse);
    assert_eq!(code, 1);
    assert!(err.contains("log in (code -32000)") && err.contains("bad key"), "{err}");
}

#[test]
fn a_login_that_is_missing_is_named() {
    let agent = |methods: &str| {
        format!(
            r#"{AGENT}take; give '{{"protocolVersion":1,"authMethods":[{methods}]}}'
            take; printf '{{"jsonrpc":"2.0","id":%s,"error":{{"code":-32000,"message":"log in"}}}}\n' "$id"; take"#
        )
    };
    for (methods, offered) in [
        (
            r#"{"id":"web","name":"Browser"},{"id":"tty","name":"Console","type":"terminal"}"#,
            "Browser, Console",
        ),
        ("", "none"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
        command.args(["prompt", "hello", "--timeout", "60", "--", "sh", "-c", &agent(methods)]);
        let output = command.stdin(Stdio::null()).output().expect("acp runs");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{err}");
        assert!(err.contains("log in") && err.contains(&format!("(the agent offers: {offered})")), "{err}");
    }
}

#[test]
fn usage_errors_are_told() {
    let acp = |args: &[&str]| Command::new(env!("CARGO_BIN_EXE_acp")).args(args).output().expect("acp runs");
    let wrong = acp(&["prompt", "hi"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("the agent is missing"));
    let missing = acp(&["prompt", "hi", "--", "/no/such/agent"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("/no/such/agent"));
    let nowhere = acp(&["prompt", "hi", "--cwd", "/no/such/folder", "--", "true"]);
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&nowhere.stderr).contains("/no/such/folder"));
    let help = acp(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&help.stdout).contains("acp prompt TEXT"));
}

#[test]
fn the_files_below_the_cwd_are_served_and_no_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let cwd = folder.path().canonicalize().expect("it exists");
    std::fs::write(cwd.join("a.txt"), "inside").expect("written");
    let read = |path: &str| {
        format!(
            r#"ask fs/read_text_file '{{"sessionId":"s1","path":"{path}"}}'
               say "$(printf '%s' "$answer" | grep -o 'inside\|-32602')""#
        )
    };
    let script = format!(
        "case $line in *'{cwd}'*) ;; *) exit 1;; esac\ntake; prompt=$id\n{}\n{}\nid=$prompt; {}; take",
        read(cwd.join("a.txt").to_str().expect("UTF-8")),
        read("/etc/passwd"),
        r#"give '{"stopReason":"end_turn"}'"#,
        cwd = cwd.display(),
    );
    let (code, out, err) = run(&["--cwd", cwd.to_str().expect("UTF-8")], &script);
    assert_eq!((code, out.as_str()), (0, "inside-32602\n"), "{err}");
}

#[test]
fn files_that_do_not_exist_may_read_as_empty() {
    let folder = tempfile::tempdir().expect("a folder");
    let cwd = folder.path().canonicalize().expect("it exists");
    let new = cwd.join("new.txt").display().to_string();
    let script = format!(
        r#"take; prompt=$id
           ask fs/read_text_file '{{"sessionId":"s1","path":"{new}"}}'
           say "$(printf '%s' "$answer" | grep -o '"content":""\|-32002' | tr -d '"')"
           id=$prompt; give '{{"stopReason":"end_turn"}}'; take"#
    );
    let cwd = cwd.to_str().expect("UTF-8");
    for (options, answer) in
        [(&["--cwd", cwd][..], "-32002\n"), (&["--cwd", cwd, "--missing-as-empty"], "content:\n")]
    {
        let (code, out, err) = run(options, &script);
        assert_eq!((code, out.as_str()), (0, answer), "{options:?}: {err}");
    }
}

#[test]
fn a_mode_is_set_before_the_prompt() {
    let script = r#"take; case $line in *session/set_mode*'"b"'*) give null;; *) exit 1;; esac
        take; give '{"stopReason":"end_turn"}'; take"#;
    let (code, _, err) = run(&["--mode", "b"], script);
    assert_eq!(code, 0, "{err}");
    let (code, _, err) = run(&["--mode", "zen"], script);
    assert_eq!(code, 1);
    assert!(err.contains("its modes are `a`, `b`"), "{err}");
}

#[test]
fn what_was_said_is_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("wire.ndjson");
    let record = ["--record", file.to_str().expect("UTF-8")];
    let watched = [&record[..], &["--idle-timeout", "1000"]].concat();
    let done = "take; say done; give '{\"stopReason\":\"end_turn\"}'; take";
    // It does so even when the run ends in an error, and when the agent is watched.
    for (options, script, code) in [(&record[..], done, 0), (&record, "take; exit 7", 1), (&watched, done, 0)]
    {
        fs::remove_file(&file).ok();
        assert_eq!(run(options, script).0, code);
        let recording = acp_client::tap::Recording::open(&file).expect("a recording");
        let methods: Vec<_> = recording
            .filter_map(|record| match record.expect("a record") {
                acp_client::tap::Record::Line(line) => line.method,
                other => panic!("{other:?}"),
            })
            .collect();
        let expected = ["initialize", "session/new", "session/prompt", "session/update"];
        assert_eq!(methods, expected[..expected.len() - code as usize]);
    }
    let (code, _, err) = run(&["--record", "/nowhere/wire.ndjson"], "");
    assert_eq!(code, 1);
    assert!(err.starts_with("acp: `--record /nowhere/wire.ndjson`: "), "{err}");
}
