//! Plans, and their changes during a turn.

use acp_agent::types::{Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus};
use acp_agent::{Result, Router, RunningPlan, StopReason, Turn, agent, op};
use serde_json::{Value, json};

use crate::support::Wire;

struct Planner;

impl Planner {
    /// Changes the plan of `a` and `b`. Returns the result that the author of the change sees: the
    /// id of a new entry, or the number of entries.
    async fn change(plan: &mut RunningPlan, what: &str) -> Result<String> {
        match what {
            "start" => plan.start(0).await?,
            "complete" => plan.complete("b").await?,
            "status" => plan.set_status(1, PlanEntryStatus::InProgress).await?,
            "priority" => plan.set_priority("a", PlanEntryPriority::High).await?,
            "content" => plan.set_content("a", "A").await?,
            "add" => return Ok(plan.add("c").await?.to_string()),
            "remove" => plan.remove("a").await?,
            "several" => {
                plan.edit(|entries| {
                    entries.reverse();
                    entries.truncate(1);
                })
                .await?;
            }
            "nothing" => {
                plan.set_status(0, PlanEntryStatus::Pending).await?;
                plan.set_content("b", "b").await?;
                plan.edit(|entries| entries.shrink_to_fit()).await?;
            }
            "beyond" => plan.start(2).await?,
            "unknown" => plan.start("secret").await?,
            other => panic!("{other}"),
        }
        Ok(plan.entries().len().to_string())
    }
}

#[agent]
impl Planner {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let mut plan = turn.start_plan(["a", "b"]).await?;
        let said = Self::change(&mut plan, &turn.text()).await.unwrap_or_else(|error| error.to_string());
        turn.say(said).await?;
        Ok(StopReason::EndTurn)
    }
}

fn entry(content: &str, priority: &str, status: &str) -> Value {
    json!({"content": content, "priority": priority, "status": status})
}

#[tokio::test]
async fn every_change_tells_the_whole_plan() {
    let (a, b) = (entry("a", "medium", "pending"), entry("b", "medium", "pending"));
    let table = [
        ("start", vec![entry("a", "medium", "in_progress"), b.clone()], "2"),
        ("complete", vec![a.clone(), entry("b", "medium", "completed")], "2"),
        ("status", vec![a.clone(), entry("b", "medium", "in_progress")], "2"),
        ("priority", vec![entry("a", "high", "pending"), b.clone()], "2"),
        ("content", vec![entry("A", "medium", "pending"), b.clone()], "2"),
        ("add", vec![a.clone(), b.clone(), entry("c", "medium", "pending")], "2"),
        ("remove", vec![b.clone()], "1"),
        ("several", vec![b.clone()], "1"),
    ];
    let (mut wire, session) = Wire::open(Planner, json!({})).await;
    for (what, entries, said) in table {
        let (updates, _) = wire.turn(&session, what).await;
        assert_eq!(updates[0], json!({"sessionUpdate": "plan", "entries": [a, b]}));
        assert_eq!(updates[1], json!({"sessionUpdate": "plan", "entries": entries}), "{what}");
        assert_eq!(updates[2]["content"]["text"], said);
        // An entry that runs is completed with the turn.
        let running = entries.iter().any(|entry| entry["status"] == "in_progress");
        assert_eq!(updates.len(), 3 + usize::from(running), "{what}");
    }
}

#[tokio::test]
async fn what_changes_nothing_sends_nothing() {
    let table = [("nothing", "2"), ("beyond", "index 2"), ("unknown", "none of the plan's 2 entries")];
    let (mut wire, session) = Wire::open(Planner, json!({})).await;
    for (what, said) in table {
        let (updates, _) = wire.turn(&session, what).await;
        assert_eq!(updates.len(), 2, "{what}");
        let text = updates[1]["content"]["text"].as_str().unwrap();
        assert!(text.contains(said) && !text.contains("secret"), "{text}");
    }
}

/// Ends the turn in one of many ways, with one entry completed and one in progress.
async fn ending(_: &(), turn: Turn) -> Result<StopReason> {
    let mut plan = turn.start_plan(["a", "b", "c"]).await?;
    plan.complete("a").await?;
    plan.start("b").await?;
    match turn.text().as_str() {
        "end" => Ok(StopReason::EndTurn),
        "tokens" => Ok(StopReason::MaxTokens),
        "refusal" => Ok(StopReason::Refusal),
        "error" => Err("failed".into()),
        "panic" => panic!("failed"),
        "background" => {
            // The plan of the session as a whole is not the turn's.
            turn.session_updates().update(Plan::new(vec![PlanEntry::from("b")])).await?;
            plan.complete("b").await?;
            Ok(StopReason::EndTurn)
        }
        _ => {
            turn.cancelled().await;
            // Its own last words count.
            turn.uncancelled().say("cancelled").await?;
            Err(acp_agent::Error::Cancelled)
        }
    }
}

#[tokio::test]
async fn the_entry_that_runs_is_closed_when_the_turn_ends() {
    let agent = Router::new("ending", "1", ()).on::<op::Prompt, _>(ending);
    let (mut wire, session) = Wire::open(agent, json!({})).await;
    let table = [
        ("end", Some("completed")),
        ("tokens", Some("pending")),
        ("refusal", Some("pending")),
        ("error", Some("pending")),
        ("panic", Some("pending")),
        ("background", None),
    ];
    for (what, status) in table {
        let (updates, _) = wire.turn(&session, what).await;
        let last = updates.last().unwrap();
        let expected = [
            entry("a", "medium", "completed"),
            entry("b", "medium", status.unwrap_or("completed")),
            entry("c", "medium", "pending"),
        ];
        assert_eq!(last["entries"], json!(expected), "{what}");
        assert_eq!(updates.len(), if status.is_some() { 4 } else { 5 }, "{what}");
    }

    let prompt = wire.prompt(&session, "cancel").await;
    for _ in 0..3 {
        assert_eq!(wire.update().await["sessionUpdate"], "plan");
    }
    wire.cancel(&session).await;
    assert_eq!(wire.said().await, "cancelled");
    assert_eq!(wire.update().await["entries"][1], entry("b", "medium", "pending"));
    assert_eq!(wire.stopped(prompt).await, "cancelled");
    wire.close().await;
}
