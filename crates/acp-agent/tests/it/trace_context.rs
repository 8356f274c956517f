//! The trace context of a prompt, in its handler and in what the handler sends.

use acp_agent::trace::{Propagate, TraceContext};
use acp_agent::{Options, Result, StopReason, Turn, agent};
use serde_json::json;

use crate::support::Wire;

struct Traced;

#[agent]
impl Traced {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let context = TraceContext::current();
        turn.say(context.as_ref().map_or("none", |context| context.traceparent())).await?;
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test]
async fn a_prompt_is_handled_in_its_trace() {
    let options = Options::default().layer_in(Propagate::new()).layer_out(Propagate::new());
    let mut wire = Wire::serve_with(Traced, options);
    wire.initialize(json!({})).await;
    let session = wire.new_session().await;
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    for (meta, said) in [(json!({ "traceparent": parent }), parent), (json!({}), "none")] {
        let params =
            json!({ "sessionId": session, "prompt": [{ "type": "text", "text": "go" }], "_meta": meta });
        let prompt = wire.request("session/prompt", params).await;
        let update = wire.recv().await;
        assert_eq!(update["params"]["update"]["content"]["text"], said, "{update}");
        assert_eq!(update["params"]["_meta"]["traceparent"].as_str().unwrap_or("none"), said, "{update}");
        assert_eq!(wire.stopped(prompt).await, "end_turn");
    }
}
