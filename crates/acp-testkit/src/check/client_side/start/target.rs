//! The client under check, and how it is started again.

use std::fmt;
use std::io;

use super::process;
use super::running::Running;
use crate::check::client_side::options::ClientOptions;

type Start = Box<dyn Fn(&str, &ClientOptions) -> io::Result<Running> + Send + Sync>;

/// The client under check. It is started again whenever a scenario needs a new connection.
pub struct ClientTarget {
    start: Start,
    words: Vec<String>,
}

impl ClientTarget {
    /// Checks a program. These placeholders stand in its words:
    ///
    /// * `{agent}`, which must be there, is the command of the agent. A word that is nothing else
    ///   becomes several words. Within another word it is written as for a shell.
    /// * `{prompt}` is the text of the prompt.
    ///
    /// `agent` is a command that runs [`agent_side`](super::super::agent_side) with its last two
    /// words. They are added to it. The program runs in a process group of its own, which is ended
    /// with the connection.
    ///
    /// # Errors
    /// Fails without a program or without `{agent}`.
    pub fn command(words: Vec<String>, agent: Vec<String>) -> Result<Self, &'static str> {
        if words.is_empty() {
            return Err("the command of the client is missing");
        }
        if !words.iter().any(|word| word.contains("{agent}")) {
            return Err("the command has no `{agent}`: the client does not know what to start");
        }
        let shown = words.clone();
        let start =
            move |prompt: &str, options: &ClientOptions| process::start(&words, &agent, prompt, options);
        Ok(Self { start: Box::new(start), words: shown })
    }

    /// Checks a client that this function starts, each time anew, with the text of a prompt.
    pub fn new(start: impl Fn(&str) -> io::Result<Running> + Send + Sync + 'static) -> Self {
        Self { start: Box::new(move |prompt, _| start(prompt)), words: Vec::new() }
    }

    pub(in crate::check::client_side) fn start(
        &self,
        prompt: &str,
        options: &ClientOptions,
    ) -> io::Result<Running> {
        (self.start)(prompt, options)
    }

    /// Returns the words of the command, none for a function.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.words
    }
}

impl fmt::Debug for ClientTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientTarget").field("words", &self.words).finish_non_exhaustive()
    }
}
