//! The client's file system, capability by capability.

use acp_agent::{Error, Fs, Result, StopReason, Turn, agent};
use serde_json::{Value, json};

use crate::support::Wire;

struct Reader;

impl Reader {
    async fn act(fs: &Fs, text: &str) -> Result<String> {
        match text.split_once(' ') {
            Some(("read", path)) => fs.read_text(path).await,
            Some(("lines", path)) => fs.read_lines(path, 3, 2).await,
            Some(("write", path)) => fs.write_text(path, "new").await.map(|()| "written".to_owned()),
            _ => Ok(format!("{} {}", fs.can_read(), fs.can_write())),
        }
    }
}

#[agent]
impl Reader {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let Some(fs) = turn.fs() else {
            turn.say("no fs").await?;
            return Ok(StopReason::EndTurn);
        };
        let said = match Self::act(&fs, &turn.text()).await {
            Ok(text) => text,
            Err(Error::NotOffered { capability }) => format!("lacks {capability}"),
            Err(Error::Call { method, error }) => {
                format!("{method} {}", error.remote().map_or(0, |error| error.code))
            }
            Err(other) => format!("error: {other}"),
        };
        turn.say(said).await?;
        Ok(StopReason::EndTurn)
    }
}

fn capabilities(read: bool, write: bool) -> Value {
    json!({"fs": {"readTextFile": read, "writeTextFile": write}})
}

#[tokio::test]
async fn what_is_not_offered_is_not_asked_for() {
    let table = [
        (false, false, "read /a", "no fs"),
        (true, false, "", "true false"),
        (true, false, "write /a", "lacks fs.writeTextFile"),
        (false, true, "read /a", "lacks fs.readTextFile"),
        (false, true, "lines /a", "lacks fs.readTextFile"),
    ];
    for (read, write, text, said) in table {
        let (mut wire, session) = Wire::open(Reader, capabilities(read, write)).await;
        wire.prompt(&session, text).await;
        assert_eq!(wire.said().await, said, "{text}");
    }
}

#[tokio::test]
async fn files_are_read_and_written() {
    let table = [
        ("read /a", "fs/read_text_file", json!({"path": "/a"}), json!({"content": "old"}), "old"),
        (
            "lines /a",
            "fs/read_text_file",
            json!({"path": "/a", "line": 3, "limit": 2}),
            json!({"content": ""}),
            "",
        ),
        ("write /a", "fs/write_text_file", json!({"path": "/a", "content": "new"}), json!({}), "written"),
        // A real client sends this.
        ("write /a", "fs/write_text_file", json!({"path": "/a", "content": "new"}), Value::Null, "written"),
    ];
    for (text, method, mut params, result, said) in table {
        let (mut wire, session) = Wire::open(Reader, capabilities(true, true)).await;
        wire.prompt(&session, text).await;
        let request = wire.recv().await;
        assert_eq!(request["method"], method);
        params["sessionId"] = json!(session);
        assert_eq!(request["params"], params);
        wire.answer(&request, result).await;
        assert_eq!(wire.said().await, said);
    }
}

#[tokio::test]
async fn the_clients_error_keeps_its_code() {
    let (mut wire, session) = Wire::open(Reader, capabilities(true, true)).await;
    wire.prompt(&session, "read /gone").await;
    let id = wire.recv().await["id"].clone();
    wire.send(json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32002, "message": "gone"}})).await;
    assert_eq!(wire.said().await, "fs/read_text_file -32002");
}

#[tokio::test]
async fn a_relative_path_stays_here() {
    for text in ["read a/b", "write a/b", "read "] {
        let (mut wire, session) = Wire::open(Reader, capabilities(true, true)).await;
        wire.prompt(&session, text).await;
        let said = wire.said().await;
        assert!(said.starts_with("error: ") && said.contains("must be an absolute path"), "{said}");
    }
}
