//! Lines of a server's stdout, read as messages.

use acp_json::{Node, Outline};
use rmcp::model::{ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use serde_json::Value;

/// Cuts the output into lines, and drops lines that are too long.
pub(super) struct Lines {
    buffer: Vec<u8>,
    /// The number of bytes of the buffer that have been searched.
    searched: usize,
    limit: usize,
    /// The outline of a line that is too long, while it is skipped.
    skipped: Option<Skipped>,
}

impl Lines {
    pub(super) const fn new(limit: usize) -> Self {
        Self { buffer: Vec::new(), searched: 0, limit, skipped: None }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next message. Everything else is ignored (rule `mcp-neg-23`).
    pub(super) fn next(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let unread = self.buffer.get(self.searched..).unwrap_or_default();
            let Some(end) = unread.iter().position(|byte| *byte == b'\n').map(|at| self.searched + at) else {
                self.searched = self.buffer.len();
                if self.searched > self.limit || self.skipped.is_some() {
                    let front = std::mem::take(&mut self.buffer);
                    self.searched = 0;
                    self.skipped.get_or_insert_with(Skipped::new).0.push(&front);
                }
                return None;
            };
            self.searched = 0;
            let line: Vec<u8> = self.buffer.drain(..=end).collect();
            let message = match self.skipped.take() {
                None if line.len() <= self.limit => read(&line),
                skipped => {
                    let mut skipped = skipped.unwrap_or_else(Skipped::new);
                    skipped.0.push(&line);
                    tracing::warn!("ignored a line of an MCP server: it is longer than {} bytes", self.limit);
                    skipped.refusal(format!("the answer is longer than {} bytes", self.limit))
                }
            };
            if message.is_some() {
                return message;
            }
        }
    }
}

/// The outline of a line that cannot be read.
struct Skipped(Outline<2>);

impl Skipped {
    const fn new() -> Self {
        Self(Outline::of(["id", "method"]))
    }

    /// Returns an error in place of an answer, so that its request ends. Nobody waits for a
    /// notification, and the id of a request is one of the server's own.
    fn refusal(&self, problem: String) -> Option<ServerJsonRpcMessage> {
        if self.0.has("method") {
            return None;
        }
        let id = match self.0.value("id") {
            Some(Node::Str(id)) => Some(RequestId::String(id.into())),
            Some(id) => id.as_i64().map(RequestId::Number),
            None => None,
        };
        Some(ServerJsonRpcMessage::error(ErrorData::internal_error(problem, None), id))
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
    // A malformed error is still the answer to a request.
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
            tracing::debug!(bytes = line.len(), "ignored a line of an MCP server that is not a message");
            if value.is_some() {
                return None;
            }
            let mut broken = Skipped::new();
            broken.0.push(line);
            broken.0.value("id").and_then(|_| broken.refusal("the answer is not JSON".to_owned()))
        }
    }
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
        let text = "x".repeat(2000);
        let pong = r#"{"jsonrpc":"2.0","id":8,"result":{}}"#;
        let error = |id: &str| {
            format!(
                r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32603,"message":"the answer is longer than 100 bytes"}}}}"#
            )
        };
        for (line, id) in [
            (format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"text":"{text}"}}}}"#), Some(r#""id":7,"#)),
            (format!(r#"{{"result":{{"text":"{text}"}},"id":7}}"#), Some(r#""id":7,"#)),
            (format!(r#"{{"result":{{"id":8,"text":"{text}"}},"id" : "a" }}"#), Some(r#""id":"a","#)),
            (format!(r#"{{"result":{{"text":"{text}\"id\":8"}}, "id":7}}"#), Some(r#""id":7,"#)),
            // None of these has the id 8, so the request with that id goes on waiting.
            (format!(r#"{{"result":{{"id":8,"text":"{text}"}}}}"#), Some("")),
            (format!(r#"{{"id":{{"id":8}},"result":"{text}"}}"#), Some("")),
            (format!(r#"{{"id":"{text}","result":8}}"#), Some("")),
            (format!("{text}\"id\":8"), Some("")),
            // These are not answers.
            (format!(r#"{{"id":8,"method":"elicitation/create","params":"{text}"}}"#), None),
            (format!(r#"{{"params":{{"id":8,"text":"{text}"}},"method":"x"}}"#), None),
        ] {
            let expected: Vec<String> = id.map(error).into_iter().chain([pong.to_owned()]).collect();
            assert_eq!(all(100, &[&format!("{line}\n{pong}\n")]), expected, "{line} with the next one");
            for at in [90, 150, line.len() - 3] {
                let (front, back) = line.split_at(at);
                assert_eq!(all(100, &[front, back, "\r\n", pong, "\n"]), expected, "{line} cut at {at}");
            }
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_not_kept() {
        let mut lines = Lines::new(100);
        for _ in 0..1000 {
            lines.push(&[b'x'; 1000]);
            assert!(lines.next().is_none());
            assert!(lines.buffer.capacity() <= 1000);
        }
    }
}
