//! Commands that a client of version 2 shows as terminals, and one of version 1 as text.

use acp_agent::types::ToolCall;
use acp_agent::{Result, StopReason, Turn, agent};
use serde_json::{Value, json};

use super::{Ed, code};

struct Runner;

#[agent]
impl Runner {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let text = turn.text();
        let (how, line) = text.split_once(' ').unwrap();
        let shell = turn.shell("sh").args(["-c", line]);
        match how {
            "in" => {
                let mut tool = turn.start_tool(ToolCall::new("call", "Build")).await?;
                shell.run_in(&mut tool).await?;
                tool.progress("more").await?;
                tool.complete().await?;
            }
            "quiet" => drop(shell.output().await?),
            _ => {
                let output = shell.run().await?;
                turn.say(format!("{:?} {:?}", output.exit_code, output.signal)).await?;
            }
        }
        Ok(StopReason::EndTurn)
    }
}

/// Opens a session in the root directory, so that commands find theirs.
async fn open(version: u64) -> Ed {
    let mut ed = Ed::open(version, Runner).await;
    let answer = ed.wire.call("session/new", json!({"cwd": "/", "mcpServers": []})).await;
    ed.session = answer["result"]["sessionId"].as_str().unwrap().to_owned();
    ed
}

/// Decodes base64.
fn decode(text: &str) -> Vec<u8> {
    const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    assert_eq!(text.len() % 4, 0, "{text}");
    let digits = text.trim_end_matches('=');
    assert!(text.len() - digits.len() <= 2);
    let bits: String = digits.chars().map(|sign| format!("{:06b}", ALPHABET.find(sign).unwrap())).collect();
    let (bytes, rest) = bits.split_at(bits.len() / 8 * 8);
    assert!(rest.chars().all(|bit| bit == '0'), "bits that are not part of a byte");
    bytes
        .as_bytes()
        .chunks(8)
        .map(|bits| u8::from_str_radix(str::from_utf8(bits).unwrap(), 2).unwrap())
        .collect()
}

/// A terminal, as a client folds it.
#[derive(Default)]
struct Shown {
    id: Value,
    command: Value,
    cwd: Value,
    bytes: Vec<u8>,
    chunks: usize,
    exit: Value,
    is_offered: bool,
    snapshots: usize,
}

impl Shown {
    /// Folds the updates of the turn's only terminal. It must be known when it is referred to.
    fn of(updates: &[Value]) -> Self {
        let mut shown = Shown::default();
        for update in updates {
            match update["sessionUpdate"].as_str().unwrap() {
                "terminal_update" => {
                    assert!(shown.id.is_null() || shown.id == update["terminalId"], "{update}");
                    shown.id = update["terminalId"].clone();
                    assert!(shown.exit.is_null(), "an update after the end: {update}");
                    if let Some(command) = update.get("command") {
                        shown.command = command.clone();
                        shown.cwd = update["cwd"].clone();
                    }
                    if let Some(controls) = update.get("capabilities") {
                        shown.is_offered = controls["cancel"].is_object();
                    }
                    if let Some(output) = update.get("output") {
                        shown.bytes = decode(output["data"].as_str().unwrap());
                        shown.snapshots += 1;
                    }
                    if let Some(exit) = update.get("exitStatus") {
                        assert!(!shown.is_offered, "the offer is taken back before the end");
                        shown.exit = exit.clone();
                    }
                }
                "terminal_output_chunk" => {
                    assert_eq!(update["terminalId"], shown.id, "{update}");
                    shown.bytes.extend(decode(update["data"].as_str().unwrap()));
                    shown.chunks += 1;
                }
                "tool_call_content_chunk" if update["content"]["type"] == "terminal" => {
                    assert_eq!(update["content"]["terminalId"], shown.id, "{update}");
                }
                _ => {}
            }
        }
        shown
    }
}

/// Rules `v2-term-02`, `v2-term-06`, `v2-term-07`, `v2-term-08`.
#[tokio::test]
async fn the_bytes_of_a_command_arrive_as_they_were_printed() {
    let table: [(&str, &[u8], Value); 6] = [
        ("printf abc", b"abc", json!({"exitCode": 0})),
        ("printf ab", b"ab", json!({"exitCode": 0})),
        ("true", b"", json!({"exitCode": 0})),
        (r"printf 'a\n\033[1mb\000\377\303'", b"a\n\x1b[1mb\0\xff\xc3", json!({"exitCode": 0})),
        ("printf x; exit 7", b"x", json!({"exitCode": 7})),
        ("kill -9 $$", b"", json!({"signal": "SIGKILL"})),
    ];
    for (line, bytes, exit) in table {
        let mut ed = open(2).await;
        let updates = ed.turn(&format!("run {line}")).await;
        let shown = Shown::of(&updates);
        assert_eq!((&shown.bytes[..], &shown.exit), (bytes, &exit), "{line}");
        assert_eq!((&shown.command, &shown.cwd), (&json!(format!("sh -c {line}")), &json!("/")));
        let status = updates.iter().rev().find_map(|update| update.get("status")).unwrap();
        assert_eq!(status, if exit["exitCode"] == 0 { "completed" } else { "failed" });
    }
}

/// Each report is encoded by itself: a character may begin in one and end in the next.
#[tokio::test]
async fn a_character_is_split_between_two_reports() {
    let line = r"printf '\303'; sleep 0.6; printf '\237'; sleep 0.6; printf '\n'";
    let mut ed = open(2).await;
    let shown = Shown::of(&ed.turn(&format!("run {line}")).await);
    assert_eq!(shown.bytes, "ß\n".as_bytes());
    assert!(shown.chunks >= 1);
}

/// Rule `v2-term-05`.
#[tokio::test]
async fn of_much_output_the_last_part_takes_the_place_of_the_rest() {
    let mut ed = open(2).await;
    let shown = Shown::of(&ed.turn("run head -c 3000000 /dev/zero; printf end").await);
    assert!(shown.snapshots >= 1);
    assert!(shown.bytes.ends_with(b"\0end") && shown.bytes.len() < 3_000_000, "{}", shown.bytes.len());
}

#[tokio::test]
async fn a_client_ends_a_command_and_the_turn_goes_on() {
    let mut ed = open(2).await;
    let prompt = ed.start("run printf up; exec sleep 1000").await;
    let mut updates = Vec::new();
    while !Shown::of(&updates).is_offered {
        updates.push(ed.update().await);
    }
    let id = Shown::of(&updates).id;
    assert_eq!(code(&ed.cancel("tool_call", &id).await), -32602);
    let request =
        ed.wire.request("terminal/cancel", json!({"sessionId": ed.session, "terminalId": id})).await;
    let said = loop {
        let message = ed.wire.recv().await;
        if message["id"] == request {
            assert_eq!(message["result"], json!({}), "{message}");
            continue;
        }
        let update = ed.checked(&message);
        if update["sessionUpdate"] == "agent_message_chunk" {
            break update["content"]["text"].clone();
        }
        updates.push(update);
    };
    assert_eq!(said, r#"None Some("SIGTERM")"#);
    assert_eq!(Shown::of(&updates).exit, json!({"signal": "SIGTERM"}));
    assert_eq!(ed.end(prompt).await.0, "end_turn");
    assert_eq!(code(&ed.cancel("terminal", &id).await), -32602, "it has ended");
}

#[tokio::test]
async fn the_end_of_a_cancelled_turn_is_the_end_of_its_terminals() {
    let mut ed = open(2).await;
    let prompt = ed.start("run exec sleep 1000").await;
    let mut updates = Vec::new();
    while !Shown::of(&updates).is_offered {
        updates.push(ed.update().await);
    }
    let session = ed.session.clone();
    ed.wire.cancel(&session).await;
    loop {
        let update = ed.update().await;
        if update["state"] == "idle" {
            assert_eq!(update["stopReason"], "cancelled");
            break;
        }
        updates.push(update);
    }
    let _ = prompt;
    assert!(Shown::of(&updates).exit.is_object(), "{updates:?}");
    assert_eq!(updates.last().unwrap()["status"], "cancelled");
}

#[tokio::test]
async fn a_tool_call_shows_the_terminal_beside_its_other_content() {
    let mut ed = open(2).await;
    let updates = ed.turn("in printf x").await;
    let items: Vec<&Value> = updates
        .iter()
        .filter(|update| update["sessionUpdate"] == "tool_call_content_chunk")
        .map(|update| &update["content"]["type"])
        .collect();
    assert_eq!(items, ["terminal", "content"]);
    // Nobody sees a command without a tool call.
    assert!(ed.turn("quiet printf x").await.is_empty());
}

#[tokio::test]
async fn version_1_shows_text_and_the_command_ends_with_the_turn_only() {
    let mut ed = open(1).await;
    let updates = ed.turn("in printf x").await;
    let first = &updates[1]["content"][0]["content"]["text"];
    assert_eq!(first, "```\nx\n```");
    assert!(updates.iter().all(|update| !update["sessionUpdate"].as_str().unwrap().starts_with("terminal")));
    assert_eq!(code(&ed.cancel("terminal", &json!("term")).await), -32601);
}
