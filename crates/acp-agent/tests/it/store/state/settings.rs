//! Modes and config options of a session that is opened again: which statement counts.

use acp_agent::store::Journal;
use acp_agent::types::{SessionConfigId, SessionConfigValue, SessionMode, SessionModeState};
use acp_agent::{LoadSession, NewSession, Opened, ResumeSession};
use serde_json::json;

use super::*;

#[tokio::test]
async fn changes_by_the_agent_survive() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = Wire::connect(agent(Journal::at(folder.path())), all()).await;
    let session = set_all(&mut wire).await;
    wire.turn(&session, "switch ask").await;
    wire.turn(&session, "choose small").await;
    wire.close().await;
    let mut wire = Wire::connect(agent(Journal::at(folder.path())), all()).await;
    let result = reopen(&mut wire, "session/resume", &session).await;
    // The agent has removed the option `web`, and lists it once more.
    assert_eq!(told(&result), (json!("ask"), json!("small"), json!(false)), "{result}");
    wire.close().await;
}

/// Rule `v1-cap-18`: the agent keeps the value of an option that this client cannot show.
#[tokio::test]
async fn options_that_a_client_cannot_show_keep_their_values() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = Wire::connect(agent(Journal::at(folder.path())), all()).await;
    let session = set_all(&mut wire).await;
    wire.close().await;

    let mut wire = Wire::connect(agent(Journal::at(folder.path())), json!({})).await;
    let result = reopen(&mut wire, "session/load", &session).await;
    assert_eq!(told(&result), (json!("code"), json!("large"), json!(null)), "{result}");
    assert_eq!(says(&mut wire, &session).await, "code large Some(true) 7");
    done(&mut wire, "session/set_mode", json!({"sessionId": session, "modeId": "ask"})).await;
    wire.turn(&session, "choose small").await;
    let web = json!({"sessionId": session, "configId": "web", "type": "boolean", "value": false});
    wire.refused("session/set_config_option", web, -32602, &["configId", "`model`"]).await;
    wire.close().await;

    let mut wire = Wire::connect(agent(Journal::at(folder.path())), all()).await;
    let result = reopen(&mut wire, "session/load", &session).await;
    assert_eq!(told(&result), (json!("ask"), json!("small"), json!(true)), "{result}");
    wire.close().await;
}

/// The statement of a handler that opens sessions.
type State = Box<dyn Fn(Opened<u32>) -> Opened<u32> + Send + Sync>;

async fn stated(state: &State, _: NewSession) -> Result<Opened<u32>> {
    Ok(state(Opened::new(0)))
}

async fn prompt_of_stated(_: &State, turn: Turn, session: Session<u32>) -> Result<StopReason> {
    prompt(&(), turn, session).await
}

/// An agent whose handler states these settings.
fn stating<F>(journal: Journal, state: F) -> Router<State, u32>
where
    F: Fn(Opened<u32>) -> Opened<u32> + Send + Sync + 'static,
{
    let state: State = Box::new(state);
    Router::with_sessions("settings", "2", state, stated).on::<op::Prompt, _>(prompt_of_stated).store(journal)
}

#[tokio::test]
async fn values_that_the_agent_does_not_have_any_more_are_not_restored() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = Wire::connect(agent(Journal::at(folder.path())), all()).await;
    let session = set_all(&mut wire).await;
    wire.close().await;
    let later = |opened: Opened<u32>| {
        let modes = SessionModeState::new("plan", [SessionMode::new("plan", "Plan")]);
        let mut options = options("small", false);
        // Now it is on or off, as `web` is, and `web` has another kind, too.
        options[0].kind = SessionConfigBoolean::new(false).into();
        options[1].kind =
            SessionConfigSelect::new("no", vec![SessionConfigSelectOption::new("no", "No")]).into();
        opened.modes(modes).config_options(options)
    };
    let mut wire = Wire::connect(stating(Journal::at(folder.path()), later), all()).await;
    let result = reopen(&mut wire, "session/resume", &session).await;
    assert_eq!(told(&result), (json!("plan"), json!(false), json!("no")), "{result}");
    wire.close().await;
    // An agent that states no lists has none for sessions that it opens again, too.
    let mut wire = Wire::connect(stating(Journal::at(folder.path()), |opened| opened), all()).await;
    assert_eq!(reopen(&mut wire, "session/resume", &session).await, json!({}));
    wire.close().await;
}

#[tokio::test]
async fn an_explicit_statement_counts() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = Wire::connect(agent(Journal::at(folder.path())), all()).await;
    let session = set_all(&mut wire).await;
    wire.close().await;
    let state = |opened: Opened<u32>| {
        let large = SessionConfigValue::Id { value: "small".into() };
        opened
            .modes(modes("code"))
            .config_options(options("large", true))
            .current_mode("ask")
            .config_value(SessionConfigId::from("model"), large)
    };
    let mut wire = Wire::connect(stating(Journal::at(folder.path()), state), all()).await;
    let result = reopen(&mut wire, "session/resume", &session).await;
    assert_eq!(told(&result), (json!("ask"), json!("small"), json!(true)), "{result}");
    assert_eq!(says(&mut wire, &session).await, "ask small Some(true) 0");
    // It holds for new sessions, too.
    let result = done(&mut wire, "session/new", json!({"cwd": "/work", "mcpServers": []})).await;
    assert_eq!(told(&result), (json!("ask"), json!("small"), json!(true)), "{result}");
    wire.close().await;
}

#[tokio::test]
async fn a_statement_that_is_impossible_is_an_error_of_the_agent() {
    let on = SessionConfigValue::Boolean { value: true };
    let cases: [(&str, State); 4] = [
        ("current_mode", Box::new(|opened| opened.current_mode("ask"))),
        ("current_mode", Box::new(|opened| opened.modes(modes("ask")).current_mode("nope"))),
        ("config_value", {
            let on = on.clone();
            Box::new(move |opened| {
                opened.config_options(options("small", true)).config_value("nope", on.clone())
            })
        }),
        ("value", {
            Box::new(move |opened| {
                opened.config_options(options("small", true)).config_value("model", on.clone())
            })
        }),
    ];
    for (named, state) in cases {
        let folder = tempfile::tempdir().unwrap();
        let mut wire = Wire::connect(stating(Journal::at(folder.path()), state), all()).await;
        let answer = wire.call("session/new", json!({"cwd": "/work", "mcpServers": []})).await;
        assert!(answer["error"]["message"].as_str().unwrap().contains(named), "{answer}");
        assert_eq!(done(&mut wire, "session/list", json!({})).await["sessions"], json!([]), "{named}");
        wire.close().await;
    }
}

async fn load_as_it_was(_: &(), _: LoadSession) -> Result<Opened<u32>> {
    Ok(Opened::new(1))
}

async fn resume_with_modes(_: &(), open: ResumeSession) -> Result<Opened<u32>> {
    assert_eq!(open.mode().unwrap().as_str(), "code");
    Ok(Opened::new(open.saved()?.unwrap_or(0)).modes(modes("ask")))
}

#[tokio::test]
async fn handlers_for_sessions_that_exist_state_what_has_changed() {
    let folder = tempfile::tempdir().unwrap();
    let agent = || {
        agent(Journal::at(folder.path()))
            .on::<op::LoadSession, _>(load_as_it_was)
            .on::<op::ResumeSession, _>(resume_with_modes)
    };
    let mut wire = Wire::connect(agent(), all()).await;
    let session = set_all(&mut wire).await;
    wire.close().await;
    let mut wire = Wire::connect(agent(), all()).await;
    let result = reopen(&mut wire, "session/load", &session).await;
    assert_eq!(told(&result), (json!("code"), json!("large"), json!(true)), "{result}");
    assert_eq!(result["modes"]["availableModes"].as_array().unwrap().len(), 2, "{result}");
    // The lists work as they did.
    wire.refused("session/set_mode", json!({"sessionId": session, "modeId": "x"}), -32602, &["`ask`"]).await;
    let result = reopen(&mut wire, "session/resume", &session).await;
    assert_eq!(told(&result), (json!("ask"), json!("large"), json!(true)), "{result}");
    assert_eq!(says(&mut wire, &session).await, "ask large Some(true) 7");
    wire.close().await;
}
