//! Several plans of a session: a client of version 1 that takes one gets the last, in the turn and
//! in a replay.

use std::sync::Arc;

use acp_agent::store::SessionStore;
use acp_agent::types::{PlanItems, PlanUpdate};
use acp_agent::{Result, Router, StopReason, Turn, op};
use serde_json::{Value, json};

use super::{Client, is, replay, stores, update_of};

fn planner(store: Arc<dyn SessionStore>) -> Router<()> {
    async fn prompt(_: &(), turn: Turn) -> Result<StopReason> {
        turn.named_plan(PlanUpdate::new(PlanItems::new("a", ["one".into()]))).await?;
        turn.named_plan(PlanUpdate::new(PlanItems::new("b", ["two".into()]))).await?;
        // Version 1 does not show it any more.
        turn.remove_plan("a").await?;
        Ok(StopReason::EndTurn)
    }
    Router::new("planner", "1", ()).on::<op::Prompt, _>(prompt).store(store)
}

fn entries(text: Option<&str>) -> Value {
    text.map(|text| json!({"content": text, "priority": "medium", "status": "pending"})).into_iter().collect()
}

/// Returns the plans in updates, in the form of version 1.
fn plans(updates: &[Value]) -> Vec<Value> {
    updates.iter().filter(|update| is(update, "plan")).map(|update| update["entries"].clone()).collect()
}

/// Returns the ids and entries of the plans in updates, in the form of version 2.
fn named(updates: &[Value]) -> Vec<(Value, Value)> {
    let plans = updates.iter().filter(|update| is(update, "plan_update")).map(|update| &update["plan"]);
    plans.map(|plan| (plan["planId"].clone(), plan["entries"].clone())).collect()
}

#[tokio::test]
async fn the_last_of_several_plans_is_the_plan_of_version_1() {
    let all = [("a", entries(Some("one"))), ("b", entries(Some("two"))), ("a", entries(None))];
    let all = all.map(|(id, entries)| (json!(id), entries));
    let only = [entries(Some("one")), entries(Some("two"))];
    for version in [1, 2] {
        let stores = stores();
        for store in &stores.all {
            let agent = || planner(Arc::clone(store));
            let mut client = Client::connect(agent(), version).await;
            let session = client.new_session().await;
            let lines = client.turn(&session, "go").await;
            client.close().await;
            let updates: Vec<_> = lines.iter().map(|line| update_of(line)).collect();
            if version == 1 {
                assert_eq!(plans(&updates), only);
            } else {
                assert_eq!(named(&updates), all);
            }
            assert_eq!(plans(&replay(agent, 1, &session).await), only);
            let replayed = named(&replay(agent, 2, &session).await);
            if version == 1 {
                assert_eq!(replayed, only.clone().map(|entries| (json!("plan"), entries)));
            } else {
                assert_eq!(replayed, all);
            }
        }
    }
}
