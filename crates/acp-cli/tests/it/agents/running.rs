//! `acp agents run`: what an editor starts.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use serde_json::json;

use super::{Home, entry, finish, here, tar_gz};

/// A home with an agent that is a script, from a list without its sum.
pub(super) fn home_of(script: &str) -> Home {
    let home = Home::new();
    home.server.give("/a", tar_gz(&[("robot", &format!("#!/bin/sh\n{script}"))]));
    let binary = json!({"archive": home.server.address("/a"), "cmd": "robot", "args": ["one", "two words"],
                        "env": {"MODE": "quiet", "EMPTY": ""}});
    home.list("/list", &[entry("1.0.0", &json!({"binary": {here(): binary}}))]);
    home
}

#[test]
fn bytes_and_the_exit_status_pass_unchanged() {
    let home = home_of("cat; echo err >&2; exit 7");
    home.done(&["agents", "install", "robot"]);
    let noise: Vec<u8> =
        (0..300_000u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 7) as u8).collect();
    let mut command = home.acp(&["agents", "run", "robot"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("acp");
    let mut stdin = child.stdin.take().expect("is piped");
    let sent = noise.clone();
    let writer = std::thread::spawn(move || stdin.write_all(&sent));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("it reads");
    assert_eq!(output.status.code(), Some(7));
    assert!(output.stdout == noise);
    assert_eq!(output.stderr, b"err\n");
}

#[test]
fn a_signal_ends_the_agent_as_it_would_without_us() {
    let home = home_of("echo ready; kill -TERM $$; sleep 60");
    home.done(&["agents", "install", "robot"]);
    let status = home.acp(&["agents", "run", "robot"]).stdout(Stdio::null()).status().expect("acp runs");
    assert_eq!(status.signal(), Some(15));
    // One to this process is one to the agent, because the agent has taken its place.
    let home = home_of("echo $$; read -r line");
    home.done(&["agents", "install", "robot"]);
    let mut command = home.acp(&["agents", "run", "robot"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("acp runs");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("is piped")).read_line(&mut line).expect("a line");
    assert_eq!(line.trim(), child.id().to_string());
    child.kill().expect("is ours");
    child.wait().expect("it ends");
}

#[test]
fn an_agent_gets_its_arguments_and_a_clean_environment() {
    let home = home_of(
        "printf '%s|' \"$@\"; echo \"$MODE|${EMPTY-unset}|${SECRET-unset}|${KEY-unset}|${LANG-unset}\"",
    );
    let run = |args: &[&str]| {
        let mut command = home.acp(&[&["agents", "run", "robot"], args].concat());
        finish(command.env("SECRET", "s").env("KEY", "k").env("LANG", "C").env("MODE", "loud")).1
    };
    home.done(&["agents", "install", "robot"]);
    assert_eq!(run(&[]), "one|two words|quiet||unset|unset|C\n");
    assert_eq!(run(&["--env", "KEY", "--", "--all", ""]), "one|two words|--all||quiet||unset|k|C\n");
    assert_eq!(run(&["--all-env"]), "one|two words|quiet||s|k|C\n");
    // A variable that was named once stays.
    home.done(&["agents", "install", "robot", "--env", "KEY"]);
    assert_eq!(run(&[]), "one|two words|quiet||unset|k|C\n");
    assert!(home.done(&["agents", "show", "robot"]).contains("variables  KEY\n"));
}

#[test]
fn an_agent_by_its_id_gets_the_same_environment() {
    let home = Home::with_robot("3.1.0");
    home.done(&["agents", "install", "robot"]);
    let said = |home: &Home| {
        let mut command = home.acp(&["prompt", "hello", "--agent", "robot"]);
        finish(command.env("SECRET", "s").env("ROBOT", "r")).1
    };
    assert_eq!(said(&home), "3.1.0: acp; ; \n");
    home.done(&["agents", "install", "robot", "--env", "SECRET", "--env", "SECRET"]);
    assert_eq!(said(&home), "3.1.0: acp; ; s\n");
}

#[test]
fn an_agent_that_is_missing_is_installed_first() {
    let home = home_of("echo hello");
    let (code, out, err) = home.run(&["agents", "run", "robot"]);
    assert_eq!((code, out.as_str()), (0, "hello\n"));
    assert!(
        err.contains("acp: downloading ") && err.contains("acp: robot 1.0.0 is installed (binary"),
        "{err}"
    );
    // From then on no list is asked.
    let asked = home.server.asked("/list");
    assert_eq!(home.run(&["agents", "run", "robot"]), (0, "hello\n".to_owned(), String::new()));
    assert_eq!(home.server.asked("/list"), asked);
    let err = home.fails(&["agents", "run", "robto"]);
    assert!(err.contains("did you mean `robot`?"), "{err}");
}

#[test]
fn an_interpreter_that_is_missing_is_told_from_a_missing_agent() {
    let home = Home::new();
    home.server.give("/a", tar_gz(&[("robot", "#!/no/such/interpreter\n")]));
    let binary = json!({"archive": home.server.address("/a"), "cmd": "robot"});
    home.list("/list", &[entry("1.0.0", &json!({"binary": {here(): binary}}))]);
    home.done(&["agents", "install", "robot"]);
    let err = home.fails(&["agents", "run", "robot"]);
    assert!(err.contains("is there, but not the interpreter or dynamic linker that it needs"), "{err}");
}

#[test]
fn a_user_who_may_only_read_can_run_an_agent() {
    let home = home_of("echo hello");
    home.done(&["agents", "install", "robot"]);
    let folders = ["acp/agents", "acp"].map(|name| home.path(name));
    let set = |mode: u32| {
        for folder in &folders {
            fs::set_permissions(folder, fs::Permissions::from_mode(mode)).expect("is ours");
        }
    };
    set(0o555);
    fs::set_permissions(folders[0].join("robot.use"), fs::Permissions::from_mode(0o444)).expect("is ours");
    let ran = home.run(&["agents", "run", "robot"]);
    set(0o755);
    assert_eq!(ran, (0, "hello\n".to_owned(), String::new()));
}

#[test]
fn input_before_the_agent_is_there_is_not_lost() {
    let home = home_of("cat");
    let mut command = home.acp(&["agents", "run", "robot"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("acp");
    child.stdin.take().expect("is piped").write_all(b"early").expect("taken");
    let mut out = Vec::new();
    child.stdout.take().expect("is piped").read_to_end(&mut out).expect("read");
    assert!(child.wait().expect("it ends").success());
    assert_eq!(out, b"early");
}
