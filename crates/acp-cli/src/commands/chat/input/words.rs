//! The words that can be completed, and those that fit behind a typed beginning.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use acp_client::sanitize::label;

use crate::commands::chat::command::BUILT_IN;
use crate::commands::chat::input::files::{Files, Fitting};

/// The longest description of a command in a list, in characters.
const DESCRIPTION: usize = 66;

/// Words of the session, as the agent has told them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    /// The agent's commands and their descriptions.
    pub(crate) commands: Vec<(String, String)>,
    pub(crate) modes: Vec<String>,
    /// Config options and their values.
    pub(crate) options: Vec<(String, Vec<String>)>,
    /// The sessions of the last list.
    pub(crate) sessions: Vec<String>,
}

/// The words, known to the program and to its line editor.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedWords(Arc<Mutex<Words>>);

impl SharedWords {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Words> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Words {
    /// Returns the words that fit before the cursor, and the place where their text begins.
    pub(crate) fn fitting(&self, before: &str, files: &Files) -> (usize, Vec<Fitting>) {
        if let Some(at) = mention(before) {
            let typed = before.get(at + 1..).unwrap_or_default();
            return (at, files.fitting(typed));
        }
        if !before.starts_with('/') || before.starts_with("//") {
            return (0, Vec::new());
        }
        match before.split_once(' ') {
            None => (0, self.commands_like(before)),
            Some((command, typed)) => (command.len() + 1, self.arguments_like(command, typed)),
        }
    }

    fn commands_like(&self, typed: &str) -> Vec<Fitting> {
        let own = BUILT_IN.iter().map(|(name, about)| (*name, *about));
        let of_agent = self.commands.iter().map(|(name, about)| (name.as_str(), about.as_str()));
        let is_own = |name: &str| BUILT_IN.iter().any(|(own, _)| *own == name);
        let all = own.chain(of_agent.filter(|(name, _)| !is_own(name) && is_shown(name)));
        let fitting = all.map(|(name, about)| (format!("/{name}"), about));
        fitting
            .filter(|(name, _)| name.starts_with(typed))
            .map(|(name, about)| Fitting {
                shown: format!("{name}  {}", label(about, DESCRIPTION)).trim_end().to_owned(),
                text: format!("{name} "),
            })
            .collect()
    }

    fn arguments_like(&self, command: &str, typed: &str) -> Vec<Fitting> {
        let words: Vec<String> = match command {
            "/mode" => self.modes.clone(),
            "/load" => self.sessions.clone(),
            "/config" => match typed.split_once('=') {
                None => self.options.iter().map(|(name, _)| format!("{name}=")).collect(),
                Some((name, _)) => {
                    let option = self.options.iter().find(|(known, _)| known == name);
                    let values = option.map(|(_, values)| values.as_slice()).unwrap_or_default();
                    values.iter().map(|value| format!("{name}={value}")).collect()
                }
            },
            _ => Vec::new(),
        };
        let fitting = words.into_iter().filter(|word| word.starts_with(typed) && is_shown(word));
        fitting.map(|word| Fitting { shown: word.clone(), text: word }).collect()
    }
}

/// Returns true for a word that the terminal shows as it is.
fn is_shown(word: &str) -> bool {
    !word.is_empty() && label(word, word.chars().count()) == word && !word.contains(char::is_whitespace)
}

/// Returns the place of the `@` of the file name that is being typed.
fn mention(before: &str) -> Option<usize> {
    let at = before.match_indices('@').rev().map(|(at, _)| at).find(|at| {
        before.get(..*at).and_then(|text| text.chars().next_back()).is_none_or(char::is_whitespace)
    })?;
    let typed = before.get(at + 1..)?;
    let is_open = match typed.strip_prefix('"') {
        Some(quoted) => !quoted.contains('"'),
        None => !typed.contains(char::is_whitespace),
    };
    is_open.then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitting(before: &str) -> (usize, Vec<String>) {
        let words = Words {
            commands: vec![
                ("web".to_owned(), "Search\nthe web".to_owned()),
                ("help".to_owned(), "is the chat's".to_owned()),
                ("e\u{1b}vil".to_owned(), String::new()),
            ],
            modes: vec!["ask".to_owned(), "code".to_owned()],
            options: vec![("model".to_owned(), vec!["large".to_owned(), "little".to_owned()])],
            sessions: vec!["s-1".to_owned(), "s\u{202e}2".to_owned()],
        };
        let (at, fitting) = words.fitting(before, &Files::new("/nowhere/at/all".into()));
        (at, fitting.into_iter().map(|fitting| format!("{}|{}", fitting.shown, fitting.text)).collect())
    }

    #[test]
    fn commands_and_their_arguments_are_completed() {
        for (before, at, wants) in [
            ("/w", 0, &["/web  Search the web|/web "][..]),
            ("/he", 0, &["/help  list the commands and keys|/help "]),
            ("/e", 0, &["/exit  end the chat|/exit "]),
            ("//w", 0, &[]),
            ("say /w", 0, &[]),
            ("/mode ", 6, &["ask|ask", "code|code"]),
            ("/mode c", 6, &["code|code"]),
            ("/load s", 6, &["s-1|s-1"]),
            ("/config ", 8, &["model=|model="]),
            ("/config model=li", 8, &["model=little|model=little"]),
            ("/config other=", 8, &[]),
            ("/web a", 5, &[]),
            ("", 0, &[]),
        ] {
            let (place, words) = fitting(before);
            assert_eq!(
                (place, words.as_slice()),
                (at, wants.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>().as_slice()),
                "{before:?}"
            );
        }
    }

    #[test]
    fn a_file_name_begins_with_an_at_sign_at_the_start_of_a_word() {
        for (before, at) in [
            ("@", Some(0)),
            ("see @src/m", Some(4)),
            ("see @\"a b", Some(4)),
            ("see @\"a b\" and", None),
            ("see @a b", None),
            ("me@home", None),
            ("@a @b", Some(3)),
            ("@a me@b", None),
        ] {
            assert_eq!(mention(before), at, "{before:?}");
        }
    }
}
