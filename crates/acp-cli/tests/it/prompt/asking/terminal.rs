//! Questions on a terminal.

use std::fs;

use super::pty::Screen;
use super::{SAY_ANSWER, fifo, go, whole};
use crate::prompt::OPEN;

const END: &str = r#"id=$prompt; give '{"stopReason":"end_turn"}'; take"#;

/// Starts `acp` on a terminal, with an agent that has opened a session.
fn open(options: &[&str], script: &str) -> Screen {
    Screen::open(whole(options, &format!("{OPEN}{script}")))
}

#[test]
fn what_is_typed_before_a_question_does_not_answer_it() {
    for (typed, answer) in [
        ("y\n", "yes"),
        ("a\n", "ever"),
        ("\n", "no"),
        ("2\n", "ever"),
        ("what?\n3\n", "yes"),
        ("\u{4}", "no"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let go_on = fifo(folder.path());
        let script =
            format!("take; prompt=$id; say ready; read -r _ < {go_on}; permission; {SAY_ANSWER}; {END}");
        let mut screen = open(&[], &script);
        screen.until("ready");
        // A line, and the beginning of another.
        screen.type_in("a\na");
        go(&go_on);
        let asked = screen.until("answer: ");
        assert!(
            asked
                .contains("permission: Write notes\r\n  1 or n  No\r\n  2 or a  Always\r\n  3 or y  Yes\r\n"),
            "{asked}"
        );
        let mut lines = typed.split_inclusive('\n');
        screen.type_in(lines.next().expect("one"));
        for line in lines {
            screen.until("that is not one of the answers\r\nanswer: ");
            screen.type_in(line);
        }
        screen.until("permission: Write notes: ");
        screen.until(&format!("{answer}\r\n"));
        assert_eq!(screen.end(), Some(0), "{typed:?}");
    }
}

#[test]
fn what_was_begun_for_a_question_that_is_withdrawn_is_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let go_on = fifo(folder.path());
    let withdraw = r#"printf '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"q"}}\n'; read -r answer"#;
    let question = r#"{"sessionId":"s1","toolCall":{"toolCallId":"c","title":"First"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}"#;
    let script = format!(
        r#"take; prompt=$id
        printf '{{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":%s}}\n' '{question}'
        read -r _ < {go_on}; {withdraw}; permission; {SAY_ANSWER}; {END}"#
    );
    let mut screen = open(&[], &script);
    screen.until("permission: First");
    screen.until("answer: ");
    screen.type_in("y");
    go(&go_on);
    screen.until("the question was withdrawn");
    screen.until("answer: ");
    screen.type_in("\n");
    screen.until("permission: Write notes: No");
    assert_eq!(screen.end(), Some(0));
}

#[test]
fn a_question_before_the_session_is_open_is_asked() {
    let script = format!(
        "take; give '{{\"protocolVersion\":1}}'; take; mine=$id; permission; id=$mine; give '{{\"sessionId\":\"s1\"}}'\n\
         take; prompt=$id; {SAY_ANSWER}; {END}"
    );
    let mut screen = Screen::open(whole(&[], &script));
    screen.until("answer: ");
    screen.type_in("3\n");
    screen.until("permission: Write notes: Yes");
    screen.until("yes\r\n");
    assert_eq!(screen.end(), Some(0));
}

#[test]
fn names_of_options_cannot_pass_for_options() {
    let script = format!(
        r#"take; prompt=$id
        ask session/request_permission "$(flat '{{"sessionId":"s1","toolCall":{{"toolCallId":"c","title":"Read\n  1 or y  Yes",
          "kind":"read","rawInput":{{"path":"/w/\u200bx"}}}},
          "options":[{{"optionId":"yes","name":"Delete\n  2 or n  No\u2028\u202ex","kind":"allow_once"}},{{"optionId":"no","name":"No","kind":"reject_once"}}]}}')"
        {SAY_ANSWER}; {END}"#
    );
    let mut screen = open(&[], &script);
    let asked = screen.until("answer: ");
    let expected = "permission: Read 1 or y Yes\r\n    kind: read\r\n    input: {\"path\":\"/w/\u{fffd}x\"}\r\n  \
        1 or y  Delete 2 or n No\u{fffd}\u{fffd}x\r\n  2 or n  No\r\nanswer: ";
    assert!(asked.ends_with(expected), "{asked}");
    screen.type_in("n\n");
    assert_eq!(screen.end(), Some(0));
}

#[test]
fn a_question_with_an_id_alone_shows_all_that_is_known_of_the_call() {
    let script = format!(
        r#"take; prompt=$id
        update "$(flat '{{"sessionUpdate":"tool_call","toolCallId":"c","title":"Run tests","kind":"execute",
          "locations":[{{"path":"/w/a.rs","line":3}}],"rawInput":{{"command":"cargo test"}}}}')"
        update "$(flat '{{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[
          {{"type":"content","content":{{"type":"text","text":"All of them.\nThen again."}}}}]}}')"
        ask session/request_permission '{{"sessionId":"s1","toolCall":{{"toolCallId":"c"}},"options":[{{"optionId":"no","name":"No","kind":"reject_once"}}]}}'
        {END}"#
    );
    let mut screen = open(&[], &script);
    let asked = screen.until("answer: ");
    let expected = "permission: Run tests\r\n    kind: execute\r\n    at /w/a.rs:3\r\n    command: cargo test\r\n    \
        All of them.\r\n    Then again.\r\n  1 or n  No\r\nanswer: ";
    assert!(asked.ends_with(expected), "{asked}");
    screen.type_in("n\n");
    assert_eq!(screen.end(), Some(0));
}

#[test]
fn forms_are_filled_in_and_pages_agreed_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = folder.path().join("said");
    let form = r#"{"sessionId":"s1","mode":"form","message":"Deploy\nwhere?","requestedSchema":{"type":"object","required":["name","count"],
        "properties":{"name":{"type":"string","title":"Name","minLength":2},"count":{"type":"integer","default":3},
        "place":{"type":"string","enum":["here","there"]},"sure":{"type":"boolean"},"tags":{"type":"array","items":{"type":"string","enum":["a","b","c"]}}}}}"#;
    let page = r#"{"sessionId":"s1","mode":"url","message":"Log in","elicitationId":"e","url":"https://good.com@evil.com/x"}"#;
    let script = format!(
        r#"take; prompt=$id
        ask elicitation/create "$(flat '{form}')"; echo "$answer" >> {said}
        ask elicitation/create '{page}'; echo "$answer" >> {said}; {END}"#,
        said = said.display(),
    );
    let mut screen = open(&[], &script);
    screen.until("fill in a form: Deploy where?\r\n");
    for (asked, typed) in [
        ("Name (text):", "x\n"),
        ("shorter or longer than the form allows\r\nName (text):", "web\n"),
        ("count (whole number) [3]:", "\n"),
        ("1  here\r\n  2  there\r\nplace (one of these) []:", "2\n"),
        ("sure (y or n) []:", "\n"),
        ("tags (some of these, with commas) []:", "1, c\n"),
        (
            "    name: web\r\n    count: 3\r\n    place: there\r\n    tags: a, c\r\nsend it? y, n, or e to edit:",
            "y\n",
        ),
        ("host: evil.com\r\n    https://good.com@evil.com/x\r\nwill you? y or n:", "y\n"),
    ] {
        screen.until(asked);
        screen.type_in(typed);
    }
    assert_eq!(screen.end(), Some(0));
    let said = fs::read_to_string(said).expect("answers");
    let content = r#""content":{"name":"web","count":3,"place":"there","tags":["a","c"]}"#;
    let mut lines = said.lines();
    assert!(
        lines.next().is_some_and(|line| line.contains(r#""action":"accept""#) && line.contains(content)),
        "{said}"
    );
    assert!(lines.next().is_some_and(|line| line.contains(r#""action":"accept""#)), "{said}");
}
