//! A scripted client for both versions of the protocol: `client_v2 <scenario> -- <agent command>`
//! (see `../../README.md`).

use std::error::Error;
use std::io::{Write as _, stdout};
use std::sync::{Arc, Mutex, PoisonError};

use acp_client::{
    Agent, Command, Event, LocalFs, PermissionAnswer, PermissionPolicy, ProtocolVersion, Session, StateKind,
    Transcript,
};
use serde_json::{Map, Value, json};
use tokio::sync::Notify;

type Outcome<T> = Result<T, Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let mut args = std::env::args().skip(1);
    let given = args.next().zip(args.nth(1));
    let (scenario, program) = given.ok_or("usage: client_v2 SCENARIO -- AGENT [ARGS…]")?;
    let scenario: Value = serde_json::from_str(&scenario)?;
    let cwd = scenario["cwd"].as_str().ok_or("the scenario has no `cwd`")?;
    let user = Arc::new(User::default());
    let asked = Arc::clone(&user);
    let mut connect = acp_client::spawn(Command::new(program).args(args))
        .info("interop-client", "1.0.0")
        .versions([ProtocolVersion::V2, ProtocolVersion::V1])
        .permissions(PermissionPolicy::ask(move |_| Arc::clone(&asked).answer()));
    if scenario["fs"] == true {
        connect = connect.fs(LocalFs::rooted(cwd)?);
    }
    let agent = connect.await?;
    let mut report = Map::new();
    if let Err(error) = converse(&agent, &scenario, cwd, &user, &mut report).await {
        report.insert("error".into(), error.to_string().into());
    }
    report.insert("version".into(), agent.protocol_version().0.into());
    report.insert("faults".into(), agent.faults().into());
    agent.close().await;
    writeln!(stdout(), "{}", Value::Object(report))?;
    Ok(())
}

async fn converse(
    agent: &Agent,
    scenario: &Value,
    cwd: &str,
    user: &User,
    report: &mut Map<String, Value>,
) -> Outcome<()> {
    let session = agent.new_session(cwd).await?;
    let mut turns = Vec::new();
    for wanted in scenario["turns"].as_array().ok_or("the scenario has no `turns`")? {
        turns.push(turn(&session, wanted, user).await);
    }
    report.insert("turns".into(), turns.into());
    for step in scenario["then"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let found = match step {
            "list" => list(agent).await?,
            "close" => session.close().await.map(|()| true.into())?,
            "resume" => agent.resume_session(session.id().clone(), cwd).await.map(|_| true.into())?,
            "replay" => replay(agent, &session, cwd).await?,
            step => return Err(format!("no such step: {step}").into()),
        };
        report.insert(step.into(), found);
    }
    Ok(())
}

async fn list(agent: &Agent) -> Outcome<Value> {
    let mut sessions = agent.list_sessions();
    let mut ids = Vec::new();
    while let Some(session) = sessions.next().await {
        ids.push(session?.session_id.to_string());
    }
    Ok(ids.into())
}

/// Loads the session once more; the conversation that comes with it.
async fn replay(agent: &Agent, session: &Session, cwd: &str) -> Outcome<Value> {
    let mut replay = agent.load_session(session.id().clone(), cwd).replay().await?;
    let mut shown = Shown::default();
    while let Some(event) = replay.next().await {
        shown.see(&event);
    }
    replay.finish().await?;
    Ok(shown.describe())
}

async fn turn(session: &Session, wanted: &Value, user: &User) -> Value {
    match run(session, wanted, user).await {
        Ok(turn) => turn,
        Err(error) => json!({ "error": error.to_string() }),
    }
}

/// Runs a turn to its end, and tells what a user saw of it.
async fn run(session: &Session, wanted: &Value, user: &User) -> Outcome<Value> {
    *user.wanted() = wanted.clone();
    if wanted["cancelBefore"] == true {
        session.cancel()?;
    }
    let text = wanted["prompt"].as_str().ok_or("a turn has no `prompt`")?;
    let mut turn = session.prompt(text).await?;
    let mut shown = Shown::default();
    loop {
        tokio::select! {
            event = turn.next() => match event {
                Some(event) => {
                    shown.see(&event);
                    if event.text().is_some() && wanted["cancelOn"] == "agent_message_chunk" {
                        turn.cancel()?;
                    }
                }
                None => break,
            },
            () = user.asked.notified() => turn.cancel()?,
        }
    }
    let response = turn.finish().await?;
    let mut told = shown.describe();
    told["stopReason"] = response.stop_reason().map_or(Value::Null, |reason| reason.to_string().into());
    Ok(told)
}

/// The user, who answers as the running turn wants it.
#[derive(Default)]
struct User {
    wanted: Mutex<Value>,
    /// The user was asked, and wants to cancel instead.
    asked: Notify,
}

impl User {
    async fn answer(self: Arc<Self>) -> PermissionAnswer {
        let wanted = self.wanted().clone();
        if wanted["cancelOn"] == "permission" {
            self.asked.notify_one();
            std::future::pending::<()>().await;
        }
        match wanted["permission"].as_str() {
            Some("allow_once") => PermissionAnswer::AllowOnce,
            Some("allow_always") => PermissionAnswer::AllowAlways,
            _ => PermissionAnswer::RejectOnce,
        }
    }

    fn wanted(&self) -> std::sync::MutexGuard<'_, Value> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A conversation as a user sees it.
#[derive(Default)]
struct Shown {
    text: String,
    states: Vec<&'static str>,
    transcript: Transcript,
}

impl Shown {
    fn see(&mut self, event: &Event) {
        self.text.push_str(event.text().unwrap_or_default());
        if let Event::State(state) = event {
            self.states.push(match state.kind {
                StateKind::Running => "running",
                StateKind::RequiresAction => "requires_action",
                StateKind::Idle { .. } => "idle",
                _ => "unknown",
            });
        }
        self.transcript.fold(event.clone());
    }

    fn describe(&self) -> Value {
        let transcript: Value = serde_json::from_str(&self.transcript.to_json()).unwrap_or_default();
        json!({ "text": self.text, "states": self.states, "transcript": transcript })
    }
}
