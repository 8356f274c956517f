//! The facts about a session that a chat shows and completes.

use acp_client::sanitize::label;
use acp_client::v1::{
    SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory, SessionModeId, UsageUpdate,
};
use acp_client::{Event, Session};

use crate::commands::chat::input::words::SharedWords;

/// The longest name of a mode in the prompt, in characters.
const MODE: usize = 24;

/// The facts, as the events tell them.
#[derive(Default)]
pub(super) struct Known {
    pub(super) words: SharedWords,
    /// The mode that `session/set_mode` sets.
    pub(super) mode: Option<SessionModeId>,
    /// The last report about the context, and true if it has changed since it was shown.
    pub(super) usage: Option<UsageUpdate>,
    pub(super) is_usage_new: bool,
}

impl Known {
    /// Goes on with another session, and with the facts that its replay has told.
    pub(super) fn open(&mut self, session: &Session, replayed: Self) {
        let modes = session.modes().map(|modes| modes.current_mode_id.clone());
        self.mode = modes.or(replayed.mode);
        self.usage = replayed.usage;
        self.is_usage_new = false;
        self.words.lock().commands = std::mem::take(&mut replayed.words.lock().commands);
        self.learn(session);
    }

    /// Takes in an event.
    pub(super) fn note(&mut self, event: &Event) {
        match event {
            Event::Commands(update) => {
                let commands = update.available_commands.iter();
                let named = commands.map(|command| (command.name.clone(), command.description.clone()));
                self.words.lock().commands = named.collect();
            }
            Event::Mode(update) => self.mode = Some(update.current_mode_id.clone()),
            Event::Usage(usage) => {
                self.is_usage_new |= self.usage.as_ref() != Some(&**usage);
                self.usage = Some((**usage).clone());
            }
            _ => {}
        }
    }

    /// Takes in the modes and options of the session, for completion.
    pub(super) fn learn(&self, session: &Session) {
        let options = session.config_options();
        let mut words = self.words.lock();
        words.modes = modes(session).into_iter().map(|(id, _)| id).collect();
        words.options =
            options.iter().map(|option| (option.id.as_str().to_owned(), values(option))).collect();
    }

    /// Returns the id of the current mode.
    pub(super) fn current_mode(&self, session: &Session) -> Option<String> {
        let options = session.config_options();
        let of_option = options.iter().find(|option| is_modes(option)).and_then(current);
        of_option.or_else(|| self.mode.as_ref().map(|mode| mode.as_str().to_owned()))
    }

    /// Returns the text before the line that is typed.
    pub(super) fn prompt(&self, session: &Session) -> String {
        let mode = self.current_mode(session).map(|mode| label(&mode, MODE));
        mode.filter(|mode| !mode.is_empty()).map_or("> ".to_owned(), |mode| format!("{mode} > "))
    }
}

/// Returns the ids of the modes and their names.
pub(super) fn modes(session: &Session) -> Vec<(String, String)> {
    let options = session.config_options();
    if let Some(SessionConfigKind::Select(select)) =
        options.iter().find(|option| is_modes(option)).map(|option| &option.kind)
    {
        return select
            .values()
            .map(|choice| (choice.value.as_str().to_owned(), choice.name.clone()))
            .collect();
    }
    let modes = session.modes().map(|modes| modes.available_modes.as_slice()).unwrap_or_default();
    modes.iter().map(|mode| (mode.id.as_str().to_owned(), mode.name.clone())).collect()
}

fn is_modes(option: &SessionConfigOption) -> bool {
    option.category == Some(SessionConfigOptionCategory::Mode)
        && matches!(option.kind, SessionConfigKind::Select(_))
}

/// Returns the current value of an option, as `/config` takes it.
pub(super) fn current(option: &SessionConfigOption) -> Option<String> {
    match &option.kind {
        SessionConfigKind::Boolean(boolean) => Some(boolean.current_value.to_string()),
        SessionConfigKind::Select(select) => Some(select.current_value.as_str().to_owned()),
        _ => None,
    }
}

/// Returns the values that an option can have.
pub(super) fn values(option: &SessionConfigOption) -> Vec<String> {
    match &option.kind {
        SessionConfigKind::Boolean(_) => vec!["true".to_owned(), "false".to_owned()],
        SessionConfigKind::Select(select) => {
            select.values().map(|choice| choice.value.as_str().to_owned()).collect()
        }
        _ => Vec::new(),
    }
}
