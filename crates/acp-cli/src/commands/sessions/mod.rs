//! `acp sessions`: the sessions of an agent.

mod markdown;
mod replayed;

use acp_client::sanitize::{label, line};
use acp_client::v1::SessionInfo;
use acp_client::{Agent, Event, LoadSession, MessageKind};

use crate::args::connection::ConnectionArgs;
use crate::args::sessions::{Action, ExportForm, SessionsArgs};
use crate::commands::sessions::markdown::markdown;
use crate::commands::sessions::replayed::{Sink, replayed, transcript};
use crate::commands::start::{folder, with_agent};
use crate::outcome::{Failure, exit};
use crate::output::Output;
use crate::render::Renderer;
use crate::render::inert::inert;
use crate::style::{Look, Style};

/// The longest title in a list, in characters.
const TITLE: usize = 80;

/// Runs the action and returns the exit code.
pub(crate) async fn run(args: SessionsArgs) -> Result<u8, Failure> {
    let SessionsArgs { action, connection } = args;
    let connection = &connection;
    with_agent(
        connection,
        |connect| connect,
        async |agent: &Agent, output: &mut Output| {
            match action {
                Action::List { limit, json } => list(agent, connection, limit, json, output).await?,
                Action::Load { id, json: false } => show(load(agent, &id, connection)?, output).await?,
                Action::Load { id, json: true } => {
                    replayed(&id, load(agent, &id, connection)?, Sink::stdout(output)).await?;
                }
                Action::Delete { ids } => delete(agent, ids, output).await?,
                Action::Export { id, form, output: file } => {
                    let mut sink = match &file {
                        Some(file) => Sink::file(file)?,
                        None => Sink::stdout(output),
                    };
                    let loaded = load(agent, &id, connection)?;
                    match form {
                        ExportForm::Ndjson => replayed(&id, loaded, sink).await?,
                        ExportForm::Markdown => {
                            let (transcript, session) = transcript(loaded).await?;
                            sink.write(markdown(&transcript, &session).as_bytes()).await?;
                            sink.end()?;
                        }
                    }
                }
            }
            Ok(exit::DONE)
        },
    )
    .await
}

fn load(agent: &Agent, id: &str, args: &ConnectionArgs) -> Result<LoadSession, Failure> {
    Ok(agent.load_session(id, folder(args)?))
}

/// Lists sessions as their pages come.
async fn list(
    agent: &Agent,
    args: &ConnectionArgs,
    limit: Option<usize>,
    json: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut sessions = agent.list_sessions();
    if args.cwd.is_some() {
        sessions = sessions.cwd(folder(args)?);
    }
    let mut left = limit.unwrap_or(usize::MAX);
    while left > 0 {
        let Some(session) = sessions.next().await else { break };
        let session = session?;
        let shown = if json { inert(&serde_json::to_string(&session)?) } else { row(&session) };
        output.add(&mut format!("{shown}\n").into_bytes());
        output.flush().await?;
        left -= 1;
    }
    Ok(())
}

/// Returns a line with the id, the time, the folder and the title of a session.
pub(crate) fn row(session: &SessionInfo) -> String {
    let title = session.title.as_deref().map(|title| label(title, TITLE)).unwrap_or_default();
    let time = session.updated_at.as_deref().unwrap_or("-");
    let row = format!(
        "{:<36}  {:<24}  {}  {title}",
        line(session.session_id.as_str()),
        line(time),
        line(&session.cwd)
    );
    row.trim_end().to_owned()
}

async fn delete(agent: &Agent, ids: Vec<String>, output: &mut Output) -> Result<(), Failure> {
    for id in ids {
        agent.delete_session(id.as_str()).await?;
        output.add(&mut format!("deleted: {}\n", line(&id)).into_bytes());
        output.flush().await?;
    }
    Ok(())
}

/// Shows a conversation as it comes, with a line where the speaker changes.
async fn show(load: LoadSession, output: &mut Output) -> Result<(), Failure> {
    let mut text = Renderer::new(Vec::new(), Style::detect(), true);
    let mut speaker = None;
    let mut replay = load.replay().await?;
    while let Some(event) = replay.next().await {
        let speaks = match &event {
            Event::UserMessage(_) => Some("user"),
            Event::MessageReplaced { kind: MessageKind::User, .. } => Some("user"),
            Event::Message(_) | Event::MessageReplaced { kind: MessageKind::Agent, .. } => Some("agent"),
            _ => None,
        };
        if speaks.is_some() && speaks != speaker {
            text.line(Look::Bold, &format!("[{}]", speaks.unwrap_or_default()))?;
            speaker = speaks;
        }
        text.event(&event)?;
        output.add(text.written());
        output.flush().await?;
    }
    text.end_line()?;
    output.add(text.written());
    output.flush().await?;
    replay.finish().await?;
    Ok(())
}
