//! The agent on `acp-agent`.

use acp_agent::types::{Diff, SessionUpdate, ToolCallContent, ToolCallUpdate};
use acp_agent::{ContentBlock, Error, Result, StopReason, Transport, Turn, agent};
use futures::{StreamExt as _, TryStreamExt as _, stream};

use crate::script::{CHUNK, FILE, Script, code};

struct Scripted;

#[agent(name = "bench")]
impl Scripted {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        self::turn(&turn).await
    }
}

/// Runs the script that the prompt asks for.
pub(super) async fn turn(turn: &Turn) -> Result<StopReason> {
    let text = turn.prompt().first().and_then(ContentBlock::as_text).unwrap_or_default();
    match Script::parse(text) {
        Script::Say(count) => {
            for _ in 0..count {
                turn.say(CHUNK).await?;
            }
        }
        Script::Diffs(count) => {
            let (old, new) = (code("settings"), code("options"));
            for _ in 0..count {
                let diff = Diff::new(FILE, new.as_str()).old_text(old.as_str());
                let update = ToolCallUpdate::new("call_0017").content([ToolCallContent::Diff(diff.into())]);
                turn.update(SessionUpdate::ToolCallUpdate(update.into())).await?;
            }
        }
        Script::Read { count, wide } => {
            let fs = turn.fs().ok_or_else(|| Error::not_offered("fs.readTextFile"))?;
            let reads = stream::iter(0..count).map(|_| fs.read_text(FILE)).buffer_unordered(wide);
            reads.try_for_each(|_| async { Ok(()) }).await?;
        }
        _ => {}
    }
    Ok(StopReason::EndTurn)
}

pub(super) async fn serve(transport: Transport) -> anyhow::Result<()> {
    Ok(acp_agent::serve(Scripted, transport).await?)
}
