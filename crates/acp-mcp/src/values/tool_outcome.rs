//! The result of a tool, for an ACP client.

use acp_json::Value;
use acp_types::v1::{Content, ContentBlock, ToolCallContent, ToolCallId, ToolCallStatus, ToolCallUpdate};
use rmcp::model::CallToolResult;

use crate::error::McpError;

/// The result of a tool call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolOutcome {
    /// The blocks of content. MCP and ACP have the same blocks. A block of an unknown kind is kept
    /// as it is.
    pub content: Vec<ContentBlock>,
    /// The structured result, if the tool has one.
    pub structured: Option<Value>,
    /// True when the tool says that it failed. The content has the reason, which the model should
    /// see.
    pub is_error: bool,
    /// The whole result as the server sent it.
    pub raw: Value,
}

impl ToolOutcome {
    /// Returns the content in the form of a tool call of ACP.
    #[must_use]
    pub fn tool_call_content(&self) -> Vec<ToolCallContent> {
        self.content.iter().map(|block| Content::new(block.clone()).into()).collect()
    }

    /// Returns the update that ends a tool call: status, content, and the whole result as
    /// `rawOutput`.
    #[must_use]
    pub fn to_update(&self, id: impl Into<ToolCallId>) -> ToolCallUpdate {
        let status = if self.is_error { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
        ToolCallUpdate::new(id).status(status).content(self.tool_call_content()).raw_output(self.raw.clone())
    }

    /// Returns all text, for models that take only text. Without text, returns the structured
    /// result.
    #[must_use]
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.content.iter().filter_map(ContentBlock::as_text).collect();
        match (&texts[..], &self.structured) {
            ([], Some(structured)) => acp_json::to_string(structured),
            _ => texts.join("\n"),
        }
    }

    pub(crate) fn of(result: &CallToolResult) -> Result<Self, McpError> {
        let raw = serde_json::to_value(result).map_err(|_| invalid("it cannot be written as JSON"))?;
        Self::read(&raw)
    }

    /// Reads a result, also one with blocks that rmcp does not know.
    pub(crate) fn read(raw: &serde_json::Value) -> Result<Self, McpError> {
        let members = raw.as_object().ok_or(invalid("it is not an object"))?;
        let blocks = match members.get("content") {
            None => &Vec::new(),
            Some(content) => content.as_array().ok_or(invalid("`content` is not a list"))?,
        };
        let block = |block: &serde_json::Value| {
            acp_json::from_str::<ContentBlock>(&block.to_string())
                .map_err(|_| invalid("a block of `content` is malformed"))
        };
        let value =
            |value: &serde_json::Value| Value::new(value).map_err(|_| invalid("it cannot be read as JSON"));
        Ok(Self {
            content: blocks.iter().map(block).collect::<Result<_, _>>()?,
            structured: members.get("structuredContent").map(value).transpose()?,
            is_error: members.get("isError").and_then(serde_json::Value::as_bool).unwrap_or(false),
            raw: value(raw)?,
        })
    }
}

const fn invalid(problem: &'static str) -> McpError {
    McpError::InvalidResult { method: "tools/call", problem }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn acp_mcp_08_content_of_every_kind_arrives_as_it_was() {
        let raw = json!({
            "content": [
                { "type": "text", "text": "a", "annotations": { "audience": ["user"], "priority": 0.5 }, "_meta": { "x": 1 } },
                { "type": "image", "data": "AA==", "mimeType": "image/png" },
                { "type": "audio", "data": "AA==", "mimeType": "audio/wav" },
                { "type": "resource_link", "uri": "file:///a", "name": "a", "title": "A", "size": 3, "mimeType": "text/plain" },
                { "type": "resource", "resource": { "uri": "file:///a", "text": "t", "mimeType": "text/plain" } },
                { "type": "resource", "resource": { "uri": "file:///b", "blob": "AA==" } },
                { "type": "hologram", "rays": [1, 2] },
            ],
            "structuredContent": { "b": 1, "a": [null, 1.5] },
            "isError": true,
            "_meta": { "example.com/x": true },
        });
        let outcome = ToolOutcome::read(&raw).unwrap();
        let update = serde_json::to_value(outcome.to_update("call_1")).unwrap();
        assert_eq!(update["status"], "failed");
        assert_eq!(update["rawOutput"], raw);
        let blocks: Vec<_> =
            update["content"].as_array().unwrap().iter().map(|item| item["content"].clone()).collect();
        assert_eq!(json!(blocks), raw["content"]);
        assert_eq!(outcome.text(), "a");
    }

    #[test]
    fn a_result_without_text_has_its_structure_as_text() {
        let outcome = ToolOutcome::read(&json!({ "structuredContent": { "sum": 3 } })).unwrap();
        assert_eq!((outcome.text().as_str(), outcome.is_error), (r#"{"sum":3}"#, false));
    }
}
