//! br-13: modes and the config option that stands for them, for each pair of versions of a client
//! and an agent, set by the client and by the agent. Where the versions differ, a bridge stands
//! between the two.

use std::sync::{Arc, Mutex};

use acp_agent::types::{
    SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelect,
    SessionConfigSelectOption, SessionMode, SessionModeState, SetSessionConfigOptionRequest,
    SetSessionModeRequest,
};
use acp_agent::{NewSession, Opened, Result, Router, StopReason, Turn, op};
use acp_client::{Event, ProtocolVersion, Session, Transport};

use super::bridge;
use super::raw::{V1, V2};

/// The settings of an agent, and what they are for its client.
struct Row {
    settings: Settings,
    /// For a client of version 1, of an agent of version 1 and of version 2; then for one of
    /// version 2.
    seen: [&'static str; 4],
}

const PAIRINGS: [(ProtocolVersion, ProtocolVersion); 4] = [(V1, V1), (V1, V2), (V2, V1), (V2, V2)];

const ROWS: [Row; 5] = [
    Row {
        settings: Settings { has_modes: true, option: None },
        seen: [
            "modes ask do; options; set_mode do; mode ask",
            "modes ask do; options; set_mode do; mode ask",
            "modes ask do; options mode=ask; set_mode do; options mode=ask, mode ask",
            "modes ask do; options mode=ask; set_mode do; options mode=ask, mode ask",
        ],
    },
    // An option of this category is the modes of a client of version 2. A bridge makes modes of it
    // for a client of version 1, which may not know options.
    Row {
        settings: Settings { has_modes: false, option: Some(("way", true)) },
        seen: [
            "no modes; options way=ask; way do; options way=ask",
            "modes ask do; options; way do; mode ask",
            "modes ask do; options way=ask; way do; options way=ask, mode ask",
            "modes ask do; options way=ask; way do; options way=ask, mode ask",
        ],
    },
    // In version 2 the option is all.
    Row {
        settings: Settings { has_modes: true, option: Some(("way", true)) },
        seen: [
            "modes ask do; options way=ask; set_mode do; options way=ask",
            "modes ask do; options; way do; mode ask",
            "modes ask do; options way=ask; way do; options way=ask, mode ask",
            "modes ask do; options way=ask; way do; options way=ask, mode ask",
        ],
    },
    // The id is taken.
    Row {
        settings: Settings { has_modes: true, option: Some(("mode", false)) },
        seen: [
            "modes ask do; options mode=ask; set_mode do; mode ask",
            "modes ask do; options mode=ask; set_mode do; mode ask",
            "modes ask do; options _mode=ask mode=ask; set_mode do; options _mode=ask mode=ask, mode ask",
            "modes ask do; options _mode=ask mode=ask; set_mode do; options _mode=ask mode=ask, mode ask",
        ],
    },
    Row { settings: Settings { has_modes: false, option: None }, seen: ["no modes; options; refused; "; 4] },
];

/// The modes and the option of an agent. The option has an id, and may be of the category of modes.
#[derive(Clone, Copy, Debug)]
struct Settings {
    has_modes: bool,
    option: Option<(&'static str, bool)>,
}

impl Settings {
    fn options(self, value: &str) -> Vec<SessionConfigOption> {
        let option = self.option.map(|(id, is_of_modes)| {
            let choices = ["ask", "do"].map(|choice| SessionConfigSelectOption::new(choice, choice));
            let select = SessionConfigSelect::new(value, choices.to_vec());
            let option = SessionConfigOption::new(id, "An option", select);
            if is_of_modes { option.category(SessionConfigOptionCategory::Mode) } else { option }
        });
        option.into_iter().collect()
    }
}

type Log = Arc<Mutex<Vec<String>>>;

struct Agent {
    settings: Settings,
    log: Log,
}

impl Agent {
    fn note(&self, what: String) {
        self.log.lock().expect("is not poisoned").push(what);
    }

    async fn new_session(&self, _open: NewSession) -> Result<Opened<()>> {
        let mut opened = Opened::new(());
        if self.settings.has_modes {
            let modes = [SessionMode::new("ask", "Ask"), SessionMode::new("do", "Do")];
            opened = opened.modes(SessionModeState::new("ask", modes));
        }
        let options = self.settings.options("ask");
        Ok(if options.is_empty() { opened } else { opened.config_options(options) })
    }

    async fn set_mode(&self, set: SetSessionModeRequest) -> Result<()> {
        self.note(format!("set_mode {}", set.mode_id));
        Ok(())
    }

    async fn set_option(&self, set: SetSessionConfigOptionRequest) -> Result<Vec<SessionConfigOption>> {
        let value = set.value.as_id().unwrap_or("not an id").to_owned();
        self.note(format!("{} {value}", set.config_id));
        Ok(self.settings.options(&value))
    }

    /// Sets the mode back.
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        match self.settings.option {
            Some((_, true)) => turn.config_options(self.settings.options("ask")).await?,
            _ if self.settings.has_modes => turn.current_mode("ask").await?,
            _ => {}
        }
        Ok(StopReason::EndTurn)
    }
}

/// Connects a client of one version with an agent of another one.
async fn connect(
    settings: Settings,
    of_client: ProtocolVersion,
    of_agent: ProtocolVersion,
) -> (acp_client::Agent, Log) {
    let log = Log::default();
    let agent =
        Router::with_sessions("modes", "1", Agent { settings, log: Arc::clone(&log) }, Agent::new_session)
            .on::<op::SetMode, _>(Agent::set_mode)
            .on::<op::SetConfigOption, _>(Agent::set_option)
            .on::<op::Prompt, _>(Agent::prompt);
    let (near, far) = Transport::duplex();
    tokio::spawn(acp_agent::serve(agent, far));
    let transport = if of_client == of_agent { near } else { bridge(of_agent, near) };
    let connect = acp_client::connect(transport).versions([of_client]);
    (connect.await.expect("it answers"), log)
}

fn shown(options: &[SessionConfigOption]) -> String {
    let mut shown = "options".to_owned();
    for option in options {
        let SessionConfigKind::Select(select) = &option.kind else { panic!("{option:?}") };
        shown.push_str(&format!(" {}={}", option.id, select.current_value));
    }
    shown
}

fn event(event: Event) -> Option<String> {
    match event {
        Event::Mode(mode) => Some(format!("mode {}", mode.current_mode_id)),
        Event::Config(update) => Some(shown(&update.config_options)),
        _ => None,
    }
}

/// Lets the client set the mode, then the agent, and returns what there was to see.
async fn play(session: &Session, settings: Settings, log: &Log) -> String {
    let modes = session.modes().map_or_else(
        || "no modes".to_owned(),
        |modes| {
            assert_eq!(modes.current_mode_id.as_str(), "ask");
            let ids: Vec<_> = modes.available_modes.iter().map(|mode| mode.id.to_string()).collect();
            format!("modes {}", ids.join(" "))
        },
    );
    let options = shown(&session.config_options());
    let set = match session.set_mode("do").await {
        Ok(()) => log.lock().expect("is not poisoned").join(", "),
        Err(_) => match settings.option {
            Some((id, true)) => {
                session.set_config_option(id, "do").await.expect("it is set");
                log.lock().expect("is not poisoned").join(", ")
            }
            _ => "refused".to_owned(),
        },
    };
    let mut turn = session.prompt("back").await.expect("it is sent");
    let mut events = Vec::new();
    while let Some(next) = turn.next().await {
        events.extend(event(next));
    }
    turn.finish().await.expect("it ends");
    format!("{modes}; {options}; {set}; {}", events.join(", "))
}

#[tokio::test]
async fn modes_and_options_stand_for_each_other_in_all_pairings() {
    for Row { settings, seen } in ROWS {
        for ((of_client, of_agent), expected) in PAIRINGS.into_iter().zip(seen) {
            let (agent, log) = connect(settings, of_client, of_agent).await;
            let session = agent.new_session("/w").await.expect("it is opened");
            let played = tokio::time::timeout(super::PATIENCE, play(&session, settings, &log));
            let seen =
                played.await.unwrap_or_else(|_| panic!("{settings:?} {of_client:?} {of_agent:?} hangs"));
            assert_eq!(seen, expected, "{settings:?} {of_client:?} {of_agent:?}");
        }
    }
}

/// A mode that there is not is refused before the agent hears of it.
#[tokio::test]
async fn an_unknown_mode_is_refused_in_all_pairings() {
    let settings = ROWS[0].settings;
    for (of_client, of_agent) in PAIRINGS {
        let (agent, log) = connect(settings, of_client, of_agent).await;
        let session = agent.new_session("/w").await.expect("it is opened");
        session.set_mode("fly").await.expect_err("there is none");
        assert!(log.lock().expect("is not poisoned").is_empty(), "{of_client:?} {of_agent:?}");
    }
}
