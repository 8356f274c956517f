//! The public list of agents: its entries, and the commands made from them.

use std::path::Path;

use acp_client::{Command, Registry, RegistryAgent, RegistryError};
use serde_json::{Value, json};

/// Returns the name of this platform in the list.
fn here() -> String {
    let system = if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS };
    format!("{system}-{}", std::env::consts::ARCH)
}

fn registry(agents: &[Value]) -> Registry {
    json!({"version": "1.0.0", "agents": agents, "extensions": []}).to_string().parse().expect("a registry")
}

fn agent(distribution: &Value) -> RegistryAgent {
    let registry = registry(&[json!({"id": "robot", "name": "Robot", "distribution": distribution})]);
    registry.get("robot").unwrap_or_else(|| panic!("{:?}", registry.skipped)).clone()
}

/// Returns the command line, and the additions to the environment.
fn line(command: &Command) -> String {
    let command = command.to_std();
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|arg| arg.to_string_lossy().into_owned()));
    let env = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    words.extend(env.map(|(name, value)| format!("{}={}", name.display(), value.display())));
    words.join(" ")
}

#[test]
fn every_kind_of_distribution_gives_its_command() {
    let tool = "/opt/robot";
    let table = [
        (json!({"npx": {"package": "@acme/robot@3.1.0"}}), None, "npx --yes @acme/robot@3.1.0"),
        (
            json!({"npx": {"package": "robot", "cmd": "robot-acp", "args": ["--acp", "x y"], "env": {"A": "1"}}}),
            None,
            "npx --yes --package robot robot-acp --acp x y A=1",
        ),
        (json!({"uvx": {"package": "robot==3", "args": ["serve"]}}), None, "uvx robot==3 serve"),
        (json!({"uvx": {"package": "robot", "cmd": "acp"}}), None, "uvx --from robot acp"),
        (
            json!({"binary": {here(): {"archive": "https://x/r.zip", "cmd": "./bin/robot", "args": ["acp"],
                                       "env": {"B": "2"}}}}),
            Some(tool),
            "/opt/robot/bin/robot acp B=2",
        ),
        // An unpacked archive comes first, and a package before an archive that is not unpacked.
        (
            json!({"binary": {here(): {"archive": "https://x/r.zip", "cmd": "robot"}}, "npx": {"package": "robot"}}),
            Some(tool),
            "/opt/robot/robot",
        ),
        (
            json!({"binary": {here(): {"archive": "https://x/r.zip", "cmd": "robot"}}, "npx": {"package": "robot"}}),
            None,
            "npx --yes robot",
        ),
        (
            json!({"binary": {"plan9-mips": {"archive": "https://x/r.zip", "cmd": "r"}}, "uvx": {"package": "robot"}}),
            Some(tool),
            "uvx robot",
        ),
    ];
    for (distribution, unpacked, wanted) in table {
        let command = agent(&distribution).command(unpacked.map(Path::new));
        assert_eq!(line(&command.expect("a command")), wanted, "{distribution}");
    }
}

#[test]
fn what_cannot_be_started_like_this_says_what_would_do() {
    let binary = |cmd: &str| json!({"binary": {here(): {"archive": "https://x/r.zip", "cmd": cmd}}});
    let elsewhere = json!({"binary": {"plan9-mips": {"archive": "https://x/r.zip", "cmd": "r"}}});
    let folder = Some(Path::new("/opt"));
    let table = [
        (binary("robot"), None, "unpack https://x/r.zip".to_owned()),
        (elsewhere, folder, format!("not made for {}", here())),
        (binary("../../bin/sh"), folder, "not in its archive".to_owned()),
        (binary("/bin/sh"), folder, "not in its archive".to_owned()),
        (binary("a/../../sh"), folder, "not in its archive".to_owned()),
        (binary("."), folder, "not in its archive".to_owned()),
    ];
    for (distribution, unpacked, wanted) in table {
        let error = agent(&distribution).command(unpacked).expect_err("no command");
        assert!(matches!(&error, RegistryError::NoCommand { agent, .. } if agent == "robot"), "{error:?}");
        assert!(error.to_string().contains(&wanted), "{distribution}: {error}");
    }
}

#[test]
fn entries_that_cannot_be_read_are_skipped_and_named() {
    let good = json!({"npx": {"package": "p"}});
    let bad = [
        (json!({"name": "no id", "distribution": good}), "agents[0]: `id`"),
        (json!({"id": "b"}), "agents[1] (`b`): `distribution` is missing"),
        (json!({"id": "c", "distribution": {"telepathy": {}}}), "neither `npx` nor `uvx` nor `binary`"),
        (json!({"id": "d", "distribution": {"npx": {"package": 7}}}), "`package` must be a text"),
        (
            json!({"id": "e", "distribution": {"npx": {"package": "--call=sh"}}}),
            "must not be empty or begin with",
        ),
        (
            json!({"id": "f", "distribution": {"uvx": {"package": "p", "cmd": "-c"}}}),
            "must not be empty or begin with",
        ),
        (json!({"id": "g", "distribution": {"uvx": {"package": "p", "args": [1]}}}), "`args` must be a list"),
        (json!({"id": "h", "distribution": {"uvx": {"package": "p", "env": {"A": 1}}}}), "`env` must be"),
        (json!({"id": "i", "distribution": {"binary": {"linux-x86_64": {"cmd": "x"}}}}), "`archive` must be"),
    ];
    let mut entries: Vec<Value> = bad.iter().map(|(entry, _)| entry.clone()).collect();
    entries.push(json!({
        "id": "whole", "name": "Whole", "version": "1.2.3", "description": "All of it.", "repository": "r",
        "website": "w", "authors": ["A", "B"], "license": "MIT", "icon": "i.svg", "unheardOf": 1, "distribution": good,
    }));
    let registry = registry(&entries);
    assert_eq!(registry.version.as_deref(), Some("1.0.0"));
    assert_eq!(registry.skipped.len(), bad.len());
    for ((_, wanted), skipped) in bad.iter().zip(&registry.skipped) {
        assert!(skipped.contains(wanted), "{wanted:?} in {skipped:?}");
    }
    let [whole] = registry.agents.as_slice() else { panic!("one is left") };
    assert_eq!((whole.name.as_str(), whole.version.as_deref()), ("Whole", Some("1.2.3")));
    assert_eq!((whole.authors.concat().as_str(), whole.license.as_deref()), ("AB", Some("MIT")));
}

#[test]
fn what_is_no_registry_is_refused() {
    assert!(matches!("{".parse::<Registry>(), Err(RegistryError::Json(_))));
    for text in ["[]", "{}", r#"{"agents": {}}"#] {
        assert!(matches!(text.parse::<Registry>(), Err(RegistryError::NoAgents)), "{text}");
    }
}

#[test]
fn a_script_in_an_archive_is_run_by_an_interpreter_of_the_path() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().to_str().expect("UTF-8");
    for file in ["dist/index.js", "with space.js", "serve", "ruby"] {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().expect("has one")).expect("made");
        std::fs::write(path, "").expect("written");
    }
    // A folder of that name is not a program.
    std::fs::create_dir(folder.path().join("python")).expect("made");
    let table: [(&str, &[&str], String); 9] = [
        ("node", &["dist/index.js", "acp"], format!("node {root}/dist/index.js acp")),
        (
            "node",
            &["--flag", "./dist/index.js", "serve"],
            format!("node --flag {root}/./dist/index.js {root}/serve"),
        ),
        (
            "node",
            &["with space.js", "dist", "", "../x", "/etc/hostname"],
            format!("node {root}/with space.js dist  ../x /etc/hostname"),
        ),
        ("python", &["-m", "robot"], "python -m robot".to_owned()),
        ("python3", &[], "python3".to_owned()),
        ("java", &["-jar", "robot.jar"], "java -jar robot.jar".to_owned()),
        // A file in the archive has priority. A path is taken as it is.
        ("ruby", &["serve"], format!("{root}/ruby serve")),
        ("./node", &["serve"], format!("{root}/node serve")),
        ("bash", &["serve"], format!("{root}/bash serve")),
    ];
    for (cmd, args, wanted) in table {
        let binary = json!({"archive": "https://x/r.zip", "cmd": cmd, "args": args});
        let command = agent(&json!({"binary": {here(): binary}})).command(Some(folder.path()));
        assert_eq!(line(&command.expect("a command")), wanted);
    }
}

/// Writes a program from another process. While this process had the file open for writing, a child
/// that starts meanwhile could inherit it, and then the file could not be executed.
#[cfg(unix)]
fn write_program(file: &Path, text: &str) {
    let mut shell = std::process::Command::new("sh");
    let write = r#"printf %s "$1" > "$0" && chmod 755 "$0""#;
    let status = shell.args(["-c", write]).arg(file).arg(text).status().expect("a shell");
    assert!(status.success(), "{status}");
}

/// Starts an agent from its entry, with a runner that the test puts on the path.
#[cfg(unix)]
#[tokio::test]
async fn an_agent_is_started_from_its_entry() {
    let folder = tempfile::tempdir().expect("a folder");
    let agent_script = r#"#!/bin/sh
[ "$MODE $*" = "$WANTED" ] || { echo "started with: $MODE $*" >&2; exit 9; }
read -r line; id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1,"agentInfo":{"name":"robot","version":"3"}}}\n' "$id"
read -r line
"#;
    for name in ["npx", "uvx", "robot"] {
        let file = folder.path().join(name);
        write_program(&file, agent_script);
    }
    let package = json!({"package": "@acme/robot", "args": ["--acp"], "env": {"MODE": "m"}});
    let binary =
        json!({"archive": "https://x/r.zip", "cmd": "./robot", "args": ["--acp"], "env": {"MODE": "m"}});
    let table = [
        (json!({"npx": package}), None, "m --yes @acme/robot --acp"),
        (json!({"uvx": package}), None, "m @acme/robot --acp"),
        (json!({"binary": {here(): binary}}), Some(folder.path()), "m --acp"),
    ];
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", folder.path().display());
    for (distribution, unpacked, wanted) in table {
        let command = agent(&distribution).command(unpacked).expect("a command");
        let command = command.env("PATH", &path).env("WANTED", wanted);
        let robot = acp_client::spawn(command).await.expect(wanted);
        assert_eq!(robot.info().map(|info| info.name.as_str()), Some("robot"));
        robot.close().await;
    }
}

#[test]
fn one_entry_is_read_by_itself() {
    let binary = json!({here(): {"archive": "https://x/r.zip", "cmd": "robot"}});
    let entry =
        json!({"id": "robot", "name": "Robot", "distribution": {"binary": binary}, "new": 1}).to_string();
    let robot: RegistryAgent = entry.parse().expect("an entry");
    assert_eq!(robot.binary().map(|binary| binary.archive.as_str()), Some("https://x/r.zip"));
    let elsewhere = agent(&json!({"binary": {"dos-8086": {"archive": "https://x/r.zip", "cmd": "robot"}}}));
    assert_eq!(elsewhere.binary(), None);
    for (text, wants) in [
        ("{}", "this is not the entry of an agent: `id` must be a text"),
        ("[]", "this is not the entry of an agent: `id` must be a text"),
        (r#"{"id":"robot"}"#, "`distribution` is missing"),
        ("{", "is not JSON"),
    ] {
        let error = text.parse::<RegistryAgent>().expect_err("is not an entry").to_string();
        assert!(error.contains(wants), "{text}: {error}");
    }
}
