//! Questions of the agent to the user.

use std::sync::atomic::{AtomicU64, Ordering};

use acp_json::{At, Map, Node, Problem, ReadError, Value};
use acp_types::v1::{
    Content, ContentBlock, PermissionOption, RequestPermissionRequest, ToolCallUpdate, ToolKind,
};
use acp_types::v2::{self, RequestPermissionSubject};

use super::{as_is, tool_call};
use crate::wire::question::{ADDED, CONTENT, DESCRIPTION, QUESTION, SUBJECT, TITLE};

/// Reads the params of `session/request_permission`. The vocabulary asks about a tool call, so that
/// a question about something else is put as one, and the question itself is in `_meta`: see
/// [`PermissionQuestion`](crate::PermissionQuestion).
///
/// # Errors
/// The request is malformed, or has no option of a kind that is known here.
pub(super) fn permission(params: Node<'_>) -> Result<RequestPermissionRequest, ReadError> {
    let request: v2::RequestPermissionRequest = as_is::read(params)?;
    let options = options(request.options)?;
    let (mut call, subject) = subject(request.subject);
    let mut added = Map::default();
    if call.title.is_none() {
        call.title = Some(request.title.clone());
        added.insert(TITLE, Value::from(true));
    }
    if let Some(description) = request.description.as_ref().filter(|_| call.content.is_none()) {
        call.content = Some(vec![Content::new(ContentBlock::text(description)).into()]);
        added.insert(CONTENT, Value::from(true));
    }
    let mut question = Map::from([(TITLE, Value::from(request.title)), (ADDED, added.into())]);
    if let Some(description) = request.description {
        question.insert(DESCRIPTION, Value::from(description));
    }
    if let Some(subject) = subject {
        question.insert(SUBJECT, subject.into());
    }
    let mut read = RequestPermissionRequest::new(request.session_id, call, options);
    read.meta = Some(request.meta.unwrap_or_default().with(QUESTION, question));
    Ok(read)
}

/// Returns the tool call that a subject is put as, and the subject.
fn subject(subject: Option<RequestPermissionSubject>) -> (ToolCallUpdate, Option<Map>) {
    match subject {
        Some(RequestPermissionSubject::ToolCall(subject)) => {
            let (call, _) = tool_call::update(subject.tool_call);
            (call, Some(Map::from([("type", Value::from("tool_call"))])))
        }
        Some(RequestPermissionSubject::Command(command)) => {
            let id = command.tool_call_id.map_or_else(made_up, |id| id.to_string());
            let (line, cwd) = (command.command.as_str(), command.cwd.as_str());
            let mut subject = Map::from([("command", Value::from(line)), ("cwd", Value::from(cwd))]);
            let call = ToolCallUpdate::new(id).kind(ToolKind::Execute).title(line).raw_input(subject.clone());
            subject.insert("type", Value::from("command"));
            (call, Some(subject))
        }
        Some(RequestPermissionSubject::Unknown(unknown)) => {
            let mut subject = unknown.members().clone();
            subject.insert("type", Value::from(unknown.tag()));
            (ToolCallUpdate::new(made_up()).kind(ToolKind::Other), Some(subject))
        }
        _ => (ToolCallUpdate::new(made_up()).kind(ToolKind::Other), None),
    }
}

/// Decodes the options. Nobody can tell whether one of an unknown kind allows anything, so that it
/// is left out.
fn options(options: Vec<v2::PermissionOption>) -> Result<Vec<PermissionOption>, ReadError> {
    let option = |option: v2::PermissionOption| {
        let mut read = PermissionOption::new(option.option_id, option.name, option.kind.as_str());
        read.meta = option.meta;
        read
    };
    let known: Vec<_> = options.into_iter().filter(|option| option.kind.is_known()).map(option).collect();
    if known.is_empty() {
        let problem = Problem::Other("has no option of a kind that is known here".to_owned());
        return Err(ReadError::new(&At::root().member("options"), problem));
    }
    Ok(known)
}

/// Returns the id of a tool call that the agent does not have.
fn made_up() -> String {
    static QUESTIONS: AtomicU64 = AtomicU64::new(0);
    format!("permission-{}", QUESTIONS.fetch_add(1, Ordering::Relaxed))
}
