//! The text of the agent's answer, for programs that show nothing else.

use super::{Entry, Transcript};
use crate::event::MessageKind;
use crate::{Error, Event, Turn, TurnResponse};

impl Turn {
    /// Reads the rest of the turn. Returns the text of the agent's answer, and the response with
    /// the stop reason.
    ///
    /// Thoughts, tool calls and content other than text are left out, and so is text that was read
    /// before. The text is kept in memory as a whole.
    ///
    /// ```no_run
    /// # async fn ask(session: acp_client::Session) -> Result<(), acp_client::Error> {
    /// let (text, done) = session.prompt("What changed today?").await?.finish_with_text().await?;
    /// println!("{text} ({})", done.stop_reason);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The errors of [`finish`](Self::finish). The text is lost then.
    pub async fn finish_with_text(mut self) -> Result<(String, TurnResponse), Error> {
        let mut said = Transcript::new();
        while let Some(event) = self.next().await {
            if matches!(event, Event::Message(_) | Event::MessageReplaced { .. }) {
                said.fold(event);
            }
        }
        let response = self.finish().await?;
        let of_agent = |(_, entry): (_, &Entry)| {
            entry
                .as_message()
                .filter(|message| message.kind == MessageKind::Agent)
                .map(|message| message.text())
        };
        Ok((said.entries().filter_map(of_agent).collect(), response))
    }
}
