//! The turn of a client that has prompted: states, and what the client does then.

use serde_json::{Value, json};

use crate::check::client::with;
use crate::check::client_side::reach::Point;
use crate::check::client_side::stage::Stage;
use crate::check::subject::{Step, Subject};
use crate::check::verdict::Stop;
use crate::peer::Message;

/// The number of requests after which a client that has taken a turn for over has said so.
const ROUNDS: usize = 8;

/// Calls with which a client leaves a session.
const LEAVES: &[&str] = &["session/close", "session/delete", "session/cancel", "session/prompt"];

impl Stage {
    /// Sends a state of the open turn's session.
    pub(super) async fn state(&mut self, state: Value) -> Step {
        self.update(with(state, "sessionUpdate", "state_update".into())).await
    }

    /// Checks that the client stays in its turn.
    pub(super) async fn stays_in_turn(&mut self, after: &str) -> Step {
        let session = self.turn().await?;
        for _ in 0..ROUNDS {
            self.goes_on_with(after, |message| leaves(message, &session)).await?;
        }
        Ok(())
    }

    async fn goes_on_with(&mut self, after: &str, leaves: impl Fn(&Message) -> bool) -> Step {
        let before = self.fence().await?;
        match before.iter().find(|message| leaves(message)) {
            Some(call) => {
                let method = call.method().unwrap_or_default();
                Err(Stop::Fail(format!("{after}: the client calls `{method}`, as if its turn were over")))
            }
            None => Ok(()),
        }
    }

    /// Makes the session of the open prompt idle by this state. A client that ends by itself after
    /// an ordinary turn must do so here. Any other must go on.
    pub(super) async fn ends_by(&mut self, state: &Value, of: &str) -> Step {
        self.turn().await?;
        if let Some(prompt) = self.agent.prompt.take() {
            for line in self.agent.idle(&prompt, state) {
                self.peer().await?.send(&line).await?;
            }
        }
        if self.stays {
            // It may also end by an error that the turn has ended with.
            return match self.goes_on(of).await {
                Err(Stop::Gone(_)) => Ok(()),
                ended => ended,
            };
        }
        match self.closing().await {
            Ok(_) => Ok(()),
            Err(Stop::Silent(_)) => {
                Err(Stop::Fail(format!("{of}: the client does not take it for the end of its turn")))
            }
            Err(stop) => Err(stop),
        }
    }

    /// Stops a scenario for a client that does not prompt by itself.
    pub(super) async fn prompts(&mut self) -> Step {
        self.reach(Point::Prompt).await
    }
}

fn leaves(message: &Message, session: &str) -> bool {
    let of_session = message.params().get("sessionId").is_some_and(|named| named == session);
    of_session && message.method().is_some_and(|method| LEAVES.contains(&method))
}

/// Returns an idle state with a reason of this value.
pub(super) fn idle(reason: &Value) -> Value {
    json!({"state": "idle", "stopReason": reason})
}
