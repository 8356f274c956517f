//! `acp check` and `acp mock` that a signal stops: the programs that they have started end, too.

use std::fs;
use std::process::{Command, Stdio};

/// A program that survives the end of its input and a request to terminate, and writes the ids of
/// its processes to the file `$1`.
const STUBBORN: &str = r#"trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo "$$ $!" > "$1"
    while :; do sleep 1; done"#;

#[test]
fn a_signal_ends_the_command_with_all_that_it_has_started() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("wait.ndjson");
    fs::write(&script, "{\"expect\": \"_never\"}\n").expect("written");
    let script = script.to_str().expect("UTF-8");
    let pipe = folder.path().join("pids").display().to_string();
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    let stubborn = ["--", "sh", "-c", STUBBORN, "sh", &pipe];
    let agent = "{agent}";
    for (signal, command) in [
        ("-TERM", [&["mock", "client", "--script", script], &stubborn[..]].concat()),
        ("-INT", [&["check", "agent", "--timeout", "60"], &stubborn[..]].concat()),
        ("-HUP", [&["check", "client", "--timeout", "60"], &stubborn[..], &[agent]].concat()),
    ] {
        let mut acp = Command::new(env!("CARGO_BIN_EXE_acp"));
        let acp = acp.args(&command).stdin(Stdio::null()).stdout(Stdio::null()).spawn();
        let mut acp = acp.expect("acp runs");
        // The program opens the other end.
        let pids = fs::read_to_string(&pipe).expect("the program runs");
        let killed = Command::new("kill").args([signal, acp.id().to_string().as_str()]).status();
        assert!(killed.expect("kill runs").success());
        assert_eq!(acp.wait().expect("it ends").code(), Some(130), "{command:?}");
        let pids: Vec<&str> = pids.split_whitespace().collect();
        assert_eq!(pids.len(), 2, "{pids:?}");
        for pid in pids {
            let gone = || {
                let state = Command::new("ps").args(["-o", "stat=", "-p", pid]).output();
                let state = String::from_utf8_lossy(&state.expect("ps runs").stdout).into_owned();
                state.trim().is_empty() || state.starts_with('Z')
            };
            // The signal may still be on its way.
            assert!((0..500).any(|_| gone()), "{pid} of {command:?} is still there");
        }
    }
}
