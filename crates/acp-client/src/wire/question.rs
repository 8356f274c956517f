//! The question of a permission request, apart from the tool call that the vocabulary puts it as.

use acp_json::{Map, Node, Value};
use acp_types::UnknownVariant;
use acp_types::v1::{RequestPermissionRequest, ToolCallUpdate};

use crate::event::{PermissionQuestion, PermissionSubject};

/// The member of `_meta` by which a question gets through the vocabulary, which has no other place
/// for it. It stays in this process.
pub(in crate::wire) const QUESTION: &str = "acp-client/question";

/// Names of its members. `ADDED` lists the members of the tool call that are the question's.
pub(in crate::wire) const TITLE: &str = "title";
pub(in crate::wire) const DESCRIPTION: &str = "description";
pub(in crate::wire) const SUBJECT: &str = "subject";
pub(in crate::wire) const ADDED: &str = "added";
pub(in crate::wire) const CONTENT: &str = "content";

impl PermissionQuestion {
    /// Returns the question of a request.
    ///
    /// In version 1 of the protocol every question is about a tool call. In version 2 it has a
    /// title of its own, and may be about something else. Then the request has a tool call all the
    /// same, which the agent does not know, so that a client need not look at the question.
    #[must_use]
    pub fn of(request: &RequestPermissionRequest) -> Self {
        let Some(question) = put(request) else {
            let title = request.tool_call.title.clone().unwrap_or_default();
            return Self::new(title, None, PermissionSubject::ToolCall);
        };
        let text = |name| question.get(name).and_then(Node::as_str).map(str::to_owned);
        let subject = question.get(SUBJECT).map_or(PermissionSubject::General, subject);
        Self::new(text(TITLE).unwrap_or_default(), text(DESCRIPTION), subject)
    }

    /// Returns the news that a request has about a tool call of the agent, if it is about one. The
    /// question itself is not a part of it.
    pub(crate) fn tool_call(request: &RequestPermissionRequest) -> Option<ToolCallUpdate> {
        let mut call = request.tool_call.clone();
        if let Some(question) = put(request) {
            if Self::of(request).subject != PermissionSubject::ToolCall {
                return None;
            }
            let added = |name| question.get(ADDED).and_then(|added| added.get(name)).is_some();
            call.title.take_if(|_| added(TITLE));
            call.content.take_if(|_| added(CONTENT));
        }
        Some(call)
    }

    /// Returns a text that differs for different questions about the same tool call.
    pub(crate) fn key(request: &RequestPermissionRequest) -> Option<String> {
        put(request).map(|question| Value::from(question.clone()).to_string())
    }
}

fn put(request: &RequestPermissionRequest) -> Option<&Node<'static>> {
    request.meta.as_ref()?.get(QUESTION).map(Value::as_node)
}

fn subject(subject: &Node<'static>) -> PermissionSubject {
    let text = |name| subject.get(name).and_then(Node::as_str).unwrap_or_default();
    match text("type") {
        "tool_call" => PermissionSubject::ToolCall,
        "command" => {
            PermissionSubject::Command { command: text("command").to_owned(), cwd: text("cwd").to_owned() }
        }
        tag => {
            let mut members: Map = acp_json::read(subject.clone()).unwrap_or_default();
            members.remove("type");
            PermissionSubject::Unknown(UnknownVariant::new(tag, members))
        }
    }
}
