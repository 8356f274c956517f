//! Our scripted client: `remote_client <ws or http> <url>` (see ../../../README.md).

use std::time::Duration;

use acp_client::{Agent, Error, PermissionPolicy, Session};
use serde_json::{Map, Value, json};
use tokio::time::timeout;

const LIMIT: Duration = Duration::from_secs(8);

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (way, url) = arguments.next().zip(arguments.next()).ok_or("usage: <ws or http> <url>")?;
    let remote = if way == "ws" { acp_http::ws(url) } else { acp_http::http(url) };
    let mut report = Map::new();
    for case in ["turn", "permission", "cancel", "two", "load"] {
        let outcome = match timeout(LIMIT * 2, run(case, &remote)).await {
            Ok(Ok(())) => "ok".to_owned(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the case does not end".to_owned(),
        };
        report.insert(case.to_owned(), json!(outcome));
    }
    println!("{}", Value::Object(report));
    Ok(())
}

async fn connect(remote: &acp_http::Remote) -> Result<Agent, Error> {
    acp_client::connect(remote.clone()).permissions(PermissionPolicy::allow_once()).await
}

async fn run(case: &str, remote: &acp_http::Remote) -> Result<()> {
    let streamed = "end_turn: one two three";
    let agent = connect(remote).await?;
    let session = agent.new_session("/").await?;
    match case {
        "turn" => expect(&prompt(&session, "stream").await?, streamed)?,
        "permission" => expect(&prompt(&session, "permission").await?, "end_turn: answer: opt-yes")?,
        "cancel" => cancelled(&session, async || Ok(())).await?,
        "two" => {
            let other = agent.new_session("/").await?;
            cancelled(&session, async || {
                expect(&prompt(&other, "stream").await?, streamed)?;
                expect(&prompt(&other, "permission").await?, "end_turn: answer: opt-yes")
            })
            .await?;
        }
        _ => {
            prompt(&session, "stream").await?;
            agent.close().await;
            let agent = connect(remote).await?;
            let (session, text) = load(&agent, &session).await?;
            expect(&text, "one two three")?;
            expect(&prompt(&session, "stream").await?, streamed)?;
            agent.close().await;
        }
    }
    agent.close().await;
    Ok(())
}

/// Returns the session, and the agent's words that were there when the load was answered.
async fn load(agent: &Agent, session: &Session) -> Result<(Session, String)> {
    let mut replay = in_time(agent.load_session(session.id().clone(), "/").replay(), "session/load").await?;
    let mut text = String::new();
    while let Some(event) = in_time(async { Ok::<_, Error>(replay.next().await) }, "session/load").await? {
        // Our own agents repeat what the user said, too.
        text.extend(event.text().filter(|text| *text != "stream"));
    }
    Ok((replay.finish().await?, text))
}

/// Returns the stop reason, and the text that was there when it came.
async fn prompt(session: &Session, text: &str) -> Result<String> {
    turn(session, text, async || Ok(())).await
}

/// Does something else once a turn has said something.
async fn turn(session: &Session, text: &str, meanwhile: impl AsyncFnOnce() -> Result<()>) -> Result<String> {
    let mut meanwhile = Some(meanwhile);
    let mut turn = session.prompt(text).await?;
    let mut said = String::new();
    while let Some(event) = in_time(async { Ok::<_, Error>(turn.next().await) }, "session/prompt").await? {
        said.extend(event.text());
        if !said.is_empty()
            && let Some(meanwhile) = meanwhile.take()
        {
            meanwhile().await?;
            if text == "wait" {
                turn.cancel()?;
            }
        }
    }
    let response = turn.finish().await?;
    Ok(format!("{}: {said}", response.stop_reason))
}

/// Cancels a turn that waits for it, after something else was done.
async fn cancelled(session: &Session, meanwhile: impl AsyncFnOnce() -> Result<()>) -> Result<()> {
    expect(&turn(session, "wait", meanwhile).await?, "cancelled: waiting")
}

async fn in_time<T, E: Into<Box<dyn std::error::Error>>>(
    answer: impl IntoFuture<Output = Result<T, E>>,
    what: &str,
) -> Result<T> {
    match timeout(LIMIT, answer.into_future()).await {
        Ok(answer) => answer.map_err(Into::into),
        Err(_) => Err(format!("{what} is not answered").into()),
    }
}

fn expect(found: &str, wanted: &str) -> Result<()> {
    if found == wanted { Ok(()) } else { Err(format!("got `{found}` instead of `{wanted}`").into()) }
}
