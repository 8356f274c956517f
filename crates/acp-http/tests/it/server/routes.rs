//! The stream of each kind of message.

use acp_http::server::Options;
use serde_json::{Value, json};

use super::lab::{Events, Lab};

/// A connection with its stream, and the stream of the session `s`.
struct Streams {
    lab: Lab,
    id: String,
    connection: Events,
    session: Events,
    number: i64,
}

#[derive(Clone, Copy, Debug)]
enum On {
    Connection,
    Session,
}

impl Streams {
    async fn open() -> Self {
        let lab = Lab::start(Options::new()).await;
        let id = lab.initialize().await;
        let connection = lab.get(&[&id]).await;
        let session = lab.get(&[&id, "acp-session-id: s"]).await;
        Self { lab, id, connection, session, number: 0 }
    }

    async fn ask(&mut self, method: &str, params: &Value) -> i64 {
        self.number += 1;
        let message = json!({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params});
        assert_eq!(self.lab.post(&[&self.id], &message.to_string()).await.status, 202);
        self.number
    }

    async fn next(&mut self, on: On) -> Value {
        match on {
            On::Connection => self.connection.next().await.unwrap().1,
            On::Session => self.session.next().await.unwrap().1,
        }
    }
}

#[tokio::test]
async fn messages_of_the_agent() {
    let rows = [
        ("rm-str-01", "session/update", json!({"sessionId": "s"}), false, On::Session),
        ("rm-str-01", "fs/read_text_file", json!({"sessionId": "s", "path": "/a"}), true, On::Session),
        ("rm-str-01", "_note", json!({"sessionId": "s"}), false, On::Session),
        ("rm-str-01", "_note", json!({}), false, On::Connection),
        ("rm-str-01", "_note", json!({"sessionId": 5}), false, On::Connection),
        ("rm-str-01", "_note", json!({"sessionId": null}), true, On::Connection),
        ("rm-str-01", "_note", json!({"inner": {"sessionId": "s"}}), true, On::Connection),
        // v1-http-17: whatever the params say.
        ("rm-str-01", "$/progress", json!({"sessionId": "s"}), false, On::Connection),
        (
            "rm-str-01",
            "proxy/successor",
            json!({"method": "$/progress", "params": {"sessionId": "s"}}),
            false,
            On::Connection,
        ),
        ("rm-str-08", "elicitation/create", json!({"requestId": 1, "mode": "form"}), true, On::Connection),
        ("rm-str-09", "mcp/message", json!({"connectionId": "c", "method": "ping"}), true, On::Connection),
        ("rm-str-09", "mcp/message", json!({"connectionId": "c", "method": "x"}), false, On::Connection),
    ];
    let mut streams = Streams::open().await;
    for (rule, method, inner, asks, on) in rows {
        let id = streams.ask("_emit", &json!({"of": method, "inner": inner, "asks": asks})).await;
        // A request is sent by a task of its own, so the answer may come first.
        let mut seen = vec![streams.next(on).await];
        seen.push(streams.next(On::Connection).await);
        let sent = seen.iter().find(|message| message["method"] == method);
        let sent = sent.unwrap_or_else(|| panic!("{rule}: {method} {inner}: {seen:?}"));
        assert_eq!((&sent["params"], sent.get("id").is_some()), (&inner, asks), "{rule}");
        assert!(seen.iter().any(|message| message["id"] == id && message.get("result").is_some()), "{rule}");
    }
}

#[tokio::test]
async fn answers_to_the_client() {
    let of_s = json!({"sessionId": "s"});
    let rows = [
        ("rm-str-06", "authenticate", json!({"methodId": "m"}), On::Connection),
        ("rm-str-06", "logout", json!({}), On::Connection),
        ("rm-str-06", "session/list", json!({}), On::Connection),
        ("rm-str-06", "auth/login", json!({}), On::Connection),
        ("rm-str-06", "providers/list", json!({}), On::Connection),
        ("rm-str-06", "_ext", json!({}), On::Connection),
        ("rm-str-02", "_ext", of_s.clone(), On::Session),
        ("rm-str-02", "_ext", json!({"sessionId": "s", "mode": "fail"}), On::Session),
        ("rm-str-05", "session/resume", of_s.clone(), On::Session),
        ("rm-str-05", "session/set_mode", of_s.clone(), On::Session),
        ("rm-str-05", "session/set_config_option", of_s.clone(), On::Session),
        ("rm-str-05", "session/prompt", json!({"sessionId": "s", "mode": "say", "count": 0}), On::Session),
        ("rm-str-05", "session/close", json!({"sessionId": "s", "mode": "fail"}), On::Session),
        // The error of a session that nobody knows has no stream.
        ("rm-str-05", "session/resume", json!({"sessionId": "t", "mode": "fail"}), On::Connection),
        ("rm-str-05", "session/delete", json!({"sessionId": "t"}), On::Connection),
        ("rm-str-03", "session/new", json!({"name": "n"}), On::Connection),
        ("rm-str-03", "session/fork", json!({"sessionId": "s", "name": "f"}), On::Connection),
        ("rm-str-03", "session/new", json!({"mode": "fail"}), On::Connection),
    ];
    let mut streams = Streams::open().await;
    for (rule, method, params, on) in rows {
        let id = streams.ask(method, &params).await;
        assert_eq!(streams.next(on).await["id"], id, "{rule}: {method} {params}");
    }
    // rm-str-03: these streams are of sessions that the agent has named, as many as there are.
    for name in ["n", "f"] {
        let stream = streams.lab.get(&[&streams.id, &format!("acp-session-id: {name}")]).await;
        assert_eq!(stream.answer.status, 200, "{name}");
    }
    // rm-str-05: the end of a session is that of its stream, which is then as if never there.
    for (method, name) in [("session/close", "s"), ("session/delete", "s")] {
        let id = streams.ask(method, &json!({"sessionId": name})).await;
        assert_eq!(streams.next(On::Session).await["id"], id, "{method}");
        assert!(streams.session.next().await.is_none(), "{method}");
        streams.session = streams.lab.get(&[&streams.id, "acp-session-id: s"]).await;
        let id = streams.ask("_ext", &of_s).await;
        let (number, answer) = streams.session.next().await.unwrap();
        assert_eq!((number, &answer["id"]), (1, &json!(id)), "{method}");
    }
}

/// rm-str-03: the stream of a new session counts as known, so it takes no place of the unknown.
#[tokio::test]
async fn sessions_that_the_agent_names_are_not_limited_like_unknown_ones() {
    let lab = Lab::start(Options::new().unconfirmed(0)).await;
    let id = lab.initialize().await;
    let mut connection = lab.get(&[&id]).await;
    for number in 0..5 {
        let name = format!("n{number}");
        let header = format!("acp-session-id: {name}");
        // v1-http-11
        assert_eq!(lab.get(&[&id, &header]).await.answer.status, 404);
        let new = json!({"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"name": name}});
        assert_eq!(lab.post(&[&id], &new.to_string()).await.status, 202);
        assert_eq!(connection.next().await.unwrap().1["result"]["sessionId"], name);
        assert_eq!(lab.get(&[&id, &header]).await.answer.status, 200);
    }
}
