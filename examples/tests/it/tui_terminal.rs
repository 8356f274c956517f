//! The TUI client on a terminal: it works there, and leaves it as it was.

use std::process::Command;

use crate::pty::Screen;

/// The sequence that leaves the alternate screen.
const LEAVE: &str = "\u{1b}[?1049l";

/// Starts the client with an agent, on a terminal.
fn open(agent: &[&str]) -> Screen {
    let mut client = Command::new(env!("CARGO_BIN_EXE_tui_client"));
    client.arg("--").args(agent);
    Screen::open(client)
}

#[test]
fn the_terminal_is_left_as_it_was() {
    type End = fn(&mut Screen);
    let ends: [(&str, End); 3] = [
        ("the user quits", |screen| screen.type_in("\u{3}")),
        ("the end of the input is typed", |screen| {
            screen.type_in("hello\r");
            screen.until("> hello");
            screen.type_in("\u{4}");
        }),
        ("it is told to end", |screen| {
            let killed = Command::new("kill").arg(screen.client.id().to_string()).status();
            assert!(killed.expect("kill runs").success());
        }),
    ];
    for (name, end) in ends {
        let mut screen = open(&[env!("CARGO_BIN_EXE_echo_agent")]);
        let before = format!("{:?}", screen.before);
        screen.until("Enter sends");
        assert_ne!(format!("{:?}", screen.modes()), before, "{name}: keys come one by one now");
        end(&mut screen);
        screen.until(LEAVE);
        assert_eq!(screen.end(), Some(0), "{name}");
        assert_eq!(format!("{:?}", screen.modes()), before, "{name}");
    }
}

/// An agent that asks before it opens the session, and gives the answer as the title of its only
/// mode.
const ASKS_FIRST: &str = r#"
take() { read -r line || exit 0; id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/'); }
give() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
take; give '{"protocolVersion":1}'
take
printf '{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c","title":"Trust this folder"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}}\n'
read -r answer
chosen=$(printf '%s' "$answer" | sed 's/.*"optionId":"\([a-z]*\)".*/\1/')
give '{"sessionId":"s1","modes":{"currentModeId":"m","availableModes":[{"id":"m","name":"said-'$chosen'"}]}}'
take; exit 0"#;

#[test]
fn an_agent_may_ask_before_it_opens_the_session() {
    for (keys, answer) in [("\r", "said-no"), ("\u{1b}[A\r", "said-yes")] {
        let mut screen = open(&["sh", "-c", ASKS_FIRST]);
        screen.until("Trust this folder");
        screen.until("> No");
        screen.type_in(keys);
        screen.until(answer);
        screen.until("Enter sends");
        screen.type_in("\u{3}");
        screen.until(LEAVE);
        assert_eq!(screen.end(), Some(0));
    }
}

#[test]
fn an_agent_that_opens_no_session_is_told_of_on_the_terminal_as_it_was() {
    let mut screen = open(&["sh", "-c", "echo no key >&2; exit 9"]);
    screen.until(LEAVE);
    let told = screen.until("no key");
    assert!(told.contains("status 9") && !told.contains("Custom"), "{told}");
    assert_eq!(screen.end(), Some(1));
}
