//! An agent whose sessions survive: it remembers its prompts even after it was killed.
//!
//! The first argument is the folder for the sessions. Without it they are in the user's folder for
//! program state.

use acp_agent::store::{Entry, Journal};
use acp_agent::{Result, StopReason, Turn, agent};

struct Notes {
    sessions: Journal,
}

#[agent(name = "persistent_agent", store = self.sessions.clone())]
impl Notes {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let mut notes = Vec::new();
        let mut history = turn.history().await?;
        while let Some(entry) = history.next().await? {
            if let Entry::Prompt(blocks) = entry {
                notes.extend(blocks.iter().filter_map(|block| block.as_text()).map(str::to_owned));
            }
        }
        if turn.text() == "What do you know?" {
            // The last prompt is the question itself.
            notes.pop();
            turn.say(notes.join("\n")).await?;
        } else {
            turn.say(format!("Note {} is written down.", notes.len())).await?;
        }
        Ok(StopReason::EndTurn)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let sessions = match std::env::args_os().nth(1) {
        Some(folder) => Journal::at(folder),
        None => Journal::of_agent("persistent_agent"),
    };
    acp_agent::serve_stdio(Notes { sessions }).await
}
