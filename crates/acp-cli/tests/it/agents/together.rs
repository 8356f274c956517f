//! Several processes at once, and processes that are killed.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::thread;

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
