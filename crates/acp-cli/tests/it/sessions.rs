//! `acp sessions` with agents made of a few lines of shell.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::prompt::AGENT;

fn acp(args: &[&str], script: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.arg("sessions").args(args).args(["--timeout", "60", "--", "sh", "-c"]);
    command.arg(format!("{AGENT}{script}")).stdin(Stdio::null());
    command
}

fn run(args: &[&str], script: &str) -> (Option<i32>, String, String) {
    let output = acp(args, script).output().expect("acp runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// An agent with all capabilities for sessions, up to its answer to `initialize`.
const ALL: &str = r#"take; give '{"protocolVersion":1,"agentInfo":{"name":"a","version":"1"},"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{},"delete":{}}}}'
"#;

const ALL_2: &str = r#"take; give '{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{"delete":{}}}}'
"#;

const PAGES: &str = r#"
take; case $line in *session/list*) ;; *) exit 1;; esac; echo "$line" >&2
give '{"sessions":[{"sessionId":"one","cwd":"/w","title":"First\n\u001b[31m\u202e","updatedAt":"2026-01-02T03:04:05Z"}],"nextCursor":"more"}'
take; case $line in *'"cursor":"more"'*) ;; *) exit 1;; esac
give '{"sessions":[{"sessionId":"two","cwd":"/w"}]}'
take"#;

#[test]
fn all_pages_are_listed() {
    for (version, open) in [("1", ALL), ("2", ALL_2)] {
        let script = format!("{open}{PAGES}");
        let (code, out, err) = run(&["list", "--protocol", version], &script);
        assert_eq!(code, Some(0), "{err}");
        let rows: Vec<Vec<&str>> = out.lines().map(|line| line.split_whitespace().collect()).collect();
        let first = ["one", "2026-01-02T03:04:05Z", "/w", "First", "\u{fffd}[31m\u{fffd}"];
        assert_eq!(rows, [&first[..], &["two", "-", "/w"]], "{out}");
        let (_, out, _) = run(&["list", "--json", "--protocol", version], &script);
        let rows: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(rows[0]["title"], "First\n\u{1b}[31m\u{202e}");
        assert_eq!(rows[1], json!({"sessionId": "two", "cwd": "/w"}));
        assert!(!out.contains('\u{202e}'), "{out:?}");
    }
}

#[test]
fn a_limit_asks_for_no_page_more_and_a_folder_is_passed_on() {
    let script = format!("{ALL}{PAGES}");
    let (code, out, err) = run(&["list", "--limit", "1", "--cwd", "/w"], &script);
    assert_eq!((code, out.lines().count()), (Some(0), 1), "{err}");
    assert_eq!(run(&["list", "--limit", "0"], &script).1, "");
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.args(["sessions", "list", "--cwd", "/w", "--", "sh", "-c"]);
    let check = PAGES.replace(r#"echo "$line" >&2"#, r#"case $line in *'"cwd":"/w"'*) ;; *) exit 1;; esac"#);
    let output = command.arg(format!("{AGENT}{ALL}{check}")).output().expect("acp runs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Replays a conversation.
const REPLAY: &str = r#"
take; case $line in *session/load*) ;; *) exit 1;; esac
update '{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Fix ```it```"}}'
update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"I \u001b[31mwill.\u202e"}}'
update '{"sessionUpdate":"plan","entries":[{"content":"Fix","priority":"high","status":"completed"}]}'
update "$(flat '{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Edit `notes`","status":"completed","content":[
  {"type":"diff","path":"/w/notes","oldText":"one\n","newText":"two\n"},
  {"type":"content","content":{"type":"text","text":"```\nfenced\n```"}}]}')"
update '{"sessionUpdate":"session_info_update","title":"A fix"}'
give null; take"#;

#[test]
fn a_conversation_is_shown() {
    let (code, out, err) = run(&["load", "s1"], &format!("{ALL}{REPLAY}"));
    assert_eq!(code, Some(0), "{err}");
    let shown = "[user]\nFix ```it```\n[agent]\nI \u{fffd}[31mwill.\u{fffd}\nplan\n  [x] Fix\n✓ Edit `notes` (completed)\n";
    assert!(out.starts_with(shown) && out.contains("-one\n+two\n"), "{out}");
}

#[test]
fn a_conversation_is_exported_as_markdown() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("out.md");
    let script = format!("{ALL}{REPLAY}");
    let (code, out, err) = run(&["export", "s1"], &script);
    assert_eq!(code, Some(0), "{err}");
    let page = "# A fix\n\n- session: `s1`\n- agent: a 1\n\n## User\n\n> Fix ```it```\n\n## Agent\n\n\
        I \u{fffd}[31mwill.\u{fffd}\n\n## Tool: `Edit 'notes'` (completed)\n\n```diff\n--- /w/notes\n+++ /w/notes\n\
        @@ -1 +1 @@\n-one\n+two\n```\n\n````\n```\nfenced\n```\n````\n\n## Plan\n\n- [x] Fix\n";
    assert_eq!(out, page);
    let (code, out, _) = run(&["export", "s1", "--output", file.to_str().expect("UTF-8")], &script);
    assert_eq!((code, out.as_str()), (Some(0), ""));
    assert_eq!(std::fs::read_to_string(&file).expect("written"), page);
    let (code, _, err) = run(&["export", "s1", "--output", "/no/such/folder/x"], &script);
    assert_eq!(code, Some(1));
    assert!(err.starts_with("acp: `--output /no/such/folder/x`: "), "{err}");
}

#[test]
fn the_updates_are_exported_as_they_came() {
    let script = format!("{ALL}{REPLAY}");
    let (code, out, err) = run(&["export", "s1", "--format", "ndjson"], &script);
    assert_eq!(code, Some(0), "{err}");
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let kinds: Vec<_> =
        lines.iter().map(|line| line["update"]["sessionUpdate"].as_str().unwrap_or("")).collect();
    let expected = ["user_message_chunk", "agent_message_chunk", "plan", "tool_call", "session_info_update"];
    assert_eq!(kinds, expected);
    assert_eq!(lines[1]["update"]["content"]["text"], "I \u{1b}[31mwill.\u{202e}");
    assert!(lines.iter().all(|line| line["sessionId"] == "s1"));
    // They are the params of notifications, which a transcript takes.
    let mut transcript = acp_client::Transcript::new();
    for line in out.lines() {
        let params: acp_client::Value = line.parse().expect("JSON");
        transcript.fold_notification(params.parse().expect("a notification"));
    }
    assert_eq!((transcript.entries().count(), transcript.title()), (3, Some("A fix")));
    assert_eq!(run(&["load", "s1", "--json"], &script).1, out);
}

#[test]
fn sessions_are_deleted_until_one_cannot_be() {
    let script = format!(
        r#"{ALL}take; give '{{}}'
        take; printf '{{"jsonrpc":"2.0","id":%s,"error":{{"code":-32002,"message":"not found"}}}}\n' "$id"; take"#
    );
    let (code, out, err) = run(&["delete", "one", "two", "three"], &script);
    assert_eq!((code, out.as_str()), (Some(1), "deleted: one\n"));
    assert!(err.contains("session/delete") && err.contains("not found"), "{err}");
    let (code, out, err) =
        run(&["delete", "one", "--protocol", "2"], &format!("{ALL_2}take; give '{{}}'; take"));
    assert_eq!((code, out.as_str()), (Some(0), "deleted: one\n"), "{err}");
}

#[test]
fn a_capability_that_is_missing_is_named() {
    let script = r#"take; give '{"protocolVersion":1}'; take"#;
    for (args, capability) in [
        (&["list"][..], "sessionCapabilities.list"),
        (&["load", "s1"], "loadSession"),
        (&["export", "s1"], "loadSession"),
        (&["delete", "s1"], "sessionCapabilities.delete"),
    ] {
        let (code, out, err) = run(args, script);
        assert_eq!((code, out.as_str()), (Some(1), ""));
        assert!(err.contains(capability), "{args:?}: {err}");
    }
}

#[test]
fn agents_that_die_or_hang_have_their_exit_status() {
    let (code, _, err) = run(&["list"], &format!("{ALL}take; echo out of luck >&2; exit 3"));
    assert_eq!(code, Some(1));
    assert!(err.contains("session/list") && err.contains("out of luck"), "{err}");
    for (options, script) in [
        (&["--timeout", "0.5"][..], format!("{ALL}take; take")),
        (&["--init-timeout", "0.3"], "take; take".to_owned()),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
        command.args(["sessions", "list"]).args(options).args([
            "--",
            "sh",
            "-c",
            &format!("{AGENT}{script}"),
        ]);
        assert_eq!(command.output().expect("acp runs").status.code(), Some(124), "{options:?}");
    }
    assert_eq!(run(&["list", "--limit", "many"], "").0, Some(2));
}

/// Replays without end.
const ENDLESS: &str = r#"take; text=$(printf '%010000d' 0)
while :; do update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"'"$text"'"}}' || exit; done"#;

#[test]
fn a_reader_that_goes_away_ends_it_silently() {
    let mut acp = acp(&["load", "s1"], &format!("{ALL}{ENDLESS}"));
    let mut acp = acp.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("acp runs");
    let mut out = acp.stdout.take().expect("a pipe");
    out.read_exact(&mut [0; 100]).expect("output");
    drop(out);
    let output = acp.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(141), ""));
}

#[test]
fn a_signal_ends_it_while_nobody_reads() {
    let mut acp = acp(&["export", "s1", "--format", "ndjson"], &format!("{ALL}{ENDLESS}"));
    let mut acp = acp.stdout(Stdio::piped()).spawn().expect("acp runs");
    let mut out = BufReader::new(acp.stdout.take().expect("a pipe"));
    out.read_line(&mut String::new()).expect("a line");
    let killed = Command::new("kill").args(["-INT", acp.id().to_string().as_str()]).status();
    assert!(killed.expect("kill runs").success());
    assert_eq!(acp.wait().expect("it ends").code(), Some(130));
    drop(out);
}
