//! The place where questions are shown.

use std::io;

use acp_client::v1::{RequestPermissionOutcome, RequestPermissionRequest, ToolCall};

/// The weight of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// An important part of a question.
    Question,
    /// Another part of a question.
    Plain,
    /// A remark.
    Quiet,
}

/// The output of a program, where questions appear between other things. The implementation makes
/// text harmless before it shows it: see [`acp_client::sanitize`].
pub trait Screen {
    /// Shows the news of a permission request about its tool call. Returns the call with everything
    /// that is known of it, because the request may have only its id.
    ///
    /// # Errors
    /// Fails if nothing can be written.
    fn call(&mut self, request: &RequestPermissionRequest) -> io::Result<ToolCall>;

    /// Shows one line.
    ///
    /// # Errors
    /// Fails if nothing can be written.
    fn line(&mut self, tone: Tone, text: &str) -> io::Result<()>;

    /// Shows this text and leaves the cursor behind it.
    ///
    /// # Errors
    /// Fails if nothing can be written.
    fn ask(&mut self, text: &str) -> io::Result<()>;

    /// Tells the screen that the user has ended the line behind that text.
    fn answered(&mut self) {}

    /// Tells the screen how a permission request was answered. A [line](Self::line) for the user
    /// says that, too.
    ///
    /// # Errors
    /// Fails if nothing can be written.
    fn decided(
        &mut self,
        _request: &RequestPermissionRequest,
        _outcome: &RequestPermissionOutcome,
    ) -> io::Result<()> {
        Ok(())
    }
}
