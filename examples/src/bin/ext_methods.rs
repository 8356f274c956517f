//! Extension methods in both directions. Without arguments it is a client, which starts itself as
//! the agent.

use std::collections::HashMap;
use std::io::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};

use acp_agent::{Error, Result, Session, StopReason, Turn, agent};
use acp_client::{Command, client, v1::StopReason as Stopped};
use serde::{Deserialize, Serialize};

/// The client returns the text that is selected in its editor.
const SELECTION: &str = "_example.com/selection";
/// The user rates an answer; the result is the sum of the session's stars.
const RATE: &str = "_example.com/rate";
/// The ratings begin anew. It is a notification, so it has no answer.
const RESET: &str = "_example.com/reset";

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rating {
    /// By convention this member names the session of an extension method.
    session_id: String,
    stars: u32,
}

struct Reviewer;

#[derive(Default)]
struct Ratings(AtomicU32);

// A client that knows this key of `_meta` knows that the agent has the methods.
#[agent(name = "reviewer", meta("example.com/ratings" = true))]
impl Reviewer {
    async fn new_session(&self) -> Result<Ratings> {
        Ok(Ratings::default())
    }

    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let answer = match turn.ext_request::<String>(SELECTION, &()).await {
            Ok(selection) => format!("`{selection}` is {} letters long.", selection.chars().count()),
            // The agent also works with a client that does not have the method.
            Err(Error::Call { .. }) => "There is nothing selected that I could see.".to_owned(),
            Err(error) => return Err(error),
        };
        turn.say(answer).await?;
        Ok(StopReason::EndTurn)
    }

    #[ext("_example.com/rate")]
    async fn rate(&self, ratings: Session<Ratings>, rating: Rating) -> Result<u32> {
        if rating.stars > 5 {
            return Err(Error::invalid_params("`stars`: there are 5 at most"));
        }
        Ok(ratings.0.fetch_add(rating.stars, Ordering::Relaxed) + rating.stars)
    }

    #[ext("_example.com/reset")]
    async fn reset(&self, ratings: Session<Ratings>) {
        ratings.0.store(0, Ordering::Relaxed);
    }
}

struct Editor {
    selection: &'static str,
}

#[client]
impl Editor {
    #[ext("_example.com/selection")]
    async fn selection(&self) -> acp_client::Result<String> {
        Ok(self.selection.to_owned())
    }
}

async fn drive() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let cwd = std::env::current_dir()?;
    let myself = std::env::current_exe()?;
    let agent =
        acp_client::spawn(Command::new(myself).arg("serve")).client(Editor { selection: "hello" }).await?;
    let meta = agent.capabilities().meta.as_ref();
    let rated = meta.is_some_and(|meta| meta.get("example.com/ratings").is_some());

    let session = agent.new_session(&cwd).await?;
    let mut turn = session.prompt("What is selected?").await?;
    let mut out = std::io::stdout();
    while let Some(event) = turn.next().await {
        write!(out, "{}", event.text().unwrap_or_default())?;
    }
    let stopped = turn.finish().await?.stop_reason.clone();
    writeln!(out, " ({})", if stopped == Stopped::EndTurn { "done" } else { "not done" })?;

    if rated {
        let rating = |stars| Rating { session_id: session.id().to_string(), stars };
        agent.ext_request::<u32>(RATE, &rating(2)).await?;
        writeln!(out, "{} stars", agent.ext_request::<u32>(RATE, &rating(3)).await?)?;
        agent.ext_notify(RESET, &HashMap::from([("sessionId", session.id())])).await?;
        if let Err(error) = agent.ext_request::<u32>(RATE, &rating(6)).await {
            writeln!(out, "{error}")?;
        }
    }
    agent.close().await;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    match std::env::args().nth(1).as_deref() {
        None => drive().await,
        Some("serve") => Ok(acp_agent::serve_stdio(Reviewer).await?),
        Some(_) => Err("usage: ext_methods [serve]".into()),
    }
}
