//! What a line of a server's stdout says.

use rmcp::model::{ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use serde_json::Value;

/// Of a line that is too long, this much is kept to find out what it answers.
const HEAD: usize = 512;

/// Cuts what is read into lines, and drops those that are too long.
pub(super) struct Lines {
    buffer: Vec<u8>,
    /// Up to where the buffer has been searched.
    searched: usize,
    limit: usize,
    /// The rest of a line that was too long is on its way.
    skipping: bool,
}

impl Lines {
    pub(super) const fn new(limit: usize) -> Self {
        Self { buffer: Vec::new(), searched: 0, limit, skipping: false }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next message. Everything that is none is passed over (rule `mcp-neg-23`).
    pub(super) fn next(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let unread = self.buffer.get(self.searched..).unwrap_or_default();
            let Some(end) = unread.iter().position(|byte| *byte == b'\n').map(|at| self.searched + at) else {
                self.searched = self.buffer.len();
                return self.too_long();
            };
            self.searched = 0;
            let line: Vec<u8> = self.buffer.drain(..=end).collect();
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            if line.len() > self.limit {
                return Some(self.refusal(&line));
            }
            if let Some(message) = read(&line) {
                return Some(message);
            }
        }
    }

    /// Gives up on a line before its end has come.
    fn too_long(&mut self) -> Option<ServerJsonRpcMessage> {
        if self.buffer.len() <= self.limit && !self.skipping {
            return None;
        }
        let head = std::mem::take(&mut self.buffer);
        self.searched = 0;
        if std::mem::replace(&mut self.skipping, true) {
            return None;
        }
        Some(self.refusal(&head))
    }

    /// An error in place of an answer that is too long, so that who waits for it hears of it.
    fn refusal(&self, line: &[u8]) -> ServerJsonRpcMessage {
        let problem = format!("the answer is longer than {} bytes", self.limit);
        tracing::warn!("passed over a line of an MCP server: it is longer than {} bytes", self.limit);
        ServerJsonRpcMessage::error(ErrorData::internal_error(problem, None), id_in(line))
    }
}

fn read(line: &[u8]) -> Option<ServerJsonRpcMessage> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return None;
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Some(message);
    }
    // An error that is not quite one still is the answer to something.
    let value: Option<Value> = serde_json::from_slice(line).ok();
    let answered =
        value.as_ref().filter(|value| value.get("error").is_some() && value.get("method").is_none());
    match answered {
        Some(value) => {
            let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
            let code = value
                .pointer("/error/code")
                .and_then(Value::as_i64)
                .and_then(|code| i32::try_from(code).ok());
            let message = value
                .pointer("/error/message")
                .and_then(Value::as_str)
                .unwrap_or("an error without a message");
            let code = code.map_or(ErrorCode::INTERNAL_ERROR, ErrorCode);
            Some(ServerJsonRpcMessage::error(ErrorData::new(code, message.to_owned(), None), id))
        }
        None => {
            tracing::debug!(bytes = line.len(), "passed over a line of an MCP server that is no message");
            None
        }
    }
}

/// The id at the front of a line that is too long to be read.
fn id_in(line: &[u8]) -> Option<RequestId> {
    let head = String::from_utf8_lossy(line.get(..HEAD).unwrap_or(line)).into_owned();
    let (_, rest) = head.split_once("\"id\":")?;
    let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().map(RequestId::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(limit: usize, chunks: &[&str]) -> Vec<String> {
        let mut lines = Lines::new(limit);
        let mut messages = Vec::new();
        for chunk in chunks {
            lines.push(chunk.as_bytes());
            while let Some(message) = lines.next() {
                messages.push(serde_json::to_string(&message).unwrap());
            }
        }
        messages
    }

    #[test]
    fn mcp_neg_23_what_is_no_message_is_passed_over() {
        let chunks =
            ["Server starting\n\n{\"a\":1}\n[]\n{\"jsonrpc\":\"2.0\",", "\"id\":1,\"result\":{}}\r\n{\"json"];
        assert_eq!(all(1000, &chunks), [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#]);
    }

    #[test]
    fn an_error_with_a_null_id_or_an_odd_code_is_an_error() {
        let lines = [
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#,
            "\n",
            r#"{"jsonrpc":"2.0","id":3,"error":{"code":"E_NO","message":"no"}}"#,
            "\n",
        ];
        assert_eq!(
            all(1000, &lines),
            [
                r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}"#,
                r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"no"}}"#,
            ]
        );
    }

    #[test]
    fn an_answer_that_is_too_long_becomes_an_error_of_its_request() {
        let long = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"text":"{}"}}}}"#, "x".repeat(200));
        let error = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"the answer is longer than 100 bytes"}}"#;
        let pong = r#"{"jsonrpc":"2.0","id":8,"result":{}}"#;
        let (front, back) = long.split_at(150);
        assert_eq!(all(100, &[&long, "\n", pong, "\n"]), [error, pong], "whole");
        assert_eq!(all(100, &[front, back, "\n", pong, "\n"]), [error, pong], "in two pieces");
        assert_eq!(all(100, &[&format!("{long}\n{pong}\n")]), [error, pong], "with the next one");
    }
}
