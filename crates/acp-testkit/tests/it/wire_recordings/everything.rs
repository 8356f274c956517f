//! An agent that does everything that an agent can do in version 1.

use std::path::Path;

use acp_agent::types::{
    AuthMethod, AuthMethodAgent, AuthMethodTerminal, Diff, IntegerPropertySchema, SessionConfigOption,
    SessionInfo, SessionMode, SessionModeState, SessionUpdate, SetSessionConfigOptionRequest, ToolCall,
    ToolCallLocation,
};
use acp_agent::{
    Elicitation, Error, Form, LoadSession, NewSession, Opened, Result, ResumeSession, Session,
    SessionUpdates, StopReason, Turn, Value, agent,
};

pub(super) struct Everything;

pub(super) fn update(json: &str) -> SessionUpdate {
    acp_json::from_str(json).unwrap()
}

fn call(title: &str) -> ToolCall {
    ToolCall::new("call-1", title)
}

/// Every kind of update, each with and without its optional members.
pub(super) const UPDATES: &str = include_str!("updates.ndjson");

fn option(value: &str) -> SessionConfigOption {
    let option = format!(
        r#"{{"id":"pace","name":"Pace","category":"_x","type":"select","currentValue":"{value}",
        "options":[{{"value":"slow","name":"Slow","description":"s"}},{{"value":"fast","name":"Fast"}}]}}"#
    );
    acp_json::from_str(&option).unwrap()
}

fn switch() -> SessionConfigOption {
    acp_json::from_str(r#"{"id":"on","name":"On","type":"boolean","currentValue":false}"#).unwrap()
}

fn opened() -> Opened<()> {
    let modes = SessionModeState::new("ask", [SessionMode::new("ask", "Ask"), SessionMode::new("do", "Do")]);
    Opened::new(()).modes(modes).config_options([option("slow"), switch()])
}

#[agent(
    name = "everything",
    version = "1.2",
    title = "All of it",
    prompt(image, audio, embedded_context, queue),
    mcp(http, sse),
    additional_directories,
    meta("acme.dev/undo" = true)
)]
impl Everything {
    async fn auth_methods(&self) -> Result<Vec<AuthMethod>> {
        let terminal = AuthMethodTerminal::new("term", "In a terminal");
        Ok(vec![AuthMethodAgent::new("key", "Key").description("by a key").into(), terminal.into()])
    }

    async fn authenticate(&self, elicitation: Elicitation) -> Result<()> {
        elicitation.elicit_url("Log in", "https://example.com/login").await?;
        Ok(())
    }

    async fn logout(&self) -> Result<()> {
        Ok(())
    }

    async fn new_session(&self, open: NewSession) -> Result<Opened<()>> {
        if open.cwd() == Path::new("/broken") {
            return Err("the folder is broken".into());
        }
        open.update(update(r#"{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"go","description":"Goes"}]}"#)).await?;
        Ok(opened().session_id("s-1"))
    }

    async fn load_session(&self, open: LoadSession) -> Result<Opened<()>> {
        for line in UPDATES.lines().take(3) {
            open.update(update(line)).await?;
        }
        Ok(opened())
    }

    async fn resume_session(&self, _open: ResumeSession) -> Result<()> {
        Ok(())
    }

    async fn list_sessions(&self) -> Result<Vec<SessionInfo>> {
        Ok(vec![SessionInfo::new("s-1", "/work").title("One".to_owned()), SessionInfo::new("s-2", "/work")])
    }

    async fn close_session(&self, _session: Session<()>) -> Result<()> {
        Ok(())
    }

    async fn delete_session(&self) -> Result<()> {
        Err(Error::not_found("nothing to delete"))
    }

    async fn set_mode(&self, updates: SessionUpdates) -> Result<()> {
        updates.title("Of a mode").await
    }

    async fn set_config_option(
        &self,
        _set: SetSessionConfigOptionRequest,
    ) -> Result<Vec<SessionConfigOption>> {
        Ok(vec![option("fast"), switch()])
    }

    #[ext("_everything/echo")]
    async fn echo(&self, params: Value) -> Result<Value> {
        Ok(params)
    }

    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        match turn.text().as_str() {
            "updates" => updates(&turn).await?,
            "tools" => tools(&turn).await?,
            "ask" => ask(&turn).await?,
            "files" => files(&turn).await?,
            "terminals" => terminals(&turn).await?,
            "forms" => forms(&turn).await?,
            "wait" => {
                turn.say("waiting").await?;
                turn.cancelled().await;
                turn.uncancelled().say("going").await?;
            }
            "fail" => return Err("it failed".into()),
            "refuse" => return Ok(StopReason::Refusal),
            "login" => return Err(Error::auth_required()),
            other => turn.say(format!("{other}?")).await?,
        }
        Ok(StopReason::EndTurn)
    }
}

async fn updates(turn: &Turn) -> Result<()> {
    for line in UPDATES.lines() {
        turn.update(update(line)).await?;
    }
    turn.say("plain").await?;
    turn.thought("hm").await?;
    turn.message().say("in a message").await?;
    turn.plan(["one", "two"]).await?;
    let mut plan = turn.start_plan(["three", "four"]).await?;
    plan.start("three").await?;
    plan.complete("three").await?;
    turn.title("A title").await?;
    turn.current_mode("do").await?;
    turn.config_options([option("fast")]).await?;
    turn.ext_notify("_everything/noted", &[1, 2]).await
}

async fn tools(turn: &Turn) -> Result<()> {
    let mut tool =
        turn.announce_tool(call("announced").locations([ToolCallLocation::new("relative.txt")])).await?;
    tool.start().await?;
    tool.progress("half").await?;
    tool.diff(Diff::new("a.txt", "new").old_text("old".to_owned())).await?;
    tool.title("renamed").await?;
    tool.raw_input(true).await?;
    tool.complete_with("done").await?;
    let failed: Result<()> = turn.tool(call("failing"), async { Err(Error::from("no")) }).await;
    assert!(failed.is_err());
    drop(turn.start_tool(call("dropped")).await?);
    Ok(())
}

async fn ask(turn: &Turn) -> Result<()> {
    turn.ask(&call("allowed")).await?;
    for title in ["strange", "broken"] {
        if turn.ask(&call(title)).await.is_err() {
            turn.say("refused").await?;
        }
    }
    turn.ask(&call("cancelled")).await.map(drop)
}

async fn files(turn: &Turn) -> Result<()> {
    let fs = turn.fs().expect("files are offered");
    turn.say(fs.read_text("/a").await?).await?;
    turn.say(fs.read_lines("/a", 2, 3).await?).await?;
    fs.write_text("/b", "text\n").await?;
    for failed in [fs.read_text("/none").await.map(drop), fs.write_text("/b", "").await] {
        if failed.is_err() {
            turn.say("refused").await?;
        }
    }
    Ok(())
}

async fn terminals(turn: &Turn) -> Result<()> {
    let terminals = turn.terminals().expect("terminals are offered");
    let command = terminals.command("make").args(["-j", "2"]).env("A", "b").cwd("/work");
    let terminal = command.output_byte_limit(9).create().await?;
    turn.say(terminal.output().await?.output).await?;
    terminal.wait_for_exit().await?;
    terminal.kill().await?;
    terminal.release().await
}

async fn forms(turn: &Turn) -> Result<()> {
    let text = acp_json::from_str(r#"{"type":"string","title":"Name","minLength":1}"#);
    let text: acp_agent::types::StringPropertySchema = text.unwrap();
    let form =
        Form::new("Which?").title("T").required("name", text).optional("age", IntegerPropertySchema::new());
    let values = turn.elicit(form).await?.accepted().expect("it is filled in");
    turn.say(format!("{:?} {:?}", values.text("name"), values.integer("age"))).await?;
    turn.elicit(Form::new("Nothing?")).await?;
    turn.elicit(Form::new("Never?").tool_call("call-1")).await?;
    let page = turn.elicit_url("Open?", "https://example.com/").await?.accepted().expect("it is opened");
    page.complete().await?;
    let selected: Value = turn.ext_request("_editor/selection", &[1.5]).await?;
    turn.say(selected.to_string()).await
}
