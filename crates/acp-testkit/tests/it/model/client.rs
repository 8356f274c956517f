//! A client of the model APIs: it writes requests and reads answers.

use acp_testkit::model::ModelStub;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

/// Sends a request. Returns the status and the body, whose end says if it was cut.
pub(super) async fn ask(
    stub: &ModelStub,
    method: Method,
    path: &str,
    body: &Value,
) -> (StatusCode, Result<String, String>) {
    let address = stub.url().strip_prefix("http://").unwrap();
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let request = Request::builder().method(method).uri(path).header("host", address);
    let request = request.body(Full::new(Bytes::from(body.to_string()))).unwrap();
    let response = sender.send_request(request).await.unwrap();
    let status = response.status();
    let body = response.into_body().collect().await;
    let text = body.map(|body| String::from_utf8(body.to_bytes().to_vec()).unwrap());
    (status, text.map_err(|error| error.to_string()))
}

/// An API, as its client writes requests and reads answers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Client {
    Chat,
    Responses,
    Messages,
    Gemini,
}

pub(super) const CLIENTS: [Client; 4] = [Client::Chat, Client::Responses, Client::Messages, Client::Gemini];

/// The answer that a client has read.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Read {
    pub(super) text: String,
    /// Names and arguments of tools.
    pub(super) calls: Vec<(String, Value)>,
    pub(super) end: String,
}

const SHELL: &str = r#"{"type":"object","required":["command","why"],
    "properties":{"command":{"type":"string"},"why":{"type":"string"}}}"#;

impl Client {
    pub(super) fn path(self, stream: bool) -> &'static str {
        match (self, stream) {
            (Client::Chat, _) => "/v1/chat/completions",
            (Client::Responses, _) => "/v1/responses",
            (Client::Messages, _) => "/v1/messages?beta=true",
            (Client::Gemini, false) => "/v1beta/models/m:generateContent",
            (Client::Gemini, true) => "/v1beta/models/m:streamGenerateContent?alt=sse",
        }
    }

    /// Returns a request with a prompt, so many results of tools behind it, and a tool.
    pub(super) fn request(self, prompt: &str, results: usize, stream: bool) -> Value {
        let schema: Value = serde_json::from_str(SHELL).unwrap();
        let results = |result: Value| vec![result; results];
        let with =
            |first: Value, results: Vec<Value>| Value::Array(std::iter::once(first).chain(results).collect());
        match self {
            Client::Chat => json!({
                "model": "m", "stream": stream, "stream_options": {"include_usage": true},
                "messages": with(
                    json!({"role": "user", "content": [{"type": "text", "text": prompt}]}),
                    results(json!({"role": "tool", "tool_call_id": "c", "content": "[[text no]]"})),
                ),
                "tools": [{"type": "function", "function": {"name": "run_shell_command", "parameters": schema}}],
            }),
            Client::Responses => json!({
                "model": "m", "stream": stream,
                "input": with(
                    json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": prompt}]}),
                    results(json!({"type": "function_call_output", "call_id": "c", "output": "[[text no]]"})),
                ),
                "tools": [{"type": "function", "name": "run_shell_command", "parameters": schema}],
            }),
            Client::Messages => json!({
                "model": "m", "stream": stream,
                "messages": with(
                    json!({"role": "user", "content": prompt}),
                    results(json!({"role": "user", "content": [
                        {"type": "tool_result", "tool_use_id": "c", "content": "[[text no]]"},
                    ]})),
                ),
                "tools": [{"name": "run_shell_command", "input_schema": schema}],
            }),
            Client::Gemini => json!({
                "contents": with(
                    json!({"role": "user", "parts": [{"text": prompt}]}),
                    results(json!({"role": "user", "parts": [{"functionResponse": {"name": "x", "response": {}}}]})),
                ),
                "tools": [{"functionDeclarations": [{"name": "run_shell_command", "parameters": schema}]}],
            }),
        }
    }

    pub(super) async fn send(self, stub: &ModelStub, request: &Value, stream: bool) -> Read {
        let (status, text) = ask(stub, Method::POST, self.path(stream), request).await;
        assert_eq!(status, StatusCode::OK);
        let text = text.unwrap();
        if stream { self.streamed(&text) } else { self.whole(&serde_json::from_str(&text).unwrap()) }
    }

    fn whole(self, answer: &Value) -> Read {
        let mut read = Read::default();
        match self {
            Client::Chat => {
                let choice = &answer["choices"][0];
                read.text = string(&choice["message"]["content"]);
                read.calls = list(&choice["message"]["tool_calls"])
                    .map(|call| (string(&call["function"]["name"]), parsed(&call["function"]["arguments"])))
                    .collect();
                read.end = string(&choice["finish_reason"]);
            }
            Client::Responses => {
                for item in list(&answer["output"]) {
                    match item["type"].as_str().unwrap() {
                        "message" => read.text.push_str(item["content"][0]["text"].as_str().unwrap_or("")),
                        "function_call" => {
                            read.calls.push((string(&item["name"]), parsed(&item["arguments"])));
                        }
                        kind => assert_eq!(kind, "reasoning"),
                    }
                }
                read.end = string(&answer["status"]);
            }
            Client::Messages => {
                for block in list(&answer["content"]) {
                    match block["type"].as_str().unwrap() {
                        "text" => read.text.push_str(block["text"].as_str().unwrap()),
                        "thinking" => {}
                        _ => read.calls.push((string(&block["name"]), block["input"].clone())),
                    }
                }
                read.end = string(&answer["stop_reason"]);
            }
            Client::Gemini => {
                for part in list(&answer["candidates"][0]["content"]["parts"]) {
                    read.text.push_str(part["text"].as_str().unwrap_or(""));
                    if let Some(call) = part.get("functionCall") {
                        read.calls.push((string(&call["name"]), call["args"].clone()));
                    }
                }
                read.end = string(&answer["candidates"][0]["finishReason"]);
            }
        }
        read
    }

    fn streamed(self, text: &str) -> Read {
        let mut read = Read::default();
        let mut arguments: Vec<String> = Vec::new();
        let mut order = 0;
        for data in text.lines().filter_map(|line| line.strip_prefix("data: ")) {
            if data == "[DONE]" {
                continue;
            }
            let event: Value = serde_json::from_str(data).unwrap();
            match self {
                Client::Chat => {
                    let choice = &event["choices"][0];
                    read.text.push_str(choice["delta"]["content"].as_str().unwrap_or(""));
                    for call in list(&choice["delta"]["tool_calls"]) {
                        if let Some(name) = call["function"]["name"].as_str() {
                            read.calls.push((name.to_owned(), Value::Null));
                            arguments.push(String::new());
                        }
                        let index = usize::try_from(call["index"].as_u64().unwrap()).unwrap();
                        arguments[index].push_str(call["function"]["arguments"].as_str().unwrap());
                    }
                    read.end.push_str(choice["finish_reason"].as_str().unwrap_or(""));
                }
                Client::Responses => {
                    assert_eq!(event["sequence_number"], order);
                    order += 1;
                    match event["type"].as_str().unwrap() {
                        "response.output_text.delta" => read.text.push_str(event["delta"].as_str().unwrap()),
                        "response.completed" | "response.incomplete" => {
                            // The last event has everything once more.
                            let whole = self.whole(&event["response"]);
                            assert_eq!(whole.text, read.text);
                            return whole;
                        }
                        _ => {}
                    }
                }
                Client::Messages => match event["type"].as_str().unwrap() {
                    "content_block_start" if event["content_block"]["type"] == "tool_use" => {
                        read.calls.push((string(&event["content_block"]["name"]), Value::Null));
                        arguments.push(String::new());
                    }
                    "content_block_delta" => {
                        read.text.push_str(event["delta"]["text"].as_str().unwrap_or(""));
                        if let Some(piece) = event["delta"]["partial_json"].as_str() {
                            arguments.last_mut().unwrap().push_str(piece);
                        }
                    }
                    "message_delta" => read.end = string(&event["delta"]["stop_reason"]),
                    _ => {}
                },
                Client::Gemini => {
                    let more = self.whole(&event);
                    read.text.push_str(&more.text);
                    read.calls.extend(more.calls);
                    read.end = more.end;
                }
            }
        }
        for (call, arguments) in read.calls.iter_mut().zip(arguments) {
            call.1 = serde_json::from_str(&arguments).unwrap();
        }
        read
    }

    /// Returns the ends of answers: done, with calls, too long, refused.
    pub(super) fn ends(self) -> [&'static str; 4] {
        match self {
            Client::Chat => ["stop", "tool_calls", "length", "content_filter"],
            Client::Responses => ["completed", "completed", "incomplete", "completed"],
            Client::Messages => ["end_turn", "tool_use", "max_tokens", "refusal"],
            Client::Gemini => ["STOP", "STOP", "MAX_TOKENS", "SAFETY"],
        }
    }
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn parsed(text: &Value) -> Value {
    serde_json::from_str(text.as_str().unwrap()).unwrap()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
