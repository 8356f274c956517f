//! The agent of the scenarios. It knows nothing of versions.

use acp_agent::store::MemoryStore;
use acp_agent::types::{
    AvailableCommand, Cost, Diff, PlanEntry, PlanEntryStatus, SessionConfigBoolean, SessionConfigOption,
    SessionMode, SessionModeState, SetSessionConfigOptionRequest, SetSessionModeRequest,
    StringPropertySchema, ToolCall, ToolCallLocation, ToolKind, UsageUpdate,
};
use acp_agent::{Form, NewSession, Opened, Result, Router, StopReason, Turn, Value, agent, op};

pub(super) struct Everything;

fn options(is_quick: bool) -> Vec<SessionConfigOption> {
    vec![SessionConfigOption::new("quick", "Quick", SessionConfigBoolean::new(is_quick))]
}

#[agent(name = "everything", prompt(queue))]
impl Everything {
    async fn new_session(&self, _open: NewSession) -> Result<Opened<()>> {
        let modes = [SessionMode::new("ask", "Ask"), SessionMode::new("code", "Code")];
        Ok(Opened::new(()).modes(SessionModeState::new("ask", modes)).config_options(options(false)))
    }

    async fn set_mode(&self, _set: SetSessionModeRequest) -> Result<()> {
        Ok(())
    }

    async fn set_config_option(
        &self,
        _set: SetSessionConfigOptionRequest,
    ) -> Result<Vec<SessionConfigOption>> {
        Ok(options(true))
    }

    async fn close_session(&self) -> Result<()> {
        Ok(())
    }

    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        answer(turn).await
    }
}

/// An agent with the same turns, whose sessions can be opened again.
pub(super) fn stored() -> Router<()> {
    async fn prompt(_: &(), turn: Turn) -> Result<StopReason> {
        answer(turn).await
    }
    Router::new("everything", "1", ()).on::<op::Prompt, _>(prompt).store(MemoryStore::new(1 << 20))
}

async fn answer(turn: Turn) -> Result<StopReason> {
    match turn.text().as_str() {
        "say" => {
            turn.say("one ").await?;
            turn.say("two").await?;
            turn.thought("hm").await?;
            turn.say("three").await?;
        }
        "stream" => {
            let message = turn.message();
            for text in ["a", "b", "c"] {
                message.say(text).await?;
            }
            turn.thought_message().say("deep").await?;
            turn.message().say("d").await?;
        }
        "tools" => tools(&turn).await?,
        "plan" => {
            let mut plan = turn.start_plan(["look", "leap"]).await?;
            plan.start("look").await?;
            plan.set_status("look", PlanEntryStatus::Completed).await?;
            plan.add("rest").await?;
            turn.plan(["all over"].map(PlanEntry::from)).await?;
        }
        "ask" => {
            let answer = turn.ask(&ToolCall::new("asked", "Edit notes.txt").kind(ToolKind::Edit)).await?;
            turn.say(format!("{answer:?}")).await?;
        }
        "elicit" => {
            let form = Form::new("Who?").required("name", StringPropertySchema::new().default_value("Ann"));
            let answer = turn.elicit(form).await?;
            let name = answer.accepted().and_then(|values| values.text("name").map(str::to_owned));
            turn.say(format!("{name:?}")).await?;
        }
        "session" => {
            turn.available_commands([AvailableCommand::new("plan", "Plans")]).await?;
            turn.current_mode("code").await?;
            turn.config_options(options(true)).await?;
            turn.title("Titled").await?;
            turn.report_usage(UsageUpdate::new(5, 9).cost(Cost::new(0.5, "USD"))).await?;
        }
        "error" => {
            turn.say("so far").await?;
            return Err("no model".into());
        }
        "panic" => panic!("as the test asks"),
        "refuse" => return Ok(StopReason::Refusal),
        "wait" => {
            turn.say("waiting").await?;
            turn.cancelled().await;
        }
        "behind" => {
            let updates = turn.session_updates().clone();
            tokio::spawn(async move {
                // It fails if the client has gone.
                let _ = updates
                    .update(acp_agent::types::SessionUpdate::from(acp_agent::types::Plan::new(
                        ["later"].map(PlanEntry::from),
                    )))
                    .await;
            });
        }
        other => turn.say(other.to_uppercase()).await?,
    }
    Ok(StopReason::EndTurn)
}

async fn tools(turn: &Turn) -> Result<()> {
    let mut first = turn.start_tool(ToolCall::new("first", "Edit").kind(ToolKind::Edit)).await?;
    first.progress("half").await?;
    first.diff(Diff::new("/work/a.txt", "new\n").old_text("old\n")).await?;
    first.title("Edit a.txt").await?;
    first.kind(ToolKind::Delete).await?;
    first.locations([ToolCallLocation::new("/work/a.txt").line(3)]).await?;
    first.raw_input(Value::from("in")).await?;
    first.progress("more").await?;
    first.raw_output(Value::from("out")).await?;
    first.complete().await?;
    let second = turn.announce_tool(ToolCall::new("second", "Search")).await?;
    second.start().await?;
    second.fail("nothing there").await?;
    turn.start_tool(ToolCall::new("third", "Count")).await?.complete_with(Value::from(3_u64)).await?;
    // This one has no end of its own.
    drop(turn.start_tool(ToolCall::new("fourth", "Drop")).await?);
    Ok(())
}
