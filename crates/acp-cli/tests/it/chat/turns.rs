//! Turns, one after the other, and their ends.

use super::*;

#[test]
fn a_turn_is_shown_and_the_next_one_is_in_the_same_session() {
    let home = home();
    let turn = r#"take; case $line in *session/prompt*'"s1"'*'"first"'*) ;; *) exit 7;; esac
        say 'one answer'; "#;
    let next = r#"take; case $line in *session/prompt*'"s1"'*'"second"'*) ;; *) exit 7;; esac
        say 'another answer'; "#;
    let mut screen = open(home.path(), &[], &format!("{turn}{END}\n{next}{END}; take"));
    enter(&mut screen, "first");
    screen.until("one answer\r\n");
    screen.until("> ");
    enter(&mut screen, "second");
    screen.until("another answer\r\n");
    screen.until("> ");
    assert_eq!(leave(&mut screen), Some(0));
}

#[test]
fn the_terminal_is_left_as_it_was() {
    let home = home();
    let mut screen = open(home.path(), &[], "take");
    assert_ne!(screen.modes().local_modes, screen.before.local_modes, "a line is edited");
    assert_eq!(leave(&mut screen), Some(0));
    assert_eq!(screen.modes().local_modes, screen.before.local_modes);
}

#[test]
fn plan_tools_diffs_and_usage_are_shown() {
    let home = home();
    let script = format!(
        r#"take
        update '{{"sessionUpdate":"plan","entries":[{{"content":"Look","priority":"high","status":"in_progress"}}]}}'
        update "$(flat '{{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Edit notes","kind":"edit","status":"completed",
          "content":[{{"type":"diff","path":"/w/notes","oldText":"one\n","newText":"two\n"}}]}}')"
        update '{{"sessionUpdate":"usage_update","used":5,"size":10,"cost":{{"amount":0.5,"currency":"EUR"}}}}'
        update '{{"sessionUpdate":"usage_update","used":5,"size":10,"cost":{{"amount":0.5,"currency":"EUR"}}}}'
        say Done.; {END}; take"#
    );
    let mut screen = open(home.path(), &[], &script);
    enter(&mut screen, "go");
    screen.until("plan\r\n  [>] Look\r\n✓ Edit notes (completed)\r\n--- /w/notes\r\n+++ /w/notes\r\n@@ -1 +1 @@\r\n-one\r\n+two\r\n");
    screen.until("Done.\r\ncontext: 5 of 10, cost: 0.5 EUR\r\n");
    screen.until("> ");
    enter(&mut screen, "/usage");
    screen.until("context: 5 of 10, cost: 0.5 EUR\r\n");
    screen.until("> ");
    assert_eq!(leave(&mut screen), Some(0));
}

#[test]
fn an_interrupt_cancels_the_turn_and_the_chat_goes_on() {
    let home = home();
    let patient = r#"take; prompt=$id; say 'working'; read -r line
        case $line in *session/cancel*) say 'stopped';; esac; id=$prompt; give '{"stopReason":"cancelled"}'"#;
    let script = format!("{patient}\n{patient}\ntake; say 'third'; {END}; take");
    let mut screen = open(home.path(), &[], &script);
    enter(&mut screen, "one");
    screen.until("working");
    signal(&screen, "-INT");
    screen.until(
        "cancelling; press Ctrl-C again to end the chat\r\nstopped\r\nthe turn ended with: cancelled\r\n",
    );
    screen.until("> ");
    // The command does the same.
    enter(&mut screen, "two");
    screen.until("working");
    screen.type_in("/cancel\n");
    screen.until("to end the chat\r\nstopped\r\nthe turn ended with: cancelled\r\n");
    screen.until("> ");
    enter(&mut screen, "three");
    screen.until("third\r\n");
    screen.until("> ");
    assert_eq!(leave(&mut screen), Some(0));
}

#[test]
fn a_second_interrupt_ends_the_chat() {
    let home = home();
    let mut screen = open(home.path(), &[], "take; say working; while read -r line; do :; done");
    enter(&mut screen, "go");
    screen.until("working");
    signal(&screen, "-INT");
    screen.until("press Ctrl-C again");
    signal(&screen, "-INT");
    screen.until("not waiting any longer");
    assert_eq!(screen.end(), Some(130));
}

#[test]
fn a_line_that_is_dropped_is_not_sent() {
    let home = home();
    let script = format!("take; case $line in *'\"right\"'*) say right;; *) say wrong;; esac; {END}; take");
    let mut screen = open(home.path(), &[], &script);
    screen.type_in("wrong");
    screen.until("wrong");
    screen.type_in(CTRL_C);
    screen.until("\n");
    screen.until("> ");
    enter(&mut screen, "right");
    screen.until("\r\nright\r\n");
    screen.until("> ");
    assert_eq!(leave(&mut screen), Some(0));
}

#[test]
fn a_request_to_end_leaves_the_terminal_as_it_was() {
    let home = home();
    let mut screen = open(home.path(), &[], "take");
    screen.type_in("half a line");
    screen.until("line");
    signal(&screen, "-TERM");
    assert_eq!(screen.end(), Some(130));
    assert_eq!(screen.modes().local_modes, screen.before.local_modes);
}

#[test]
fn an_agent_that_dies_ends_the_chat_with_its_last_words() {
    let home = home();
    let mut screen = open(home.path(), &[], "take; echo 'out of memory' >&2; exit 9");
    enter(&mut screen, "go");
    screen.until("`session/prompt`");
    screen.until("status 9");
    screen.until("out of memory");
    assert_eq!(screen.end(), Some(1));
    // So does one that dies while a line is edited.
    let go_on = fifo(home.path());
    let mut screen = open(home.path(), &[], &format!("read -r _ < {go_on}; echo 'no more' >&2; exit 8"));
    screen.type_in("half a line");
    screen.until("line");
    go(&go_on);
    screen.until("the agent has ended: ");
    screen.until("status 8");
    screen.until("no more");
    assert_eq!(screen.end(), Some(1));
    assert_eq!(screen.modes().local_modes, screen.before.local_modes);
}

#[test]
fn a_failed_turn_is_told_and_the_chat_goes_on() {
    let home = home();
    let fail =
        r#"take; printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"overloaded"}}\n' "$id""#;
    let refuse = r#"take; give '{"stopReason":"refusal"}'"#;
    let mut screen = open(home.path(), &[], &format!("{fail}\n{refuse}\ntake; say fine; {END}; take"));
    enter(&mut screen, "one");
    screen.until("overloaded (code -32603)");
    screen.until("> ");
    enter(&mut screen, "two");
    screen.until("the turn ended with: refusal\r\n");
    screen.until("> ");
    enter(&mut screen, "three");
    screen.until("fine\r\n");
    screen.until("> ");
    assert_eq!(leave(&mut screen), Some(0));
}

#[test]
fn text_of_the_agent_cannot_change_the_terminal() {
    let home = home();
    let commands = r#"update '{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"e\u001b[2Jvil","description":"x\u001b]0;t\u0007"}]}'"#;
    let script =
        format!("{commands}\ntake; say 'a\\u001b[31mb\\u0007 **c\\u202e** `d\\u001b[0m`'; {END}; take");
    let mut program = command(home.path(), &[], &format!("{OPEN}{script}"));
    program.env_remove("NO_COLOR");
    let mut screen = Screen::open(program);
    screen.until("> ");
    enter(&mut screen, "go");
    screen.until("a\u{fffd}[31mb\u{fffd} \u{1b}[1mc\u{fffd}\u{1b}[0m \u{1b}[36md\u{fffd}[0m\u{1b}[0m\r\n");
    screen.until("> ");
    enter(&mut screen, "/help");
    let help = screen.until("text that starts with a slash");
    assert!(!help.contains("\u{1b}[2J") && !help.contains('\u{7}'), "{help:?}");
    screen.until("> ");
    screen.type_in("/e\t");
    let listed = screen.until("/exit ");
    assert!(!listed.contains("[2J"), "{listed:?}");
}

#[test]
fn a_program_without_a_terminal_is_sent_to_acp_prompt() {
    let home = home();
    let output = command(home.path(), &[], "touch started").output().expect("acp runs");
    assert_eq!(output.status.code(), Some(2));
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains("needs a terminal") && err.contains("acp prompt"), "{err}");
    assert!(output.stdout.is_empty() && !home.path().join("started").exists());
}
