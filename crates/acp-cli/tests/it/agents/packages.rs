//! Agents that are packages, with runners that are scripts.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use serde_json::json;

use super::{Home, entry, robot};

fn home_of(way: &str) -> Home {
    let home = Home::new();
    let name = if way == "npx" { "@acme/robot@3.1.0" } else { "robot[acp]==3.1.0" };
    let package = json!({"package": name, "args": ["--acp"], "env": {"ROBOT": "1"}});
    home.list("/list", &[entry("3.1.0", &json!({way: package}))]);
    home
}

#[test]
fn a_package_is_pinned_and_run_by_its_runner() {
    for (way, said) in [
        ("npx", "x: --yes --prefer-offline @acme/robot@3.1.0 --acp; 1; \n"),
        ("uvx", "x: robot[acp]==3.1.0 --acp; 1; \n"),
    ] {
        let home = home_of(way);
        home.program(way, &robot("x"));
        assert_eq!(home.done(&["agents", "install", "robot"]), format!("robot 3.1.0 is installed ({way})\n"));
        assert_eq!(home.prompt(&["--agent", "robot"]), (0, said.to_owned(), String::new()));
        // A newer one in the list changes nothing.
        home.list("/list", &[entry("9.0.0", &json!({way: {"package": "robot@9.0.0"}}))]);
        assert_eq!(home.prompt(&["--agent", "robot"]), (0, said.to_owned(), String::new()));
        fs::remove_file(home.path("bin").join(way)).expect("removed");
        if way == "uvx" {
            let (code, _, err) = home.prompt(&["--agent", "robot"]);
            assert!(code == 1 && err.contains("it needs `uvx`, which comes with uv"), "{err}");
        }
    }
}

/// Runs the robot with input, and returns its exit code, stdout and stderr.
fn run(home: &Home, input: &[u8]) -> (Option<i32>, String, String) {
    let mut command = home.acp(&["agents", "run", "robot"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("acp");
    child.stdin.take().expect("is piped").write_all(input).expect("taken");
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_cache_that_fails_is_passed_by_once() {
    let home = home_of("npx");
    let tries = home.path("tries");
    let script = |rest: &str| format!("echo \"$*\" >> {}\n{rest}", tries.display());
    let tried = || {
        let text = fs::read_to_string(&tries).unwrap_or_default();
        fs::remove_file(&tries).expect("was tried");
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    home.program("npx", "");
    home.done(&["agents", "install", "robot"]);
    let (cached, fresh) = ("--yes --prefer-offline @acme/robot@3.1.0 --acp", "--yes @acme/robot@3.1.0 --acp");
    let again = "acp: npx has failed with the packages of its cache: once more with those of the network\n";

    // Bytes that the first attempt has read are there for the second one.
    home.program(
        "npx",
        &script("if [ \"$2\" = --prefer-offline ]; then head -c 3 > /dev/null; exit 1; fi; cat; exit 5"),
    );
    assert_eq!(run(&home, b"input\n"), (Some(5), "input\n".to_owned(), again.to_owned()));
    assert_eq!(tried(), [cached, fresh]);

    home.program("npx", &script("exit 3"));
    assert_eq!(run(&home, b""), (Some(3), String::new(), again.to_owned()));
    assert_eq!(tried(), [cached, fresh]);

    // An agent that has spoken, or that has ended well, is not run again.
    home.program("npx", &script("echo hello; exit 3"));
    assert_eq!(run(&home, b""), (Some(3), "hello\n".to_owned(), String::new()));
    assert_eq!(tried(), [cached]);
    home.program("npx", &script("exit 0"));
    assert_eq!(run(&home, b""), (Some(0), String::new(), String::new()));
    assert_eq!(tried(), [cached]);
}

#[test]
fn processes_that_npx_leaves_behind_end_with_it() {
    let home = home_of("npx");
    let fifo = home.path("fifo");
    std::process::Command::new("mkfifo").arg(&fifo).status().expect("there is one");
    // The process that is left holds the fifo open until it ends.
    home.program("npx", &format!("sleep 60 > {} 2>&1 < /dev/null &\necho hello; exit 0", fifo.display()));
    home.done(&["agents", "install", "robot"]);
    let reader = std::thread::spawn(move || fs::read(fifo));
    assert_eq!(run(&home, b""), (Some(0), "hello\n".to_owned(), String::new()));
    assert_eq!(reader.join().expect("no panic").expect("it ends"), b"");
}

#[test]
fn signals_reach_the_agent_and_its_end_is_ours() {
    let home = home_of("npx");
    home.program("npx", "");
    home.done(&["agents", "install", "robot"]);
    home.program("npx", "echo hello; kill -9 $$");
    assert_eq!(run(&home, b""), (Some(128 + 9), "hello\n".to_owned(), String::new()));
    // It has not spoken, and is not run again, because it was told to end.
    let ready = home.path("ready");
    std::process::Command::new("mkfifo").arg(&ready).status().expect("there is one");
    home.program("npx", &format!("trap 'exit 9' TERM\necho ready > {}\ncat", ready.display()));
    let mut command = home.acp(&["agents", "run", "robot"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("acp");
    let stdin = child.stdin.take();
    assert_eq!(fs::read(&ready).expect("written"), b"ready\n");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("is ours");
    let output = child.wait_with_output().expect("it ends");
    drop(stdin);
    let err = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(output.status.code() == Some(9) && !err.contains("once more"), "{err}");
}

#[test]
fn a_package_without_an_exact_version_is_not_installed() {
    let home = Home::new();
    for (way, package) in [
        ("npx", "robot@latest"),
        ("npx", "@acme/robot"),
        ("npx", "github:acme/robot@3.1.0"),
        ("uvx", "robot>=1"),
        ("uvx", "git+https://acme.example/robot@1.0"),
    ] {
        home.program(way, &robot("x"));
        home.list("/list", &[entry("1.0.0", &json!({way: {"package": package}}))]);
        let err = home.fails(&["agents", "install", "robot"]);
        assert!(err.contains(&format!("its `package` {package} does not name an exact version")), "{err}");
    }
    assert_eq!(home.lock(), "");
}

#[test]
fn the_way_can_be_chosen() {
    let home = Home::new();
    let ways = json!({"npx": {"package": "robot@1.0.0"}, "uvx": {"package": "robot==1"}});
    home.list("/list", &[entry("1.0.0", &ways)]);
    home.program("npx", &robot("npx"));
    home.program("uvx", &robot("uvx"));
    home.done(&["agents", "install", "robot"]);
    assert_eq!(home.prompt(&["--agent", "robot"]).1, "npx: --yes --prefer-offline robot@1.0.0; ; \n");
    home.done(&["agents", "install", "robot", "--way", "uvx"]);
    assert_eq!(home.prompt(&["--agent", "robot"]).1, "uvx: robot==1; ; \n");
    let (code, _, err) = home.run(&["agents", "install", "robot", "--way", "cargo"]);
    assert!(code == 2 && err.contains("it must be binary, npx or uvx"), "{err}");
}
