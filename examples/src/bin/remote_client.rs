//! Prompts an agent of another machine: `remote_client ws://127.0.0.1:8080/acp < prompts`
//!
//! Each line of stdin is a prompt. The variable `REMOTE_TOKEN` has the token. When the connection
//! is lost, it is made again, and the session goes on.

use std::io::{Write, stderr, stdin, stdout};

use acp_client::{Error, ReconnectingSession};
use acp_http::Cookies;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    if let Err(error) = run().await {
        let _ = writeln!(stderr(), "{error}");
        std::process::exit(1);
    }
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("usage: remote_client URL")?;
    // The scheme says how: a WebSocket, or HTTP with streams of events where none gets through.
    let remote = if url.starts_with("ws") { acp_http::ws(url) } else { acp_http::http(url) };
    // A load balancer finds the same replica again by its cookie.
    let remote = remote.bearer(&std::env::var("REMOTE_TOKEN")?).cookies(&Cookies::new());

    let agent = acp_client::reconnecting(move || acp_client::connect(remote.clone())).await?;
    // The folder is on the agent's machine.
    let session = agent.new_session(std::env::current_dir()?).await?;
    for prompt in stdin().lines() {
        match answer(&session, &prompt?).await {
            // It is not sent again: the agent may have done a part of it.
            Err(error @ Error::Closed { .. }) => writeln!(stderr(), "the turn is lost: {error}")?,
            done => done?,
        }
    }
    agent.close().await;
    Ok(())
}

/// Sends a prompt, and prints the answer as it comes.
async fn answer(session: &ReconnectingSession, prompt: &str) -> Result<(), Error> {
    let mut turn = session.prompt(prompt).await?;
    while let Some(event) = turn.next().await {
        // If stdout is closed, the session goes on all the same.
        let _ = write!(stdout(), "{}", event.text().unwrap_or_default());
    }
    let _ = writeln!(stdout());
    turn.finish().await.map(drop)
}
