//! `acp demo`: a small agent at work in a scratch folder, from plan to edit.

mod agent;

use std::fs;
use std::io::{self, Stdout};
use std::path::Path;
use std::time::Duration;

use acp_cli::terminal::Desk;
use acp_client::v1::{PlanEntryStatus, StopReason, ToolCallContent, ToolCallStatus, ToolKind};
use acp_client::{Command, Event, LocalFs, PermissionAnswer, Turn};

use crate::outcome::{Failure, exit};
use crate::render::Renderer;
use crate::style::{Look, Style};
use agent::DemoAgent;

const FILE: &str = "notes.txt";
const BEFORE: &str = "Shopping\n- bread\n- mlik\n- apples\n";
const AFTER: &str = "Shopping\n- bread\n- milk\n- apples\n";
const PROMPT: &str = "Replace `mlik` with `milk` in notes.txt";

/// A guard against hanging, longer than any demo takes.
const PATIENCE: Duration = Duration::from_secs(60);

type Screen = Renderer<Stdout>;

/// The stages of a turn that have been seen. The demo succeeds only with all of them.
#[derive(Debug, Default)]
struct Stages {
    plan: bool,
    plan_done: bool,
    read: bool,
    permission: bool,
    diff: bool,
    edited: bool,
    ended: bool,
}

/// Runs the demo and returns the exit code: an error unless every stage was seen.
pub(crate) async fn run() -> Result<u8, Failure> {
    let mut screen = Renderer::new(io::stdout(), Style::detect(), false);
    let folder = tempfile::Builder::new().prefix("acp-demo-").tempdir()?;
    let cwd = folder.path().canonicalize()?;
    let file = cwd.join(FILE);
    fs::write(&file, BEFORE)?;
    screen.line(Look::Dim, &format!("a scratch folder with {FILE}: {}", cwd.display()))?;

    let (mut desk, asker) = Desk::new(Some(PermissionAnswer::AllowOnce), false);
    let command = Command::new(std::env::current_exe()?).arg("demo-agent");
    let agent = acp_client::spawn(command)
        .info("acp demo", env!("CARGO_PKG_VERSION"))
        .fs(LocalFs::rooted(&cwd)?.create_directories())
        .permissions(asker.permissions())
        .await?;
    let name = agent.info().map_or("an agent", |info| info.name.as_str()).to_owned();
    screen
        .line(Look::Dim, &format!("{name}, a child process, speaks version {}", agent.protocol_version()))?;
    let session = agent.new_session(&cwd).await?;
    screen.line(Look::Bold, &format!("> {PROMPT}"))?;
    let turn = session.prompt(PROMPT).await?;
    let stages = tokio::time::timeout(PATIENCE, watch(turn, &mut screen, &mut desk)).await;
    let stages = stages.map_err(|_| format!("the turn was not over after {PATIENCE:?}"))??;
    agent.close().await;
    verdict(&stages, &file, &mut screen)
}

/// The agent that [`run`] starts: serves the protocol on stdin and stdout until the client goes.
pub(crate) async fn serve_agent() -> Result<u8, Failure> {
    acp_agent::serve_stdio(DemoAgent).await?;
    Ok(exit::DONE)
}

/// Shows the turn, and returns its stages.
async fn watch(mut turn: Turn, screen: &mut Screen, desk: &mut Desk) -> Result<Stages, Failure> {
    let mut stages = Stages::default();
    loop {
        tokio::select! {
            biased;
            event = turn.next() => match event {
                Some(event) => {
                    screen.event(&event)?;
                    stages.note(&event);
                }
                None => break,
            },
            attended = desk.attend(screen) => attended?,
        }
    }
    screen.end_line()?;
    stages.permission = desk.allowed() > 0;
    stages.ended = turn.finish().await?.stop_reason == StopReason::EndTurn;
    Ok(stages)
}

impl Stages {
    fn note(&mut self, event: &Event) {
        match event {
            Event::Plan(plan) => {
                self.plan = !plan.entries.is_empty();
                self.plan_done = plan.entries.iter().all(|entry| entry.status == PlanEntryStatus::Completed);
            }
            Event::ToolCall(call) => {
                self.tool(Some(&call.kind), &call.content, Some(&call.status));
            }
            Event::ToolCallUpdate(update) => {
                let content = update.content.as_deref().unwrap_or_default();
                self.tool(update.kind.as_ref(), content, update.status.as_ref());
            }
            _ => {}
        }
    }

    fn tool(
        &mut self,
        kind: Option<&ToolKind>,
        content: &[ToolCallContent],
        status: Option<&ToolCallStatus>,
    ) {
        self.read |= kind == Some(&ToolKind::Read);
        self.diff |= content.iter().any(|item| matches!(item, ToolCallContent::Diff(_)));
        self.edited |= self.diff && status == Some(&ToolCallStatus::Completed);
    }

    fn missing(&self) -> Vec<&'static str> {
        let stages = [
            (self.plan, "a plan"),
            (self.read, "a file read"),
            (self.permission, "a permission request"),
            (self.diff, "a diff"),
            (self.edited, "an edit that completed"),
            (self.plan_done, "a plan that was carried out"),
            (self.ended, "a good end of the turn"),
        ];
        stages.into_iter().filter(|(seen, _)| !seen).map(|(_, stage)| stage).collect()
    }
}

fn verdict(stages: &Stages, file: &Path, screen: &mut Screen) -> Result<u8, Failure> {
    let text = fs::read_to_string(file)?;
    screen.line(Look::Bold, &format!("{FILE} now:"))?;
    text.lines().try_for_each(|line| screen.line(Look::Plain, &format!("  {line}")))?;
    let mut missing = stages.missing();
    if text != AFTER {
        missing.push("the right text in the file");
    }
    if missing.is_empty() {
        screen.line(Look::Green, "done: plan, read, permission, edit, end")?;
        return Ok(exit::DONE);
    }
    screen.line(Look::Red, &format!("the demo lacks: {}", missing.join(", ")))?;
    Ok(exit::ERROR)
}
