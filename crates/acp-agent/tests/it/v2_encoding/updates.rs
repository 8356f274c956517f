//! Updates of all kinds.

use acp_agent::types::{
    Annotations, AvailableCommand, CompactionStatus, CompactionSummaryChunk, CompactionUpdate, Content,
    ContentBlock, Cost, Diff, Notice, NoticeSeverity, PlanEntry, PlanEntryPriority, PlanEntryStatus,
    ResourceLink, SessionInfoUpdate, SessionUpdate, Terminal, TextContent, ToolCallLocation, ToolCallStatus,
    ToolCallUpdate, ToolKind, UnstructuredCommandInput, UsageUpdate,
};
use acp_agent::{Result, StopReason, ToolCall, Turn, agent};
use acp_types::UnknownVariant;
use serde_json::json;

use super::{open, start, turn, update};

struct Everything;

#[agent]
impl Everything {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        match turn.text().as_str() {
            "call" => call(&turn).await?,
            "grow" => grow(&turn).await?,
            "cancel" => {
                let _tool = turn.start_tool(ToolCall::new("c", "Wait")).await?;
                turn.cancelled().await;
                return Err(acp_agent::Error::Cancelled);
            }
            "content" => content(&turn).await?,
            "others" => others(&turn).await?,
            #[cfg(feature = "unstable")]
            "unstable" => unstable(&turn).await?,
            _ => {
                let entry = PlanEntry::new("Read", PlanEntryPriority::High, PlanEntryStatus::Completed);
                turn.plan([entry]).await?;
                turn.plan(Vec::<PlanEntry>::new()).await?;
            }
        }
        Ok(StopReason::EndTurn)
    }
}

async fn call(turn: &Turn) -> Result<()> {
    let call = ToolCall::new("a", "Read it")
        .kind(ToolKind::from("_dream"))
        .name("reader")
        .locations([ToolCallLocation::new("src/a.rs").line(0), ToolCallLocation::new("/b").line(7)])
        .content([Content::new(ContentBlock::text("x")).into(), Terminal::new("t").into()])
        .raw_input(7);
    turn.update(call).await?;
    turn.update(ToolCallUpdate::new("a")).await?;
    let patch = ToolCallUpdate::new("a").title("Again").status(ToolCallStatus::from("_odd")).content([]);
    turn.update(patch.raw_output(false)).await
}

async fn grow(turn: &Turn) -> Result<()> {
    let mut tool = turn.start_tool(ToolCall::new("g", "Grow")).await?;
    tool.progress("one").await?;
    tool.diff(Diff::new("a.txt", "new\n").old_text("old\n")).await?;
    // The client does not have the list of the guard any more.
    let own = Content::new(ContentBlock::text("mine"));
    tool.update(ToolCallUpdate::new("g").content([own.into()])).await?;
    tool.progress("two").await?;
    tool.progress("three").await?;
    tool.complete().await
}

async fn content(turn: &Turn) -> Result<()> {
    turn.say("same").await?;
    turn.say("message").await?;
    let annotations = |priority| Annotations::new().priority(priority);
    turn.send(TextContent::new("loud").annotations(annotations(7.0))).await?;
    turn.send(TextContent::new("soft").annotations(annotations(0.5))).await?;
    turn.thought("hm").await?;
    turn.say("another").await?;
    turn.send(ResourceLink::new("n", "file:///n").size(-1)).await?;
    turn.send(ResourceLink::new("n", "file:///n").size(5)).await?;
    let odd = UnknownVariant::new("hologram", [("depth", acp_agent::Value::from(3))].into_iter().collect());
    turn.send(ContentBlock::Unknown(odd)).await
}

async fn others(turn: &Turn) -> Result<()> {
    let input = UnstructuredCommandInput::new("the file");
    turn.available_commands([
        AvailableCommand::new("test", "Runs the tests"),
        AvailableCommand::new("open", "Opens a file").input(input),
    ])
    .await?;
    turn.update(SessionInfoUpdate::new().title("T")).await?;
    turn.update(UsageUpdate::new(5, 9).cost(Cost::new(0.5, "EUR"))).await?;
    turn.update(UsageUpdate::new(6, 9)).await?;
    turn.update(Notice::new(NoticeSeverity::Warning, "Slow")).await?;
    let summary = ContentBlock::from(ResourceLink::new("n", "file:///n").size(-1));
    let compaction = CompactionUpdate::new("k", CompactionStatus::Completed).summary(vec![summary]);
    turn.update(compaction).await?;
    turn.update(CompactionSummaryChunk::new("k", ContentBlock::text("s"))).await?;
    let odd =
        UnknownVariant::new("_weather", [("sky", acp_agent::Value::from("blue"))].into_iter().collect());
    turn.update(SessionUpdate::Unknown(odd)).await
}

#[cfg(feature = "unstable")]
async fn unstable(turn: &Turn) -> Result<()> {
    use acp_agent::types::{PlanMarkdown, PlanRemoved, PlanUpdate, SessionMessageChunk, SubagentUpdate};

    turn.update(PlanUpdate::new(PlanMarkdown::new("p", "# Plan"))).await?;
    turn.update(PlanRemoved::new("p")).await?;
    turn.update(SubagentUpdate::new("sub").title("Helper".to_owned())).await?;
    turn.update(SessionMessageChunk::new("m", ContentBlock::text("hi"))).await
}

#[tokio::test]
async fn a_tool_call_is_made_and_changed_by_the_same_update() {
    let (mut wire, session, _) = open(Everything).await;
    assert_eq!(
        turn(&mut wire, &session, "call").await,
        [
            json!({"sessionUpdate": "tool_call_update", "toolCallId": "a", "name": "reader",
                   "title": "Read it", "kind": "_dream", "status": "pending",
                   "content": [{"type": "content", "content": {"type": "text", "text": "x"}}],
                   "locations": [{"path": "/work/src/a.rs"}, {"path": "/b", "line": 7}],
                   "rawInput": 7}),
            json!({"sessionUpdate": "tool_call_update", "toolCallId": "a"}),
            json!({"sessionUpdate": "tool_call_update", "toolCallId": "a", "title": "Again",
                   "status": "_odd", "content": [], "rawOutput": false}),
        ]
    );
}

#[tokio::test]
async fn content_of_a_running_call_is_added_while_the_client_has_the_rest() {
    let (mut wire, session, _) = open(Everything).await;
    let updates = turn(&mut wire, &session, "grow").await;
    let text = |text: &str| json!({"type": "content", "content": {"type": "text", "text": text}});
    let diff = json!({"type": "diff",
        "changes": [{"operation": "modify", "path": "/work/a.txt", "fileType": "text"}],
        "patch": {"format": "git_patch", "text": "diff --git /work/a.txt /work/a.txt\n\
            --- /work/a.txt\n+++ /work/a.txt\n@@ -1,1 +1,1 @@\n-old\n+new\n"}});
    let chunk =
        |content| json!({"sessionUpdate": "tool_call_content_chunk", "toolCallId": "g", "content": content});
    let whole = |content| json!({"sessionUpdate": "tool_call_update", "toolCallId": "g", "content": content});
    assert_eq!(
        updates,
        [
            json!({"sessionUpdate": "tool_call_update", "toolCallId": "g", "title": "Grow",
                   "kind": "other", "status": "in_progress"}),
            chunk(text("one")),
            chunk(diff.clone()),
            whole(json!([text("mine")])),
            whole(json!([text("one"), diff, text("two")])),
            chunk(text("three")),
            json!({"sessionUpdate": "tool_call_update", "toolCallId": "g", "status": "completed"}),
        ]
    );
}

#[tokio::test]
async fn a_call_of_a_cancelled_turn_is_cancelled() {
    let (mut wire, session, _) = open(Everything).await;
    start(&mut wire, &session, "cancel").await;
    assert_eq!(update(&mut wire).await["status"], "in_progress");
    wire.cancel(&session).await;
    assert_eq!(update(&mut wire).await["status"], "cancelled");
    assert_eq!(update(&mut wire).await["stopReason"], "cancelled");
}

#[tokio::test]
async fn pieces_of_messages_have_an_id_and_content_is_what_the_version_allows() {
    let (mut wire, session, _) = open(Everything).await;
    let updates = turn(&mut wire, &session, "content").await;
    let ids: Vec<_> = updates.iter().map(|update| update["messageId"].as_str().unwrap()).collect();
    assert!(ids[..4].iter().all(|id| *id == ids[0]), "{ids:?}");
    assert!(ids[5..].iter().all(|id| *id == ids[5]), "{ids:?}");
    assert!(ids[0] != ids[5], "{ids:?}");
    let contents: Vec<_> = updates.iter().map(|update| update["content"].clone()).collect();
    assert_eq!(contents[2], json!({"type": "text", "text": "loud", "annotations": {}}));
    assert_eq!(contents[3]["annotations"], json!({"priority": 0.5}));
    assert_eq!(contents[6], json!({"type": "resource_link", "name": "n", "uri": "file:///n"}));
    assert_eq!(contents[7]["size"], 5);
    assert_eq!(contents[8], json!({"type": "hologram", "depth": 3}));
    assert_eq!(updates[4]["sessionUpdate"], "agent_thought_chunk");
}

#[tokio::test]
async fn all_other_updates_have_their_form() {
    let (mut wire, session, _) = open(Everything).await;
    assert_eq!(
        turn(&mut wire, &session, "others").await,
        [
            json!({"sessionUpdate": "available_commands_update", "availableCommands": [
                {"type": "command", "name": "test", "description": "Runs the tests"},
                {"type": "command", "name": "open", "description": "Opens a file",
                 "input": {"type": "text", "hint": "the file"}}]}),
            json!({"sessionUpdate": "session_info_update", "title": "T"}),
            json!({"sessionUpdate": "usage_update", "used": 5, "size": 9,
                   "cost": {"amount": 0.5, "currency": "EUR"}}),
            json!({"sessionUpdate": "usage_update", "used": 6, "size": 9}),
            json!({"sessionUpdate": "notice", "severity": "warning", "title": "Slow"}),
            json!({"sessionUpdate": "compaction_update", "compactionId": "k", "status": "completed",
                   "summary": [{"type": "resource_link", "name": "n", "uri": "file:///n"}]}),
            json!({"sessionUpdate": "compaction_summary_chunk", "compactionId": "k",
                   "content": {"type": "text", "text": "s"}}),
            json!({"sessionUpdate": "_weather", "sky": "blue"}),
        ]
    );
    let entries = json!([{"content": "Read", "priority": "high", "status": "completed"}]);
    let plan = |entries| json!({"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "plan", "entries": entries}});
    assert_eq!(turn(&mut wire, &session, "plan").await, [plan(entries), plan(json!([]))]);
}

#[cfg(feature = "unstable")]
#[tokio::test]
async fn unstable_updates_have_their_form() {
    let (mut wire, session, _) = open(Everything).await;
    assert_eq!(
        turn(&mut wire, &session, "unstable").await,
        [
            json!({"sessionUpdate": "plan_update",
                   "plan": {"type": "markdown", "planId": "p", "content": "# Plan"}}),
            json!({"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "p", "entries": []}}),
            json!({"sessionUpdate": "subagent_update", "sessionId": "sub", "title": "Helper"}),
            json!({"sessionUpdate": "session_message_chunk", "messageId": "m",
                   "content": {"type": "text", "text": "hi"}}),
        ]
    );
}
