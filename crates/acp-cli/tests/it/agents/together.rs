//! Several processes at once, and processes that are killed.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::thread;

use rustix::fs::{FlockOperation, flock};

use super::{Home, finish};

#[test]
fn two_processes_install_an_agent_once() {
    let home = Home::with_robot("3.1.0");
    let outs: Vec<String> = thread::scope(|scope| {
        let all: Vec<_> =
            (0..4).map(|_| scope.spawn(|| home.done(&["agents", "install", "robot"]))).collect();
        all.into_iter().map(|one| one.join().expect("no panic")).collect()
    });
    let count = |text: &str| outs.iter().filter(|out| out.contains(text)).count();
    assert_eq!((count("is installed (binary"), count("is installed already")), (1, 3), "{outs:?}");
    assert_eq!(home.server.asked("/robot-3.1.0.tar.gz"), 1);
    assert_eq!(home.versions().len(), 1);
}

#[test]
fn different_agents_are_installed_at_once_and_none_is_forgotten() {
    let home = Home::new();
    home.program("npx", "");
    let ids: Vec<String> = (0..8).map(|number| format!("robot-{number}")).collect();
    let entries: Vec<_> = ids
        .iter()
        .map(|id| serde_json::json!({"id": id, "version": "1.0.0", "distribution": {"npx": {"package": "r@1.0.0"}}}))
        .collect();
    home.list("/list", &entries);
    thread::scope(|scope| {
        for id in &ids {
            scope.spawn(|| home.done(&["agents", "install", id]));
        }
    });
    let lock = home.lock();
    assert!(ids.iter().all(|id| lock.contains(&format!("\"{id}\""))), "{lock}");
}

#[test]
fn a_process_that_is_killed_in_the_middle_leaves_nothing_that_counts() {
    let home = Home::with_robot("3.1.0");
    let path = "/robot-3.1.0.tar.gz";
    home.server.answer(path, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nHOLD");
    let mut command = home.acp(&["agents", "install", "robot"]);
    let mut child = command.stderr(Stdio::piped()).spawn().expect("acp runs");
    let mut line = String::new();
    BufReader::new(child.stderr.take().expect("is piped")).read_line(&mut line).expect("a line");
    assert!(line.contains("downloading"), "{line}");
    child.kill().expect("is ours");
    child.wait().expect("it ends");
    assert_eq!(home.lock(), "");
    let (code, _, err) = home.prompt(&["--agent", "robot"]);
    assert!(code == 1 && err.contains("is not installed"), "{err}");
    // Folders that were left are removed by the next one.
    let left = home.path("acp/agents/robot/.new-left/files");
    fs::create_dir_all(&left).expect("made");
    home.offer("3.1.0");
    home.done(&["agents", "install", "robot"]);
    assert_eq!(home.versions().len(), 1, "{:?}", home.versions());
    assert_eq!(finish(&mut home.acp(&["prompt", "hello", "--agent", "robot"])).1, "3.1.0: acp; ; \n");
}

/// Updates the robot from 3.1.0 to 3.2.0, while another process has the agent and changes the lock
/// file. Returns the exit code, stdout and the rest of stderr.
fn update_beside(home: &Home, lock: &str) -> (Option<i32>, String, String) {
    let guard = File::create(home.path("acp/agents/robot.install")).expect("made");
    flock(&guard, FlockOperation::LockExclusive).expect("nobody else has it");
    let mut command = home.acp(&["agents", "update", "robot"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("acp runs");
    let mut err = BufReader::new(child.stderr.take().expect("is piped"));
    let mut line = String::new();
    err.read_line(&mut line).expect("a line");
    assert_eq!(line, "acp: robot 3.1.0 → 3.2.0\n");
    fs::write(home.path("acp/agents.lock"), lock).expect("written");
    drop(guard);
    let mut rest = String::new();
    err.read_to_string(&mut rest).expect("UTF-8");
    let output = child.wait_with_output().expect("it ends");
    (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"), rest)
}

#[test]
fn an_update_keeps_what_others_have_changed_meanwhile() {
    let home = Home::with_robot("3.1.0");
    home.done(&["agents", "install", "robot"]);
    let first = home.lock();
    home.done(&["agents", "install", "robot", "--env", "SECRET"]);
    let with_name = home.lock();
    home.done(&["agents", "remove", "robot"]);
    let removed = home.lock();
    home.done(&["agents", "install", "robot"]);
    home.offer("3.2.0");

    fs::write(home.path("acp/agents.lock"), &first).expect("written");
    let (code, out, err) = update_beside(&home, &removed);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("the agent `robot` is not installed"), "{err}");
    assert_eq!(home.lock(), removed);

    fs::write(home.path("acp/agents.lock"), &first).expect("written");
    let other = first.replace(&home.server.address("/list"), "/other/list");
    assert_ne!(other, first);
    let (code, out, err) = update_beside(&home, &other);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("the agent `robot` was installed from /other/list"), "{err}");
    assert_eq!(home.lock(), other);

    fs::write(home.path("acp/agents.lock"), &first).expect("written");
    let (code, out, err) = update_beside(&home, &with_name);
    assert_eq!((code, out.as_str()), (Some(0), "robot 3.2.0 is installed\n"), "{err}");
    let mut prompt = home.acp(&["prompt", "hello", "--agent", "robot"]);
    assert_eq!(finish(prompt.env("SECRET", "s")).1, "3.2.0: acp; ; s\n");

    // Another process has installed the same version: nothing is downloaded again.
    let updated = home.lock();
    let asked = home.server.asked("/robot-3.2.0.tar.gz");
    fs::write(home.path("acp/agents.lock"), &first).expect("written");
    let (code, out, err) = update_beside(&home, &updated);
    assert_eq!((code, out.as_str(), err.as_str()), (Some(0), "robot 3.2.0 is installed\n", ""));
    assert_eq!((home.lock(), home.server.asked("/robot-3.2.0.tar.gz")), (updated, asked));
}
