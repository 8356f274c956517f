//! Updates of sessions: their titles, notices, compactions, modes and options.

use serde_json::json;

use crate::check::case::{Case, case};
use crate::check::client_side::agent::pace;
use crate::check::client_side::stage::Stage;
use crate::check::subject::{Step, Subject};

pub(super) const CASES: &[Case<Stage>] = &[
    case!("v1-info-01", "updates of the title: a value, `null`, nothing", titles).survives(),
    case!("v1-not-03", "a notice of an error", notice).survives(),
    case!("v1-cmp-02", "a compaction with `null` and empty members", compaction).survives(),
    case!("v1-cmp-03", "a chunk of a compaction that was never announced", unseen).survives(),
    case!("v1-mode-03", "the mode changes during a turn", mode).survives(),
    case!("v1-cfg-13", "the options change during a turn", options).survives(),
];

async fn titles(t: &mut Stage) -> Step {
    let tag = "session_info_update";
    t.update(json!({"sessionUpdate": tag, "title": "Title", "updatedAt": "2026-01-01T00:00:00Z"})).await?;
    t.update(json!({"sessionUpdate": tag, "title": null, "updatedAt": null})).await?;
    t.update(json!({"sessionUpdate": tag})).await?;
    t.goes_on("an update of the title").await
}

async fn notice(t: &mut Stage) -> Step {
    t.needs("session.notices").await?;
    t.update(json!({"sessionUpdate": "notice", "severity": "error", "title": "Nothing is wrong"})).await?;
    t.goes_on("a notice").await
}

async fn compaction(t: &mut Stage) -> Step {
    t.needs("session.compaction").await?;
    let tag = "compaction_update";
    let id = "acp-check-compaction";
    t.update(json!({"sessionUpdate": tag, "compactionId": id, "status": "in_progress"})).await?;
    let done = json!({
        "sessionUpdate": tag, "compactionId": id, "status": "completed", "summary": [], "error": null,
        "_meta": null,
    });
    t.update(done).await?;
    t.goes_on("a compaction").await
}

async fn unseen(t: &mut Stage) -> Step {
    t.needs("session.compaction").await?;
    let chunk = json!({
        "sessionUpdate": "compaction_summary_chunk", "compactionId": "acp-check-unseen",
        "content": {"type": "text", "text": "short"},
    });
    t.update(chunk).await?;
    t.goes_on("a chunk of an unknown compaction").await
}

async fn mode(t: &mut Stage) -> Step {
    t.update(json!({"sessionUpdate": "current_mode_update", "currentModeId": "do"})).await?;
    t.goes_on("another mode").await
}

async fn options(t: &mut Stage) -> Step {
    t.update(json!({"sessionUpdate": "config_option_update", "configOptions": [pace()]})).await?;
    t.goes_on("other options").await
}
