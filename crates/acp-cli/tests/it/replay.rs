//! `acp replay` and `acp diff`: recordings that are played again and compared.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ACP: &str = env!("CARGO_BIN_EXE_acp");
const PROMPT: &str = "Replace `mlik` with `milk` in notes.txt";

fn acp(args: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(ACP).args(args).stdin(Stdio::null()).output().expect("acp runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A recorded turn of the demo agent, which asks for permission and edits a file.
struct Recorded {
    folder: tempfile::TempDir,
    file: String,
    out: String,
    protocol: &'static str,
}

impl Recorded {
    fn make(protocol: &'static str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("turn.ndjson").display().to_string();
        let mut recorded = Self { folder, file, out: String::new(), protocol };
        let (code, out, problem) = recorded.prompt(&["tap", "--to", &recorded.file, "--", ACP, "demo-agent"]);
        assert_eq!(code, Some(0), "{problem}");
        recorded.out = out;
        recorded
    }

    fn reset(&self) {
        fs::write(self.folder.path().join("notes.txt"), "- mlik\n").expect("written");
    }

    /// Prompts an agent that is a command of `acp`.
    fn prompt(&self, agent: &[&str]) -> (Option<i32>, String, String) {
        self.reset();
        // Version 2 has no files of the client, which the demo agent edits.
        let text = if self.protocol == "1" { PROMPT } else { "hello" };
        let cwd = self.folder.path().display().to_string();
        let options = [
            "prompt",
            text,
            "--cwd",
            &cwd,
            "--allow",
            "once",
            "--protocol",
            self.protocol,
            "--timeout",
            "60",
            "--",
            ACP,
        ];
        acp(&[&options, agent].concat())
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// Writes the recording with other texts in it.
    fn changed(&self, name: &str, changes: &[(&str, &str)]) -> String {
        let mut text = fs::read_to_string(&self.file).expect("it was recorded");
        for (from, to) in changes {
            assert!(text.contains(from), "{from} in {text}");
            text = text.replace(from, to);
        }
        let file = self.path(name);
        fs::write(&file, text).expect("written");
        file
    }
}

#[test]
fn a_recorded_agent_serves_a_client_as_the_real_one_did() {
    for protocol in ["1", "2"] {
        let recorded = Recorded::make(protocol);
        let (code, out, problem) = recorded.prompt(&["replay", &recorded.file]);
        assert_eq!((code, &out), (Some(0), &recorded.out), "version {protocol}: {problem}");
    }
}

#[test]
fn a_recorded_agent_tells_of_a_client_that_does_something_else() {
    let recorded = Recorded::make("1");
    let (code, _, problem) = acp(&["replay", &recorded.file]);
    assert_eq!(code, Some(1));
    assert!(
        problem.contains("the client is not that of") && problem.contains("missing: initialize"),
        "{problem}"
    );
    let (code, _, _) = acp(&["info", "--", ACP, "replay", &recorded.file]);
    assert_eq!(code, Some(0), "the beginning is enough for it");
}

#[test]
fn a_recorded_client_drives_an_agent_and_compares() {
    for protocol in ["1", "2"] {
        let recorded = Recorded::make(protocol);
        recorded.reset();
        let live = recorded.path("live.ndjson");
        let (code, out, problem) =
            acp(&["replay", &recorded.file, "--record", &live, "--", ACP, "demo-agent"]);
        assert_eq!((code, problem.as_str()), (Some(0), ""), "version {protocol}: {out}");
        assert!(out.starts_with("no differences in "), "{out}");
        // The ids of the live session are others.
        let (code, out, _) = acp(&["diff", &recorded.file, &live]);
        assert_eq!(code, Some(0), "{out}");
        assert_ne!(session(&recorded.file), session(&live));
    }
}

/// The id of the first session in a recording.
fn session(file: &str) -> String {
    let text = fs::read_to_string(file).expect("is there");
    let (_, rest) = text.split_once("sessionId").expect("a session");
    rest.trim_start_matches(['\\', '"', ':']).chars().take_while(|sign| !"\\\"".contains(*sign)).collect()
}

#[test]
fn an_agent_that_answers_otherwise_differs() {
    let recorded = Recorded::make("1");
    recorded.reset();
    let changed =
        recorded.changed("changed.ndjson", &[("\"stopReason\":\"end_turn\"", "\"stopReason\":\"refusal\"")]);
    let (code, out, _) = acp(&["replay", &changed, "--", ACP, "demo-agent"]);
    assert_eq!(code, Some(1), "{out}");
    for part in [
        "session-1, from the agent:",
        "~ result session/prompt",
        "/result/stopReason",
        "- \"refusal\"",
        "+ \"end_turn\"",
    ] {
        assert!(out.contains(part), "{part} in {out}");
    }
    recorded.reset();
    let (code, out, _) = acp(&["replay", &changed, "--ignore", "stopReason", "--", ACP, "demo-agent"]);
    assert_eq!(code, Some(0), "{out}");
}

#[test]
fn an_agent_that_ends_or_keeps_quiet_differs() {
    let recorded = Recorded::make("1");
    let (code, out, _) = acp(&["replay", &recorded.file, "--", "true"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("- result initialize (record "), "{out}");
    let begun = Instant::now();
    let (code, out, problem) = acp(&["replay", &recorded.file, "--timeout", "1", "--", "sleep", "1000"]);
    assert_eq!((code, problem.contains("within 1 s")), (Some(1), true), "{out}{problem}");
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_replay_can_take_the_time_that_the_recording_took() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("r.ndjson");
    let line = |time: u32, direction: &str, kind: &str, body: &str| {
        format!("{{\"time\":{time},\"direction\":\"{direction}\",\"kind\":\"{kind}\"{body}}}\n")
    };
    let recording = [
        line(
            0,
            "out",
            "request",
            r#","id":0,"method":"initialize","bytes":1,"body":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#,
        ),
        line(
            700_000,
            "in",
            "result",
            r#","id":0,"bytes":1,"body":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}"#,
        ),
    ];
    fs::write(&file, recording.concat()).expect("written");
    let file = file.display().to_string();
    let took = |options: &[&str]| {
        let begun = Instant::now();
        let (code, out, problem) = acp(&[&["info", "--", ACP, "replay", &file], options].concat());
        assert_eq!(code, Some(0), "{out}{problem}");
        begun.elapsed()
    };
    assert!(took(&["--speed", "recorded"]) >= Duration::from_millis(700));
    took(&["--speed", "fast"]);
}

#[test]
fn diff_has_an_exit_status_for_each_outcome() {
    let recorded = Recorded::make("1");
    let same = recorded.changed("same.ndjson", &[("\"time\":1", "\"time\":2")]);
    let other = recorded.changed("other.ndjson", &[("end_turn", "refusal")]);
    let not = recorded.path("notes.txt");
    for (second, options, code, part) in [
        (&recorded.file, &[][..], 0, "no differences in "),
        (&same, &[], 0, "no differences in "),
        (&other, &[], 1, "1 difference in "),
        (&other, &["--ignore", "stopReason"], 0, "no differences in "),
        (&other, &["--ignore", "/result/stopReason", "--join-chunks"], 0, "no differences in "),
        (&not, &[], 2, "notes.txt: line 1 of the recording is not a record"),
        (&recorded.path("none"), &[], 2, "none: "),
    ] {
        let (got, out, problem) = acp(&[&["diff", &recorded.file, second], options].concat());
        assert_eq!(got, Some(code), "{second} {out}{problem}");
        assert!(format!("{out}{problem}").contains(part), "{out}{problem}");
    }
    let (code, out, _) = acp(&["diff", &recorded.file, &other, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((code, &json["equal"], &json["version"]), (Some(1), &false.into(), &1.into()));
    let difference = &json["differences"][0];
    assert_eq!((&difference["kind"], &difference["method"]), (&"changed".into(), &"session/prompt".into()));
    let change = serde_json::json!({"path": "/result/stopReason", "first": "end_turn", "second": "refusal"});
    assert_eq!(difference["changes"][0], change);
    assert!(Path::new(&recorded.file).exists());
}
