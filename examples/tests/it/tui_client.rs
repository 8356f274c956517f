//! The TUI client: its screens, as scripts of keys and events, and the whole client with an agent
//! in memory.
//!
//! `UPDATE_SCREENS=1 cargo test -p examples --all-features --test it tui_client` writes the screens
//! anew. Read the diff.

#![allow(clippy::panic, reason = "a script with a mistake ends its test")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use acp_agent::types::{
    SessionConfigOption, SessionConfigSelect, SessionConfigSelectOption, SessionMode, SessionModeState,
};
use acp_agent::{Opened, Result, StopReason as AgentStopReason, ToolCall, Transport, Turn, agent};
use acp_client::v1::{SessionUpdate, StopReason};
use acp_client::{Event, LocalFs, Transcript};
use examples::coding_agent::agent::CodingAgent;
use examples::coding_agent::embedded::Embedded;
use examples::tui_client::app::{App, Message};
use examples::tui_client::connection::Connection;
use examples::tui_client::view;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Size;

/// A guard against hanging: an agent that is silent for this long fails the test.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

/// The status line of an agent that waits for a prompt.
const IDLE: &str = "Enter sends";

/// Returns the text on the screen, without spaces at the ends of lines.
fn screen(app: &App) -> String {
    let backend = TestBackend::new(app.size.width, app.size.height);
    let mut terminal = Terminal::new(backend).expect("a terminal");
    terminal.draw(|frame| view::draw(app, frame)).expect("it draws");
    let buffer = terminal.backend().buffer();
    let mut text = String::new();
    for row in buffer.content.chunks(usize::from(buffer.area.width)) {
        let mut line = String::new();
        // The cell behind a wide character is not shown.
        let mut hidden = 0;
        for cell in row {
            if hidden == 0 {
                line.push_str(cell.symbol());
                hidden = ratatui::text::Span::raw(cell.symbol()).width();
            }
            hidden = hidden.saturating_sub(1);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Does one step of a script, and returns its effects.
fn step(app: &mut App, line: &str) -> String {
    let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
    let mut effects = Vec::new();
    // A frame has been drawn since the last step, unless the key is an early one.
    if verb != "early" {
        app.shown();
    }
    let mut send = |message| effects.extend(app.update(message));
    match verb {
        "size" => send(Message::Resized(read_size(rest))),
        "type" => rest.chars().for_each(|c| send(Message::Key(KeyEvent::from(KeyCode::Char(c))))),
        "press" | "early" => send(Message::Key(key(rest))),
        "update" => {
            let update: SessionUpdate = serde_json::from_str(rest).expect("an update");
            send(Message::Event(Event::from(update)));
        }
        "ask" => {
            let number = 1 + app.questions.back().map_or(0, |question| question.number);
            let request = serde_json::from_str(rest).expect("a permission request");
            effects.extend(app.update(Message::Asked(number, Box::new(request))));
        }
        "withdraw" => send(Message::Withdrawn(rest.parse().expect("a number"))),
        "end" => send(Message::TurnEnded(Ok(StopReason::from(rest)))),
        "mode" => send(Message::ModeSet(rest.into())),
        "failed" => send(Message::Failed(rest.to_owned())),
        "closed" => send(Message::Closed(rest.to_owned())),
        "modes" => {
            let modes = rest.split(", ").filter_map(|mode| mode.split_once('='));
            app.modes = modes.map(|(id, name)| SessionMode::new(id, name)).collect();
        }
        "screen" => return screen(app),
        other => panic!("there is no step `{other}`"),
    }
    effects.iter().fold(String::new(), |mut text, effect| {
        writeln!(text, "-> {effect:?}").expect("a string takes it");
        text
    })
}

fn read_size(text: &str) -> Size {
    let (width, height) = text.split_once(' ').expect("two numbers");
    Size::new(width.parse().expect("a width"), height.parse().expect("a height"))
}

fn key(name: &str) -> KeyEvent {
    let code = match name {
        "Enter" => KeyCode::Enter,
        "Esc" => KeyCode::Esc,
        "Tab" => KeyCode::Tab,
        "Up" => KeyCode::Up,
        "Down" => KeyCode::Down,
        "PageUp" => KeyCode::PageUp,
        "PageDown" => KeyCode::PageDown,
        "Ctrl-C" => return KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL),
        other => panic!("there is no key `{other}`"),
    };
    KeyEvent::from(code)
}

/// Returns the script with the current result of each step.
fn play(script: &str) -> String {
    let mut app = App::new("Editor", Vec::new(), Transcript::new(), Size::new(80, 24));
    let mut played = String::new();
    for line in script.lines().filter_map(|line| line.strip_prefix("$ ")) {
        let outcome = step(&mut app, line);
        writeln!(played, "$ {line}\n{outcome}").expect("a string takes it");
        if outcome.is_empty() {
            played.pop();
        }
    }
    played
}

fn scripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/screens");
    let files = std::fs::read_dir(folder).expect("the folder is there");
    files.map(|file| file.expect("a file").path()).collect()
}

#[test]
fn screens_are_as_written_down() {
    let mut failures = String::new();
    for file in scripts() {
        let script = std::fs::read_to_string(&file).expect("it can be read");
        let played = play(&script);
        if std::env::var_os("UPDATE_SCREENS").is_some() {
            std::fs::write(&file, played).expect("it can be written");
        } else if played != script {
            write!(failures, "{} would be:\n{played}", file.display()).expect("a string takes it");
        }
    }
    assert_eq!(failures, "");
}

#[test]
fn the_readme_shows_a_screen_as_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("../README.md")).expect("it can be read");
    let (_, shown) = readme.split_once("<!-- screen -->\n```text\n").expect("a screen");
    let (shown, _) = shown.split_once("```").expect("its end");
    let script = std::fs::read_to_string(root.join("tests/screens/readme.txt")).expect("it can be read");
    let (_, screen) = script.split_once("$ screen\n").expect("a screen");
    assert_eq!(shown.trim_end(), screen.trim_end(), "put the screen of readme.txt into README.md");
}

/// The program without its terminal.
struct Program {
    app: App,
    connection: Connection,
}

impl Program {
    async fn start(agent: impl acp_agent::Agent, folder: &Path) -> Self {
        let (ours, theirs) = Transport::duplex();
        tokio::spawn(acp_agent::serve(agent, ours));
        let files = LocalFs::rooted(folder).expect("a folder");
        Self::opened(acp_client::connect(theirs).fs(files), folder).await
    }

    async fn opened(connect: acp_client::Connect, folder: &Path) -> Self {
        let connection = Connection::open(connect, folder);
        let mut program = Self { app: connection.app(Size::new(76, 24)), connection };
        program.until_shown(IDLE).await;
        program
    }

    fn update(&mut self, message: Message) {
        if let Some(effect) = self.app.update(message) {
            self.connection.perform(effect);
        }
    }

    fn press(&mut self, name: &str) {
        self.app.shown();
        self.update(Message::Key(key(name)));
    }

    fn say(&mut self, text: &str) {
        self.update(Message::Pasted(text.to_owned()));
        self.press("Enter");
    }

    /// Takes in messages of the agent until the screen satisfies this.
    async fn until(&mut self, is_so: impl Fn(&str) -> bool) -> String {
        loop {
            let shown = screen(&self.app);
            if is_so(&shown) {
                return shown;
            }
            let message = tokio::time::timeout(PATIENCE, self.connection.next()).await;
            let message = message.unwrap_or_else(|_| panic!("it stays like this:\n{shown}"));
            self.update(message);
        }
    }

    async fn until_shown(&mut self, text: &str) -> String {
        self.until(|screen| screen.contains(text)).await
    }
}

#[tokio::test]
async fn the_user_decides_what_is_changed() {
    for (keys, text, end) in [
        (["Up", "Up", "Enter"], "milk\ncake\n", "(completed)"),
        (["Up", "Down", "Enter"], "milk\nbread\n", "(failed)"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("notes.txt");
        std::fs::write(&file, "milk\nbread\n").expect("it can be written");
        let mut program = Program::start(CodingAgent::new(Embedded), folder.path()).await;
        program.say("replace `bread` with `cake`");
        let asked = program.until_shown("Permission").await;
        assert!(asked.contains("- bread") && asked.contains("+ cake"), "{asked}");
        keys.into_iter().for_each(|key| program.press(key));
        let done = program.until(|screen| screen.contains(IDLE) || screen.contains("ended")).await;
        assert!(done.contains(end), "{done}");
        assert_eq!(std::fs::read_to_string(&file).expect("it is there"), text, "{done}");
        program.connection.close().await;
    }
}

/// An agent that asks and waits. It has modes and an option.
struct Asking;

#[agent(name = "asking", title = "Asking")]
impl Asking {
    async fn new_session(&self) -> Result<Opened<()>> {
        let modes = [SessionMode::new("ask", "Ask first"), SessionMode::new("write", "Write at once")];
        Ok(Opened::new(()).modes(SessionModeState::new("ask", modes)).config_options([size("small")]))
    }

    async fn set_mode(&self) -> Result<()> {
        Ok(())
    }

    async fn set_config_option(&self) -> Result<Vec<SessionConfigOption>> {
        Ok(vec![size("large")])
    }

    async fn prompt(&self, turn: Turn) -> Result<AgentStopReason> {
        turn.say("Here I am.").await?;
        if turn.text() == "ask" {
            turn.ask(&ToolCall::edit("Change everything")).await?;
        }
        turn.cancelled().await;
        turn.uncancelled().say("Stopped half way.").await?;
        Ok(AgentStopReason::EndTurn)
    }
}

fn size(current: &str) -> SessionConfigOption {
    let choices = ["small", "large"].map(|size| SessionConfigSelectOption::new(size, size));
    SessionConfigOption::new("size", "Size", SessionConfigSelect::new(current, choices.to_vec()))
}

#[tokio::test]
async fn a_key_cancels_the_turn_and_takes_open_questions_away() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut program = Program::start(Asking, folder.path()).await;
    for (prompt, waits) in [("wait", "Here I am."), ("ask", "Permission")] {
        program.say(prompt);
        program.until_shown(waits).await;
        program.press("Esc");
        program.until_shown("Stopping").await;
        let is_over =
            |screen: &str| screen.contains("The turn ended: cancelled") && !screen.contains("Permission");
        program.until(is_over).await;
    }
    program.connection.close().await;
}

#[tokio::test]
async fn mode_and_options_are_switched() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut program = Program::start(Asking, folder.path()).await;
    program.until_shown("Ask first").await;
    ["Tab", "Down", "Enter"].into_iter().for_each(|key| program.press(key));
    program.until_shown("Write at once").await;
    ["Tab", "Down", "Down", "Down", "Enter"].into_iter().for_each(|key| program.press(key));
    program.press("Tab");
    program.until_shown("Size: large *").await;
    program.connection.close().await;
}

#[tokio::test]
async fn an_agent_that_is_gone_is_told_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let (ours, theirs) = Transport::duplex();
    let serving = tokio::spawn(acp_agent::serve(Asking, ours));
    let mut program = Program::opened(acp_client::connect(theirs), folder.path()).await;
    program.say("wait");
    program.until_shown("Here I am.").await;
    serving.abort();
    program.until_shown("The agent is gone").await;
}
