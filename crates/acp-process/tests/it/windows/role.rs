//! The test program as a child of its own tests: no other program is on every Windows.

use std::io::{BufRead, Read, Write};
use std::net::TcpStream;
use std::process::{Command as Process, exit};

use acp_process::Command;

/// The variable with the role and, after a space, an argument of the role.
const ROLE: &str = "ACP_PROCESS_TEST_ROLE";
/// The variable with the address of the life line.
pub(crate) const LIFE_LINE: &str = "ACP_PROCESS_TEST_LIFE_LINE";
/// The arguments that make the test harness play a role. Arguments of the role follow them.
pub(crate) const ARGUMENTS: [&str; 4] = ["windows::role::plays_a_role", "--exact", "--nocapture", "--"];

pub(crate) fn program() -> String {
    std::env::current_exe().unwrap().into_os_string().into_string().unwrap()
}

/// This program in a role.
pub(crate) fn role(role: &str) -> Command {
    Command::new(program()).args(ARGUMENTS).env(ROLE, role)
}

/// This program in a role that connects to the life line.
pub(crate) fn living(role_of: &str, life_line: &str) -> Command {
    role(role_of).env(LIFE_LINE, life_line)
}

/// The lines of a role, without those of the harness.
pub(crate) fn said(printed: &str) -> Vec<String> {
    printed.lines().filter_map(|line| line.strip_prefix("> ")).map(str::to_owned).collect()
}

fn say(text: &str) {
    let mut stdout = std::io::stdout();
    writeln!(stdout, "> {text}").unwrap();
    stdout.flush().unwrap();
}

/// Plays the role in a process that a test has started, and does nothing otherwise.
#[test]
fn plays_a_role() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let (role, word) = role.split_once(' ').unwrap_or((&role, ""));
    match role {
        "arguments" => {
            let arguments = std::env::args().skip_while(|argument| argument != "--").skip(1);
            arguments.for_each(|argument| say(&format!("[{argument}]")));
        }
        "echo" => std::io::stdin().lock().lines().for_each(|line| say(&line.unwrap())),
        "exit" => {
            std::io::stderr().write_all(b"first\r\nlast words\r\n").unwrap();
            exit(word.parse().unwrap());
        }
        "environment" => {
            word.split(' ').for_each(|name| say(&format!("{name}={:?}", std::env::var(name).ok())))
        }
        "folder" => say(&std::env::current_dir().unwrap().display().to_string()),
        "print" => {
            let mut stdout = std::io::stdout();
            stdout.write_all(&vec![b'x'; word.parse().unwrap()]).unwrap();
            stdout.write_all(b"|").unwrap();
        }
        "both" => {
            std::io::stderr().write_all(b"> to stderr\n").unwrap();
            say("to stdout");
        }
        "console" => write_to_the_console(),
        "client" => client(),
        "root" | "middle" | "leaf" => lives(role),
        _ => panic!("`{role}` is not a role"),
    }
    exit(0);
}

/// Connects to the life line, starts the next process, and waits for an order.
fn lives(role: &str) {
    let mut life_line = TcpStream::connect(std::env::var(LIFE_LINE).unwrap()).unwrap();
    let next = match role {
        "root" => Some("middle"),
        "middle" => Some("leaf"),
        _ => None,
    };
    let _next = next.map(|next| {
        let mut process = Process::new(program());
        process.args(ARGUMENTS).env(ROLE, next).spawn().unwrap()
    });
    life_line.write_all(format!("{role}\n").as_bytes()).unwrap();
    // `!` is the order to exit at once. The end of the wire is the end of the test.
    let mut order = [0];
    if life_line.read_exact(&mut order).is_ok() && order == *b"!" {
        exit(9);
    }
}

/// Starts two trees as a client does, and waits to be killed.
fn client() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let _spawned = role("root").spawn().unwrap();
        let _running = role("root").run().unwrap();
        std::future::pending::<()>().await;
    });
}

/// Writes to the console, if there is one.
fn write_to_the_console() {
    let console = std::fs::OpenOptions::new().write(true).open("CONOUT$");
    let written = console.and_then(|mut console| console.write_all(b"stray\r\n"));
    say(if written.is_ok() { "written" } else { "no console" });
}
