//! The prompts whose lines the rules over every line are judged by.

use serde_json::json;

use super::client;
use super::subject::{Step, Subject};
use super::tester::Tester;

/// Runs every prompt, for a client that offers everything and for one that offers nothing, and
/// lists sessions: what the agent says is looked at afterwards.
pub(super) async fn gather(tester: &mut Tester) -> Step {
    for capabilities in [client::everything(), json!({})] {
        tester.disconnect().await;
        // An agent that fails here has failed in scenarios, too.
        let _ = converse(tester, capabilities).await;
    }
    Ok(())
}

async fn converse(tester: &mut Tester, capabilities: serde_json::Value) -> Step {
    tester.initialize(capabilities).await?;
    let session = tester.session().await?;
    for prompt in tester.prompts() {
        let id = tester.start(&session, &prompt).await?;
        tester.finish(&id).await?;
    }
    if tester.needs("sessionCapabilities.list").await.is_ok() {
        tester.call("session/list", json!({})).await?;
    }
    let nobody = tester.start("acp-check-none", "hello").await?;
    tester.finish(&nobody).await?;
    if tester.options.endless_prompt.is_some() {
        let endless = tester.endless();
        let turn = tester.start(&session, &endless).await?;
        tester.begun(&session).await?;
        tester.notify("session/cancel", json!({"sessionId": session})).await?;
        tester.finish(&turn).await?;
    }
    // What comes behind the answers.
    tester.fence().await?;
    tester.fence().await.map(drop)
}
