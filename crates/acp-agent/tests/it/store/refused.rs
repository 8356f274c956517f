//! Updates that a layer looks at, adds to, or refuses.

use acp_agent::layer::{Exchange, Outbound, Outgoing, layer_fn};
use acp_agent::store::Journal;
use acp_agent::{Options, Result, Router, StopReason, Turn, op};
use acp_rpc::CallError;
use serde_json::json;

use crate::store::{load, texts};
use crate::support::Wire;

/// Reads every update, refuses those with a secret, and adds to the others.
struct Discreet<O>(O);

impl<O: Outbound> Outbound for Discreet<O> {
    fn send<'a>(&self, mut outgoing: Outgoing<'a>) -> Exchange<'a> {
        let has_secret = |value: acp_agent::Value| value.to_string().contains("secret");
        if outgoing.param("update").is_some_and(has_secret) {
            let (method, reason) = (outgoing.method().to_owned(), "it has a secret".into());
            return Box::pin(async { Err(CallError::Refused { method, reason }) });
        }
        outgoing.add_meta("acme.dev/seen", true);
        self.0.send(outgoing)
    }
}

/// Says each line of the prompt that the layer allows.
async fn try_lines(_: &(), turn: Turn) -> Result<StopReason> {
    for line in turn.text().lines() {
        let _ = turn.say(line).await;
    }
    Ok(StopReason::EndTurn)
}

#[tokio::test]
async fn what_a_layer_refuses_is_not_in_the_record() {
    let folder = tempfile::tempdir().unwrap();
    let agent =
        || Router::new("try", "1", ()).on::<op::Prompt, _>(try_lines).store(Journal::at(folder.path()));
    let mut wire = Wire::serve_with(agent(), Options::default().layer_out(layer_fn(Discreet)));
    wire.initialize(json!({})).await;
    let session = wire.new_session().await;
    let (sent, answer) = wire.turn(&session, "one\na secret\ntwo\nanother secret").await;
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
    assert_eq!(texts(&sent), [("agent", "one"), ("agent", "two")]);
    wire.close().await;

    let mut wire = Wire::connect(agent(), json!({})).await;
    let loaded = load(&mut wire, &session).await;
    assert_eq!(loaded[1..], sent, "as they were sent, without what belongs to the params");
    wire.close().await;
}
