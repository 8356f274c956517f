//! `acp agents`: a server of lists and archives on loopback, and a home of its own for each test.

mod answered;
#[cfg(all(target_os = "linux", feature = "ring"))]
mod https;
mod install;
mod lists;
mod login;
mod packages;
mod running;
mod server;
mod together;
mod updates;

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use self::server::Server;
use crate::prompt::{AGENT, OPEN, beside_session};

/// A home with programs in it, and a server.
struct Home {
    folder: TempDir,
    server: Server,
}

/// The platform, as lists name it.
fn here() -> String {
    let system = if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS };
    format!("{system}-{}", std::env::consts::ARCH)
}

impl Home {
    fn new() -> Self {
        let home = Self { folder: tempfile::tempdir().expect("a folder"), server: Server::start() };
        fs::create_dir(home.path("bin")).expect("made");
        home
    }

    /// A home with a list on the server that has the robot in a version.
    fn with_robot(version: &str) -> Self {
        let home = Self::new();
        home.offer(version);
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn lock(&self) -> String {
        fs::read_to_string(self.path("acp/agents.lock")).unwrap_or_default()
    }

    /// Writes a program to the path.
    fn program(&self, name: &str, script: &str) -> PathBuf {
        let file = self.path("bin").join(name);
        fs::write(&file, format!("#!/bin/sh\n{script}")).expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("is ours");
        file
    }

    /// Serves a list.
    fn list(&self, path: &str, agents: &[Value]) -> String {
        self.server.give(path, json!({"version": "1.0.0", "agents": agents}).to_string());
        self.server.address(path)
    }

    /// Serves the robot in a version, with its archive, and a list of it at `/list`.
    fn offer(&self, version: &str) -> Vec<u8> {
        let archive = tar_gz(&[("robot", &robot(version))]);
        let path = format!("/robot-{version}.tar.gz");
        self.server.give(&path, archive.clone());
        let sha256 = sha256(&archive);
        let binary = json!({"archive": self.server.address(&path), "cmd": "./robot", "args": ["acp"], "sha256": sha256});
        self.list("/list", &[entry(version, &json!({"binary": {here(): binary}}))]);
        archive
    }

    fn acp(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
        command.args(args).stdin(Stdio::null()).env_clear();
        let path =
            std::env::join_paths([self.path("bin"), "/usr/bin".into(), "/bin".into()]).expect("a path");
        command.env("HOME", self.folder.path()).env("PATH", path).env("ACP_HOME", self.path("acp"));
        command.env("ACP_REGISTRY_URL", self.server.address("/list"));
        command
    }

    fn run(&self, args: &[&str]) -> (i32, String, String) {
        finish(&mut self.acp(args))
    }

    /// Runs a command that has to succeed, and returns its stdout.
    fn done(&self, args: &[&str]) -> String {
        let (code, out, err) = self.run(args);
        assert_eq!(code, 0, "{args:?}: {err}");
        out
    }

    /// Runs a command that has to fail, and returns its only line of stderr.
    fn fails(&self, args: &[&str]) -> String {
        let (code, out, err) = self.run(args);
        assert_eq!((code, out.as_str()), (1, ""), "{args:?}: {err}");
        assert!(err.starts_with("acp: "), "{err}");
        err
    }

    /// Prompts an agent, and returns what it says.
    fn prompt(&self, agent: &[&str]) -> (i32, String, String) {
        self.run(&[&["prompt", "hello", "--timeout", "60"], agent].concat())
    }

    /// The names in the folder of the robot.
    fn versions(&self) -> Vec<String> {
        let Ok(folder) = fs::read_dir(self.path("acp/agents/robot")) else { return Vec::new() };
        let mut names: Vec<_> =
            folder.map(|entry| entry.expect("read").file_name().into_string().expect("UTF-8")).collect();
        names.sort();
        names
    }
}

fn finish(command: &mut Command) -> (i32, String, String) {
    let output = command.output().expect("acp runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("it exits"), text(output.stdout), beside_session(&text(output.stderr)))
}

/// An agent that says its version, its arguments and two variables.
fn robot(version: &str) -> String {
    format!(
        "#!/bin/sh\nargs=\"$*\"\n{AGENT}{OPEN}take; say \"{version}: $args; $ROBOT; $SECRET\"; \
         give '{{\"stopReason\":\"end_turn\"}}'; take"
    )
}

fn entry(version: &str, distribution: &Value) -> Value {
    json!({"id": "robot", "name": "Robot", "version": version, "description": "Writes code.", "distribution": distribution})
}

fn tar_gz(files: &[(&str, &str)]) -> Vec<u8> {
    let encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut tar = tar::Builder::new(encoder);
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_mode(0o644);
        header.set_size(content.len() as u64);
        tar.append_data(&mut header, name, content.as_bytes()).expect("added");
    }
    tar.into_inner().expect("ended").finish().expect("packed")
}

fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).expect("added");
        zip.write_all(content.as_bytes()).expect("written");
    }
    zip.finish().expect("packed").into_inner()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn utf8(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}
