//! Messages for a turn that runs. Without arguments it is a client, which starts itself as the
//! agent, and adds to its prompt while the agent works.

use std::collections::VecDeque;
use std::io::Write as _;

use acp_agent::{Result, StopReason, Turn, agent};
use acp_client::{Command, SteerOutcome};

struct Cook;

#[agent(name = "cook", prompt(steering))]
impl Cook {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let mut orders = VecDeque::from([turn.text()]);
        // A real agent looks between two steps. This one does not end before the user has added
        // something, unless the prompt is a whole sentence.
        let mut waits = !turn.text().ends_with('.');
        while let Some(order) = orders.pop_front() {
            turn.say(format!("One {}. ", order.trim_end_matches('.'))).await?;
            if std::mem::take(&mut waits) {
                orders.push_back(turn.steered().await?.text());
            }
            while let Some(message) = turn.try_steered()? {
                orders.push_back(message.text());
            }
        }
        Ok(StopReason::EndTurn)
    }
}

async fn drive() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let cwd = std::env::current_dir()?;
    let myself = std::env::current_exe()?;
    let agent = acp_client::spawn(Command::new(myself).arg("serve")).await?;
    let session = agent.new_session(&cwd).await?;
    let mut turn = session.prompt("soup").await?;
    let added = tokio::spawn(turn.steer("salad").into_future());
    let mut out = std::io::stdout();
    while let Some(event) = turn.next().await {
        write!(out, "{}", event.text().unwrap_or_default())?;
    }
    turn.finish().await?;
    let was_taken = added.await??.outcome == SteerOutcome::Injected;
    writeln!(out, "{}", if was_taken { "The salad was not too late." } else { "The salad came too late." })?;

    // The turn is over, so this has to be a prompt.
    let outcome = session.steer("coffee").await?.outcome;
    writeln!(out, "Coffee: {outcome}")?;
    agent.close().await;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    match std::env::args().nth(1).as_deref() {
        None => drive().await,
        Some("serve") => Ok(acp_agent::serve_stdio(Cook).await?),
        Some(_) => Err("usage: steering [serve]".into()),
    }
}
