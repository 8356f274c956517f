//! Prompts that call a slash command.

use acp_types::v1::ContentBlock;

use crate::turn::Turn;

/// A slash command, as a prompt calls it: `/edit notes.txt` has the name `edit` and the input
/// `notes.txt`.
///
/// The prompt's first text block begins with a slash and the name. White space or the end of the
/// block follows. The input is the rest of this block, without the white space around it. Further
/// blocks, such as the resources that the user has attached, are in [`Turn::prompt`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SlashCommand<'a> {
    /// The name, without the slash.
    pub name: &'a str,
    /// The text after the name. It is empty if there is none.
    pub input: &'a str,
}

impl<'a> SlashCommand<'a> {
    /// Reads the command of a prompt, whether the session has such a command or not.
    pub(crate) fn of(prompt: &'a [ContentBlock]) -> Option<Self> {
        let text = prompt.iter().find_map(ContentBlock::as_text)?.strip_prefix('/')?;
        let (name, input) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        Some(SlashCommand { name, input: input.trim() })
    }
}

/// Slash commands.
impl Turn {
    /// Returns the command that the prompt calls; `None` if it calls none that the session has.
    ///
    /// It is for commands without a handler: those that a session is [opened
    /// with](crate::Opened::commands), or that the agent has sent with
    /// [`available_commands`](Self::available_commands).
    ///
    /// ```
    /// # use acp_agent::{Result, StopReason, Turn};
    /// async fn prompt(turn: Turn) -> Result<StopReason> {
    ///     match turn.command() {
    ///         Some(command) if command.name == "review" => turn.say(command.input).await?,
    ///         _ => turn.say("Hello").await?,
    ///     }
    ///     Ok(StopReason::EndTurn)
    /// }
    /// ```
    #[must_use]
    pub fn command(&self) -> Option<SlashCommand<'_>> {
        let command = SlashCommand::of(self.prompt())?;
        self.session_updates().commands().has(command.name).then_some(command)
    }
}
