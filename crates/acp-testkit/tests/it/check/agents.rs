//! Two correct agents: one that does everything, and one that does the least.

use std::io::Write as _;
use std::sync::Arc;

use acp_agent::store::MemoryStore;
use acp_agent::types::{
    AuthMethod, AuthMethodAgent, AuthMethodTerminal, Diff, McpServer, SessionConfigOption, SessionMode,
    SessionModeState, SessionUpdate, SetSessionConfigOptionRequest, SetSessionModeRequest, ToolCall,
    ToolCallLocation,
};
use acp_agent::{Form, NewSession, Opened, Result, SessionUpdates, StopReason, Turn, agent};

fn read<T: acp_json::FromNode>(json: &str) -> T {
    acp_json::from_str(json).unwrap()
}

fn option(value: &str) -> SessionConfigOption {
    read(&format!(
        r#"{{"id":"pace","name":"Pace","category":"_x","type":"select","currentValue":"{value}",
        "options":[{{"value":"slow","name":"Slow"}},{{"value":"fast","name":"Fast"}}]}}"#
    ))
}

fn switch() -> SessionConfigOption {
    read(r#"{"id":"on","name":"On","type":"boolean","currentValue":false}"#)
}

fn modes() -> SessionModeState {
    SessionModeState::new("ask", [SessionMode::new("ask", "Ask"), SessionMode::new("do", "Do")])
}

/// Does for the servers of the checker what their program would do, at once: an agent that has
/// started one has connected before it answers.
fn start_servers(servers: &[McpServer]) {
    for server in servers {
        let McpServer::Stdio(server) = server else { continue };
        let [.., address, token, name] = server.args.as_slice() else { continue };
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        writeln!(stream, "{}", serde_json::json!({"token": token, "server": name})).unwrap();
    }
}

/// An agent that keeps its sessions and does everything that an agent can do.
pub(super) struct Full(pub(super) MemoryStore);

#[agent(
    name = "full",
    version = "1",
    prompt(image, audio, embedded_context, queue),
    mcp(http),
    additional_directories,
    meta("acme.dev/notes" = true),
    store = Arc::new(self.0.clone())
)]
impl Full {
    async fn auth_methods(&self) -> Result<Vec<AuthMethod>> {
        let terminal = AuthMethodTerminal::new("term", "In a terminal");
        Ok(vec![AuthMethodAgent::new("key", "Key").into(), terminal.into()])
    }

    async fn authenticate(&self) -> Result<()> {
        Ok(())
    }

    async fn logout(&self) -> Result<()> {
        Ok(())
    }

    async fn new_session(&self, open: NewSession) -> Result<Opened<()>> {
        start_servers(open.mcp_servers());
        Ok(Opened::new(()).modes(modes()).config_options([option("slow"), switch()]))
    }

    async fn set_mode(&self, _updates: SessionUpdates) -> Result<()> {
        Ok(())
    }

    async fn set_config_option(
        &self,
        set: SetSessionConfigOptionRequest,
    ) -> Result<Vec<SessionConfigOption>> {
        let value = acp_json::to_string(&set);
        let value = if value.contains("fast") { "fast" } else { "slow" };
        Ok(vec![option(value), switch()])
    }

    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        match turn.text().as_str() {
            "show" => show(&turn).await?,
            "permission" => permission(&turn).await?,
            "files" => files(&turn).await?,
            "terminals" => terminals(&turn).await?,
            "forms" => forms(&turn).await?,
            #[cfg(feature = "v2")]
            "newer" => newer(&turn).await?,
            #[cfg(feature = "v2")]
            "command" => drop(turn.ask(&ToolCall::new("make", "Run make")).await?),
            "fail" => return Err("no model".into()),
            "endless" => {
                turn.say("working").await?;
                turn.cancelled().await;
                turn.uncancelled().say("stopping").await?;
                turn.say("never said").await?;
            }
            _ => turn.say("hello").await?,
        }
        Ok(StopReason::EndTurn)
    }
}

/// Updates of every kind that is not sent otherwise.
const SHOWN: &str = include_str!("shown.ndjson");

async fn show(turn: &Turn) -> Result<()> {
    for line in SHOWN.lines() {
        let update: SessionUpdate = read(line);
        // Some need a capability of the client.
        let _ = turn.update(update).await;
    }
    let call = ToolCall::new("edit", "Edit").locations([ToolCallLocation::new("/work/a.txt").line(3)]);
    let mut tool = turn.announce_tool(call).await?;
    tool.start().await?;
    tool.diff(Diff::new("/work/a.txt", "new").old_text("old".to_owned())).await?;
    tool.complete().await?;
    turn.ext_notify("_acme/noted", &[1, 2]).await?;
    turn.plan(["one", "two"]).await
}

/// Updates that only version 2 has.
#[cfg(feature = "v2")]
const NEWER: &str = include_str!("newer.ndjson");

#[cfg(feature = "v2")]
async fn newer(turn: &Turn) -> Result<()> {
    for line in NEWER.lines() {
        turn.update_v2(read::<acp_agent::v2::SessionUpdate>(line)).await?;
    }
    let work = turn.background("Watch").await?;
    let tool = turn.start_tool(ToolCall::new("short", "Short")).await?;
    let offer = tool.cancellable().await?;
    tool.complete().await?;
    drop(offer);
    work.complete().await
}

async fn permission(turn: &Turn) -> Result<()> {
    let call = ToolCall::new("asked", "Work");
    let tool = turn.announce_tool(call.clone()).await?;
    if turn.ask(&call).await?.is_allowed() {
        tool.start().await?;
        tool.complete().await
    } else {
        tool.fail("not allowed").await
    }
}

async fn files(turn: &Turn) -> Result<()> {
    let Some(fs) = turn.fs() else { return Ok(()) };
    fs.read_lines("/work/a.txt", 2, 3).await?;
    fs.write_text("/work/b.txt", "text\n").await
}

async fn terminals(turn: &Turn) -> Result<()> {
    let Some(terminals) = turn.terminals() else { return Ok(()) };
    let terminal = terminals.command("make").cwd("/work").create().await?;
    let mut tool = turn.start_tool(ToolCall::new("make", "Make")).await?;
    tool.terminal(&terminal).await?;
    terminal.wait_for_exit().await?;
    tool.complete().await?;
    terminal.release().await
}

async fn forms(turn: &Turn) -> Result<()> {
    let text = read::<acp_agent::types::StringPropertySchema>(r#"{"type":"string","title":"Name"}"#);
    let form = Form::new("Which?").required("name", text);
    if let Ok(answer) = turn.elicit(form).await {
        assert!(answer.accepted().is_none(), "the checker declines");
    }
    for _ in 0..2 {
        let _ = turn.elicit_url("Open?", "https://example.com/").await;
    }
    Ok(())
}

/// An agent that wants a login.
#[cfg(feature = "v2")]
pub(super) struct Locked;

#[cfg(feature = "v2")]
#[agent(name = "locked", version = "1", auth(required))]
impl Locked {
    async fn auth_methods(&self) -> Result<Vec<AuthMethod>> {
        Ok(vec![AuthMethodAgent::new("key", "Key").into()])
    }

    async fn authenticate(&self) -> Result<()> {
        Ok(())
    }

    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

/// An agent whose modes are a config option, too.
pub(super) struct Modal;

fn mode_option(mode: &str) -> SessionConfigOption {
    read(&format!(
        r#"{{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"{mode}",
        "options":[{{"value":"ask","name":"Ask"}},{{"value":"do","name":"Do"}}]}}"#
    ))
}

#[agent(name = "modal", version = "1")]
impl Modal {
    async fn new_session(&self, _open: NewSession) -> Result<Opened<()>> {
        Ok(Opened::new(()).modes(modes()).config_options([mode_option("ask")]))
    }

    async fn set_mode(&self, set: SetSessionModeRequest, updates: SessionUpdates) -> Result<()> {
        updates.config_options([mode_option(set.mode_id.as_str())]).await
    }

    async fn set_config_option(
        &self,
        set: SetSessionConfigOptionRequest,
        updates: SessionUpdates,
    ) -> Result<Vec<SessionConfigOption>> {
        let mode = if acp_json::to_string(&set).contains(r#""do""#) { "do" } else { "ask" };
        updates.current_mode(mode).await?;
        Ok(vec![mode_option(mode)])
    }

    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say(turn.text()).await?;
        Ok(StopReason::EndTurn)
    }
}

/// An agent that echoes.
pub(super) struct Plain;

#[agent(name = "plain", version = "1")]
impl Plain {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say(turn.text()).await?;
        Ok(StopReason::EndTurn)
    }
}
