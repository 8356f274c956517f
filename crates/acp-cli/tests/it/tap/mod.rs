//! `acp tap`: the bytes between an editor and an agent, and their recording.

mod bytes;
mod convert;
mod faults;
mod settings;

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use acp_client::tap::{Entry, Record, Recording};

/// The outcome of a tap.
pub(crate) struct Tapped {
    pub(crate) code: Option<i32>,
    pub(crate) out: Vec<u8>,
    pub(crate) err: Vec<u8>,
}

impl Tapped {
    pub(crate) fn problem(&self) -> String {
        String::from_utf8_lossy(&self.err).into_owned()
    }
}

/// A command of `acp tap` whose agent is a script of the shell. The user has no settings.
fn tap(options: &[&str], script: &str, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.arg("tap").args(options).args(["--", "sh", "-c", script, "sh"]).args(words);
    bare(&mut command);
    command
}

/// Gives pipes to a command, and takes the user's settings away.
fn bare(command: &mut Command) {
    for name in ["ACP_TAP_AGENT", "ACP_TAP_CONFIG", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "ACP_TOKEN"] {
        command.env_remove(name);
    }
    command.env("HOME", "/nonexistent");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
}

/// Runs a command with this input, read and written at once.
pub(crate) fn run(command: &mut Command, input: &[u8]) -> Tapped {
    let mut process = command.spawn().expect("acp runs");
    let mut stdin = process.stdin.take().expect("is piped");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // The agent may have had enough.
        let _ = stdin.write_all(&input);
    });
    let tapped = finish(process);
    writer.join().expect("no panic");
    tapped
}

fn finish(process: Child) -> Tapped {
    let output = process.wait_with_output().expect("it ends");
    Tapped { code: output.status.code(), out: output.stdout, err: output.stderr }
}

fn file_in(folder: &tempfile::TempDir, name: &str) -> (PathBuf, String) {
    let file = folder.path().join(name);
    let text = file.display().to_string();
    (file, text)
}

fn records(file: &Path) -> Vec<Record> {
    let recording = Recording::open(file).expect("it was written");
    recording.map(|record| record.expect("a record")).collect()
}

pub(crate) fn entries(file: &Path) -> Vec<Entry> {
    let line = |record| match record {
        Record::Line(entry) => Some(entry),
        _ => None,
    };
    records(file).into_iter().filter_map(line).collect()
}

/// The reason in the last record.
fn reason(file: &Path) -> String {
    match records(file).pop() {
        Some(Record::End { reason, .. }) => reason,
        other => panic!("the recording ends with {other:?}"),
    }
}

/// Reads a pipe until it has so many bytes.
fn read(pipe: &mut impl Read, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    pipe.read_exact(&mut bytes).expect("it goes on");
    bytes
}

fn text(file: &Path) -> String {
    String::from_utf8_lossy(&fs::read(file).expect("it was written")).into_owned()
}
