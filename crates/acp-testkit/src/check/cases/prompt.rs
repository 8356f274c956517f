//! Prompts, and how their turns end.

use serde_json::{Value, json};

use crate::check::case::{Case, case};
use crate::check::subject::{Reply, Step, Subject};
use crate::check::tester::Tester;
use crate::check::verdict::Stop;

pub(super) const CASES: &[Case<Tester>] = &[
    case!("v1-cap-06", "a session, a turn with updates, a cancellation", baseline),
    case!("v1-cap-08", "a prompt of text and a link", text_and_link),
    case!("v1-turn-03", "a turn to its end", stop_reason),
    case!("v1-turn-14", "a prompt with a block of an unknown type", unknown_block),
    case!("v1-cont-07", "a prompt with malformed annotations", odd_annotations),
];

async fn turn(t: &mut Tester) -> Step<(String, Reply)> {
    let session = t.session().await?;
    let prompt = t.options.prompt.clone();
    let reply = t.turn(&session, &prompt).await?;
    Ok((session, reply))
}

async fn baseline(t: &mut Tester) -> Step {
    let (session, reply) = turn(t).await?;
    if reply.stop_reason() == Some("end_turn") && reply.updates(&session).next().is_none() {
        return Err(Stop::Fail("a whole turn has no `session/update`".to_owned()));
    }
    t.notify("session/cancel", json!({"sessionId": session})).await?;
    t.fence().await.map(drop)
}

async fn stop_reason(t: &mut Tester) -> Step {
    let (_, reply) = turn(t).await?;
    match reply.stop_reason() {
        Some(_) => Ok(()),
        None => Err(Stop::Fail("the result of `session/prompt` has no `stopReason`".to_owned())),
    }
}

/// Sends a prompt of these blocks, and checks that it is not refused.
async fn accepts(t: &mut Tester, blocks: Value, of: &str) -> Step {
    // The model must be there, or a refusal says nothing about the blocks.
    let (session, _) = turn(t).await?;
    let id = t.request("session/prompt", json!({"sessionId": session, "prompt": blocks})).await?;
    t.finish(&id).await?.result(of).map(drop)
}

async fn text_and_link(t: &mut Tester) -> Step {
    let link = json!({"type": "resource_link", "uri": "file:///acp-check/notes.txt", "name": "notes.txt"});
    let text = json!({"type": "text", "text": t.options.prompt});
    accepts(t, json!([text, link]), "a prompt of text and a link").await
}

async fn odd_annotations(t: &mut Tester) -> Step {
    let text = json!({"type": "text", "text": t.options.prompt, "annotations": 5});
    accepts(t, json!([text]), "a prompt with malformed annotations").await
}

async fn unknown_block(t: &mut Tester) -> Step {
    let session = t.session().await?;
    let params = json!({"sessionId": session, "prompt": [{"type": "acp_check", "text": "hello"}]});
    let id = t.request("session/prompt", params).await?;
    t.finish(&id).await?.refused(&[-32602], "a block of an unknown type")
}
