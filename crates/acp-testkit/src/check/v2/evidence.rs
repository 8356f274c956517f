//! The prompts whose lines the rules over every line are judged by.

use serde_json::json;

use super::turn::Turn;
use super::{ask, client};
use crate::check::subject::{Step, Subject};
use crate::check::tester::Tester;

/// Runs every prompt, for a client that offers everything, for one whose offers are malformed and
/// for one that offers nothing. The first also closes its session and opens it again.
pub(in crate::check) async fn gather(tester: &mut Tester) -> Step {
    let malformed = json!({"elicitation": {"form": true, "url": 5}, "auth": {"terminal": true}});
    for capabilities in [client::everything(), malformed, json!({})] {
        tester.disconnect().await;
        let whole = capabilities == client::everything();
        // An agent that fails here has failed in scenarios, too.
        let _ = converse(tester, capabilities, whole).await;
    }
    Ok(())
}

async fn converse(t: &mut Tester, capabilities: serde_json::Value, whole: bool) -> Step {
    t.initialize(capabilities).await?;
    let session = t.session().await?;
    for prompt in t.prompts() {
        Turn::run(t, &session, &prompt).await?;
    }
    t.call("session/list", json!({})).await?;
    let nobody = t.start("acp-check-none", "hello").await?;
    t.reply(&nobody).await?;
    if whole {
        if t.options.endless_prompt.is_some() {
            Turn::lasting(t).await?.stop(t).await?;
        }
        if t.options.permission_prompt.is_some() {
            let (mut turn, question) = ask::permission(t).await?;
            turn.settle(t).await?;
            ask::allow(t, &question).await?;
            turn.finish(t).await?;
        }
        let resume = json!({"sessionId": session, "cwd": t.options.cwd, "replayFrom": {"type": "start"}});
        t.call("session/close", json!({"sessionId": session})).await?;
        // What comes behind the answer.
        t.fence().await?;
        t.call("session/resume", resume).await?;
        Turn::plain(t, &session).await?;
    }
    t.fence().await?;
    t.fence().await.map(drop)
}
