//! Tool calls: the agent's work in a turn, as the client shows it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use acp_types::Value;
use acp_types::v1::{
    Content, ContentBlock, Diff, SessionUpdate, ToolCall, ToolCallContent, ToolCallId, ToolCallLocation,
    ToolCallStatus, ToolCallUpdate, ToolKind,
};

use crate::error::{Error, Result};
use crate::turn::Turn;
use crate::turn::terminal::Terminal;
use crate::updates::cancellable::{Cancellable, Offered};
use crate::wire::entity::Entity;

impl Turn {
    /// Does `work` as a tool call: reports it as in progress, awaits it, and reports it as
    /// completed or failed. Returns the result of `work`.
    ///
    /// If the turn is cancelled meanwhile, `work` is dropped and the call is reported as failed.
    ///
    /// # Errors
    /// The error of `work`; the errors of [`update`](Self::update).
    pub async fn tool<T, E: Into<Error>>(
        &self,
        call: impl Into<ToolCall>,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T> {
        let tool = self.start_tool(call).await?;
        let result = self.heeding(async { work.await.map_err(Into::into) }).await;
        match &result {
            Ok(_) => tool.complete().await?,
            // Dropped, the call is reported as failed. There is nothing to say about why.
            Err(Error::Cancelled | Error::TurnOver) => drop(tool),
            // The error of the work says more than an error of the report would.
            Err(error) => drop(tool.fail(error.to_string()).await),
        }
        result
    }

    /// Starts a tool call that is reported step by step. It is in progress until it is completed or
    /// failed. Dropped before that, it is reported as failed.
    ///
    /// # Errors
    /// The errors of [`update`](Self::update).
    pub async fn start_tool(&self, call: impl Into<ToolCall>) -> Result<RunningTool> {
        self.report_tool(call.into().status(ToolCallStatus::InProgress)).await
    }

    /// Reports a tool call that has not begun, so that the user sees the subject of a question. It
    /// is pending until [`start`](RunningTool::start). Dropped before it is completed or failed, it
    /// is reported as failed.
    ///
    /// ```
    /// # use acp_agent::{PermissionAnswer, Result, Turn, types::ToolCall};
    /// # async fn edit(turn: Turn) -> Result<()> {
    /// let call = ToolCall::edit("Edit notes.txt");
    /// let tool = turn.announce_tool(call.clone()).await?;
    /// if turn.ask(&call).await? == PermissionAnswer::RejectOnce {
    ///     return tool.fail("The user has rejected this change.").await;
    /// }
    /// tool.start().await?;
    /// // … the work …
    /// tool.complete().await
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of [`update`](Self::update).
    pub async fn announce_tool(&self, call: impl Into<ToolCall>) -> Result<RunningTool> {
        self.report_tool(call.into().status(ToolCallStatus::Pending)).await
    }

    async fn report_tool(&self, call: ToolCall) -> Result<RunningTool> {
        let (id, content) = (call.tool_call_id.clone(), call.content.clone());
        self.update(SessionUpdate::ToolCall(Box::new(call))).await?;
        Ok(RunningTool {
            turn: self.clone(),
            id,
            content,
            has_content: AtomicBool::new(true),
            offered: Offered::default(),
            open: true,
        })
    }
}

/// A tool call that is pending or in progress.
///
/// Its content is a list that grows. Version 1 of the protocol replaces lists as a whole, so each
/// report sends all of the list. Version 2 sends the new item.
#[must_use = "the drop of a tool call reports it as failed"]
pub struct RunningTool {
    turn: Turn,
    id: ToolCallId,
    content: Vec<ToolCallContent>,
    /// True while the client has this content and no other.
    has_content: AtomicBool,
    offered: Offered,
    /// Set until the call is completed or failed.
    open: bool,
}

impl RunningTool {
    /// Returns the call's id.
    #[must_use]
    pub const fn id(&self) -> &ToolCallId {
        &self.id
    }

    /// Returns the turn that the call is part of.
    #[must_use]
    pub const fn turn(&self) -> &Turn {
        &self.turn
    }

    /// Shows content in the call until the next report of content.
    #[cfg(any(feature = "mcp", feature = "shell"))]
    pub(crate) async fn show(&self, content: Content) -> Result<()> {
        let content: Vec<_> = self.content.iter().cloned().chain([content.into()]).collect();
        self.update(ToolCallUpdate::new(&self.id).content(content)).await
    }

    /// Reports content for good, even if the turn was cancelled meanwhile.
    #[cfg(feature = "shell")]
    pub(crate) async fn last_content(&mut self, content: impl Into<ToolCallContent>) -> Result<()> {
        let turn = self.turn.without_cancel();
        self.add(&turn, content.into()).await
    }

    /// Reports that the work begins, for a call that was only announced.
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn start(&self) -> Result<()> {
        self.update(ToolCallUpdate::new(&self.id).status(ToolCallStatus::InProgress)).await
    }

    /// Reports that the work waits, for instance because the user wants to look at something first.
    /// [`resume`](Self::resume) goes on. Clients of version 1 go on seeing it in progress.
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn pause(&self) -> Result<()> {
        let status = self.turn.client().wire().paused();
        self.update(ToolCallUpdate::new(&self.id).status(status)).await
    }

    /// Reports that the work goes on after a [`pause`](Self::pause).
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn resume(&self) -> Result<()> {
        self.start().await
    }

    /// Lets the client cancel this call alone, while the turn goes on. In version 1 no client can.
    ///
    /// A call that was cancelled is ended by [`fail`](Self::fail), or dropped: clients of version 2
    /// then show it as cancelled.
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn cancellable(&self) -> Result<Cancellable> {
        let turn = self.turn.clone();
        let send = |update| self.turn.update(update);
        let tell = move |update: &SessionUpdate| turn.update_now(update);
        let wire = self.turn.session_updates().wire();
        self.offered.offer(wire, Entity::ToolCall(self.id.clone()), send, tell).await
    }

    /// Reports a piece of output as text.
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn progress(&mut self, text: impl Into<String>) -> Result<()> {
        self.content(Content::new(ContentBlock::text(text))).await
    }

    /// Reports a change of a file.
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn diff(&mut self, diff: Diff) -> Result<()> {
        self.content(diff).await
    }

    /// Shows a terminal in the call, live. Do this before the terminal is released.
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn terminal(&mut self, terminal: &Terminal) -> Result<()> {
        self.content(terminal).await
    }

    /// Reports a piece of output of any kind.
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn content(&mut self, content: impl Into<ToolCallContent>) -> Result<()> {
        let turn = self.turn.clone();
        self.add(&turn, content.into()).await
    }

    async fn add(&mut self, turn: &Turn, item: ToolCallContent) -> Result<()> {
        let known_items = self.has_content.swap(false, Ordering::Relaxed).then_some(self.content.len());
        self.content.push(item);
        let update = ToolCallUpdate::new(&self.id).content(self.content.clone());
        turn.update_adding_to(known_items, self.of_this_call(update)).await?;
        self.has_content.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Reports the places in files that the call is about, in place of those reported before.
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn locations(&mut self, locations: impl Into<Vec<ToolCallLocation>>) -> Result<()> {
        self.update(ToolCallUpdate::new(&self.id).locations(locations)).await
    }

    /// Gives the call another title.
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn title(&self, title: impl Into<String>) -> Result<()> {
        self.update(ToolCallUpdate::new(&self.id).title(title)).await
    }

    /// Sets the kind of the call, once it is known better.
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn kind(&self, kind: impl Into<ToolKind>) -> Result<()> {
        self.update(ToolCallUpdate::new(&self.id).kind(kind)).await
    }

    /// Reports the raw input of the tool.
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn raw_input(&self, input: impl Into<Value>) -> Result<()> {
        self.update(ToolCallUpdate::new(&self.id).raw_input(input)).await
    }

    /// Reports the raw output of the tool so far.
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn raw_output(&self, output: impl Into<Value>) -> Result<()> {
        self.update(ToolCallUpdate::new(&self.id).raw_output(output)).await
    }

    /// Reports anything else about the call. Its id is filled in.
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn update(&self, update: ToolCallUpdate) -> Result<()> {
        if update.content.is_some() {
            self.has_content.store(false, Ordering::Relaxed);
        }
        self.turn.update(self.of_this_call(update)).await
    }

    /// Reports the call as completed, even if the turn was cancelled meanwhile.
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn complete(self) -> Result<()> {
        let update = ToolCallUpdate::new(&self.id);
        self.finish(update, ToolCallStatus::Completed).await
    }

    /// Reports the call as completed, with the raw output of the tool.
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn complete_with(self, output: impl Into<Value>) -> Result<()> {
        let update = ToolCallUpdate::new(&self.id).raw_output(output);
        self.finish(update, ToolCallStatus::Completed).await
    }

    /// Reports the call as failed, and why, even if the turn was cancelled meanwhile.
    ///
    /// # Errors
    /// The errors of [`Turn::update`].
    pub async fn fail(mut self, reason: impl Into<String>) -> Result<()> {
        self.content.push(Content::new(ContentBlock::text(reason)).into());
        let update = ToolCallUpdate::new(&self.id).content(std::mem::take(&mut self.content));
        self.finish(update, ToolCallStatus::Failed).await
    }

    pub(crate) async fn finish(mut self, update: ToolCallUpdate, status: ToolCallStatus) -> Result<()> {
        self.offered.withdraw();
        let update = self.of_this_call(update.status(status));
        self.turn.without_cancel().update(update).await?;
        self.open = false;
        // The report was sent all the same. Here a cancelled handler learns of its cancellation.
        self.turn.check_open()
    }

    fn of_this_call(&self, mut update: ToolCallUpdate) -> SessionUpdate {
        update.tool_call_id = self.id.clone();
        SessionUpdate::ToolCallUpdate(Box::new(update))
    }
}

impl Drop for RunningTool {
    fn drop(&mut self) {
        if self.open {
            let is_cancelled = self.turn.cancel().has_fired() || self.offered.is_cancelled();
            let status = self.turn.client().wire().unfinished(is_cancelled);
            self.offered.withdraw();
            let update = ToolCallUpdate::new(&self.id).status(status);
            self.turn.update_now(&SessionUpdate::ToolCallUpdate(Box::new(update)));
        }
    }
}

impl fmt::Debug for RunningTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningTool").field("id", &self.id).finish_non_exhaustive()
    }
}
