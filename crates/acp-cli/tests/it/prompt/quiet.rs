//! `acp prompt --quiet`: the answer alone, through a pipe and on a terminal.

use super::asking::pty::Screen;
use super::{acp, run};

const TURN: &str = r#"take; prompt=$id
    update '{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hmm"}}'
    say 'I will '; say 'edit.'
    update '{"sessionUpdate":"plan","entries":[{"content":"Look","priority":"high","status":"pending"}]}'
    update "$(flat '{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Edit notes","status":"completed","content":[
      {"type":"diff","path":"/w/notes","oldText":"one\n","newText":"two\n"}]}')"
    say 'Done.\u001b[31m'; id=$prompt; give '{"stopReason":"end_turn"}'; take"#;

#[test]
fn the_answer_is_alone_on_stdout() {
    let (code, out, err) = run(&["--quiet"], TURN);
    assert_eq!((code, out.as_str()), (0, "I will edit.\nDone.\u{fffd}[31m\n"), "{err}");
    let rest = "hmm\nplan\n  [ ] Look\n✓ Edit notes (completed)\n--- /w/notes\n+++ /w/notes\n@@ -1 +1 @@\n-one\n+two\n";
    assert_eq!(err, rest);
}

#[test]
fn decisions_and_ends_are_told_beside_it() {
    let script = r#"take; prompt=$id; permission; say no; id=$prompt; give '{"stopReason":"refusal"}'; take"#;
    let (code, out, err) = run(&["-q"], script);
    assert_eq!((code, out.as_str()), (3, "no\n"));
    assert!(
        err.contains("permission: Write notes: No") && err.contains("the turn ended with: refusal"),
        "{err}"
    );
}

#[test]
fn on_a_terminal_there_is_only_the_answer() {
    let mut command = acp(&["--quiet"], TURN);
    command.env("NO_COLOR", "1");
    let mut screen = Screen::open(command);
    let shown = screen.until("Done.\u{fffd}[31m\r\n");
    assert_eq!(shown.replace("session: s1\r\n", ""), "I will edit.\r\nDone.\u{fffd}[31m\r\n");
    assert_eq!(screen.end(), Some(0));
}

#[test]
fn a_stderr_that_nobody_reads_is_not_an_error() {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let output = acp(&["--quiet"], TURN).stderr(writer).output().expect("acp runs");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "I will edit.\nDone.\u{fffd}[31m\n");
}
