//! An agent that is built when it starts: `router_agent upper reverse` offers these two styles of
//! answers.

use std::sync::Mutex;

use acp_agent::types::{SessionMode, SessionModeId, SessionModeState, SetSessionModeRequest};
use acp_agent::{Opened, Result, Router, Session, StopReason, Turn, op};

type Style = (&'static str, fn(&str) -> String);

const STYLES: [Style; 3] = [
    ("upper", |text| text.to_uppercase()),
    ("reverse", |text| text.chars().rev().collect()),
    ("twice", |text| format!("{text} {text}")),
];

/// The state that every handler gets.
struct Styles(Vec<Style>);

/// The state of a session: the style of its answers.
type Chosen = Mutex<SessionModeId>;

impl Styles {
    async fn new_session(&self) -> Result<Opened<Chosen>> {
        let first = self.0.first().map_or("plain", |(name, _)| name);
        let modes: Vec<_> = self.0.iter().map(|(name, _)| SessionMode::new(*name, *name)).collect();
        let opened = Opened::new(Mutex::new(first.into()));
        Ok(if modes.len() > 1 { opened.modes(SessionModeState::new(first, modes)) } else { opened })
    }

    async fn set_mode(&self, chosen: Session<Chosen>, request: SetSessionModeRequest) -> Result<()> {
        *chosen.lock().map_err(|_| "another handler has failed")? = request.mode_id;
        Ok(())
    }

    async fn prompt(&self, turn: Turn, chosen: Session<Chosen>) -> Result<StopReason> {
        let mode = chosen.lock().map_err(|_| "another handler has failed")?.clone();
        let style = self.0.iter().find(|(name, _)| *name == mode.as_str());
        let text = turn.text();
        turn.say(style.map_or_else(|| text.clone(), |(_, style)| style(&text))).await?;
        Ok(StopReason::EndTurn)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let wanted: Vec<_> = std::env::args().skip(1).collect();
    let styles: Vec<_> =
        STYLES.into_iter().filter(|(name, _)| wanted.iter().any(|want| want == name)).collect();
    let switchable = styles.len() > 1;
    let agent =
        Router::with_sessions("router-agent", env!("CARGO_PKG_VERSION"), Styles(styles), Styles::new_session)
            .on::<op::Prompt, _>(Styles::prompt);
    // A handler announces its capability: an agent with a single style has nothing to switch.
    let agent = if switchable { agent.on::<op::SetMode, _>(Styles::set_mode) } else { agent };
    acp_agent::serve_stdio(agent).await
}
