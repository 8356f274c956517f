//! br-01 over pipes: the version that a client gets from a program, for each version that it may
//! ask for.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;

use super::PATIENCE;

/// An agent that only answers `initialize`.
const AGENT: &str = r#"
read -r line
printf '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}\n'
cat > /dev/null
"#;

async fn initialized(params: &Value) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.args(["bridge", "--to", "1", "--", "sh", "-c", AGENT]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut program = command.spawn().expect("it starts");
    let mut stdin = program.stdin.take().expect("is piped");
    let mut lines = BufReader::new(program.stdout.take().expect("is piped")).lines();
    let request = json!({"jsonrpc": "2.0", "id": "one", "method": "initialize", "params": params});
    stdin.write_all(format!("{request}\n").as_bytes()).await.expect("it is read");
    let line = lines.next_line().await.expect("it is readable").expect("there is one");
    drop(stdin);
    // Nothing else comes, and the program ends with its client.
    assert_eq!(lines.next_line().await.expect("it is readable"), None, "{params}");
    program.wait().await.expect("it ends");
    serde_json::from_str(&line).expect("is JSON")
}

#[tokio::test]
async fn the_version_over_pipes_is_that_of_the_table() {
    let info = json!({"name": "c", "version": "1"});
    let asked = [
        (json!(0), Ok(1)),
        (json!(1), Ok(1)),
        (json!(2), Ok(2)),
        (json!(3), Ok(2)),
        (json!(65535), Ok(2)),
        (Value::Null, Err(-32602)),
        (json!("2"), Err(-32602)),
        (json!(-1), Err(-32602)),
        (json!(1.5), Err(-32602)),
        (json!(65536), Err(-32602)),
    ];
    for (version, expected) in asked {
        let mut params = json!({"info": info});
        if !version.is_null() {
            params["protocolVersion"] = version;
        }
        let answer = tokio::time::timeout(PATIENCE, initialized(&params)).await.expect("it answers");
        assert_eq!(answer["id"], "one");
        match expected {
            Ok(version) => assert_eq!(answer["result"]["protocolVersion"], version, "{params}: {answer}"),
            Err(code) => assert_eq!(answer["error"]["code"], code, "{params}: {answer}"),
        }
    }
}
