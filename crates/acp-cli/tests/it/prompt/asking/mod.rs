//! Questions of the agent, and the answers.

#[path = "../../../../../../examples/tests/it/pty.rs"]
pub(crate) mod pty;
mod terminal;

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use super::{AGENT, acp, beside_session, run};

/// Says the option that was chosen last.
const SAY_ANSWER: &str = r#"say "$(printf '%s' "$answer" | sed 's/.*"optionId":"\([a-z]*\)".*/\1/')""#;

/// Runs `acp` with an agent that is scripted from the start.
fn whole(options: &[&str], script: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.args(["prompt", "hello", "--timeout", "60"]).args(options).args(["--", "sh", "-c"]);
    command.arg(format!("{AGENT}{script}")).env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

fn output(mut command: Command) -> (i32, String, String) {
    let output = command.output().expect("acp runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("it exits"), text(output.stdout), beside_session(&text(output.stderr)))
}

/// Makes a named pipe. An agent that reads it waits for the test.
fn fifo(folder: &Path) -> String {
    let path = folder.join("go").display().to_string();
    assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo runs").success());
    path
}

fn go(path: &str) {
    File::options().write(true).open(path).expect("it opens").write_all(b"go\n").expect("it is read");
}

#[test]
fn a_line_through_a_pipe_answers_when_that_is_wanted_and_it_comes_after_the_question() {
    for (typed, answer) in
        [("y\n", "yes"), ("a\n", "ever"), ("\n", "no"), ("2\n", "ever"), ("what?\n3\n", "yes"), ("", "no")]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let go_on = fifo(folder.path());
        let script = format!(
            "take; prompt=$id; read -r _ < {go_on}; permission; {SAY_ANSWER}\nid=$prompt; give '{{\"stopReason\":\"end_turn\"}}'; take"
        );
        let mut acp = acp(&["--allow", "ask"], &script);
        let mut acp = acp.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("acp runs");
        let mut stdin = acp.stdin.take().expect("a pipe");
        let mut out = BufReader::new(acp.stdout.take().expect("a pipe"));
        // A line, and the beginning of another, whose end is not an answer either.
        stdin.write_all(b"a\nx").expect("written");
        go(&go_on);
        let mut seen = String::new();
        while !seen.ends_with("answer: ") {
            let mut byte = [0];
            out.read_exact(&mut byte).expect("a question");
            seen.push(char::from(byte[0]));
        }
        stdin.write_all(format!("a\n{typed}").as_bytes()).expect("written");
        drop(stdin);
        out.read_to_string(&mut seen).expect("output");
        assert!(seen.trim_end().ends_with(answer), "{typed:?} gave {seen}");
        assert_eq!(acp.wait().expect("it ends").code(), Some(0));
    }
}

#[test]
fn a_question_before_the_session_is_open_has_an_answer() {
    let open = "take; give '{\"protocolVersion\":1,\"agentCapabilities\":{\"loadSession\":true}}'";
    let modes = r#"{"sessionId":"s1","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"},{"id":"b","name":"B"}]}}"#;
    let turn = format!("take; {SAY_ANSWER}\ngive '{{\"stopReason\":\"end_turn\"}}'; take");
    let asks = "take; mine=$id; permission; id=$mine;";
    for (name, options, script) in [
        ("session/new", &[][..], format!("{open}\n{asks} give '{modes}'\n{turn}")),
        ("session/load", &["--session", "s1"], format!("{open}\n{asks} give '{modes}'\n{turn}")),
        (
            "session/set_mode",
            &["--mode", "b"],
            format!("{open}\ntake; give '{modes}'\n{asks} give null\n{turn}"),
        ),
    ] {
        for (allow, answer) in [("once", "yes"), ("always", "ever"), ("reject", "no")] {
            let (code, out, err) = output(whole(&[options, &["--allow", allow]].concat(), &script));
            assert_eq!(code, 0, "{name} {allow}: {out}{err}");
            assert!(out.contains("permission: Write notes: "), "{name} {allow}: {out}");
            assert!(out.trim_end().ends_with(answer), "{name} {allow}: {out}");
        }
    }
}

#[test]
fn a_question_with_an_id_alone_is_about_the_call_of_before() {
    let script = format!(
        r#"take; prompt=$id
        update "$(flat '{{"sessionUpdate":"tool_call","toolCallId":"c","title":"Run tests","kind":"execute","status":"in_progress",
          "locations":[{{"path":"/w/a.rs","line":3}}],"rawInput":{{"command":"cargo test"}}}}')"
        update '{{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}}'
        ask session/request_permission '{{"sessionId":"s1","toolCall":{{"toolCallId":"c","status":"pending"}},"options":[{{"optionId":"yes","name":"Yes","kind":"allow_once"}}]}}'
        {SAY_ANSWER}; id=$prompt; give '{{"stopReason":"end_turn"}}'; take"#
    );
    let (code, out, err) = run(&["--allow", "once"], &script);
    let expected = "▸ Run tests (in progress)\n✓ Run tests (completed)\npermission: Run tests: Yes\nyes\n";
    assert_eq!((code, out.as_str(), err.as_str()), (0, expected, ""), "and its status does not go back");
}

#[test]
fn terminals_are_served_unless_they_are_not_to_be() {
    let script = r#"
        take; case $line in *'"terminal":true'*) offered=yes;; *) offered=no;; esac
        give '{"protocolVersion":1}'; take; give '{"sessionId":"s1"}'; take; prompt=$id
        ask terminal/create '{"sessionId":"s1","command":"printf","args":["%s","from the shell"]}'
        terminal=$(printf '%s' "$answer" | sed -n 's/.*"terminalId":"\([^"]*\)".*/\1/p')
        if [ -n "$terminal" ]; then
          ask terminal/wait_for_exit '{"sessionId":"s1","terminalId":"'$terminal'"}'
          ask terminal/output '{"sessionId":"s1","terminalId":"'$terminal'"}'
        fi
        say "$offered $(printf '%s' "$answer" | grep -o 'from the shell\|-32601')"
        id=$prompt; give '{"stopReason":"end_turn"}'; take"#;
    for (options, said) in [(&[][..], "yes from the shell\n"), (&["--no-terminals"], "no -32601\n")] {
        let (code, out, err) = output(whole(options, script));
        assert_eq!((code, out.as_str()), (0, said), "{options:?}: {err}");
    }
}

#[test]
fn forms_and_pages_are_declined_where_nobody_can_be_asked() {
    let script = r#"take; prompt=$id
        ask elicitation/create '{"sessionId":"s1","mode":"form","message":"Which?","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}'
        say "$(printf '%s' "$answer" | grep -o 'decline') "
        ask elicitation/create '{"sessionId":"s1","mode":"url","message":"Log in","elicitationId":"e","url":"https://example.com/"}'
        say "$(printf '%s' "$answer" | grep -o 'decline')"
        id=$prompt; give '{"stopReason":"end_turn"}'; take"#;
    let (code, out, err) = run(&["--allow", "once"], script);
    let expected = "form: declined, as there is nobody to ask\ndecline \npage: declined, as there is nobody to ask\ndecline\n";
    assert_eq!((code, out.as_str(), err.as_str()), (0, expected, ""));
}

#[test]
fn what_is_replayed_when_a_session_is_resumed_is_no_answer() {
    let turn = format!(
        r#"take; prompt=$id
        ask session/request_permission '{{"sessionId":"s1","toolCall":{{"toolCallId":"old"}},"options":[{{"optionId":"yes","name":"Yes","kind":"allow_once"}}]}}'
        {SAY_ANSWER}; id=$prompt; give '{{"stopReason":"end_turn"}}'; take"#
    );
    let replay = r#"say 'of old'; update '{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"asked of old"}}'
        update '{"sessionUpdate":"tool_call","toolCallId":"old","title":"Old call","status":"completed"}'"#;
    let capabilities = r#"{"loadSession":true,"sessionCapabilities":{"resume":{}}}"#;
    let refuse = r#"case $line in *session/resume*) ;; *) exit 1;; esac
        printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}\n' "$id"; take
        case $line in *session/load*) ;; *) exit 1;; esac;"#;
    // The second agent announces `session/resume` and does not know it.
    for first in ["case $line in *session/resume*) ;; *) exit 1;; esac;", refuse] {
        let script = format!(
            "take; give '{{\"protocolVersion\":1,\"agentCapabilities\":{capabilities}}}'\ntake; {first} {replay}; give '{{}}'; {turn}"
        );
        let (code, out, err) = output(whole(&["--session", "s1", "--allow", "once", "--verbose"], &script));
        assert_eq!(code, 0, "{out}{err}");
        // The call of the replay is known, although it was not shown.
        assert_eq!(out, "permission: Old call: Yes\nyes\n");
    }
}
