//! br-01 over pipes: the version that a client gets from a program, for each version that it may
//! ask for.

use std::process::Stdio;

use acp_testkit::{Message, ScriptedPeer};
use serde_json::{Value, json};
use tokio::process::Command;

use super::PATIENCE;

/// An agent that only answers `initialize`.
const AGENT: &str = r#"
read -r line
printf '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}\n'
cat > /dev/null
"#;

async fn initialized(params: &Value) -> Message {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.args(["bridge", "--to", "1", "--", "sh", "-c", AGENT]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut program = command.spawn().expect("it starts");
    let (stdin, stdout) = (program.stdin.take(), program.stdout.take());
    let mut client = ScriptedPeer::new(stdout.expect("is piped"), stdin.expect("is piped"));
    let id = json!("one");
    client.ask(&id, "initialize", params.clone()).await.expect("it is read");
    let answer = client.expect_answer(&id).await.expect("it answers");
    client.close().await;
    // Nothing else comes, and the program ends with its client.
    client.expect_end().await.expect("it ends");
    program.wait().await.expect("it ends");
    answer
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
        match expected {
            Ok(version) => assert_eq!(answer["result"]["protocolVersion"], version, "{params}: {answer:?}"),
            Err(code) => assert_eq!(answer["error"]["code"], code, "{params}: {answer:?}"),
        }
    }
}
