//! Where questions are shown.

use std::io;

use acp_client::v1::{RequestPermissionRequest, ToolCall};

/// How a line is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// A part of a question that nobody should miss.
    Question,
    /// Everything else that belongs to a question.
    Plain,
    /// Something said in passing.
    Quiet,
}

/// What shows questions, among the other things that it shows. Whoever implements it makes text harmless on the way:
/// see [`acp_client::sanitize`].
pub trait Screen {
    /// Shows what a permission request says of its tool call, as far as that is new. Returns the call with all that is
    /// known of it: the request alone may have only its id.
    ///
    /// # Errors
    /// It cannot be written.
    fn call(&mut self, request: &RequestPermissionRequest) -> io::Result<ToolCall>;

    /// Shows one line.
    ///
    /// # Errors
    /// It cannot be written.
    fn line(&mut self, tone: Tone, text: &str) -> io::Result<()>;

    /// Leaves the cursor behind this text.
    ///
    /// # Errors
    /// It cannot be written.
    fn ask(&mut self, text: &str) -> io::Result<()>;

    /// The user has ended the line behind that text.
    fn answered(&mut self) {}
}
