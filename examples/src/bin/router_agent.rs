//! An agent that is built when it starts: `router_agent upper reverse` offers these two styles of
//! answers.

use acp_agent::types::{SessionMode, SessionModeState};
use acp_agent::{Opened, Result, Router, Session, StopReason, Turn, op};

type Style = (&'static str, fn(&str) -> String);

const STYLES: [Style; 3] = [
    ("upper", |text| text.to_uppercase()),
    ("reverse", |text| text.chars().rev().collect()),
    ("twice", |text| format!("{text} {text}")),
];

/// The state that every handler gets.
struct Styles(Vec<Style>);

impl Styles {
    async fn new_session(&self) -> Result<Opened<()>> {
        let first = self.0.first().map_or("plain", |(name, _)| name);
        let modes: Vec<_> = self.0.iter().map(|(name, _)| SessionMode::new(*name, *name)).collect();
        let opened = Opened::new(());
        Ok(if modes.len() > 1 { opened.modes(SessionModeState::new(first, modes)) } else { opened })
    }

    async fn set_mode(&self) -> Result<()> {
        Ok(())
    }

    async fn prompt(&self, turn: Turn, session: Session<()>) -> Result<StopReason> {
        let mode = session.mode();
        // An agent with a single style has no modes.
        let style = match &mode {
            Some(mode) => self.0.iter().find(|(name, _)| *name == mode.as_str()),
            None => self.0.first(),
        };
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
