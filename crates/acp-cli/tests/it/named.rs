//! `--agent`: agents of the registry, and agents that a file describes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::prompt::{AGENT, OPEN, beside_session};

/// A home with programs in it, and the registry in its usual place.
struct Home {
    folder: TempDir,
}

/// The platform, as registries name it.
fn here() -> String {
    let system = if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS };
    format!("{system}-{}", std::env::consts::ARCH)
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("bin")).expect("made");
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file below the home.
    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let file = self.path(name);
        fs::create_dir_all(file.parent().expect("has one")).expect("made");
        fs::write(&file, text).expect("written");
        file
    }

    /// Writes a program that is an agent. It says its arguments and its variable `ROBOT`.
    fn agent(&self, name: &str) -> PathBuf {
        let script = format!(
            "#!/bin/sh\nargs=\"$*\"\n{AGENT}{OPEN}take; say \"$args; $ROBOT\"; give '{{\"stopReason\":\"end_turn\"}}'; take"
        );
        let file = self.write(name, script);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("is ours");
        file
    }

    /// Puts the registry where it is looked for.
    fn registry(&self, agents: &[Value]) {
        let list = json!({"version": "1.0.0", "agents": agents}).to_string();
        self.write(".cache/acp/registry.json", &list);
        self.write("Library/Caches/acp/registry.json", &list);
    }

    fn acp(&self, options: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
        command.args(["prompt", "hello", "--timeout", "60"]).args(options).stdin(Stdio::null());
        for name in [
            "XDG_CACHE_HOME",
            "XDG_DATA_HOME",
            "XDG_CONFIG_HOME",
            "ACP_HOME",
            "ACP_REGISTRY",
            "ACP_REGISTRY_URL",
        ] {
            command.env_remove(name);
        }
        let path =
            std::env::join_paths([self.path("bin"), "/usr/bin".into(), "/bin".into()]).expect("a path");
        command.env("HOME", self.folder.path()).env("PATH", path);
        command
    }

    fn run(&self, options: &[&str]) -> (i32, String, String) {
        finish(&mut self.acp(options))
    }
}

fn finish(command: &mut Command) -> (i32, String, String) {
    let output = command.output().expect("acp runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("it exits"), text(output.stdout), beside_session(&text(output.stderr)))
}

fn robot(distribution: &Value) -> Value {
    json!({"id": "robot", "name": "Robot", "version": "3.1.0", "distribution": distribution})
}

fn utf8(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn packages_are_run_by_their_runner() {
    for (way, runner, package, words) in [
        ("npx", "npx", "@acme/robot@3.1.0", "--yes @acme/robot@3.1.0 --acp; 1"),
        ("uvx", "uvx", "robot==3", "robot==3 --acp; 1"),
    ] {
        let home = Home::new();
        home.agent(&format!("bin/{runner}"));
        home.registry(&[robot(
            &json!({way: {"package": package, "args": ["--acp"], "env": {"ROBOT": "1"}}}),
        )]);
        assert_eq!(home.run(&["--agent", "robot"]), (0, format!("{words}\n"), String::new()));
    }
}

#[test]
fn the_registry_is_the_named_file_then_that_of_the_environment_then_the_copy() {
    let home = Home::new();
    home.agent("bin/npx");
    let list = |package: &str| json!({"agents": [robot(&json!({"npx": {"package": package}}))]}).to_string();
    let (named, environment) =
        (home.write("named", list("named")), home.write("environment", list("environment")));
    home.registry(&[robot(&json!({"npx": {"package": "copy"}}))]);
    let said = |command: &mut Command| finish(command).1;
    assert_eq!(said(&mut home.acp(&["--agent", "robot"])), "--yes copy; \n");
    let mut with_environment = home.acp(&["--agent", "robot"]);
    assert_eq!(said(with_environment.env("ACP_REGISTRY", &environment)), "--yes environment; \n");
    let mut with_both = home.acp(&["--agent", "robot", "--registry", utf8(&named)]);
    assert_eq!(said(with_both.env("ACP_REGISTRY", &environment)), "--yes named; \n");
}

#[test]
fn a_program_in_an_archive_runs_once_it_is_unpacked() {
    let home = Home::new();
    home.registry(&[robot(&json!({"binary": {here(): {
        "archive": "https://acme.example/robot.tar.gz", "cmd": "./robot", "args": ["acp"], "sha256": "00ff"}}}))]);
    let (code, _, err) = home.run(&["--agent", "robot"]);
    assert_eq!(code, 1);
    let folder = ["Library/Application Support", ".local/share"][usize::from(!cfg!(target_os = "macos"))];
    let folder = home.path(folder).join("acp/agents/robot/3.1.0");
    let way = if cfg!(feature = "agents") {
        "`acp agents install robot` fetches https://acme.example/robot.tar.gz".to_owned()
    } else {
        format!("unpack https://acme.example/robot.tar.gz (SHA-256 00ff) into {}", folder.display())
    };
    assert_eq!(err, format!("acp: the agent `robot` is not installed: {way}\n"));
    home.agent(utf8(&folder.join("robot")));
    assert_eq!(home.run(&["--agent", "robot"]), (0, "acp; \n".to_owned(), String::new()));
}

#[test]
fn a_package_is_run_while_the_program_is_not_unpacked() {
    let home = Home::new();
    home.agent("bin/npx");
    let binary = json!({here(): {"archive": "https://acme.example/robot.zip", "cmd": "robot"}});
    home.registry(&[robot(&json!({"binary": binary, "npx": {"package": "robot"}}))]);
    assert_eq!(home.run(&["--agent", "robot"]).1, "--yes robot; \n");
}

#[test]
fn an_agent_that_cannot_be_started_is_explained() {
    let home = Home::new();
    let (code, _, err) = home.run(&["--agent", "robot"]);
    assert_eq!(code, 1);
    assert!(
        err.starts_with("acp: there is no copy of the agent registry: save its `registry.json` as "),
        "{err}"
    );
    assert!(err.contains("acp/registry.json") && err.contains("`--registry FILE`"), "{err}");
    home.registry(&[
        robot(&json!({"binary": {"dos-8086": {"archive": "https://acme.example/r.zip", "cmd": "r"}}})),
        json!({"id": "torn", "name": "Torn", "distribution": {}}),
        json!({"id": "packed", "name": "Packed", "distribution": {"uvx": {"package": "packed"}}}),
    ]);
    let empty = home.path("empty");
    fs::create_dir(&empty).expect("made");
    for (options, wants) in [
        (&["--agent", "robto"][..], "there is no agent `robto` in "),
        (&["--agent", "robto"], "did you mean `robot`?"),
        (&["--agent", "zzz"], "a newer copy of the registry may have it"),
        (&["--agent", "robot"], "it is not made for "),
        (&["--agent", "torn"], "cannot be used: agents[1] (`torn`): `distribution` has neither"),
        (&["--agent", "packed"], "a package of PyPI, and there is no `uvx` on the path: install uv first"),
        (&["--agent", "robot", "--registry", "/no/such/file"], "/no/such/file cannot be read: "),
        (&["--agent", "robot", "--registry", "/dev/null"], "/dev/null: the registry is not JSON"),
        (&["--agent", "./no/such.json"], "./no/such.json cannot be read: "),
    ] {
        let mut command = home.acp(options);
        let (code, out, err) = finish(command.env("PATH", &empty));
        assert_eq!((code, out.as_str()), (1, ""), "{options:?}: {err}");
        assert!(
            err.starts_with("acp: ") && err.contains(wants) && err.lines().count() == 1,
            "{options:?}: {err}"
        );
    }
}

#[test]
fn a_file_describes_an_agent_by_a_command_or_as_an_entry() {
    let home = Home::new();
    let program = home.agent("bin/robot");
    home.agent("bin/npx");
    let written = |text: &Value| home.write("robot.json", text.to_string());
    for (text, said) in [
        (
            json!({"command": "robot", "args": ["a b", "c"], "env": {"ROBOT": "2"}, "type": "custom"}),
            "a b c; 2\n",
        ),
        (json!({"command": program}), "; \n"),
        (robot(&json!({"npx": {"package": "robot"}})), "--yes robot; \n"),
    ] {
        let file = written(&text);
        assert_eq!(home.run(&["--agent", utf8(&file)]), (0, said.to_owned(), String::new()));
    }
    for (text, wants) in [
        (
            json!({"id": "robot"}),
            "does not describe an agent: `distribution` is missing; it must be an entry",
        ),
        (json!({"command": ""}), "`command` must be a text"),
        (json!({"command": "robot", "args": "x"}), "`args` must be a list of texts"),
        (json!({"command": "robot", "env": {"A": 1}}), "`env` must be texts by name"),
        (json!([]), "does not describe an agent"),
    ] {
        let file = written(&text);
        let (code, _, err) = home.run(&["--agent", utf8(&file)]);
        assert!(code == 1 && err.contains(wants) && err.contains("robot.json"), "{text}: {err}");
    }
}
