//! Questions of the agent to the user.

use std::sync::atomic::{AtomicU64, Ordering};

use acp_json::{Map, Node, ReadError, Value};
use acp_types::v1::{
    Content, ContentBlock, PermissionOption, RequestPermissionRequest, ToolCallUpdate, ToolKind,
};
use acp_types::v2::{self, RequestPermissionSubject};

/// Reads the params of `session/request_permission`. The vocabulary asks about a tool call, so that
/// a question about something else is put as one.
pub(super) fn permission(params: Node<'_>) -> Result<RequestPermissionRequest, ReadError> {
    let raw = params.clone();
    let request: v2::RequestPermissionRequest = acp_json::read(params)?;
    let mut call = match request.subject {
        Some(RequestPermissionSubject::ToolCall(subject)) => {
            let call = raw.get("subject").and_then(|subject| subject.get("toolCall")).cloned();
            // Parts that only version 2 has make it unreadable for version 1.
            let call = call.and_then(|call| acp_json::read(call).ok());
            call.unwrap_or_else(|| ToolCallUpdate::new(subject.tool_call.tool_call_id))
        }
        Some(RequestPermissionSubject::Command(command)) => {
            let id = command.tool_call_id.map_or_else(made_up, |id| id.to_string());
            let (line, cwd) = (command.command.as_str(), command.cwd.as_str());
            let input = Map::from([("command", Value::from(line)), ("cwd", Value::from(cwd))]);
            ToolCallUpdate::new(id).kind(ToolKind::Execute).title(line).raw_input(input)
        }
        _ => ToolCallUpdate::new(made_up()).kind(ToolKind::Other),
    };
    call.title.get_or_insert(request.title);
    if let Some(description) = request.description.filter(|_| call.content.is_none()) {
        call.content = Some(vec![Content::new(ContentBlock::text(description)).into()]);
    }
    let options = raw.get("options").cloned().unwrap_or(Node::Null);
    let options: Vec<PermissionOption> = acp_json::read(options)?;
    let mut read = RequestPermissionRequest::new(request.session_id, call, options);
    read.meta = request.meta;
    Ok(read)
}

/// Returns the id of a tool call that the agent does not have.
fn made_up() -> String {
    static QUESTIONS: AtomicU64 = AtomicU64::new(0);
    format!("permission-{}", QUESTIONS.fetch_add(1, Ordering::Relaxed))
}
