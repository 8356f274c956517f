//! Folders and commands that a remote client chooses.

use std::path::Path;
use std::sync::Arc;

use acp_http::server::{Options, Policy};
use futures_util::SinkExt;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::lab::{INITIALIZE, Lab};
use super::websocket::{Socket, next, upgrade};

/// Folders: `work`, which is allowed, and `other`, which is not.
struct Disk {
    folder: tempfile::TempDir,
}

impl Disk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["work/project", "work-2", "other"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        std::fs::write(folder.path().join("work/file"), "").unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    #[cfg(unix)]
    fn link(&self, from: &str, to: impl AsRef<Path>) {
        std::os::unix::fs::symlink(to, self.folder.path().join(from)).unwrap();
    }

    fn options(&self) -> Options {
        Options::new().policy(Policy::new().root(self.folder.path().join("work")).unwrap())
    }
}

/// A connection by WebSocket, and one by HTTP with its streams.
struct Ways {
    lab: Lab,
    socket: Socket,
    id: String,
    stream: super::lab::Events,
    number: i64,
}

impl Ways {
    async fn start(options: Options) -> Self {
        let lab = Lab::start(options).await;
        let id = lab.initialize().await;
        let stream = lab.get(&[&id]).await;
        let (_, mut socket) = upgrade(&lab, "").await;
        socket.send(Message::text(INITIALIZE)).await.unwrap();
        next(&mut socket).await;
        Self { lab, socket, id, stream, number: 0 }
    }

    /// Asks by both ways, and returns the answer, which must be the same.
    async fn ask(&mut self, text: &str) -> Value {
        assert_eq!(self.lab.post(&[&self.id], text).await.status, 202, "{text}");
        // The replay of `session/load` comes before its answer.
        let is_update = |message: &Value| message["method"] == "session/update";
        let mut one = self.stream.next().await.unwrap().1;
        while is_update(&one) {
            one = self.stream.next().await.unwrap().1;
        }
        self.socket.send(Message::text(text)).await.unwrap();
        let mut other = next(&mut self.socket).await;
        while is_update(&other) {
            other = next(&mut self.socket).await;
        }
        assert_eq!(one, other, "{text}");
        one
    }

    /// Returns the problem with these params, if they are refused.
    async fn problem(&mut self, method: &str, params: &Value) -> Option<String> {
        self.number += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params});
        let answer = self.ask(&request.to_string()).await;
        assert_eq!(answer["id"], self.number, "{answer}");
        let error = answer.get("error")?;
        assert_eq!(error["code"], -32602, "{answer}");
        Some(error["message"].as_str().unwrap().to_owned())
    }
}

#[tokio::test]
async fn a_folder_must_lie_in_a_root() {
    let disk = Disk::new();
    #[cfg(unix)]
    {
        disk.link("work/way-out", disk.path("other"));
        disk.link("work/nowhere", disk.path("other/later"));
        disk.link("way-in", disk.path("work/project"));
        disk.link("work/loop", disk.path("work/loop"));
    }
    let mut ways = Ways::start(disk.options()).await;
    let outside = "this folder is not allowed on this server";
    let odd = "this path cannot be resolved";
    let mut rows = vec![
        ("work", None),
        ("work/", None),
        ("work/project", None),
        ("work/project/../project/.", None),
        ("work/later/and/deeper", None),
        ("other", Some(outside)),
        ("work-2", Some(outside)),
        ("work/..", Some(outside)),
        ("work/../other", Some(outside)),
        ("other/later", Some(outside)),
        // A part that is not there cannot be left again.
        ("work/later/../../other", Some(odd)),
        ("work/file/folder", Some(odd)),
        ("work/\0", Some(odd)),
    ];
    if cfg!(unix) {
        rows.extend([
            ("work/way-out", Some(outside)),
            ("work/way-out/later", Some(outside)),
            ("work/nowhere", Some(odd)),
            ("work/nowhere/deeper", Some(odd)),
            ("work/loop", Some(odd)),
            ("way-in", None),
        ]);
    }
    for (name, problem) in rows {
        let path = disk.path(name);
        let named = problem.map(|problem| format!("cwd: {problem}"));
        // Of both versions of the protocol: methods that open a session, and the filter of a list.
        for method in ["session/new", "session/load", "session/resume", "session/fork", "session/list"] {
            let params = json!({"sessionId": "s ä", "cwd": path, "mcpServers": []});
            assert_eq!(ways.problem(method, &params).await, named, "{method} {name}");
        }
        let params = json!({"cwd": disk.path("work"), "additionalDirectories": [disk.path("work"), path]});
        let named = problem.map(|problem| format!("additionalDirectories[1]: {problem}"));
        assert_eq!(ways.problem("session/new", &params).await, named, "{name}");
    }
    let relative = Some("cwd: this path is not absolute".to_owned());
    assert_eq!(ways.problem("session/new", &json!({"cwd": "work"})).await, relative);
    // Nothing is chosen.
    for params in [json!({}), json!({"cwd": null, "additionalDirectories": null, "mcpServers": null})] {
        assert_eq!(ways.problem("session/list", &params).await, None, "{params}");
    }
}

#[tokio::test]
async fn an_mcp_server_must_not_be_a_command() {
    let disk = Disk::new();
    let first = Some("mcpServers[0]: this server starts no MCP servers as commands".to_owned());
    let http = json!({"type": "http", "name": "a", "url": "http://localhost", "headers": []});
    let rows = [
        (json!([]), None),
        (json!([http]), None),
        (json!([{"type": "sse", "name": "a", "url": "x"}, {"type": "acp", "id": "x"}]), None),
        // Version 1 has no type for it, and version 2 has one.
        (json!([{"name": "a", "command": "/bin/sh", "args": []}]), first.clone()),
        (json!([{"type": "stdio", "name": "a", "command": "/bin/sh"}]), first.clone()),
        (json!([{"type": "_new"}]), first.clone()),
        (json!([{"type": 5}]), first.clone()),
        (json!([{}]), first.clone()),
        // Some readers go by the members.
        (json!([{"type": "http", "url": "x", "command": "/bin/sh"}]), first.clone()),
        (
            json!([http, {"command": "x"}]),
            Some("mcpServers[1]: this server starts no MCP servers as commands".to_owned()),
        ),
    ];
    let mut ways = Ways::start(disk.options()).await;
    let mut free = Ways::start(Options::new().policy(Policy::new().allow_commands())).await;
    for (servers, problem) in rows {
        let params = json!({"mcpServers": servers});
        assert_eq!(ways.problem("session/new", &params).await, problem, "{servers}");
        assert_eq!(free.problem("session/new", &params).await, None, "{servers}");
    }
    // Its folders are still none.
    let outside = Some("cwd: this folder is not allowed on this server".to_owned());
    assert_eq!(free.problem("session/new", &json!({"cwd": disk.path("work")})).await, outside);
}

/// Some readers take the first of two members of one name, and others the last.
#[tokio::test]
async fn a_message_with_two_meanings_is_refused() {
    let disk = Disk::new();
    let (good, bad) = (disk.path("work"), disk.path("other"));
    let mut ways = Ways::start(disk.options()).await;
    let rows = [
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"_a","params":{{"cwd":"{bad}","cwd":"{good}"}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"_a","params":{{"cwd":"{bad}","c\u0077d":"{good}"}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"_a","params":{{"c\u0077d":"{bad}"}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"_a","par\u0061ms":{{"cwd":"{bad}"}}}}"#),
        r#"{"jsonrpc":"2.0","id":1,"method":"_a","params":{"cwd":5}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"_a","params":["\"cwd\"",{"cwd":"/"}]}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"_a","params":{"additionalDirectories":{"0":"/"}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"_a","params":{"additionalDirectories":[["/"]]}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"_a","params":{"mcpServers":["/bin/sh"]}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"_a","params":{"mcpServers":[{"type":"stdio","type":"http"}]}}"#
            .to_owned(),
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"_a","params":{{"additionalDirectories":[{}"/"]}}}}"#,
            "\"/\",".repeat(300)
        ),
    ];
    for text in rows {
        let answer = ways.ask(&text).await;
        assert_eq!(
            (answer["id"].as_i64(), answer["error"]["code"].as_i64()),
            (Some(1), Some(-32602)),
            "{text}"
        );
    }
    // Over a WebSocket the agent would judge these.
    for text in [
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"_a","params":{{"cwd":"{bad}"}},"params":{{"cwd":"{good}"}}}}"#
        ),
        format!(r#"{{"jsonrpc":"2.0","id":1,"id":2,"method":"_a","params":{{"cwd":"{bad}"}}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"_a","params":{{"cwd":"{bad}"}}"#),
        format!(r#"[{{"jsonrpc":"2.0","id":1,"method":"_a","params":{{"cwd":"{bad}"}}}}]"#),
    ] {
        ways.socket.send(Message::text(&text)).await.unwrap();
        let answer = next(&mut ways.socket).await;
        assert_eq!(
            (answer["id"].is_null(), answer["error"]["code"].as_i64()),
            (true, Some(-32602)),
            "{text}"
        );
    }
}

#[tokio::test]
async fn other_messages_pass_as_they_are() {
    let disk = Disk::new();
    let mut ways = Ways::start(disk.options()).await;
    let text =
        json!({"text": "\"cwd\": \"/\" \u{1} \"mcpServers\"", "inner": {"cwd": "/", "mcpServers": [{}]}});
    assert_eq!(ways.problem("_echo", &text).await, None);
    // A notification is dropped, and what comes behind it is served.
    let note =
        json!({"jsonrpc": "2.0", "method": "_note", "params": {"cwd": disk.path("other")}}).to_string();
    assert_eq!(ways.lab.post(&[&ways.id], &note).await.status, 202);
    ways.socket.send(Message::text(&note)).await.unwrap();
    assert_eq!(ways.problem("_echo", &json!({})).await, None);
    let mut seen = Vec::new();
    while let Ok(event) = ways.lab.events.try_recv() {
        seen.push(event);
    }
    assert!(!seen.iter().any(|event| event == "_note"), "{seen:?}");
}

/// A client that is refused a thousand times, and does not read, is not read any more.
#[tokio::test]
async fn refusals_wait_for_a_slow_reader() {
    let disk = Disk::new();
    let lab = Lab::start(disk.options().buffer(1000)).await;
    let id = lab.initialize().await;
    let request = |id: usize| {
        let params = json!({"cwd": disk.path("other")});
        json!({"jsonrpc": "2.0", "id": id, "method": "session/new", "params": params}).to_string()
    };
    let flood = async {
        for number in 0..100 {
            assert_eq!(lab.post(&[&id], &request(number)).await.status, 202);
        }
    };
    let read = async {
        let mut stream = lab.get(&[&id]).await;
        for number in 0..100 {
            assert_eq!(stream.next().await.unwrap().1["id"], number);
        }
    };
    tokio::join!(flood, read);
    // Without a reader only one answer has room here, so the next request waits for its own.
    let lab = Arc::new(Lab::start(disk.options().buffer(1)).await);
    let id = lab.initialize().await;
    assert_eq!(lab.post(&[&id], &request(0)).await.status, 202);
    let second = tokio::spawn({
        let (lab, id, request) = (Arc::clone(&lab), id.clone(), request(1));
        async move { lab.post(&[&id], &request).await.status }
    });
    for _ in 0..50 {
        let note = r#"{"jsonrpc":"2.0","method":"_note"}"#;
        assert_eq!(lab.post(&[&id], note).await.status, 202);
    }
    assert!(!second.is_finished());
    let mut stream = lab.get(&[&id]).await;
    for number in 0..2 {
        assert_eq!(stream.next().await.unwrap().1["id"], number);
    }
    assert_eq!(second.await.unwrap(), 202);
}
