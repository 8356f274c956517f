//! The opening of a run's session, up to its prompt.

use std::path::Path;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use acp_client::sanitize::line;
use acp_client::v1::{AuthMethod, ErrorCode, McpServer};
use acp_client::{Agent, Entry, Error, Event, LoadSession, Session, Transcript, Turn, Updates};

use crate::args::prompt::PromptArgs;
use crate::commands::prompt::attached::Prompt;
use crate::commands::prompt::run::{Halt, Run};
use crate::commands::prompt::session_folder;
use crate::commands::prompt::settings::{set_config, set_mode};
use crate::outcome::{Failure, tell};
use crate::render::CALLS;
use crate::render::advice::{Advised, advised};
use crate::render::view::View;

/// Opens the session, sets its mode and options, and sends the prompt. Questions are answered
/// meanwhile.
pub(crate) async fn turn(
    run: &mut Run,
    agent: &Agent,
    args: &PromptArgs,
    prompt: Prompt,
) -> Result<Turn, Halt> {
    // A prompt that the agent does not take needs no session.
    let prompt = prompt.into_blocks(agent, args.agent.is_remote()).map_err(Halt::Failed)?;
    let session = session(run, agent, args).await?;
    run.attend(session.prompt(prompt), None).await?.map_err(failed)
}

/// Opens the session, and sets its mode and options.
async fn session(run: &mut Run, agent: &Agent, args: &PromptArgs) -> Result<Session, Halt> {
    let cwd = session_folder(args).map_err(|error| Halt::Failed(error.into()))?;
    let opened = match &args.session {
        Some(id) => reopen(run, agent, id, &cwd, &args.mcp).await?,
        None => new_session(run, agent, &cwd, &args.mcp).await?,
    };
    let session = opened.map_err(|error| Halt::Failed(not_opened(agent, error)))?;
    tell(&format!("session: {}", line(session.id().as_str())));
    run.screen.opened(&session, args.session.is_some());
    set_up(run, &session, args).await?;
    Ok(session)
}

/// Opens a new session.
pub(crate) async fn new_session(
    run: &mut Run,
    agent: &Agent,
    cwd: &Path,
    mcp: &[McpServer],
) -> Result<Result<Session, Error>, Halt> {
    let new = agent.new_session(cwd);
    let new = mcp.iter().cloned().fold(new, |new, server| new.mcp_server(server));
    run.attend(new.into_future(), None).await
}

/// Sets the mode and the options that the user has given.
pub(crate) async fn set_up(run: &mut Run, session: &Session, args: &PromptArgs) -> Result<(), Halt> {
    if let Some(mode) = &args.mode {
        let mut updates = session.updates();
        let set = run.attend(set_mode(session, mode), Some(&mut updates)).await?;
        set.map_err(failed)?;
    }
    for (name, value) in &args.config {
        let mut updates = session.updates();
        let set = run.attend(set_config(session, "--config", name, value), Some(&mut updates)).await?;
        set.map_err(Halt::Failed)?;
    }
    Ok(())
}

pub(crate) fn failed(error: Error) -> Halt {
    Halt::Failed(advised(error))
}

/// Takes a session up again. Its conversation is not shown again. Its tool calls are kept, because
/// a question may name one.
async fn reopen(
    run: &mut Run,
    agent: &Agent,
    id: &str,
    cwd: &Path,
    mcp: &[McpServer],
) -> Result<Result<Session, Error>, Halt> {
    let loads = agent.capabilities().load_session;
    if agent.capabilities().session_capabilities.resume.is_some() {
        let resumed = agent.resume_session(id, cwd);
        let resumed = mcp.iter().cloned().fold(resumed, |resumed, server| resumed.mcp_server(server));
        match run.attend(resumed.into_future(), None).await? {
            // Some agents announce it and do not know the method.
            Err(Error::Agent { error, .. }) if loads && error.code == ErrorCode::METHOD_NOT_FOUND.0 => {}
            Ok(session) => {
                forget_replay(&session, &mut run.screen);
                return Ok(Ok(session));
            }
            error => return Ok(error),
        }
    }
    let loaded = agent.load_session(id, cwd);
    let loaded = mcp.iter().cloned().fold(loaded, |loaded, server| loaded.mcp_server(server));
    let mut calls = Transcript::new().with_limit(CALLS);
    let replayed = run.attend(load(loaded, &mut calls), None).await?;
    for (_, entry) in calls.entries() {
        if let Entry::ToolCall(known) = entry {
            run.screen.learn(Event::ToolCall(Box::new(known.call.clone())));
        }
    }
    Ok(replayed)
}

/// Loads a session, and keeps only its tool calls.
async fn load(load: LoadSession, calls: &mut Transcript) -> Result<Session, Error> {
    let mut replay = load.replay().await?;
    while let Some(event) = replay.next().await {
        if matches!(event, Event::ToolCall(_) | Event::ToolCallUpdate(_)) {
            calls.fold(event);
        }
    }
    replay.finish().await
}

/// Some agents repeat the conversation when a session is resumed, against the protocol. The
/// repetition is not a part of the turn.
fn forget_replay(session: &Session, screen: &mut View) {
    let mut updates = session.updates();
    while let Some(event) = at_once(&mut updates) {
        screen.learn(event);
    }
}

/// Returns an event that has come already.
fn at_once(updates: &mut Updates) -> Option<Event> {
    match pin!(updates.next()).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(event) => event,
        Poll::Pending => None,
    }
}

/// Adds advice to an error of a session that was not opened: the agent's logins, if it asks for a
/// login.
pub(crate) fn not_opened(agent: &Agent, error: Error) -> Failure {
    if !error.is_auth_required() {
        return advised(error);
    }
    let names = agent.auth_methods().iter().filter_map(|method| match method {
        AuthMethod::Terminal(method) => Some(method.name.clone()),
        method => method.as_agent().map(|method| method.name),
    });
    let names: Vec<String> = names.collect();
    let offered = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let text = format!("{error}; log in with the agent's own command first (the agent offers: {offered})");
    Advised::new(error, text).into()
}
