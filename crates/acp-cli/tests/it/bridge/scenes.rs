//! An agent that plays a scene for each prompt.

use std::sync::Arc;

use acp_agent::store::MemoryStore;
use acp_agent::types::{
    AuthMethod, AuthMethodAgent, AuthenticateRequest, AvailableCommand, Diff, PlanEntryStatus,
    SessionConfigOption, SessionConfigSelect, SessionConfigSelectOption, SessionMode, SessionModeState,
    SetSessionConfigOptionRequest, StringPropertySchema, ToolCallLocation, UsageUpdate,
};
use acp_agent::{
    ElicitationAnswer, Error, Form, NewSession, Opened, Result, RpcError, Session, StopReason, ToolCall,
    Turn, Value, agent,
};

#[derive(Clone)]
pub(super) struct Scenes {
    store: Arc<MemoryStore>,
}

impl Scenes {
    pub(super) fn new() -> Self {
        Self { store: Arc::new(MemoryStore::new(1024 * 1024)) }
    }
}

fn pace(value: &str) -> SessionConfigOption {
    let choices = ["slow", "fast"].map(|pace| SessionConfigSelectOption::new(pace, pace));
    SessionConfigOption::new("pace", "Pace", SessionConfigSelect::new(value, choices.to_vec()))
}

#[agent(name = "scenes", version = "1.2.3", title = "Scenes", prompt(image, queue), store = self.store.clone())]
impl Scenes {
    async fn auth_methods(&self) -> Result<Vec<AuthMethod>> {
        Ok(vec![AuthMethodAgent::new("key", "Key").into()])
    }

    async fn authenticate(&self, request: AuthenticateRequest) -> Result<()> {
        if request.method_id.as_str() == "key" { Ok(()) } else { Err(Error::auth_required()) }
    }

    async fn logout(&self) -> Result<()> {
        Ok(())
    }

    async fn new_session(&self, _open: NewSession) -> Result<Opened<()>> {
        let modes = [SessionMode::new("ask", "Ask"), SessionMode::new("do", "Do")];
        let opened = Opened::new(()).modes(SessionModeState::new("ask", modes));
        let web = AvailableCommand::new("web", "Searches the web");
        Ok(opened.config_options([pace("slow")]).commands([web]))
    }

    async fn set_mode(&self) -> Result<()> {
        Ok(())
    }

    #[on("session/set_config_option")]
    async fn set_pace(&self, set: SetSessionConfigOptionRequest) -> Result<Vec<SessionConfigOption>> {
        let value = set.value.as_id().unwrap_or("slow");
        Ok(vec![pace(value)])
    }

    async fn prompt(&self, turn: Turn, session: Session<()>) -> Result<StopReason> {
        match turn.text().as_str() {
            "say" => {
                turn.say("One, ").await?;
                turn.say("two.").await?;
            }
            "stream" => {
                let message = turn.message();
                for word in ["a ", "b ", "c"] {
                    message.say(word).await?;
                }
                turn.message().say("next message").await?;
            }
            "thought" => {
                turn.thought("Hmm").await?;
                turn.say("So").await?;
            }
            "tools" => tools(&turn).await?,
            "diff" => {
                let mut tool = turn.start_tool(ToolCall::edit("Edit")).await?;
                tool.diff(Diff::new("/w/a", "one\n2\n").old_text("one\ntwo\n")).await?;
                tool.complete().await?;
            }
            "plan" => {
                let mut plan = turn.start_plan(["Look", "Do"]).await?;
                plan.start(0).await?;
                plan.complete(0).await?;
                plan.set_status(1, PlanEntryStatus::InProgress).await?;
            }
            "ask" => {
                let call = ToolCall::edit("Write notes");
                let tool = turn.announce_tool(call.clone()).await?;
                let answer = turn.ask(&call).await?;
                turn.say(format!("{answer:?}")).await?;
                tool.complete().await?;
            }
            "elicit" => {
                let form = Form::new("Who?").required("name", StringPropertySchema::new());
                match turn.elicit(form).await? {
                    ElicitationAnswer::Accept(values) => turn.say(values.text("name").unwrap_or("?")).await?,
                    other => {
                        turn.say(if matches!(other, ElicitationAnswer::Decline) { "no" } else { "gone" })
                            .await?
                    }
                }
            }
            "commands" => {
                turn.available_commands([AvailableCommand::new("new", "Is new").hint("WHAT")]).await?;
            }
            "mode" => turn.say(session.mode().map_or_else(String::new, |mode| mode.to_string())).await?,
            "switch" => turn.current_mode("do").await?,
            "pace" => turn.say(format!("{:?}", session.config_value("pace"))).await?,
            "faster" => turn.config_options([pace("fast")]).await?,
            "title" => turn.title("A title").await?,
            "usage" => turn.report_usage(UsageUpdate::new(5, 100)).await?,
            "error" => {
                turn.say("So far").await?;
                let error = RpcError::new(-32050, "it broke").with_data(Value::from(7));
                return Err(Error::Rpc(error));
            }
            "panic" => panic!("a scene"),
            "refusal" => return Ok(StopReason::Refusal),
            "tokens" => return Ok(StopReason::MaxTokens),
            "wait" => {
                let _tool = turn.start_tool(ToolCall::execute("Wait")).await?;
                turn.say("Waiting").await?;
                turn.cancelled().await;
                turn.uncancelled().say("Bye").await?;
                return Err(Error::Cancelled);
            }
            "background" => {
                let updates = turn.session_updates().clone();
                tokio::spawn(async move { updates.title("Later").await });
            }
            other => return Err(Error::invalid_params(format!("there is no scene {other}"))),
        }
        Ok(StopReason::EndTurn)
    }
}

/// Uses every verb of a tool's guard.
async fn tools(turn: &Turn) -> Result<()> {
    let mut tool = turn.announce_tool(ToolCall::execute("Run").raw_input(Value::from("ls"))).await?;
    tool.start().await?;
    tool.title("Run ls").await?;
    tool.progress("a\n").await?;
    tool.progress("b\n").await?;
    tool.locations([ToolCallLocation::new("/w/a").line(3_u32)]).await?;
    tool.complete_with(Value::from(0)).await?;
    turn.start_tool(ToolCall::read("/w/b")).await?.fail("It is not there").await?;
    let search = turn.start_tool(ToolCall::search("Search")).await?;
    search.kind(acp_agent::types::ToolKind::Fetch).await?;
    drop(search);
    Ok(())
}
