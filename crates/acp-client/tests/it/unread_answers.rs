//! An agent that sends many requests and reads nothing. Each test runs alone in a process, because
//! it measures memory.

#![cfg(target_os = "linux")]

use std::fs;

use acp_client::{LocalFs, LocalTerminals};
use serde_json::{Value, json};

use crate::common::alone::is_alone;
use crate::common::{Wire, with_session};

const REQUESTS: u64 = 400;
const SIZE: usize = 2 * 1024 * 1024;

/// Returns the most memory that this process has ever had, in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux has it");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("and this in it");
    peak.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// Sends the same request again and again before it reads an answer.
async fn flood(wire: &mut Wire, method: &str, params: Value, member: &str) {
    for id in 0..REQUESTS {
        wire.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
    }
    // When some answers have come, there has been time for all of them, which are 800 MB.
    for _ in 0..20 {
        let answer = wire.receive().await;
        assert_eq!(answer["result"][member].as_str().map(str::len), Some(SIZE));
    }
    let peak = peak();
    assert!(peak < 250_000, "{peak} kB");
}

#[tokio::test]
async fn files_that_nobody_takes_are_not_read() {
    if !is_alone("unread_answers::files_that_nobody_takes_are_not_read") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("large.txt");
    fs::write(&path, "x".repeat(SIZE)).expect("written");
    let files = LocalFs::rooted(folder.path()).expect("a directory");
    let (_session, mut wire) = with_session(|connect| connect.fs(files)).await;
    flood(&mut wire, "fs/read_text_file", json!({"sessionId": "s1", "path": path}), "content").await;
}

#[tokio::test]
async fn output_that_nobody_takes_is_not_copied() {
    if !is_alone("unread_answers::output_that_nobody_takes_is_not_copied") {
        return;
    }
    let terminals = LocalTerminals::new().max_output_bytes(SIZE);
    let (_session, mut wire) = with_session(|connect| connect.terminals(terminals)).await;
    let line = "head -c 3000000 /dev/zero | tr '\\0' x";
    let params = json!({"sessionId": "s1", "command": "sh", "args": ["-c", line], "cwd": "/"});
    let created = wire.call(json!("c"), "terminal/create", params).await;
    let params = json!({"sessionId": "s1", "terminalId": created["result"]["terminalId"]});
    wire.call(json!("w"), "terminal/wait_for_exit", params.clone()).await;
    flood(&mut wire, "terminal/output", params, "output").await;
}
