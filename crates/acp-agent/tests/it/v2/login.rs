//! Logging in and out.

use acp_agent::types::{AuthMethod, AuthMethodAgent, AuthMethodTerminal};
use acp_agent::{Result, StopReason, Turn, agent};
use serde_json::json;

use super::new_session;
use crate::support::Wire;

struct Locked;

#[agent(auth(required))]
impl Locked {
    async fn auth_methods(&self) -> Result<Vec<AuthMethod>> {
        let terminal = AuthMethodTerminal::new("tty", "In a terminal").args(["login".to_owned()]);
        Ok(vec![AuthMethodAgent::new("key", "API key").into(), terminal.into()])
    }

    async fn authenticate(&self) -> Result<()> {
        Ok(())
    }

    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test]
async fn a_way_to_log_in_brings_login_and_logout() {
    let mut wire = Wire::serve(Locked);
    let hello = json!({"protocolVersion": 2, "info": {"name": "ed", "version": "1"},
                       "capabilities": {"auth": {"terminal": {}}}});
    let answer = wire.call("initialize", hello).await;
    assert_eq!(
        answer["result"]["authMethods"],
        json!([{"type": "agent", "methodId": "key", "name": "API key"},
               {"type": "terminal", "methodId": "tty", "name": "In a terminal", "args": ["login"]}])
    );
    wire.refused("session/new", json!({"cwd": "/"}), -32000, &[]).await;
    for id in ["tty", "nope"] {
        wire.refused("auth/login", json!({"methodId": id}), -32602, &["methodId"]).await;
    }
    wire.refused("auth/login", json!({}), -32602, &["methodId"]).await;
    assert_eq!(wire.call("auth/login", json!({"methodId": "key"})).await["result"], json!({}));
    new_session(&mut wire).await;
    // Without a handler of the agent's: the library forgets the login.
    assert_eq!(wire.call("auth/logout", json!({})).await["result"], json!({}));
    wire.refused("session/new", json!({"cwd": "/"}), -32000, &[]).await;
}
