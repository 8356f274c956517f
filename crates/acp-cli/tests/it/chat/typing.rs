//! Lines as they are typed: completion, files, several lines, earlier lines.

use std::fs;

use super::*;

/// An agent that writes each line that it gets to a file, and ends each turn.
fn noted(home: &Path) -> String {
    let said = home.join("said").display().to_string();
    format!("while :; do take; printf '%s\\n' \"$line\" >> {said}; say done; {END}; done")
}

fn said(home: &Path) -> String {
    fs::read_to_string(home.join("said")).expect("something was said")
}

/// Types a line, ends it, and waits for the end of its turn.
fn send(screen: &mut Screen, line: &str) {
    enter(screen, line);
    screen.until("done\r\n");
    screen.until("> ");
}

#[test]
fn a_file_is_completed_and_its_contents_go_along() {
    let home = home();
    fs::create_dir(home.path().join("src")).expect("made");
    fs::write(home.path().join("src/main file.rs"), "fn main() {}").expect("written");
    let embeds = r#"take; give '{"protocolVersion":1,"agentCapabilities":{"promptCapabilities":{"embeddedContext":true}}}'
        take; give '{"sessionId":"s1"}'
        "#;
    for (open, part) in [(embeds, r#""text":"fn main() {}""#), (OPEN, r#""type":"resource_link""#)] {
        let mut screen = Screen::open(command(home.path(), &[], &format!("{open}{}", noted(home.path()))));
        screen.until("> ");
        screen.type_in("explain @sr\t");
        screen.until("@src/");
        screen.type_in("main\t");
        screen.until("@\"src/main file.rs\"");
        send(&mut screen, " please");
        assert_eq!(leave(&mut screen), Some(0));
        let said = said(home.path());
        assert!(
            said.contains(r#""text":"explain @\"src/main file.rs\" please""#) && said.contains(part),
            "{said}"
        );
        assert!(said.contains("/src/main%20file.rs"), "{said}");
        fs::remove_file(home.path().join("said")).expect("it was there");
    }
}

#[test]
fn several_files_that_fit_are_listed() {
    let home = home();
    for name in ["one.txt", "only.txt", ".hidden"] {
        fs::write(home.path().join(name), "").expect("written");
    }
    let mut screen = open(home.path(), &[], "take");
    screen.type_in("@o\t");
    let listed = screen.until("only.txt");
    assert!(listed.contains("one.txt") && !listed.contains(".hidden"), "{listed:?}");
    screen.type_in("\u{15}\t");
    assert_eq!(leave(&mut screen), Some(0));
}

#[test]
fn names_that_are_no_files_stay_text_and_nothing_outside_goes_along() {
    let home = home();
    let inside = home.path().join("inside");
    fs::create_dir(&inside).expect("made");
    fs::write(home.path().join("secret"), "the secret").expect("written");
    let mut program = command(home.path(), &[], &format!("{OPEN}{}", noted(home.path())));
    program.current_dir(&inside);
    let mut screen = Screen::open(program);
    screen.until("> ");
    enter(&mut screen, "ask @alice about @../secret");
    screen.until("@alice is only text: there is no such file below the session's directory\r\n");
    screen.until("@../secret is only text: ");
    screen.until("done\r\n");
    screen.until("> ");
    assert_eq!(leave(&mut screen), Some(0));
    let said = said(home.path());
    assert!(said.contains("ask @alice about @../secret") && !said.contains("the secret"), "{said}");
    assert!(!said.contains("\"type\":\"resource"), "{said}");
}

#[test]
fn a_name_of_a_pipe_stays_text() {
    let home = home();
    // Nobody writes to it.
    let pipe = fifo(home.path());
    std::os::unix::fs::symlink(&pipe, home.path().join("link")).expect("made");
    let mut screen = open(home.path(), &[], &noted(home.path()));
    enter(&mut screen, "read @go and @link");
    screen.until("@go is only text: it is not a file\r\n");
    screen.until("@link is only text: it is not a file\r\n");
    screen.until("done\r\n");
    screen.until("> ");
    assert_eq!(leave(&mut screen), Some(0));
    let said = said(home.path());
    assert!(said.contains("read @go and @link") && !said.contains("\"type\":\"resource"), "{said}");
}

#[test]
fn a_prompt_can_have_several_lines() {
    let home = home();
    let mut screen = open(home.path(), &[], &noted(home.path()));
    screen.type_in("one\u{1b}\rtwo\\\r");
    screen.until("two");
    send(&mut screen, "three");
    // Lines that are pasted are one prompt, too.
    screen.type_in("\u{1b}[200~four\r\nfive\u{1b}[201~");
    screen.until("five");
    send(&mut screen, "");
    assert_eq!(leave(&mut screen), Some(0));
    let said = said(home.path());
    assert!(said.contains(r#""text":"one\ntwo\nthree""#), "{said}");
    assert!(said.contains("\"four\\nfive\"") || said.contains("\"four\\n\\nfive\""), "{said}");
}

#[test]
fn earlier_lines_are_there_in_the_next_chat() {
    let home = home();
    let mut screen = open(home.path(), &[], &noted(home.path()));
    send(&mut screen, "remember me");
    send(&mut screen, " not me");
    assert_eq!(leave(&mut screen), Some(0));
    let file = home.path().join("state/acp/chat-history");
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "remember me\n");
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&file).expect("it is there").permissions());
    assert_eq!(mode & 0o777, 0o600);
    fs::remove_file(home.path().join("said")).expect("it was there");

    let mut screen = open(home.path(), &[], &noted(home.path()));
    screen.type_in("\u{1b}[A");
    screen.until("remember me");
    send(&mut screen, " again");
    assert_eq!(leave(&mut screen), Some(0));
    assert!(said(home.path()).contains(r#""text":"remember me again""#));
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "remember me\nremember me again\n");
}

#[test]
fn text_that_is_typed_during_a_turn_is_kept_for_the_next_prompt() {
    let home = home();
    let go_on = fifo(home.path());
    let first = format!("take; say working; read -r _ < {go_on}; say over; {END}");
    let mut screen = open(home.path(), &[], &format!("{first}\n{}", noted(home.path())));
    enter(&mut screen, "go");
    screen.until("working");
    // An arrow key is not a part of it.
    screen.type_in("and \u{1b}[Athen\n");
    screen.until("then\r\n");
    go(&go_on);
    screen.until("over");
    screen.until("> and then");
    assert!(!home.path().join("said").exists(), "it is not sent by itself");
    send(&mut screen, " this");
    assert_eq!(leave(&mut screen), Some(0));
    assert!(said(home.path()).contains(r#""text":"and then this""#));
}

#[test]
fn a_terminal_without_moves_of_the_cursor_has_plain_lines() {
    let home = home();
    let mut program = command(home.path(), &[], &format!("{OPEN}{}", noted(home.path())));
    program.env("TERM", "dumb").env_remove("NO_COLOR");
    let mut screen = Screen::open(program);
    let begin = screen.until("> ");
    assert_eq!(screen.modes().local_modes, screen.before.local_modes);
    screen.type_in("plain **text**\n");
    let turn = screen.until("done\r\n");
    screen.until("> ");
    assert!(!begin.contains('\u{1b}') && !turn.contains('\u{1b}'), "{begin:?}{turn:?}");
    screen.type_in(CTRL_D);
    assert_eq!(screen.end(), Some(0));
    assert!(said(home.path()).contains(r#""text":"plain **text**""#));
}

#[test]
fn the_end_of_the_input_during_a_turn_ends_the_chat_after_it() {
    let home = home();
    let go_on = fifo(home.path());
    let script = format!("take; say working; read -r _ < {go_on}; say over; {END}; take");
    let mut screen = open(home.path(), &[], &script);
    enter(&mut screen, "go");
    screen.until("working");
    screen.type_in(CTRL_D);
    go(&go_on);
    screen.until("over\r\n");
    assert_eq!(screen.end(), Some(0));
}
