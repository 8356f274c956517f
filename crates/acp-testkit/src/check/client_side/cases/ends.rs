//! The end: of a turn by an error, and of the connection.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::client_side::stage::Stage;
use crate::check::subject::{Step, Subject};
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Stage>] = &[
    case!("v1-err-02", "a turn ends with an error of an unknown code", unknown_code).fresh(),
    case!("v1-auth-16", "a turn ends because a login is needed", login_needed).fresh(),
    case!("v1-tr-08", "a turn ends, and the client is done", closes).fresh(),
];

/// Answers the prompt with an error. The client must go on, or close the connection.
pub(in crate::check::client_side) async fn ends(t: &mut Stage, error: Value) -> Step {
    t.agent.held = &["session/prompt"];
    t.turn().await?;
    let code = error.get("code").cloned().unwrap_or_default();
    if let Some(prompt) = t.agent.prompt.take() {
        let answer = json!({"jsonrpc": "2.0", "id": prompt.id(), "error": error});
        t.peer().await?.send(&answer).await?;
    }
    match t.fence().await {
        Ok(_) | Err(Stop::Gone(_)) => Ok(()),
        Err(Stop::Silent(_)) => {
            Err(Stop::Fail(format!("after the error {code} the client neither goes on nor ends")))
        }
        Err(stop) => Err(stop),
    }
}

fn error(code: i64) -> Value {
    json!({"code": code, "message": "acp check: this is on purpose"})
}

async fn unknown_code(t: &mut Stage) -> Step {
    ends(t, error(12345)).await
}

async fn login_needed(t: &mut Stage) -> Step {
    ends(t, error(-32000)).await
}

async fn closes(t: &mut Stage) -> Step {
    t.turn().await?;
    t.finish("end_turn").await?;
    match t.closing().await {
        Ok(Some(true)) => Ok(()),
        Ok(Some(false)) => {
            Err(Stop::Fail("the client ends the agent before it has closed its stdin".to_owned()))
        }
        Ok(None) => Err(Stop::Inconclusive("nobody knows how the client has ended the agent".to_owned())),
        Err(Stop::Silent(_)) => Err(Stop::Inconclusive("the client does not end by itself".to_owned())),
        Err(stop) => Err(stop),
    }
}
