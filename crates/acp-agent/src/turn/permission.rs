//! Permission for tool calls.

use acp_types::v1::ext::PermissionAnswer;
use acp_types::v1::{
    PermissionOption, RequestPermissionRequest, RequestPermissionResponse, ToolCall, ToolCallUpdate,
};

use crate::ask::permission::{allow_always, allow_once, chosen, reject_always, reject_once};
use crate::ask::question::cancelled_remotely;
use crate::error::{Error, Result};
use crate::turn::Turn;
use crate::updates::decisions::Permissions;
use crate::updates::paths;

impl Turn {
    /// Asks the user whether a tool call may be done: once, always, or not.
    ///
    /// The call may be one that was not reported before. Its relative paths are joined with the
    /// session's working directory. The agent decides what "always" covers, and remembers it;
    /// [`ask_remembered`](Self::ask_remembered) does that.
    ///
    /// # Errors
    /// The errors of [`ask_with`](Self::ask_with). An error is never consent.
    pub async fn ask(&self, call: &ToolCall) -> Result<PermissionAnswer> {
        let options = [allow_once(), allow_always(), reject_once()];
        self.ask_with(call, options).await.map(|chosen| PermissionAnswer::from(&chosen.kind))
    }

    /// Asks the user to choose one of these options for a tool call, and returns the chosen one.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled) when the turn was cancelled, or the client
    /// says that it was, in either way that the protocol has; [`Error::Call`](crate::Error::Call)
    /// when the client fails or chooses an option that was not offered;
    /// [`Error::NoOptions`](crate::Error::NoOptions) for a question without options;
    /// [`Error::Unsupported`](crate::Error::Unsupported) if none of the options is of a kind that
    /// the client's version has. An error is never consent.
    pub async fn ask_with(
        &self,
        call: &ToolCall,
        options: impl IntoIterator<Item = PermissionOption>,
    ) -> Result<PermissionOption> {
        let mut options: Vec<_> = options.into_iter().collect();
        if options.is_empty() {
            return Err(Error::NoOptions);
        }
        self.session_updates().report(self.client().wire().fit_options(&mut options));
        if options.is_empty() {
            return Err(self.client().wire().no_option());
        }
        let mut call = ToolCallUpdate::from(call);
        paths::join_call(&mut call, self.session_updates().cwd());
        let request = RequestPermissionRequest::new(self.session_id(), call, options);
        let answer = self.ask_user(&request).await;
        chosen(self.client(), &request, &answer.map_err(cancelled_remotely)?.outcome)
    }

    /// Asks the user with a request of the agent's own making, and returns the answer unchanged.
    /// The answer may select an option that was not offered.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled) with the turn, and when the client answers
    /// with the error of a cancelled request; [`Error::Call`](crate::Error::Call) when the client
    /// fails; [`Error::NoOptions`](crate::Error::NoOptions) for a question without options.
    pub async fn request_permission(
        &self,
        request: &RequestPermissionRequest,
    ) -> Result<RequestPermissionResponse> {
        if request.options.is_empty() {
            return Err(Error::NoOptions);
        }
        self.ask_user(request).await.map_err(cancelled_remotely)
    }

    /// Asks the user whether a tool call may be done, unless the session remembers the answer. An
    /// answer for always is kept under `key`, which stands for all calls like this one.
    ///
    /// ```
    /// # use acp_agent::{Result, Turn, types::ToolCall};
    /// # async fn edit(turn: Turn) -> Result<()> {
    /// let call = ToolCall::edit("Edit notes.txt");
    /// if turn.ask_remembered("edit", &call).await?.is_allowed() {
    ///     // … the work …
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The errors of [`ask_with`](Self::ask_with). An error is never consent.
    pub async fn ask_remembered(&self, key: impl Into<String>, call: &ToolCall) -> Result<PermissionAnswer> {
        self.permissions().ask(self, key, call).await
    }

    /// Returns the decisions that the user has made for good in this session.
    #[must_use]
    pub fn permissions(&self) -> &Permissions {
        self.session_updates().permissions()
    }
}

impl Permissions {
    /// Returns the decision for `key` if one is remembered. Otherwise asks the user, who can allow
    /// or reject once or always, and remembers an answer for always.
    ///
    /// # Errors
    /// The errors of [`Turn::ask_with`]. An error is never consent, and is not remembered.
    pub async fn ask(
        &self,
        turn: &Turn,
        key: impl Into<String>,
        call: &ToolCall,
    ) -> Result<PermissionAnswer> {
        let key = key.into();
        if let Some(decision) = self.remembered(&key) {
            turn.check_open()?;
            return Ok(decision);
        }
        let options = [allow_once(), allow_always(), reject_once(), reject_always()];
        let decision = PermissionAnswer::from(&turn.ask_with(call, options).await?.kind);
        if matches!(decision, PermissionAnswer::AllowAlways | PermissionAnswer::RejectAlways) {
            self.remember(key, decision.is_allowed());
        }
        Ok(decision)
    }
}
