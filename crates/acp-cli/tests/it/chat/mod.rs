//! `acp chat` on a terminal, with agents made of a few lines of shell.

mod asking;
mod commands;
mod turns;
mod typing;

use std::path::Path;
use std::process::{Command, Stdio};

use crate::prompt::AGENT;
use crate::prompt::asking::pty::Screen;
use crate::prompt::asking::{fifo, go};

/// Opens the session `s1` without modes.
const OPEN: &str = "take; give '{\"protocolVersion\":1}'\ntake; give '{\"sessionId\":\"s1\"}'\n";
/// Answers a prompt.
const END: &str = r#"give '{"stopReason":"end_turn"}'"#;

const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";
const ENTER: &str = "\r";

/// A chat with an agent that is scripted from the start, in a folder of its own.
fn command(home: &Path, options: &[&str], script: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.arg("chat").args(options).args(["--", "sh", "-c"]).arg(format!("{AGENT}{script}"));
    command
        .current_dir(home)
        .env("NO_COLOR", "1")
        .env("TERM", "xterm")
        .env("XDG_STATE_HOME", home.join("state"));
    command.env("HOME", home).stdin(Stdio::null());
    command
}

/// Starts a chat, and waits for its prompt.
fn open(home: &Path, options: &[&str], script: &str) -> Screen {
    let mut screen = Screen::open(command(home, options, &format!("{OPEN}{script}")));
    screen.until("Ctrl-D ends the chat");
    screen.until("> ");
    screen
}

/// Types a line and ends it.
fn enter(screen: &mut Screen, line: &str) {
    screen.type_in(line);
    screen.type_in(ENTER);
}

/// Ends the chat at its prompt, and returns its exit status.
fn leave(screen: &mut Screen) -> Option<i32> {
    screen.type_in(CTRL_D);
    screen.end()
}

fn home() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// Sends a signal to the chat. The terminal of a test sends none: it controls no process.
fn signal(screen: &Screen, signal: &str) {
    let killed = Command::new("kill").args([signal, screen.client.id().to_string().as_str()]).status();
    assert!(killed.expect("kill runs").success());
}
