//! `acp connect`: what an editor sees that only starts commands.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use acp_client::CloseReason;

use super::{HERE, Served, acp, kill, pipe, said, until_gone};

/// A command of `acp connect`, as an editor has it.
fn editor(url: &str) -> acp_client::Command {
    acp_client::Command::new(env!("CARGO_BIN_EXE_acp")).args(["connect", url]).env_remove("ACP_TOKEN")
}

/// `acp connect` with pipes, and its agent initialized.
fn begun(url: &str) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    let command = command.args(["connect", url]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = command.stderr(Stdio::piped()).spawn().expect("acp runs");
    let stdin = process.stdin.as_mut().expect("is piped");
    let message = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#;
    writeln!(stdin, "{message}").expect("it reads");
    let mut stdout = BufReader::new(process.stdout.take().expect("is piped"));
    let mut line = String::new();
    stdout.read_line(&mut line).expect("it answers");
    assert!(line.contains("\"protocolVersion\":1"), "{line}");
    (process, stdout)
}

fn finish(process: Child) -> (Option<i32>, String) {
    let output = process.wait_with_output().expect("it ends");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[tokio::test]
async fn an_editor_uses_it_as_it_uses_the_agent() {
    let served = Served::start(&[]);
    for url in [served.ws(), served.http()] {
        let agent = acp_client::spawn(editor(&url)).await.expect("it starts");
        let session = agent.new_session(HERE).await.expect("a session");
        let pid = said(&session, "pid").await.expect("a turn");
        assert_eq!(said(&session, "long").await.expect("a turn").len(), 100_000);
        let long = "ü".repeat(2_000_000);
        let got: usize = said(&session, &long).await.expect("a turn").trim().parse().expect("a number");
        assert!((4_000_000..4_001_000).contains(&got), "{got}");
        agent.close().await;
        until_gone(&pid);
    }
    served.until_metric("acp_connections", 0);
}

#[tokio::test]
async fn it_ends_with_the_agent() {
    let served = Served::start(&[]);
    for url in [served.ws(), served.http()] {
        let agent = acp_client::spawn(editor(&url)).await.expect("it starts");
        let session = agent.new_session(HERE).await.expect("a session");
        said(&session, "leave").await.expect_err("it leaves");
        let CloseReason::Exited(exit) = agent.wait().await else { panic!("it is a process") };
        assert_eq!(exit.status, Some(0), "{exit}");
    }
    let agent = acp_client::spawn(editor(&served.ws())).await.expect("it starts");
    let session = agent.new_session(HERE).await.expect("a session");
    said(&session, "die").await.expect_err("it dies");
    let CloseReason::Exited(exit) = agent.wait().await else { panic!("it is a process") };
    assert_eq!(exit.status, Some(1), "{exit}");
    assert!(exit.stderr_tail.contains("1011"), "{exit}");
}

#[test]
fn it_ends_with_the_server() {
    for way in [Served::ws, Served::http] {
        let mut served = Served::start(&[]);
        let (mut process, _stdout) = begun(&way(&served));
        // Its end would be another reason.
        let _stdin = process.stdin.take();
        served.signal("-KILL");
        served.code();
        let (code, err) = finish(process);
        assert_eq!(code, Some(1), "{err}");
        assert!(err.starts_with("acp: "), "{err}");
    }
}

/// A client that asks for a turn and closes stdin.
fn asked(url: &str, options: &[&str], version: u32) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.args(["connect", url]).args(options).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = command.stderr(Stdio::piped()).spawn().expect("acp runs");
    let mut stdin = process.stdin.take().expect("is piped");
    let prompt = r#"{"sessionId":"s1","prompt":[{"type":"text","text":"wait"}]}"#;
    for (id, method, params) in [
        (0, "initialize", format!(r#"{{"protocolVersion":{version}}}"#)),
        (1, "session/new", format!(r#"{{"cwd":"{HERE}","mcpServers":[]}}"#)),
        (2, "session/prompt", prompt.to_owned()),
    ] {
        writeln!(stdin, r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
            .expect("it reads");
    }
    drop(stdin);
    let stdout = BufReader::new(process.stdout.take().expect("is piped"));
    (process, stdout)
}

/// Reads up to a line with this text.
fn read_until(stdout: &mut impl BufRead, part: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in stdout.lines() {
        lines.push(line.expect("a line"));
        if lines.last().is_some_and(|line| line.contains(part)) {
            return lines;
        }
    }
    panic!("no {part} in {lines:?}");
}

#[test]
fn all_answers_and_turns_come_after_the_end_of_stdin() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = pipe(&folder);
    for version in [1, 2] {
        let served = match version {
            1 => Served::with_file(&[], &file),
            _ => Served::of_version_2(&[], &file),
        };
        for url in [served.ws(), served.http()] {
            let (process, mut stdout) = asked(&url, &[], version);
            let mut lines = read_until(&mut stdout, "agent_message_chunk");
            fs::write(&file, "go").expect("written");
            lines.extend(stdout.lines().map(|line| line.expect("a line")));
            let (code, err) = finish(process);
            assert_eq!((code, err.as_str()), (Some(0), ""), "{lines:?}");
            for id in 0..3 {
                let answer = format!(r#""id":{id},"result""#);
                assert_eq!(lines.iter().filter(|line| line.contains(&answer)).count(), 1, "{lines:?}");
            }
            assert!(lines.iter().any(|line| line.contains(r#""text":"done""#)), "{lines:?}");
            // Over HTTP the answer to `session/new` may come later: it is on another stream.
            let last = if version == 1 { r#""stopReason":"end_turn""# } else { r#""state":"idle""# };
            assert!(lines.iter().any(|line| line.contains(last)), "{lines:?}");
            served.until_metric("acp_connections", 0);
        }
    }
}

#[test]
fn an_agent_that_does_not_finish_is_left_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = pipe(&folder);
    for version in [1, 2] {
        let options = ["--grace", "0"];
        let served = match version {
            1 => Served::with_file(&options, &file),
            _ => Served::of_version_2(&options, &file),
        };
        for url in [served.ws(), served.http()] {
            let (process, mut stdout) = asked(&url, &["--drain", "0.5"], version);
            read_until(&mut stdout, "agent_message_chunk");
            let (code, err) = finish(process);
            assert_eq!(code, Some(1), "{err}");
            assert!(err.contains("did not finish within 500ms after the end of stdin"), "{err}");
            // A signal does not wait.
            let (process, mut stdout) = asked(&url, &["--drain", "1000"], version);
            read_until(&mut stdout, "agent_message_chunk");
            kill("-TERM", process.id());
            assert_eq!(finish(process).0, Some(130));
            served.until_metric("acp_connections", 0);
        }
    }
}

#[test]
fn it_ends_with_the_editor() {
    for way in [Served::ws, Served::http] {
        // A connection over HTTP that nobody ends would stay.
        let served = Served::start(&["--idle-time", "1000"]);
        // The editor closes stdin.
        let (mut process, _stdout) = begun(&way(&served));
        drop(process.stdin.take());
        assert_eq!(finish(process).0, Some(0));
        served.until_metric("acp_connections", 0);
        // It does not read any more.
        let (mut process, stdout) = begun(&way(&served));
        drop(stdout);
        let stdin = process.stdin.as_mut().expect("is piped");
        writeln!(
            stdin,
            r#"{{"jsonrpc":"2.0","id":1,"method":"session/new","params":{{"cwd":"{HERE}","mcpServers":[]}}}}"#
        )
        .expect("it reads");
        let stdin = process.stdin.take();
        assert_eq!(finish(process).0, Some(0));
        drop(stdin);
        served.until_metric("acp_connections", 0);
        // It ends the command.
        let (mut process, _stdout) = begun(&way(&served));
        let _stdin = process.stdin.take();
        kill("-TERM", process.id());
        assert_eq!(finish(process).0, Some(130));
        served.until_metric("acp_connections", 0);
    }
}

#[test]
fn lines_without_a_message_are_left_out() {
    let served = Served::start(&[]);
    let (mut process, mut stdout) = begun(&served.ws());
    let stdin = process.stdin.as_mut().expect("is piped");
    stdin.write_all(b"\n\r\n \n\xff\xfe\n").expect("it reads");
    writeln!(stdin, r#"{{"jsonrpc":"2.0","id":1,"method":"session/load","params":{{"sessionId":"s"}}}}"#)
        .expect("it reads");
    let mut line = String::new();
    stdout.read_line(&mut line).expect("it answers");
    assert_eq!(line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    drop(process.stdin.take());
    let (code, err) = finish(process);
    assert_eq!(code, Some(0));
    assert_eq!(err, "acp: a line of the client is left out: it is not UTF-8\n");
}

#[test]
fn failures_have_their_exit_status() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (right, wrong) = (path("right"), path("wrong"));
    fs::write(&right, "secret").expect("written");
    fs::write(&wrong, "wrong").expect("written");
    let mut served = Served::start(&["--token-file", &right]);
    let url = served.ws();
    let (code, out, err) = acp(&["connect", &url, "--token-file", &wrong]);
    assert_eq!((code, out.as_str()), (3, ""), "{err}");
    assert!(
        err.contains(
            "status 401: give it valid credentials, by `--token-file FILE` or in the variable ACP_TOKEN\n"
        ) && !err.contains("wrong"),
        "{err}"
    );
    assert_eq!(acp(&["connect", &url]).0, 3);
    // Over HTTP the first message shows it.
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.args(["connect", &served.http(), "--token-file", &wrong]).stdin(Stdio::piped());
    let mut process = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("acp runs");
    let mut stdin = process.stdin.take().expect("is piped");
    writeln!(stdin, r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":1}}}}"#)
        .expect("it reads");
    let (code, err) = finish(process);
    assert_eq!(code, Some(3), "{err}");
    assert!(err.contains("401"), "{err}");
    // Its stdin is empty.
    assert_eq!(acp(&["connect", &url, "--token-file", &right]).0, 0);
    let of_environment = Command::new(env!("CARGO_BIN_EXE_acp"))
        .args(["connect", &url])
        .env("ACP_TOKEN", "secret")
        .stdin(Stdio::null())
        .status();
    assert_eq!(of_environment.expect("acp runs").code(), Some(0));
    let missing = path("missing");
    let (code, _, err) = acp(&["connect", &url, "--token-file", &missing]);
    assert_eq!(code, 1);
    assert!(err.contains("missing cannot be read"), "{err}");
    let (code, _, err) = acp(&["connect", &url, "--tls-ca", &right]);
    assert_eq!(code, 1);
    assert!(err.contains("root certificates are not usable"), "{err}");
    let (code, _, err) = acp(&["connect", "ftp://x/acp"]);
    assert_eq!(code, 1);
    assert!(err.contains("its scheme must be"), "{err}");
    served.signal("-KILL");
    served.code();
    let (code, _, err) = acp(&["connect", &url, "--token-file", &right]);
    assert_eq!(code, 1);
    assert!(err.contains("could not be reached"), "{err}");
}
