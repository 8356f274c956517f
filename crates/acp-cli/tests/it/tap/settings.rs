//! Taps without arguments, as an editor starts them.

use std::fs;
use std::process::Command;

use super::{bare, entries, file_in, run};

fn acp_tap(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.arg("tap").args(args);
    bare(&mut command);
    command
}

#[test]
fn the_agent_comes_from_the_environment_or_the_settings() {
    let folder = tempfile::tempdir().expect("a folder");
    let (agent, agent_name) = file_in(&folder, "agent.json");
    fs::write(&agent, r#"{"command": "sh", "args": ["-c", "echo of the file"]}"#).expect("written");
    let (state, state_name) = file_in(&folder, "state");
    let tapped = run(acp_tap(&[]).env("ACP_TAP_AGENT", &agent_name).env("XDG_STATE_HOME", &state_name), b"");
    assert_eq!((tapped.code, tapped.out.as_slice()), (Some(0), b"of the file\n".as_slice()));
    // Nobody named a file.
    let kept: Vec<_> = fs::read_dir(state.join("acp/tap")).expect("it was made").collect();
    assert_eq!(kept.len(), 1, "{kept:?}");

    let config = folder.path().join("acp");
    fs::create_dir(&config).expect("a folder");
    let to = folder.path().join("turn-{pid}.ndjson").display().to_string();
    let settings = format!("agent = ['sh', '-c', 'echo of the settings']\nto = '{to}'\n");
    fs::write(config.join("tap.toml"), settings).expect("written");
    let mut command = acp_tap(&[]);
    let mut child = command.env("XDG_CONFIG_HOME", folder.path()).spawn().expect("acp runs");
    drop(child.stdin.take());
    let file = folder.path().join(format!("turn-{}.ndjson", child.id()));
    let tapped = super::finish(child);
    assert_eq!((tapped.code, tapped.out.as_slice()), (Some(0), b"of the settings\n".as_slice()));
    assert_eq!(entries(&file).len(), 1);

    // Arguments come first, then the environment, then the settings.
    let both = |args: &[&str]| {
        let mut command = acp_tap(args);
        command.env("XDG_CONFIG_HOME", folder.path()).env("ACP_TAP_AGENT", &agent_name);
        String::from_utf8(run(&mut command, b"").out).expect("UTF-8")
    };
    assert_eq!(both(&[]), "of the file\n");
    assert_eq!(both(&["--", "echo", "of the arguments"]), "of the arguments\n");
}

#[test]
fn a_tap_without_an_agent_or_with_wrong_settings_is_refused() {
    let tapped = run(&mut acp_tap(&[]), b"");
    assert_eq!(tapped.code, Some(2));
    assert!(tapped.problem().contains("ACP_TAP_AGENT"), "{}", tapped.problem());
    let folder = tempfile::tempdir().expect("a folder");
    let (file, name) = file_in(&folder, "tap.toml");
    fs::write(&file, "agnet = 'x'").expect("written");
    let tapped = run(acp_tap(&["--", "true"]).env("ACP_TAP_CONFIG", &name), b"");
    assert_eq!(tapped.code, Some(2));
    assert!(tapped.problem().contains("tap.toml: there is no setting `agnet`"), "{}", tapped.problem());
}
