//! Tool calls of a session's records.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use acp_json::{Node, ReadError};
use acp_types::v1::{
    Diff, SessionUpdate, ToolCall, ToolCallContent, ToolCallStatus, ToolCallUpdate, ToolKind,
};

use super::terminals::{Terminals, fenced};
use super::{text_item, text_of};

/// The tool calls so far.
#[derive(Debug, Default)]
pub(super) struct Calls {
    known: HashSet<Box<str>>,
    /// The content of calls that may get more.
    open: BTreeMap<Box<str>, Content>,
    terminals: Terminals,
}

#[derive(Debug, Default)]
struct Content {
    items: Vec<Item>,
    /// Set once the call has ended. Its terminals may go on.
    is_final: bool,
}

#[derive(Debug)]
enum Item {
    Own(ToolCallContent),
    /// A terminal of the agent, by its id.
    Terminal(Box<str>),
}

impl Calls {
    pub(super) fn know(&mut self, id: &str) {
        if !self.known.contains(id) {
            self.known.insert(id.into());
        }
    }

    /// Reads an update of a call. The first one of a call makes it.
    pub(super) fn update(
        &mut self,
        mut update: Node<'_>,
        updates: &mut Vec<SessionUpdate>,
    ) -> Result<(), ReadError> {
        let id: Box<str> = text_of(&update, "toolCallId").unwrap_or_default().into();
        let is_new = !self.known.contains(&id);
        let _ = update.take("capabilities");
        let content = update.take("content");
        clear(&mut update);
        let says_more = matches!(&update, Node::Map(members) if members.len() > 2);
        if !is_new && content.is_none() && !says_more {
            return Ok(());
        }
        let status = text_of(&update, "status").map(str::to_owned);
        let mut patch: ToolCallUpdate = acp_json::read(update)?;
        patch.status = status.as_deref().map(status_of);
        if let Some(ToolKind::Unknown(_)) = patch.kind {
            patch.kind = Some(ToolKind::Other);
        }
        let is_final = status.as_deref().is_some_and(is_final);
        if let Some(content) = content {
            let items = if let Node::Seq(items) = content { items } else { Vec::new() };
            let items = items.into_iter().map(item).collect::<Result<Vec<_>, _>>()?;
            patch.content = Some(self.terminals.show(&items));
            self.open.insert(id.clone(), Content { items, is_final });
        } else if let Some(content) = self.open.get_mut(&id) {
            content.is_final |= is_final;
            if is_final && self.terminals.have_changed(&content.items) {
                patch.content = Some(self.terminals.show(&content.items));
            }
        }
        self.known.insert(id.clone());
        self.let_go(&id);
        updates.push(if is_new { made(patch).into() } else { patch.into() });
        Ok(())
    }

    /// Reads an item that is added to the content of a call. The vocabulary has only whole lists.
    pub(super) fn add(
        &mut self,
        mut update: Node<'_>,
        updates: &mut Vec<SessionUpdate>,
    ) -> Result<(), ReadError> {
        let id: Box<str> = text_of(&update, "toolCallId").unwrap_or_default().into();
        let Some(added) = update.take("content") else { return Ok(()) };
        let content = self.open.entry(id.clone()).or_default();
        content.items.push(item(added)?);
        let patch = ToolCallUpdate::new(&*id).content(self.terminals.show(&content.items));
        let is_new = self.known.insert(id);
        updates.push(if is_new { made(patch).into() } else { patch.into() });
        Ok(())
    }

    /// Reads an update of a terminal. One that has ended is shown if its call has ended before it.
    pub(super) fn terminal(
        &mut self,
        update: Node<'_>,
        updates: &mut Vec<SessionUpdate>,
    ) -> Result<(), ReadError> {
        let id: Box<str> = text_of(&update, "terminalId").unwrap_or_default().into();
        self.terminals.update(update)?;
        let shows = |item: &Item| matches!(item, Item::Terminal(other) if *other == id);
        let ended = self.open.iter().filter(|(_, content)| content.is_final);
        let ended =
            ended.filter(|(_, content)| content.items.iter().any(shows) && self.terminals.is_over(&id));
        let ended: Vec<_> = ended.map(|(call, _)| call.clone()).collect();
        for call in ended {
            self.show(&call, updates);
            self.let_go(&call);
        }
        Ok(())
    }

    /// Takes note of output of a terminal. It is shown when its call ends.
    pub(super) fn terminal_output(&mut self, update: &Node<'_>) {
        self.terminals.output(update);
    }

    pub(super) fn finish(&mut self) -> Vec<SessionUpdate> {
        let mut updates = Vec::new();
        let changed = self.open.iter().filter(|(_, content)| self.terminals.have_changed(&content.items));
        let changed: Vec<_> = changed.map(|(call, _)| call.clone()).collect();
        for call in changed {
            self.show(&call, &mut updates);
        }
        updates
    }

    fn show(&mut self, call: &str, updates: &mut Vec<SessionUpdate>) {
        if let Some(content) = self.open.get(call) {
            let content = self.terminals.show(&content.items);
            updates.push(ToolCallUpdate::new(call).content(content).into());
        }
    }

    /// Forgets the content of a call that has ended, and its terminals, once they have ended, too.
    fn let_go(&mut self, id: &str) {
        let terminals = |content: &Content| {
            let terminals = content.items.iter().filter_map(|item| match item {
                Item::Terminal(id) => Some(id.clone()),
                Item::Own(_) => None,
            });
            terminals.collect::<Vec<_>>()
        };
        let Some(shown) = self.open.get(id).filter(|content| content.is_final).map(terminals) else { return };
        if shown.iter().all(|terminal| self.terminals.is_over(terminal)) {
            self.open.remove(id);
            self.terminals.forget(&shown);
        }
    }
}

impl Terminals {
    fn show(&mut self, items: &[Item]) -> Vec<ToolCallContent> {
        let shown = items.iter().map(|item| match item {
            Item::Own(item) => item.clone(),
            Item::Terminal(id) => text_item(self.text(id)),
        });
        shown.collect()
    }

    fn have_changed(&self, items: &[Item]) -> bool {
        items.iter().any(|item| matches!(item, Item::Terminal(id) if self.has_changed(id)))
    }
}

/// Returns the call that its first update makes.
fn made(patch: ToolCallUpdate) -> ToolCall {
    let kind = patch.kind.unwrap_or_default();
    // Calls have a title there.
    let title = patch.title.unwrap_or_else(|| kind.to_string());
    let mut call = ToolCall::new(patch.tool_call_id, title).kind(kind);
    call.name = patch.name;
    call.status = patch.status.unwrap_or_default();
    call.content = patch.content.unwrap_or_default();
    call.locations = patch.locations.unwrap_or_default();
    (call.raw_input, call.raw_output, call.meta) = (patch.raw_input, patch.raw_output, patch.meta);
    call
}

/// Gives the members that are cleared their values, or leaves them out where there is none. The
/// vocabulary takes `null` for a member that is not there.
fn clear(update: &mut Node<'_>) {
    let Node::Map(members) = update else { return };
    for (name, value) in members.iter_mut().filter(|(_, value)| value.is_null()) {
        *value = match &**name {
            "kind" => Node::Str(Cow::Borrowed("other")),
            "status" => Node::Str(Cow::Borrowed("pending")),
            "locations" => Node::Seq(Vec::new()),
            _ => Node::Null,
        };
    }
    members.retain(|(_, value)| !value.is_null());
}

fn status_of(status: &str) -> ToolCallStatus {
    match status {
        "pending" => ToolCallStatus::Pending,
        "completed" => ToolCallStatus::Completed,
        "failed" | "cancelled" => ToolCallStatus::Failed,
        _ => ToolCallStatus::InProgress,
    }
}

fn is_final(status: &str) -> bool {
    matches!(status, "completed" | "failed" | "cancelled")
}

fn item(mut item: Node<'_>) -> Result<Item, ReadError> {
    match text_of(&item, "type") {
        Some("terminal") => Ok(Item::Terminal(text_of(&item, "terminalId").unwrap_or_default().into())),
        Some("diff") => Ok(Item::Own(diff(&mut item))),
        _ => acp_json::read(item).map(Item::Own),
    }
}

/// Reads a change of files. Both texts of a file that was changed cannot be had from its patch, so
/// the patch is shown.
fn diff(diff: &mut Node<'_>) -> ToolCallContent {
    let changes = diff.take("changes").unwrap_or_default();
    let changes = if let Node::Seq(changes) = &changes { changes.as_slice() } else { &[] };
    let patch = diff.get("patch").and_then(|patch| text_of(patch, "text"));
    let change = |change| {
        (text_of(change, "operation").unwrap_or_default(), text_of(change, "path").unwrap_or_default())
    };
    if let [only] = changes {
        let new_text = match change(only) {
            ("add", _) => patch.and_then(added),
            ("delete", _) => Some(String::new()),
            _ => None,
        };
        if let Some(new_text) = new_text {
            return Diff::new(change(only).1, new_text).into();
        }
    }
    match patch {
        Some(patch) => text_item(fenced("diff", patch)),
        None => {
            let changes = changes.iter().map(change).map(|(operation, path)| format!("{operation} {path}"));
            text_item(changes.collect::<Vec<_>>().join("\n"))
        }
    }
}

/// Returns the text of a new file, by the patch that adds it.
fn added(patch: &str) -> Option<String> {
    let mut text = String::new();
    for line in patch.split_inclusive('\n').skip_while(|line| !line.starts_with("@@ ")).skip(1) {
        match line.strip_prefix('+') {
            Some(line) => text.push_str(line),
            // The line before has no end.
            None if line.starts_with('\\') => drop(text.pop()),
            None => return None,
        }
    }
    Some(text)
}
