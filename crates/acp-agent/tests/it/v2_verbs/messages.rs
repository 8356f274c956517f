//! Messages that are replaced, and updates of version 2 as they are.

use acp_agent::types::ProtocolVersion;
use acp_agent::{ContentBlock, Error, Result, StopReason, Turn, agent, v2};
use serde_json::{Value, json};

use super::Ed;

struct Speaker;

#[agent]
impl Speaker {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let text = turn.text();
        let (kind, how) = text.split_once(' ').unwrap();
        let mut message = match kind {
            "thought" => turn.thought_message(),
            "user" => turn.user_message(),
            _ => turn.message(),
        }
        .with_id("m");
        if how == "raw" {
            let update = v2::SessionUpdate::AgentThought(Box::new(v2::AgentThought::new("t")));
            match turn.update_v2(update.clone()).await {
                Ok(()) => turn.session_updates().update_v2(update).await?,
                Err(Error::Unsupported { what, version }) => {
                    assert_eq!(version, ProtocolVersion::V1);
                    turn.say(format!("{what} in {version}")).await?;
                }
                Err(error) => return Err(error),
            }
            return Ok(StopReason::EndTurn);
        }
        if how != "first" {
            message.say("a").await?;
            message.clone().say("b").await?;
        }
        match how {
            "same" => message.replace(["ab"]).await?,
            "nothing" => message.replace(Vec::<ContentBlock>::new()).await?,
            "blocks" => {
                message.replace([ContentBlock::text("x"), ContentBlock::link("y", "file:///y")]).await?
            }
            _ => message.replace(["x"]).await?,
        }
        message.say("z").await?;
        Ok(StopReason::EndTurn)
    }
}

/// Writes an update as its kind, its message and its content, with `new` for another id than the
/// first.
fn line(update: &Value) -> String {
    let id = if update["messageId"] == "m" { "m" } else { "new" };
    let text = |block: &Value| block["text"].as_str().or(block["uri"].as_str()).unwrap().to_owned();
    let content = match update["content"].as_array() {
        Some(blocks) => format!("[{}]", blocks.iter().map(text).collect::<Vec<_>>().join(" ")),
        None => text(&update["content"]),
    };
    format!("{} {id} {content}", update["sessionUpdate"].as_str().unwrap())
}

/// Rule `v2-msg-03`.
#[tokio::test]
async fn a_message_is_replaced_as_a_whole_or_goes_on_as_another() {
    let chunk = |id: &str, text: &str| format!("agent_message_chunk {id} {text}");
    let said = || vec![chunk("m", "a"), chunk("m", "b")];
    let table: [(&str, Vec<String>, &str); 5] = [
        ("other", [said(), vec![chunk("new", "x"), chunk("new", "z")]].concat(), "[x]"),
        ("same", [said(), vec![chunk("m", "z")]].concat(), "[ab]"),
        ("nothing", [said(), vec![chunk("new", "z")]].concat(), "[]"),
        (
            "blocks",
            [said(), vec![chunk("new", "x"), chunk("new", "file:///y"), chunk("new", "z")]].concat(),
            "[x file:///y]",
        ),
        ("first", vec![chunk("m", "x"), chunk("m", "z")], "[x]"),
    ];
    for (how, in_version_1, content) in table {
        let mut ed = Ed::open(1, Speaker).await;
        let lines: Vec<_> = ed.turn(&format!("agent {how}")).await.iter().map(line).collect();
        assert_eq!(lines, in_version_1, "{how}");

        let mut ed = Ed::open(2, Speaker).await;
        let lines: Vec<_> = ed.turn(&format!("agent {how}")).await.iter().map(line).collect();
        let before = if how == "first" { Vec::new() } else { said() };
        let whole = format!("agent_message m {content}");
        assert_eq!(lines, [before, vec![whole, chunk("m", "z")]].concat(), "{how}");
    }
}

#[tokio::test]
async fn each_kind_of_message_has_its_whole() {
    for (kind, whole) in [("agent", "agent_message"), ("thought", "agent_thought"), ("user", "user_message")]
    {
        let mut ed = Ed::open(2, Speaker).await;
        let updates = ed.turn(&format!("{kind} other")).await;
        assert_eq!(line(&updates[2]), format!("{whole} m [x]"));
        let mut ed = Ed::open(1, Speaker).await;
        let updates = ed.turn(&format!("{kind} other")).await;
        assert_eq!(updates[2]["sessionUpdate"], updates[0]["sessionUpdate"]);
        assert_ne!(updates[2]["messageId"], "m");
    }
}

#[tokio::test]
async fn an_update_of_version_2_is_sent_as_it_is_or_not_at_all() {
    let thought = json!({"sessionUpdate": "agent_thought", "messageId": "t"});
    assert_eq!(Ed::open(2, Speaker).await.turn("agent raw").await, [thought.clone(), thought]);
    let updates = Ed::open(1, Speaker).await.turn("agent raw").await;
    assert_eq!(updates.len(), 1);
    assert_eq!(updates[0]["content"]["text"], "an update of version 2 in 1");
}
