//! An agent whose sessions are kept in a journal.

use std::path::PathBuf;
use std::sync::Arc;

use acp_agent::store::Journal;
use acp_agent::types::ContentBlock;
use acp_agent::{NewSession, Opened, Result, StopReason, Turn, agent};

use super::everything::{UPDATES, update};

pub(super) struct Kept(pub(super) PathBuf);

#[agent(name = "kept", version = "1", prompt(image), store = Arc::new(Journal::at(&self.0)))]
impl Kept {
    async fn new_session(&self, _open: NewSession) -> Result<Opened<()>> {
        Ok(Opened::new(()))
    }

    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        if turn.text() == "everything" {
            for line in UPDATES.lines() {
                turn.update(update(line)).await?;
            }
        }
        let texts = turn.prompt().iter().filter_map(ContentBlock::as_text).count();
        let (mut history, mut records) = (turn.history().await?, 0);
        while history.next().await?.is_some() {
            records += 1;
        }
        turn.say(format!("{texts} texts, {records} records")).await?;
        Ok(StopReason::EndTurn)
    }
}
