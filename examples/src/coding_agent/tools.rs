//! Actions, carried out in view of the user.
//!
//! A failed action is an [`Outcome`], because the planner may find another way. Only the end of the
//! turn or of the connection is an error.

use std::path::{Path, PathBuf};

use acp_agent::types::{PlanEntry, PlanEntryPriority, PlanEntryStatus, ToolCall, ToolCallLocation, ToolKind};
use acp_agent::{Error, Mcp, Result, Turn};

use super::chat::Chat;
use super::edit::Change;
use super::planner::{Action, Item, Outcome, Status, clipped};
use super::search::Matches;
use super::workspace::Listing;

/// The most text that a tool call shows, in bytes.
const MAX_SHOWN: usize = 16 * 1024;

/// The actions of the agent in one turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tools<'a> {
    pub(super) turn: &'a Turn,
    pub(super) chat: &'a Chat,
    pub(super) mcp: &'a Mcp,
}

impl<'a> Tools<'a> {
    pub(super) const fn new(turn: &'a Turn, chat: &'a Chat, mcp: &'a Mcp) -> Self {
        Tools { turn, chat, mcp }
    }

    /// Carries out one action.
    ///
    /// # Errors
    /// Fails if the turn was cancelled or the client is gone.
    pub(super) async fn carry_out(&self, action: &Action) -> Result<Outcome> {
        match action {
            Action::UpdatePlan { plan } => {
                self.turn.plan(plan).await?;
                Ok(Outcome::Planned)
            }
            Action::ListFiles {} => {
                let call = self.call("List files", ToolKind::Search, action);
                self.report(call, self.list()).await
            }
            Action::SearchFiles { query } => {
                let call = self.call(format!("Find `{query}`"), ToolKind::Search, action);
                self.report(call, self.search(query)).await
            }
            Action::ReadFile { path } => {
                let call = self.call(format!("Read {path}"), ToolKind::Read, action);
                self.read(call, path).await
            }
            Action::WriteFile { path, content } => {
                let call = self.call(format!("Write {path}"), ToolKind::Edit, action);
                self.change(call, path, Change::Write { content }).await
            }
            Action::EditFile { path, old_string, new_string, replace_all } => {
                let call = self.call(format!("Edit {path}"), ToolKind::Edit, action);
                let change = Change::Replace { old: old_string, new: new_string, everywhere: *replace_all };
                self.change(call, path, change).await
            }
            Action::RunCommand { program, args } => {
                let line: Vec<_> = std::iter::once(program).chain(args).map(String::as_str).collect();
                let call = self.call(format!("Run {}", line.join(" ")), ToolKind::Execute, action);
                self.run(call, program, args).await
            }
            Action::CallTool { name, arguments } => self.call_tool(action, name, arguments).await,
            Action::Misunderstood { name, problem } => {
                self.refuse(self.call(name, ToolKind::Other, action), problem).await
            }
        }
    }

    async fn read(&self, call: ToolCall, path: &str) -> Result<Outcome> {
        let path = match self.chat.workspace().resolve(path) {
            Ok(path) => path,
            Err(problem) => return self.refuse(call, &problem).await,
        };
        let call = call.locations([location(&path)]);
        self.report(call, async { Ok(Outcome::Text(self.turn.workspace().read_text(&path).await?)) }).await
    }

    async fn list(&self) -> Result<Outcome> {
        let Listing { files, complete } = self.listing().await?;
        let paths = files.iter().map(|file| file.display().to_string()).collect();
        Ok(Outcome::Files { paths, complete })
    }

    /// Searches file by file in the workspace: a client knows the unsaved text in its editors.
    async fn search(&self, query: &str) -> Result<Outcome> {
        let files = self.turn.workspace();
        let listing = self.listing().await?;
        let mut matches = Matches { complete: listing.complete, ..Matches::none() };
        for file in listing.files {
            let name = file.display().to_string();
            let path = self.chat.workspace().resolve(&name).map_err(Error::from)?;
            match files.read_text(path).await {
                Ok(text) => matches.search(query, &name, &text),
                Err(error) if ends_turn(&error) => return Err(error),
                // A file that cannot be read does not spoil the search.
                Err(_) => matches.unread += 1,
            }
        }
        Ok(Outcome::Found(matches))
    }

    /// Returns the text files of the session's folder. They are looked up on a thread that may
    /// block.
    async fn listing(&self) -> Result<Listing> {
        let workspace = self.chat.workspace().clone();
        let listing = tokio::task::spawn_blocking(move || workspace.list()).await.map_err(Error::other)?;
        listing.map_err(|error| Error::from(format!("the session's folder cannot be listed: {error}")))
    }

    /// Makes the report of an action, to be sent later.
    pub(super) fn call(&self, title: impl Into<String>, kind: ToolKind, action: &Action) -> ToolCall {
        let (name, arguments) = action.function();
        let mut call = ToolCall::new(self.chat.next_tool_call(), title).kind(kind).name(name);
        call.raw_input = arguments;
        call
    }

    /// Does `work` as the tool call `call`, and shows its result and its places.
    async fn report(&self, call: ToolCall, work: impl Future<Output = Result<Outcome>>) -> Result<Outcome> {
        let mut tool = self.turn.start_tool(call).await?;
        match work.await {
            Ok(outcome) => {
                if let Outcome::Found(matches) = &outcome {
                    tool.locations(self.locations(matches)).await?;
                }
                tool.progress(clipped(&outcome.to_string(), MAX_SHOWN)).await?;
                tool.complete().await?;
                Ok(outcome)
            }
            Err(error) if ends_turn(&error) => Err(error),
            Err(error) => {
                let reason = error.to_string();
                tool.fail(&reason).await?;
                Ok(Outcome::Failed(reason))
            }
        }
    }

    fn locations(&self, matches: &Matches) -> Vec<ToolCallLocation> {
        let places = matches.places.iter();
        let locations = places.filter_map(|place| {
            let path: PathBuf = self.chat.workspace().resolve(&place.path).ok()?;
            Some(location(&path).line(place.line))
        });
        locations.collect()
    }
}

/// Makes the location of a tool call in a file.
pub(super) fn location(path: &Path) -> ToolCallLocation {
    ToolCallLocation::new(path.display().to_string())
}

/// Returns true if an error is about the turn or the connection, and not about the action.
pub(super) fn ends_turn(error: &Error) -> bool {
    matches!(error, Error::Cancelled | Error::TurnOver)
}

impl From<&Item> for PlanEntry {
    fn from(item: &Item) -> Self {
        let status = match item.status {
            Status::Pending => PlanEntryStatus::Pending,
            Status::InProgress => PlanEntryStatus::InProgress,
            Status::Completed => PlanEntryStatus::Completed,
        };
        PlanEntry::new(item.step.as_str(), PlanEntryPriority::Medium, status)
    }
}
