//! Who is let in to the servers of a chain.

use acp_proxy::Conductor;
use serde_json::{Value, json};

use super::scene::{Scene, Shim, bridge, modern, notes};
use crate::common::soon;

fn set(declaration: &mut Value, name: &str, value: Option<&str>) {
    let env = declaration["env"].as_array_mut().unwrap();
    env.retain(|one| one["name"] != name);
    if let Some(value) = value {
        env.push(json!({"name": name, "value": value}));
    }
}

fn of(declaration: &Value, name: &str) -> String {
    let env = declaration["env"].as_array().unwrap();
    env.iter().find(|one| one["name"] == name).unwrap()["value"].as_str().unwrap().to_owned()
}

/// A wrong token is refused, and nothing is told. Another server's token, and one of a session that
/// is over, is wrong, too.
#[tokio::test]
async fn a_wrong_token_is_refused() {
    let mut scene = Scene::start(Conductor::new().proxy(notes()).mcp_bridge(bridge()), json!({})).await;
    let right = scene.open("s").await.remove(0);
    let token = of(&right, "ACP_MCP_SHIM_TOKEN");
    let last = if token.ends_with('0') { "1" } else { "0" };
    let nearly = format!("{}{last}", &token[..token.len() - 1]);
    let unknown = format!("{}{}", "0".repeat(32), &token[32..]);
    for wrong in [Some(nearly.as_str()), Some(&unknown), Some("x"), None] {
        let mut declaration = right.clone();
        set(&mut declaration, "ACP_MCP_SHIM_TOKEN", wrong);
        let mut shim = Shim::start(&declaration);
        assert_eq!(shim.last().await, None, "{wrong:?}");
        let ended = soon("the exit", shim.child.wait_with_output()).await.unwrap();
        assert!(!ended.status.success());
        let told = String::from_utf8_lossy(&ended.stderr);
        let wants = if wrong.is_some() { "has refused" } else { "`ACP_MCP_SHIM_TOKEN` is missing" };
        assert!(told.contains(wants) && !told.contains(&token), "{told}");
    }
    let mut shim = Shim::start(&right);
    shim.ask(1, "tools/list", modern(json!({}))).await;
    shim.result(1).await;
    scene.client.ask(2, "session/close", json!({"sessionId": "s"})).await;
    let (id, _) = scene.agent.request("session/close").await;
    scene.agent.answer(&id, json!({})).await;
    scene.client.result(2).await;
    assert_eq!(shim.last().await, None, "the server ends with its session");
    assert_eq!(Shim::start(&right).last().await, None, "and its token");
}

/// The socket is in a folder that only its user may enter, and both are gone with the chain.
#[cfg(unix)]
#[tokio::test]
async fn only_its_user_reaches_the_socket() {
    use std::os::unix::fs::PermissionsExt as _;

    let mut scene = Scene::start(Conductor::new().proxy(notes()).mcp_bridge(bridge()), json!({})).await;
    let server = scene.open("s").await.remove(0);
    let address = of(&server, "ACP_MCP_SHIM");
    let folder = std::path::Path::new(address.strip_prefix("unix:").unwrap()).parent().unwrap().to_owned();
    assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    drop(scene.client);
    soon("the end", scene.serving).await.unwrap().unwrap();
    assert!(!folder.exists());
}

/// A shim connects to this machine only, whatever its environment says.
#[tokio::test]
async fn a_shim_connects_to_this_machine_only() {
    let mut scene = Scene::start(Conductor::new().proxy(notes()).mcp_bridge(bridge()), json!({})).await;
    let server = scene.open("s").await.remove(0);
    for (address, wants) in [
        ("tcp:192.0.2.1:80", "not one on this machine"),
        ("x", "not one on this machine"),
        ("unix:/nowhere/x", "cannot be reached"),
    ] {
        let mut declaration = server.clone();
        set(&mut declaration, "ACP_MCP_SHIM", Some(address));
        let shim = Shim::start(&declaration);
        let ended = soon("the exit", shim.child.wait_with_output()).await.unwrap();
        let told = String::from_utf8_lossy(&ended.stderr);
        assert!(!ended.status.success() && told.contains(wants), "{told}");
    }
}
