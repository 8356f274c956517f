//! The schema's opinion of the lines of one side.

use acp_testkit::{FaultKind, LineCheck, ScriptedPeer};
use acp_types::method::Side;
use serde_json::{Value, json};
use tokio::io::duplex;

/// Returns the reason why a line of a side is refused, after these lines of both sides. A line with
/// `!` before it goes to the side under check.
async fn refused(side: Side, lines: &[&str]) -> Option<String> {
    let (here, there) = duplex(64 * 1024);
    let (mut peer, mut checked) = (ScriptedPeer::from_stream(here), ScriptedPeer::from_stream(there));
    let mut check = LineCheck::of(side, false).unwrap();
    peer.watch(move |line| check.line(line));
    for line in lines {
        if let Some(line) = line.strip_prefix('!') {
            peer.raw(format!("{line}\n")).await.unwrap();
            continue;
        }
        checked.raw(format!("{line}\n")).await.unwrap();
        match peer.next().await.map_err(|fault| fault.kind) {
            Ok(_) => {}
            Err(FaultKind::Refused { reason, .. }) => return Some(reason),
            Err(other) => panic!("{other}"),
        }
    }
    None
}

fn request(id: Value, method: &str, params: Value) -> String {
    format!("!{}", call(id, method, params))
}

fn call(id: Value, method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn answer(id: Value, result: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

#[tokio::test]
async fn lines_of_an_agent() {
    let new = request(json!(1), "session/new", json!({"cwd": "/", "mcpServers": []}));
    let good = answer(json!(1), json!({"sessionId": "s"}));
    let (new, good) = (new.as_str(), good.as_str());
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}"#;
    for lines in [
        vec![new, good],
        vec![new, error],
        // Any line may come to the side under check, and may have been a request.
        vec!["!{", good],
        vec![r#"{"jsonrpc":"2.0","method":"_mine","params":[7]}"#],
    ] {
        assert_eq!(refused(Side::Agent, &lines).await, None, "{lines:?}");
    }
    let batch = format!("![{}]", &new[1..]);
    assert_eq!(refused(Side::Agent, &[&batch, &format!("[{good}]")]).await, None);
    for (lines, reason) in [
        (vec![new, "{"], "not JSON"),
        (vec!["7"], "not an object"),
        (vec![r#"{"jsonrpc":"2.0","method":"_x","_meta":{}}"#], "unknown member `_meta`"),
        (vec![r#"{"method":"_x"}"#], "not JSON-RPC 2.0"),
        (vec![r#"{"jsonrpc":"2.0","result":1}"#], "neither a method nor an id"),
        (vec![good], "an answer to nothing"),
        (vec![new, good, good], "an answer to nothing"),
        (vec![new, r#"{"jsonrpc":"2.0","id":1}"#], "neither a result nor an error"),
        (vec![new, r#"{"jsonrpc":"2.0","id":1,"error":{}}"#], "Error: "),
        (vec![new, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#], "NewSessionResponse: "),
        (vec![r#"{"jsonrpc":"2.0","method":"session/nothing"}"#], "there is no `session/nothing`"),
        (vec![r#"{"jsonrpc":"2.0","method":"session/update","params":{}}"#], "SessionNotification: "),
    ] {
        let refused = refused(Side::Agent, &lines).await.unwrap_or_else(|| panic!("{lines:?} passes"));
        assert!(refused.contains(reason), "{lines:?}: {refused}");
    }
}

#[tokio::test]
async fn the_version_is_the_agreed_one() {
    // The agent says the number of its version, and the form of its answer fits.
    let hello = request(json!(0), "initialize", json!({"protocolVersion": 2}));
    let first = answer(json!(0), json!({"protocolVersion": 1, "agentCapabilities": {}}));
    let second = json!({"protocolVersion": 2, "info": {"name": "a", "version": "1"}, "capabilities": {}});
    let second = answer(json!(0), second);
    let prompt = request(json!(1), "session/prompt", json!({}));
    let stopped = answer(json!(1), json!({"stopReason": "end_turn"}));
    assert_eq!(refused(Side::Agent, &[&hello, &first, &prompt, &stopped]).await, None);
    assert!(refused(Side::Agent, &[&hello, &second, &prompt]).await.is_none());
    let empty = answer(json!(1), json!({}));
    let reason = refused(Side::Agent, &[&hello, &first, &prompt, &empty]).await.unwrap();
    assert!(reason.contains("version 1") && reason.contains("PromptResponse"), "{reason}");

    // A client finds the version in the form of the agent's answer.
    let hello = json!({"protocolVersion": 2, "info": {"name": "c", "version": "1"}, "capabilities": {}});
    let hello = call(json!(0), "initialize", hello);
    let logs_in = call(json!(1), "auth/login", json!({"methodId": "m"}));
    let second = format!("!{second}");
    assert_eq!(refused(Side::Client, &[&hello, &second, &logs_in]).await, None);
    let lies = json!({"protocolVersion": 2, "agentCapabilities": {}});
    let lies = format!("!{}", answer(json!(0), lies));
    let reason = refused(Side::Client, &[&hello, &lies, &logs_in]).await.unwrap();
    assert!(reason.contains("version 1") && reason.contains("there is no `auth/login`"), "{reason}");
}
