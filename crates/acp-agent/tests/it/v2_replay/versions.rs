//! Sessions that are used in both versions.

use std::sync::Arc;

use acp_agent::store::{Entry, RecordKind, SessionStore};
use acp_agent::types::{
    AvailableCommand, Content, ContentBlock, Diff, Notice, NoticeSeverity, PlanEntry, SessionUpdate,
    Terminal, ToolCallUpdate, UnstructuredCommandInput,
};
use acp_agent::{Error, Result, Router, StopReason, ToolCall, Turn, op};
use serde_json::{Value, json};

use super::{Client, echo, is, records, replay, stores, update_of};

/// Sends updates of many kinds, or tells its history.
async fn prompt(_: &(), turn: Turn) -> Result<StopReason> {
    if turn.text() == "history" {
        let mut history = turn.history().await?;
        let mut kinds = Vec::new();
        while let Some(entry) = history.next().await? {
            kinds.push(match entry {
                Entry::Prompt(_) => "prompt".to_owned(),
                Entry::Update(update) => update.tag().to_owned(),
                _ => return Err(Error::from("an entry of another kind")),
            });
        }
        turn.say(kinds.join(" ")).await?;
        return Ok(StopReason::EndTurn);
    }
    turn.thought("hm").await?;
    turn.say("one ").await?;
    turn.say("two").await?;
    let mut tool = turn.start_tool(ToolCall::new(format!("call_{}", turn.text()), "Look")).await?;
    tool.progress("a").await?;
    tool.progress("b").await?;
    tool.update(ToolCallUpdate::new(tool.id().clone()).content([
        Content::new(ContentBlock::text("c")).into(),
        Terminal::new("t").into(),
        Diff::new("new.rs", "a\nb").into(),
        Diff::new("/work/old.rs", "b\n").old_text("a\n").into(),
    ]))
    .await?;
    tool.complete().await?;
    turn.plan([PlanEntry::from("first")]).await?;
    turn.available_commands([
        AvailableCommand::new("open", "Opens").input(UnstructuredCommandInput::new("the file"))
    ])
    .await?;
    turn.title("A title").await?;
    turn.update(Notice::new(NoticeSeverity::Info, "soon")).await?;
    turn.say("end").await?;
    Ok(StopReason::EndTurn)
}

fn agent(store: &Arc<dyn SessionStore>) -> Router<()> {
    Router::new("many", "1", ()).on::<op::Prompt, _>(prompt).store(Arc::clone(store))
}

#[tokio::test]
async fn a_session_of_version_2_is_replayed_byte_for_byte() {
    let stores = stores();
    for store in &stores.all {
        let mut client = Client::connect(agent(store), 2).await;
        let session = client.new_session().await;
        let sent = client.turn(&session, "x").await;
        client.close().await;
        let echoed = update_of(&sent[0]);
        assert!(is(&echoed, "user_message"), "{echoed}");
        let kept: Vec<_> = sent
            .iter()
            .map(|line| update_of(line))
            .filter(|update| {
                !is(update, "user_message") && !is(update, "state_update") && !is(update, "notice")
            })
            .collect();
        assert!(kept.iter().any(|update| is(update, "tool_call_content_chunk")), "{kept:?}");

        // An update and its record have the same bytes.
        let recorded = records(&**store, &session).await;
        assert_eq!(recorded[0].0, RecordKind::Prompt);
        let texts: Vec<_> = recorded[1..].iter().map(|(_, text)| text.as_str()).collect();
        assert!(recorded[1..].iter().all(|(kind, _)| *kind == RecordKind::UpdateV2), "{recorded:?}");
        for (text, update) in texts.iter().zip(&kept) {
            assert!(sent.iter().any(|line| line.contains(text)), "{text}");
            assert_eq!(&serde_json::from_str::<Value>(text).unwrap(), update);
        }
        assert_eq!(texts.len(), kept.len());

        let replayed = replay(|| agent(store), 2, &session).await;
        let user = json!({"sessionUpdate": "user_message_chunk", "messageId": echoed["messageId"],
                          "content": {"type": "text", "text": "x"}});
        assert_eq!((&replayed[0], &replayed[1..]), (&user, &*kept));
    }
    // The file says the version of each line.
    let file = std::fs::read_dir(stores.folder.path()).unwrap().next().unwrap().unwrap();
    let text = std::fs::read_to_string(file.path()).unwrap();
    let kinds: Vec<_> = text.lines().map(|line| &line[18..19]).collect();
    assert!(kinds.contains(&"w") && !kinds.contains(&"u"), "{kinds:?}");
}

#[tokio::test]
async fn a_session_is_resumed_with_and_without_its_history() {
    for store in &stores().all {
        let mut client = Client::connect(agent(store), 2).await;
        let session = client.new_session().await;
        client.turn(&session, "x").await;
        for cursor in [json!({"type": "_x"}), json!({}), json!(5), json!({"type": "start", "at": 1})] {
            let params = json!({"sessionId": session, "cwd": "/work", "replayFrom": cursor});
            let is_known = cursor["type"] == "start";
            let id = client.wire.request("session/resume", params).await;
            let mut message = client.wire.recv().await;
            assert_eq!(message.get("method").is_some(), is_known, "{cursor}: {message}");
            while message["id"] != id {
                message = client.wire.recv().await;
            }
            let code = if is_known { Value::Null } else { json!(-32602) };
            assert_eq!(message["error"]["code"], code, "{cursor}: {message}");
        }
        let id = client.wire.request("session/resume", json!({"sessionId": session, "cwd": "/work"})).await;
        assert_eq!(client.wire.update().await, json!({"sessionUpdate": "state_update", "state": "idle"}));
        assert_eq!(client.wire.answer_to(id).await["result"], json!({}));
        client.close().await;
    }
}

#[tokio::test]
async fn a_session_of_version_1_is_replayed_in_both() {
    for store in &stores().all {
        let mut client = Client::connect(agent(store), 1).await;
        let session = client.new_session().await;
        let sent = client.turn(&session, "x").await;
        client.close().await;
        let sent: Vec<_> =
            sent.iter().map(|line| update_of(line)).filter(|update| !is(update, "notice")).collect();
        let kinds: Vec<_> = records(&**store, &session).await.iter().map(|(kind, _)| *kind).collect();
        assert!(kinds[1..].iter().all(|kind| *kind == RecordKind::Update), "{kinds:?}");
        assert_eq!(replay(|| agent(store), 1, &session).await[1..], sent);

        let replayed = replay(|| agent(store), 2, &session).await;
        let ids: Vec<_> = replayed.iter().filter_map(|update| update["messageId"].as_str()).collect();
        // The prompt, the thought, the two pieces of a message, and the last message.
        assert_eq!(ids, ["prompt_1", "record_2", "record_3", "record_3", ids[4]]);
        assert!(ids[4] != ids[3] && ids[4].starts_with("record_"), "{ids:?}");
        let content =
            &replayed.iter().find(|update| update["content"][3]["type"] == "diff").unwrap()["content"];
        assert_eq!(content[1]["content"]["text"], "(terminal)");
        assert_eq!(content[2]["changes"][0]["path"], "/work/new.rs");

        // The settings that are written in between change no id.
        let mut client = Client::connect(agent(store), 1).await;
        client.replayed(&session).await;
        client.turn(&session, "y").await;
        client.close().await;
        assert_eq!(replay(|| agent(store), 2, &session).await[..replayed.len()], replayed);
    }
}

#[tokio::test]
async fn both_versions_add_to_one_session() {
    for store in &stores().all {
        let mut session = String::new();
        let mut sent = Vec::new();
        for (version, text) in [(1, "a"), (2, "b"), (1, "c")] {
            let mut client = Client::connect(agent(store), version).await;
            if session.is_empty() {
                session = client.new_session().await;
            } else {
                client.replayed(&session).await;
            }
            sent.push(client.turn(&session, text).await);
            client.close().await;
        }
        let first = replay(|| agent(store), 1, &session).await;
        let users: Vec<_> = first.iter().filter(|update| is(update, "user_message_chunk")).collect();
        let texts: Vec<_> = users.iter().map(|user| user["content"]["text"].as_str().unwrap()).collect();
        assert_eq!(texts, ["a", "b", "c"]);
        let echoed = update_of(&sent[1][0]);
        assert_eq!(users[1]["messageId"], echoed["messageId"]);

        // The part of version 2 says the same as the parts of version 1, apart from ids, members
        // that version 2 always has, and files, of which it may have only a patch.
        let has_files = |update: &Value| {
            let items = update["content"].as_array().into_iter().flatten();
            items.filter(|item| item["type"] == "diff").count() > 0
        };
        let said = |part: &[Value]| -> Vec<Value> {
            let mut updates: Vec<_> = part.iter().filter(|update| !has_files(update)).cloned().collect();
            for members in updates.iter_mut().filter_map(Value::as_object_mut) {
                members.retain(|name, _| !["messageId", "toolCallId", "kind"].contains(&&**name));
            }
            updates
        };
        let parts: Vec<Vec<Value>> =
            first.split(|update| is(update, "user_message_chunk")).skip(1).map(said).collect();
        assert!(parts[0].len() > 8, "{parts:?}");
        assert_eq!((&parts[1], &parts[2]), (&parts[0], &parts[0]));

        let second = replay(|| agent(store), 2, &session).await;
        let middle: Vec<_> = sent[1].iter().map(|line| update_of(line)).collect();
        for update in middle.iter().filter(|update| update.get("toolCallId").is_some()) {
            assert!(second.contains(update), "{update}");
        }
    }
}

#[tokio::test]
async fn handlers_read_one_history() {
    for store in &stores().all {
        let mut session = String::new();
        let mut kinds = Vec::new();
        for version in [1, 2] {
            let mut client = Client::connect(agent(store), version).await;
            if session.is_empty() {
                session = client.new_session().await;
            } else {
                client.replayed(&session).await;
            }
            client.turn(&session, "x").await;
            let lines = client.turn(&session, "history").await;
            let said =
                lines.iter().map(|line| update_of(line)).find(|update| is(update, "agent_message_chunk"));
            kinds.push(said.unwrap()["content"]["text"].as_str().unwrap().to_owned());
            client.close().await;
        }
        let (before, first) =
            (kinds[0].strip_suffix(" prompt").unwrap(), kinds[1].strip_suffix(" prompt").unwrap());
        // The second turn knows the first call, which has its id.
        let again = before.replacen(" tool_call ", " tool_call_update ", 1);
        assert_eq!(first, format!("{before} prompt agent_message_chunk {again}"));
    }
}

#[tokio::test]
async fn prompts_have_the_form_of_the_version() {
    for store in &stores().all {
        let mut client = Client::connect(echo(Arc::clone(store)), 1).await;
        let session = client.new_session().await;
        let link = json!({"type": "resource_link", "name": "n", "uri": "file:///n", "size": -1});
        let loud = json!({"type": "text", "text": "loud", "annotations": {"priority": 7.0}});
        client.prompt(&session, json!([link, loud])).await;
        client.close().await;
        let fit = [
            json!({"type": "resource_link", "name": "n", "uri": "file:///n"}),
            json!({"type": "text", "text": "loud", "annotations": {}}),
        ];
        for (version, blocks) in [(1, [link, loud]), (2, fit)] {
            let replayed = replay(|| echo(Arc::clone(store)), version, &session).await;
            let content: Vec<_> = replayed[..2].iter().map(|update| update["content"].clone()).collect();
            assert_eq!(content, blocks, "{version}");
        }
    }
}

#[tokio::test]
async fn an_update_read_by_itself_stays_what_it_is() {
    let store = &stores().all[0];
    let mut client = Client::connect(agent(store), 2).await;
    let session = client.new_session().await;
    client.turn(&session, "x").await;
    client.close().await;
    for (kind, text) in records(&**store, &session).await {
        let entry = acp_agent::store::Record::new(kind, text.clone()).unwrap().entry().unwrap();
        let Entry::Update(update) = entry else { continue };
        let stored: Value = serde_json::from_str(&text).unwrap();
        let is_known = !matches!(*update, SessionUpdate::Unknown(_));
        assert_eq!(is_known, !is(&stored, "tool_call_content_chunk"), "{text}");
        if !is_known {
            assert_eq!(serde_json::to_value(&update).unwrap(), stored);
        }
    }
}
