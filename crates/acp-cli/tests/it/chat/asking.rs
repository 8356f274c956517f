//! Questions of the agent, in the middle of a turn and between turns.

use super::*;

const SAY_ANSWER: &str = r#"say "$(printf '%s' "$answer" | sed 's/.*"optionId":"\([a-z]*\)".*/\1/')""#;

#[test]
fn what_is_typed_before_a_question_does_not_answer_it() {
    let home = home();
    let go_on = fifo(home.path());
    let script = format!(
        "take; prompt=$id; say ready; read -r _ < {go_on}; permission; {SAY_ANSWER}; id=$prompt; {END}; take"
    );
    let mut screen = open(home.path(), &[], &script);
    enter(&mut screen, "go");
    screen.until("ready");
    // A line, and the beginning of another.
    screen.type_in("a\na");
    go(&go_on);
    let asked = screen.until("answer: ");
    assert!(asked.contains("permission: Write notes\r\n  1 or n  No\r\n"), "{asked}");
    screen.type_in("y\n");
    screen.until("permission: Write notes: Yes\r\n");
    screen.until("yes\r\n");
    // What came before the question may be there for the next prompt.
    screen.until("> ");
    screen.type_in(CTRL_C);
    screen.until("\n");
    screen.until("> ");
    assert_eq!(leave(&mut screen), Some(0));
}

#[test]
fn what_comes_in_one_piece_with_the_prompt_does_not_answer_its_questions() {
    let home = home();
    let second = r#"take; case $line in *'"text":"y"'*) say second;; *) exit 7;; esac; "#;
    let script =
        format!("take; prompt=$id; permission; {SAY_ANSWER}; id=$prompt; {END}\n{second}{END}; take");
    let mut screen = open(home.path(), &[], &script);
    screen.type_in("go\ry\r");
    screen.until("answer: ");
    screen.type_in("n\n");
    screen.until("permission: Write notes: No\r\n");
    screen.until("second\r\n");
    screen.until("> ");
    assert_eq!(leave(&mut screen), Some(0));
}

#[test]
fn an_interrupt_at_a_question_cancels_the_turn() {
    let home = home();
    let script = format!(
        r#"take; prompt=$id; permission; case $answer in *cancel*) ;; *) read -r answer;; esac; id=$prompt
        give '{{"stopReason":"cancelled"}}'; while :; do take; case $line in *session/prompt*) say fine; {END};; esac; done"#
    );
    let mut screen = open(home.path(), &[], &script);
    enter(&mut screen, "go");
    screen.until("answer: ");
    signal(&screen, "-INT");
    screen.until("the turn ended with: cancelled");
    screen.until("> ");
    enter(&mut screen, "more");
    screen.until("fine\r\n");
    screen.until("> ");
    assert_eq!(leave(&mut screen), Some(0));
}

#[test]
fn a_form_is_filled_in() {
    let home = home();
    let script = format!(
        r#"take; prompt=$id
        ask elicitation/create '{{"sessionId":"s1","mode":"form","message":"Where?","requestedSchema":{{"type":"object","required":["name"],"properties":{{"name":{{"type":"string","title":"Name"}}}}}}}}'
        say "$(printf '%s' "$answer" | grep -o '"name":"web"')"; id=$prompt; {END}; take"#
    );
    // The shell takes the quotes away, so the text has none.
    let script = script.replace(r#"grep -o '"name":"web"'"#, r#"grep -o 'web'"#);
    let mut screen = open(home.path(), &[], &script);
    enter(&mut screen, "go");
    screen.until("Name (text):");
    screen.type_in("web\n");
    screen.until("send it? y, n, or e to edit:");
    screen.type_in("y\n");
    screen.until("\r\nweb\r\n");
    screen.until("> ");
    assert_eq!(leave(&mut screen), Some(0));
}

#[test]
fn a_question_between_turns_waits_for_the_end_of_the_line() {
    let home = home();
    let go_on = fifo(home.path());
    // The prompt may come before the answer.
    let script = format!(
        r#"read -r _ < {go_on}; permission; case $answer in
          *session/prompt*) line=$answer; read -r answer; id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/');;
          *) take;; esac
        case $answer in *'"no"'*) ;; *) exit 7;; esac; case $line in *'half a line'*) ;; *) exit 8;; esac
        say fine; {END}; take"#
    );
    let mut screen = open(home.path(), &[], &script);
    screen.type_in("half a");
    screen.until("half a");
    go(&go_on);
    screen.until("the agent has a question: press Enter to see it\r\n");
    screen.until("> half a");
    // This is a part of the line, and not an answer.
    enter(&mut screen, " line");
    screen.until("answer: ");
    screen.type_in("n\n");
    screen.until("permission: Write notes: No\r\n");
    screen.until("fine\r\n");
    screen.until("> ");
    assert_eq!(leave(&mut screen), Some(0));
}

#[test]
fn news_between_turns_are_shown_above_the_line() {
    let home = home();
    let go_on = fifo(home.path());
    let news = r#"update '{"sessionUpdate":"current_mode_update","currentModeId":"b"}'"#;
    let mut screen = open(home.path(), &[], &format!("read -r _ < {go_on}; {news}; take"));
    screen.type_in("half a line\u{1b}[D");
    screen.until("line");
    go(&go_on);
    screen.until("mode: b\r\n");
    screen.until("> half a line");
    screen.type_in(CTRL_C);
    screen.until("b > ");
    assert_eq!(leave(&mut screen), Some(0));
}

#[test]
fn a_standing_answer_holds_between_turns_too() {
    let home = home();
    let go_on = fifo(home.path());
    let script =
        format!("read -r _ < {go_on}; permission; case $answer in *'\"yes\"'*) ;; *) exit 7;; esac; take");
    let mut screen = open(home.path(), &["--allow", "once"], &script);
    screen.type_in("half a line");
    screen.until("half a line");
    go(&go_on);
    screen.until("permission: Write notes: Yes\r\n");
    screen.until("> half a line");
    screen.type_in(CTRL_C);
    screen.until("\n");
    screen.until("> ");
    assert_eq!(leave(&mut screen), Some(0));
}

#[test]
fn a_question_in_one_piece_with_the_end_of_the_turn_comes_before_the_prompt() {
    let home = home();
    let params = r#"{"sessionId":"s1","toolCall":{"toolCallId":"c","title":"Late"},"options":[{"optionId":"no","name":"No","kind":"reject_once"},{"optionId":"yes","name":"Yes","kind":"allow_once"}]}"#;
    let script = format!(
        r#"take
        printf '{{"jsonrpc":"2.0","id":%s,"result":{{"stopReason":"end_turn"}}}}\n{{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":%s}}\n' "$id" '{params}'
        read -r answer; case $answer in *'"optionId":"yes"'*) ;; *) exit 8;; esac
        update '{{"sessionUpdate":"current_mode_update","currentModeId":"b"}}'
        take; case $line in *'"text":"more"'*) ;; *) exit 9;; esac; say fine; {END}; take"#
    );
    let mut screen = open(home.path(), &[], &script);
    enter(&mut screen, "go");
    let asked = screen.until("answer: ");
    assert!(asked.contains("permission: Late\r\n  1 or n  No\r\n  2 or y  Yes\r\n"), "{asked}");
    // No editor has the keys.
    screen.type_in("y\n");
    let answered = screen.until("permission: Late: Yes\r\n");
    assert!(!answered.contains("> "), "{answered}");
    // A prompt may come before the answer, so it waits for the agent to have that.
    screen.until("mode: b\r\n");
    screen.until("> ");
    enter(&mut screen, "more");
    screen.until("fine\r\n");
    screen.until("> ");
    assert_eq!(leave(&mut screen), Some(0));
}
