//! A turn: the client's prompt, and the agent's events up to its end.

use acp_agent::types::{PromptResponse, StopReason};
use acp_agent::{Result, Session, Turn};
use acp_client::TurnResponse;

use super::asking::{Asking, ask};
use super::error::of_agent;
use super::session::State;
use super::steering::Steering;
use super::update;

/// Passes a prompt on, and everything that comes of it.
pub(super) async fn run(turn: Turn, session: Session<State>) -> Result<PromptResponse> {
    let (_guard, mut questions) = session.begin_turn();
    update::lock(&session.folded).begin_turn();
    let prompt = turn.prompt().to_vec();
    let inner = match turn.meta() {
        Some(meta) => session.inner.prompt((prompt, meta.clone())).await,
        None => session.inner.prompt(prompt).await,
    };
    let mut inner = inner.map_err(of_agent)?;
    // The agent says how a cancelled turn ends.
    let outer = turn.uncancelled();
    let (mut asking, mut steering, mut is_cancelled) = (Asking::default(), Steering::new(&session), false);
    loop {
        tokio::select! {
            biased;
            () = turn.cancelled(), if !is_cancelled => {
                is_cancelled = true;
                inner.cancel().map_err(of_agent)?;
            }
            () = asking.next(), if !asking.is_empty() => {}
            event = inner.next() => match event {
                Some(event) => update::send(&session, event, &outer).await?,
                None => break,
            },
            // The events come first, because a question may be about them.
            Some(question) = questions.recv() => asking.add(question, &turn),
            () = steering.next(&turn, &session.inner), if !is_cancelled => {}
        }
    }
    steering.end(&turn).await;
    asking.outlive();
    questions.close();
    while let Ok(question) = questions.try_recv() {
        let client = turn.client().clone();
        tokio::spawn(async move { ask(question, None, &client).await });
    }
    let done = inner.finish().await.map_err(of_agent)?;
    let versions = update::versions(&session, turn.client());
    update::lock(&session.folded).note_background(done.background(), versions);
    update::report(&session);
    Ok(response(done))
}

fn response(done: TurnResponse) -> PromptResponse {
    let has_reason = done.stop_reason().is_some();
    let mut response = done.into_response();
    if !has_reason {
        response.stop_reason = StopReason::EndTurn;
    }
    response
}
