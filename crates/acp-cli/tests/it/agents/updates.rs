//! `acp agents update` and `remove`: only when they are asked for, and never under a session.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use serde_json::json;

use super::{Home, entry, finish, here, robot, tar_gz};

#[test]
fn an_update_shows_both_versions_and_removes_the_old_one() {
    let home = Home::with_robot("3.1.0");
    assert_eq!(home.done(&["agents", "update"]), "no agent is installed\n");
    home.done(&["agents", "install", "robot", "--env", "SECRET"]);
    assert_eq!(home.done(&["agents", "update", "robot"]), "robot 3.1.0 is up to date\n");
    home.offer("3.2.0");
    let before = home.lock();
    assert_eq!(home.done(&["agents", "update", "--dry-run"]), "robot 3.1.0 → 3.2.0\n");
    assert_eq!(home.lock(), before);
    assert_eq!(home.prompt(&["--agent", "robot"]).1, "3.1.0: acp; ; \n");
    let (code, out, err) = home.run(&["agents", "update"]);
    assert_eq!((code, out.as_str()), (0, "robot 3.2.0 is installed\n"));
    assert!(err.starts_with("acp: robot 3.1.0 → 3.2.0\nacp: downloading "), "{err}");
    let mut prompt = home.acp(&["prompt", "hello", "--agent", "robot"]);
    assert_eq!(finish(prompt.env("SECRET", "s")).1, "3.2.0: acp; ; s\n");
    assert!(home.versions().len() == 1 && home.versions()[0].starts_with("3.2.0-"), "{:?}", home.versions());
    let err = home.fails(&["agents", "update", "other"]);
    assert!(err.contains("the agent `other` is not installed: `acp agents install other`"), "{err}");
}

#[test]
fn an_update_that_fails_leaves_the_old_version() {
    let home = Home::with_robot("3.1.0");
    home.done(&["agents", "install", "robot"]);
    home.offer("3.2.0");
    home.server.give("/robot-3.2.0.tar.gz", "other");
    let (code, _, err) = home.run(&["agents", "update"]);
    assert!(code == 1 && err.contains("is not the archive of `robot`"), "{err}");
    assert_eq!(home.prompt(&["--agent", "robot"]).1, "3.1.0: acp; ; \n");
    assert_eq!(home.versions().len(), 1);
}

#[test]
fn a_changed_entry_of_the_same_version_is_an_update_with_the_same_archive() {
    let home = Home::new();
    let offer = |archive: &str, args: &str| {
        let binary = json!({"archive": home.server.address(archive), "cmd": "robot", "args": [args]});
        home.list("/list", &[entry("1.0.0", &json!({"binary": {here(): binary}}))]);
    };
    home.server.give("/a", tar_gz(&[("robot", &robot("a"))]));
    home.server.give("/b", tar_gz(&[("robot", &robot("b"))]));
    offer("/a", "one");
    home.done(&["agents", "install", "robot"]);
    offer("/a", "two");
    assert_eq!(
        home.done(&["agents", "update", "--dry-run"]),
        "robot 1.0.0 → 1.0.0 (its entry has changed)\n"
    );
    home.done(&["agents", "update"]);
    assert_eq!(home.prompt(&["--agent", "robot"]).1, "a: two; ; \n");
    offer("/b", "two");
    let (code, _, err) = home.run(&["agents", "update"]);
    assert!(code == 1 && err.contains("the archive of `robot` 1.0.0 has changed"), "{err}");
    assert_eq!(home.prompt(&["--agent", "robot"]).1, "a: two; ; \n");
}

#[test]
fn an_agent_stays_with_its_list() {
    let home = Home::with_robot("3.1.0");
    home.done(&["agents", "install", "robot"]);
    let other = home.list("/other", &[entry("9.0.0", &json!({"npx": {"package": "robot@9"}}))]);
    let err = home.fails(&["agents", "update", "robot", "--registry", &other]);
    assert!(err.contains("was installed from ") && err.contains("`acp agents remove robot`"), "{err}");
}

/// Starts a session with the robot, and returns when it is there.
fn session(home: &Home, args: &[&str]) -> Child {
    let mut command = home.acp(args);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("acp");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("is piped")).read_line(&mut line).expect("a line");
    assert_eq!(line, "ready\n");
    child
}

#[test]
fn an_agent_that_runs_is_neither_updated_nor_removed() {
    let script = "#!/bin/sh\necho ready; read -r line";
    let home = Home::new();
    let offer = |version: &str| {
        home.server.give("/a", tar_gz(&[("robot", script), ("version", version)]));
        let binary = json!({"archive": home.server.address("/a"), "cmd": "robot"});
        home.list(
            "/list",
            &[entry(version, &json!({"binary": {here(): binary}, "npx": {"package": "robot@1.0.0"}}))],
        );
    };
    home.program("npx", "echo ready; read -r line");
    for way in ["binary", "npx"] {
        offer("1.0.0");
        home.done(&["agents", "install", "robot", "--way", way]);
        offer("2.0.0");
        // Two sessions at once are fine.
        let sessions = [(); 2].map(|()| session(&home, &["agents", "run", "robot"]));
        let asked = home.server.asked("/a");
        for mut session in sessions {
            for args in [&["agents", "update", "robot"][..], &["agents", "remove", "robot"]] {
                let (code, out, err) = home.run(args);
                assert_eq!((code, out.as_str()), (1, ""), "{way} {args:?}: {err}");
                assert!(
                    err.ends_with("acp: the agent `robot` is running: end its sessions first\n"),
                    "{err}"
                );
            }
            drop(session.stdin.take());
            session.wait().expect("it ends");
        }
        assert_eq!(home.server.asked("/a"), asked, "nothing is downloaded for an agent that runs");
        home.done(&["agents", "update", "robot"]);
        assert_eq!(home.done(&["agents", "remove", "robot"]), "robot 2.0.0 is removed\n");
        assert!(home.versions().is_empty());
        assert!(home.fails(&["agents", "remove", "robot"]).contains("is not installed"));
    }
}
