//! The state of a session that survives: its mode, its config options, a value of the agent's own.

mod changes;
mod errors;
#[cfg(feature = "unstable")]
mod fork;
mod settings;
mod stores;

use std::path::Path;

use acp_agent::store::{Journal, SessionStore};
use acp_agent::types::{
    ConfigOptionUpdate, SessionConfigBoolean, SessionConfigOption, SessionConfigSelect,
    SessionConfigSelectOption, SessionConfigValue, SessionMode, SessionModeState,
    SetSessionConfigOptionRequest, SetSessionConfigOptionResponse,
};
use acp_agent::{NewSession, Opened, Result, Router, Session, StopReason, Turn, op};
use serde_json::{Value, json};

use crate::store::named;
use crate::support::Wire;

/// A client that shows options that are on or off.
fn all() -> Value {
    json!({"session": {"configOptions": {"boolean": {}}}})
}

fn modes(current: &str) -> SessionModeState {
    SessionModeState::new(current, [SessionMode::new("ask", "Ask"), SessionMode::new("code", "Code")])
}

/// Two options with these values.
fn options(model: &str, web: bool) -> Vec<SessionConfigOption> {
    let models = vec![
        SessionConfigSelectOption::new("small", "Small"),
        SessionConfigSelectOption::new("large", "Large"),
    ];
    vec![
        SessionConfigOption::new("model", "Model", SessionConfigSelect::new(model, models)),
        SessionConfigOption::new("web", "Web search", SessionConfigBoolean::new(web)),
    ]
}

async fn new_session(_: &(), open: NewSession) -> Result<Opened<u32>> {
    let count: Option<u32> = open.saved()?;
    let restored = (open.mode().is_some(), open.config_value("web").is_some(), count.is_some());
    assert!(!open.is_new() || restored == (false, false, false));
    Ok(Opened::new(count.unwrap_or(0)).modes(modes("ask")).config_options(options("small", false)))
}

/// Does one thing in each turn, and says what it knows. Behind `later` it does so when the client
/// has answered a question.
async fn prompt(_: &(), turn: Turn, before: Session<u32>) -> Result<StopReason> {
    let text = turn.text();
    let work = match text.strip_prefix("later ") {
        Some(work) => {
            // Reading the history waits until the prompt is written.
            turn.history().await?;
            turn.ext_request::<()>("_later", &json!({})).await?;
            work
        }
        None => &*text,
    };
    match work.split_once(' ') {
        Some(("save", number)) => before.save(&number.parse::<u32>().unwrap()).await?,
        Some(("title", _)) => turn.title(work).await?,
        Some(("switch", mode)) => turn.current_mode(mode).await?,
        Some(("choose", model)) => {
            let options = options(model, false).into_iter().filter(|option| option.id.as_str() == "model");
            turn.update(ConfigOptionUpdate::new(options.collect::<Vec<_>>())).await?;
        }
        _ => {}
    }
    turn.say(known(&before)).await?;
    Ok(StopReason::EndTurn)
}

/// Everything that a session knows about itself.
fn known(session: &Session<u32>) -> String {
    let mode = session.mode().map(|mode| mode.to_string()).unwrap_or_default();
    let model = session.config_value("model");
    let model = model.as_ref().and_then(SessionConfigValue::as_id).unwrap_or("?");
    let web = session.config_value("web").and_then(|web| web.as_bool());
    format!("{mode} {model} {web:?} {}", **session)
}

async fn set_mode(_: &(), _: Session<u32>) -> Result<()> {
    Ok(())
}

async fn set_option(
    _: &(),
    request: SetSessionConfigOptionRequest,
    session: Session<u32>,
) -> Result<SetSessionConfigOptionResponse> {
    let value = |id: &str| match request.config_id.as_str() == id {
        true => Some(request.value.clone()),
        false => session.config_value(id),
    };
    let (model, web) = (value("model").unwrap(), value("web").unwrap());
    Ok(SetSessionConfigOptionResponse::new(options(model.as_id().unwrap(), web.as_bool().unwrap())))
}

fn agent(store: impl SessionStore) -> Router<(), u32> {
    without_store().store(store)
}

fn without_store() -> Router<(), u32> {
    Router::with_sessions("settings", "1", (), new_session)
        .on::<op::Prompt, _>(prompt)
        .on::<op::SetMode, _>(set_mode)
        .on::<op::SetConfigOption, _>(set_option)
}

/// Sets everything that can be set. Returns the session.
async fn set_all(wire: &mut Wire) -> String {
    let session = wire.new_session().await;
    done(wire, "session/set_mode", json!({"sessionId": session, "modeId": "code"})).await;
    let model = json!({"sessionId": session, "configId": "model", "value": "large"});
    done(wire, "session/set_config_option", model).await;
    let web = json!({"sessionId": session, "configId": "web", "type": "boolean", "value": true});
    done(wire, "session/set_config_option", web).await;
    wire.turn(&session, "save 7").await;
    session
}

/// The result of a request that must succeed.
async fn done(wire: &mut Wire, method: &str, params: Value) -> Value {
    let mut answer = wire.call(method, params).await;
    assert!(answer.get("error").is_none(), "{answer}");
    answer["result"].take()
}

/// Opens a session again by this method: the result, without what is replayed before it.
async fn reopen(wire: &mut Wire, method: &str, session: &str) -> Value {
    let id = wire.request(method, named(method, session)).await;
    loop {
        let mut message = wire.recv().await;
        if message["id"] == id {
            assert!(message.get("error").is_none(), "{message}");
            return message["result"].take();
        }
    }
}

/// The current values that an answer tells.
fn told(result: &Value) -> (Value, Value, Value) {
    let value = |id: &str| {
        let options = result["configOptions"].as_array();
        let option = options.and_then(|options| options.iter().find(|option| option["id"] == id));
        option.map(|option| option["currentValue"].clone()).unwrap_or_default()
    };
    (result["modes"]["currentModeId"].clone(), value("model"), value("web"))
}

/// Returns the answer of the agent about the open session.
async fn says(wire: &mut Wire, session: &str) -> String {
    let (updates, _) = wire.turn(session, "tell").await;
    updates[0]["content"]["text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn mode_options_and_value_survive_load_and_resume() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = Wire::connect(agent(Journal::at(folder.path())), all()).await;
    let session = set_all(&mut wire).await;
    assert_eq!(says(&mut wire, &session).await, "code large Some(true) 0");
    wire.close().await;
    for method in ["session/load", "session/resume", "session/load"] {
        let mut wire = Wire::connect(agent(Journal::at(folder.path())), all()).await;
        let result = reopen(&mut wire, method, &session).await;
        assert_eq!(told(&result), (json!("code"), json!("large"), json!(true)), "{method}: {result}");
        assert_eq!(says(&mut wire, &session).await, "code large Some(true) 7", "{method}");
        // Opened once more on the same connection.
        let result = reopen(&mut wire, method, &session).await;
        assert_eq!(told(&result), (json!("code"), json!("large"), json!(true)), "{method}: {result}");
        wire.close().await;
    }
}

/// As a kill leaves it: the files at the moment of the answer.
#[tokio::test]
async fn state_is_stored_when_the_client_has_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let mut wire = Wire::connect(agent(Journal::at(folder.path())), all()).await;
    let session = wire.new_session().await;
    done(&mut wire, "session/set_mode", json!({"sessionId": session, "modeId": "code"})).await;
    assert_eq!(of_copy(folder.path(), &session).await, "code small Some(false) 0");
    let web = json!({"sessionId": session, "configId": "web", "type": "boolean", "value": true});
    done(&mut wire, "session/set_config_option", web).await;
    assert_eq!(of_copy(folder.path(), &session).await, "code small Some(true) 0");
    // The update that tells the client is as far as the turn has got.
    wire.prompt(&session, "switch ask").await;
    assert_eq!(wire.update().await["sessionUpdate"], "current_mode_update");
    assert_eq!(of_copy(folder.path(), &session).await, "ask small Some(true) 0");
    wire.close().await;
}

/// Returns the answer of an agent about a session in a copy of the folder.
async fn of_copy(folder: &Path, session: &str) -> String {
    let copy = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
    let mut wire = Wire::connect(agent(Journal::at(copy.path())), all()).await;
    reopen(&mut wire, "session/resume", session).await;
    let said = says(&mut wire, session).await;
    wire.close().await;
    said
}
