//! The state of the program, and the effect of messages on it.

use std::collections::VecDeque;

use acp_client::v1::{
    ConfigOptionUpdate, CurrentModeUpdate, RequestPermissionRequest, SessionConfigId, SessionConfigOption,
    SessionConfigValue, SessionMode, SessionModeId, StopReason,
};
use acp_client::{Change, Event, PermissionAnswer, Session, Transcript};
use ratatui::crossterm::event::{Event as TerminalEvent, KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Rect, Size};
use tui_input::backend::crossterm::EventHandler as _;
use tui_input::{Input, InputRequest};

use super::conversation::Conversation;
use super::menu::Menu;
use super::view;

/// A message: something that happened.
#[derive(Debug)]
pub enum Message {
    /// A key was pressed.
    Key(KeyEvent),
    /// Text was pasted.
    Pasted(String),
    /// The terminal has changed its size.
    Resized(Size),
    /// The agent has opened the session.
    Opened(Session),
    /// The agent could not be started, or opened no session.
    NotOpened(String),
    /// The agent reported something.
    Event(Event),
    /// The agent asks for permission. The number identifies the question.
    Asked(u64, Box<RequestPermissionRequest>),
    /// Nobody waits for the answer to this question any more.
    Withdrawn(u64),
    /// The turn is over.
    TurnEnded(Result<StopReason, String>),
    /// The mode has been set.
    ModeSet(SessionModeId),
    /// A config option has been set, and these are all of them.
    OptionsSet(Vec<SessionConfigOption>),
    /// Something failed.
    Failed(String),
    /// The connection is over.
    Closed(String),
}

/// An effect: something to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Begin a turn.
    Prompt(String),
    /// Cancel the turn.
    Cancel,
    /// Answer a question.
    Answer {
        /// The question's number.
        number: u64,
        /// The answer.
        choice: PermissionAnswer,
    },
    /// Switch to a mode.
    SetMode(SessionModeId),
    /// Set a config option.
    SetOption(SessionConfigId, SessionConfigValue),
    /// End the program.
    Quit,
    /// End the program with this error.
    GiveUp(String),
}

/// The state of the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It is starting, or opens the session.
    Opening,
    /// It waits for a prompt.
    Idle,
    /// It is at work.
    Running,
    /// It was asked to stop.
    Cancelling,
    /// It is gone.
    Closed,
}

/// Everything that is shown.
#[derive(Debug)]
pub struct App {
    /// The agent's name.
    pub agent: String,
    /// The modes of the session.
    pub modes: Vec<SessionMode>,
    /// The transcript of the session.
    pub transcript: Transcript,
    /// The transcript as lines.
    pub conversation: Conversation,
    /// The input line.
    pub input: Input,
    /// The state of the agent.
    pub phase: Phase,
    /// A remark about it, until the next turn.
    pub notice: Option<String>,
    /// Permission requests without an answer, oldest first, each as the user sees it.
    pub questions: VecDeque<Question>,
    /// The settings, when they are open.
    pub settings: Option<Menu>,
    /// The size of the terminal.
    pub size: Size,
}

/// A permission request.
#[derive(Debug)]
pub struct Question {
    /// Its number.
    pub number: u64,
    /// The question.
    pub request: RequestPermissionRequest,
    /// The answers.
    pub menu: Menu,
    /// True once it was on the screen. Earlier keys are not meant for it.
    pub is_shown: bool,
}

impl App {
    /// Makes the first screen of a session.
    #[must_use]
    pub fn new(
        agent: impl Into<String>,
        modes: Vec<SessionMode>,
        transcript: Transcript,
        size: Size,
    ) -> Self {
        let mut app = Self {
            agent: agent.into(),
            modes,
            transcript,
            conversation: Conversation::default(),
            input: Input::default(),
            phase: Phase::Idle,
            notice: None,
            questions: VecDeque::new(),
            settings: None,
            size,
        };
        app.resize(size);
        app
    }

    /// Takes in a message, and returns the effects.
    pub fn update(&mut self, message: Message) -> Option<Effect> {
        match message {
            Message::Key(key) => return self.press(key),
            Message::Pasted(text) => self.paste(&text),
            Message::Resized(size) => self.resize(size),
            Message::Opened(session) => self.open(&session),
            Message::NotOpened(problem) => return Some(Effect::GiveUp(problem)),
            Message::Event(event) => self.fold(event),
            Message::Asked(number, request) => self.ask(number, *request),
            Message::Withdrawn(number) => self.questions.retain(|question| question.number != number),
            Message::TurnEnded(outcome) => self.end_turn(outcome),
            Message::ModeSet(mode) => self.fold(Event::Mode(CurrentModeUpdate::new(mode))),
            Message::OptionsSet(options) => self.fold(Event::Config(ConfigOptionUpdate::new(options))),
            Message::Failed(problem) => self.notice = Some(problem),
            Message::Closed(reason) => {
                self.phase = Phase::Closed;
                self.questions.clear();
                self.notice = Some(format!("The agent is gone: {reason}"));
            }
        }
        None
    }

    /// Notes that the screen shows all of this now. Returns true if the current question is new on
    /// it.
    pub fn shown(&mut self) -> bool {
        let question = self.questions.front_mut();
        question.is_some_and(|question| !std::mem::replace(&mut question.is_shown, true))
    }

    fn open(&mut self, session: &Session) {
        let info = session.agent().info();
        info.map_or("agent", |info| info.title.as_deref().unwrap_or(&info.name)).clone_into(&mut self.agent);
        self.modes = session.modes().map(|modes| modes.available_modes.clone()).unwrap_or_default();
        self.transcript.fold_session(session);
        self.phase = Phase::Idle;
    }

    fn press(&mut self, key: KeyEvent) -> Option<Effect> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let page = self.page();
        match key.code {
            KeyCode::Char('c') if control => return self.interrupt(),
            KeyCode::Char('d') if control && self.input.value().is_empty() => return Some(Effect::Quit),
            KeyCode::PageUp => self.conversation.scroll(true, page, page),
            KeyCode::PageDown => self.conversation.scroll(false, page, page),
            _ if !self.questions.is_empty() => return self.press_in_question(key),
            _ if self.settings.is_some() => return self.press_in_settings(key),
            KeyCode::Up => self.conversation.scroll(true, 1, page),
            KeyCode::Down => self.conversation.scroll(false, 1, page),
            KeyCode::Esc if self.phase == Phase::Running => return self.interrupt(),
            KeyCode::Tab => self.open_settings(),
            KeyCode::Enter => return self.submit(),
            _ => {
                self.input.handle_event(&TerminalEvent::Key(key));
            }
        }
        None
    }

    fn press_in_question(&mut self, key: KeyEvent) -> Option<Effect> {
        let question = self.questions.front_mut().filter(|question| question.is_shown)?;
        match key.code {
            KeyCode::Up => question.menu.step(false),
            KeyCode::Down => question.menu.step(true),
            // The connection answers the open questions of a cancelled turn.
            KeyCode::Esc if self.phase == Phase::Running => return self.interrupt(),
            KeyCode::Esc => {
                let number = question.number;
                self.questions.pop_front();
                return Some(Effect::Answer { number, choice: PermissionAnswer::Cancelled });
            }
            KeyCode::Enter => {
                let effect = question.menu.choose();
                self.questions.pop_front();
                return effect;
            }
            _ => {}
        }
        None
    }

    fn press_in_settings(&mut self, key: KeyEvent) -> Option<Effect> {
        let menu = self.settings.as_mut()?;
        match key.code {
            KeyCode::Up => menu.step(false),
            KeyCode::Down => menu.step(true),
            KeyCode::Enter => return self.settings.take()?.choose(),
            KeyCode::Esc | KeyCode::Tab => self.settings = None,
            _ => {}
        }
        None
    }

    /// Cancels the turn. Without a turn, or when the agent does not stop, it ends the program.
    fn interrupt(&mut self) -> Option<Effect> {
        if self.phase != Phase::Running {
            return Some(Effect::Quit);
        }
        self.phase = Phase::Cancelling;
        for change in self.transcript.cancel_tool_calls() {
            self.show(change);
        }
        Some(Effect::Cancel)
    }

    fn submit(&mut self) -> Option<Effect> {
        if self.phase != Phase::Idle || self.input.value().trim().is_empty() {
            return None;
        }
        let text = self.input.value_and_reset();
        let change = self.transcript.prompt(text.as_str());
        self.conversation.follow();
        self.show(change);
        self.phase = Phase::Running;
        self.notice = None;
        Some(Effect::Prompt(text))
    }

    fn paste(&mut self, text: &str) {
        // Several lines become one, because Enter sends.
        for c in text.replace("\r\n", " ").chars() {
            self.input.handle(InputRequest::InsertChar(if c.is_control() { ' ' } else { c }));
        }
    }

    fn ask(&mut self, number: u64, request: RequestPermissionRequest) {
        // Some agents ask about calls that they have not reported, and the user should see the
        // change.
        let change = self.transcript.fold_permission(&request);
        self.show(change);
        let menu = Menu::permission(number, &request);
        self.questions.push_back(Question { number, request, menu, is_shown: false });
    }

    fn end_turn(&mut self, outcome: Result<StopReason, String>) {
        if self.phase != Phase::Closed {
            self.phase = Phase::Idle;
        }
        match outcome {
            Ok(StopReason::EndTurn) => {}
            Ok(reason) => {
                self.notice = Some(format!("The turn ended: {}", reason.as_str().replace('_', " ")))
            }
            Err(problem) => self.notice = Some(problem),
        }
    }

    fn fold(&mut self, event: Event) {
        let change = self.transcript.fold(event);
        if change == Change::Notice {
            self.notice = self.transcript.notices().next_back().map(|notice| notice.title.clone());
        }
        self.show(change);
    }

    fn show(&mut self, change: Change) {
        self.conversation.apply(&self.transcript, change);
        if let (Change::Mode | Change::Config, Some(open)) = (change, &self.settings) {
            let selected = open.selected;
            self.open_settings();
            if let Some(menu) = &mut self.settings {
                menu.selected = selected.min(menu.items.len() - 1);
            }
        }
    }

    fn open_settings(&mut self) {
        let (mode, options) = (self.transcript.mode(), self.transcript.config_options());
        self.settings = Menu::settings(&self.modes, mode, options);
    }

    fn resize(&mut self, size: Size) {
        self.size = size;
        self.conversation.resize(&self.transcript, usize::from(size.width));
    }

    /// Returns the height of the conversation on the screen.
    fn page(&self) -> usize {
        let areas = view::areas(self, Rect::from((ratatui::layout::Position::ORIGIN, self.size)));
        usize::from(areas.conversation.height)
    }
}
