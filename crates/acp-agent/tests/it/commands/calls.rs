//! Prompts that call commands, and prompts that do not.

use super::*;

fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

/// Prompts, and what their handlers say.
fn prompts() -> Vec<(Value, String)> {
    let mut prompts: Vec<(Value, String)> = [
        ("/edit", ""),
        ("/edit notes.txt", "notes.txt"),
        ("/edit  two  blanks ", "two  blanks"),
        ("/edit\tafter a tab", "after a tab"),
        ("/edit\nfirst\n  second\n", "first\n  second"),
        ("/edit\r\nfirst", "first"),
        ("/edit\u{a0}after a blank that breaks no line", "after a blank that breaks no line"),
        ("/edit\u{3000}全角", "全角"),
        ("/edit \t\n", ""),
        ("/edit /edit", "/edit"),
    ]
    .map(|(prompt, input)| (text(prompt), format!("edit {input:?} of 1")))
    .into();
    for plain in [
        "",
        " ",
        "/",
        "/ edit",
        "edit",
        " /edit",
        "\n/edit",
        "//edit",
        "/Edit",
        "/edits",
        "/edit:",
        "/ed",
        "/edit\u{200b}x",
        "/usr/bin/edit",
        "/plan-e",
        "say /edit",
        "/wai",
    ] {
        prompts.push((text(plain), format!("prompt {plain:?}")));
    }
    let link = json!({"type": "resource_link", "name": "notes", "uri": "file:///notes"});
    let resource = json!({"type": "resource", "resource": {"uri": "file:///a", "text": "/edit"}});
    let blocks = |texts: &[&Value]| Value::from(texts.iter().copied().cloned().collect::<Vec<_>>());
    let (edit, more) = (&text("/edit a")[0].clone(), &text("more")[0].clone());
    prompts.extend([
        (blocks(&[&link]), r#"prompt """#.to_owned()),
        (blocks(&[&resource]), r#"prompt """#.to_owned()),
        (blocks(&[edit, &link, more]), r#"edit "a" of 3"#.to_owned()),
        (blocks(&[&link, &resource, edit]), r#"edit "a" of 3"#.to_owned()),
        (blocks(&[more, edit]), r#"prompt "more\n/edit a""#.to_owned()),
        (blocks(&[&text("")[0].clone(), edit]), r#"prompt "\n/edit a""#.to_owned()),
    ]);
    prompts
}

async fn every_prompt_goes_to_its_handler(agent: impl Agent) {
    let (mut wire, session) = open(agent).await;
    for (prompt, said) in prompts() {
        let id = wire.request("session/prompt", json!({"sessionId": session, "prompt": prompt})).await;
        assert_eq!(wire.said().await, said, "{prompt}");
        assert_eq!(wire.stopped(id).await, "end_turn", "{prompt}");
    }
    let (updates, answer) = wire.turn(&session, "/plan-é\u{2003}größer").await;
    assert_eq!(updates[0]["title"], r#"plan "größer" in /work of 1"#);
    assert_eq!(answer["result"], json!({"stopReason": "end_turn"}));
    // A command takes no content that prompts do not take.
    let image = json!([text("/edit")[0], {"type": "image", "data": "", "mimeType": "image/png"}]);
    wire.refused("session/prompt", json!({"sessionId": session, "prompt": image}), -32602, &["image"]).await;
    assert!(wire.close().await.is_empty());
}

#[tokio::test]
async fn every_prompt_goes_to_its_handler_by_the_macro() {
    every_prompt_goes_to_its_handler(Notes::default()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_prompt_goes_to_its_handler_by_the_router() {
    every_prompt_goes_to_its_handler(router(Notes::default())).await;
}

async fn a_command_is_a_turn(agent: impl Agent, notes: Notes) {
    let (mut wire, session) = open(agent).await;
    // Dropped at its await, as the handler of a prompt is.
    let prompt = wire.prompt(&session, "/wait").await;
    assert_eq!(wire.said().await, "waiting");
    wire.cancel(&session).await;
    assert_eq!(wire.stopped(prompt).await, "cancelled");

    let (updates, answer) = wire.turn(&session, "/fall").await;
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    assert!(updates.is_empty());

    // Commands wait in the queue of the session, and keep their order.
    let first = wire.prompt(&session, "/wait").await;
    let second = wire.prompt(&session, "/edit a").await;
    let third = wire.prompt(&session, "b").await;
    assert_eq!(wire.said().await, "waiting");
    notes.waiting.notify_one();
    assert_eq!(wire.stopped(first).await, "end_turn");
    assert_eq!(wire.said().await, r#"edit "a" of 1"#);
    assert_eq!(wire.stopped(second).await, "end_turn");
    assert_eq!(wire.said().await, r#"prompt "b""#);
    assert_eq!(wire.stopped(third).await, "end_turn");
    assert!(wire.close().await.is_empty());
}

#[tokio::test]
async fn a_command_is_cancelled_fails_and_waits_like_any_prompt() {
    let notes = Notes::default();
    a_command_is_a_turn(notes.clone(), notes.clone()).await;
    a_command_is_a_turn(router(notes.clone()), notes).await;
}

/// Has nothing but commands.
struct OnlyCommands;

#[agent]
impl OnlyCommands {
    #[command("status", "Shows the state")]
    async fn status(&self, turn: Turn) -> Result<StopReason> {
        turn.say("fine").await?;
        Ok(StopReason::EndTurn)
    }

    #[command("reset", "Starts again")]
    async fn reset(&self) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

async fn other_prompts_are_refused(agent: impl Agent) {
    let (mut wire, session) = open(agent).await;
    let prompt = json!({"sessionId": session, "prompt": text("/stat")});
    wire.refused("session/prompt", prompt, -32602, &["`prompt`", "/status, /reset"]).await;
    let (updates, answer) = wire.turn(&session, "/status now").await;
    assert_eq!(updates[0]["content"]["text"], "fine");
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    assert!(wire.close().await.is_empty());
}

#[tokio::test]
async fn an_agent_that_has_only_commands_names_them_when_it_refuses_a_prompt() {
    other_prompts_are_refused(OnlyCommands).await;
    let router = Router::new("only", "1", OnlyCommands)
        .command(AvailableCommand::new("status", "Shows the state"), OnlyCommands::status)
        .command(AvailableCommand::new("reset", "Starts again"), OnlyCommands::reset);
    other_prompts_are_refused(router).await;
}
