//! A model server that the test plays. It gives the answers of a list, one per connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use examples::coding_agent::openai::OpenAi;
use serde_json::{Value, json};
use tokio::sync::mpsc::{self, Receiver, Sender};

pub(crate) enum Answer {
    /// A stream of these chunks, with `[DONE]` at its end.
    Stream(Vec<Value>),
    /// A stream of these chunks that ends without `[DONE]`.
    Cut(Vec<Value>),
    /// A status with a body.
    Status(&'static str, String),
    /// A stream of these chunks and then silence, until the agent hangs up.
    Hang(Vec<Value>),
}

pub(crate) struct Server {
    port: u16,
    /// The bodies of the requests, in order; `null` each time that an agent has hung up on a
    /// [`Hang`](Answer::Hang).
    seen: Receiver<Value>,
}

impl Server {
    pub(crate) fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it has a port").port();
        let answers: Vec<_> = answers.into_iter().collect();
        let (sender, seen) = mpsc::channel(64);
        thread::spawn(move || {
            for answer in answers {
                let Ok((connection, _)) = listener.accept() else { return };
                serve(connection, &answer, &sender);
            }
        });
        Server { port, seen }
    }

    /// Returns the next body.
    pub(crate) async fn seen(&mut self) -> Value {
        self.seen.recv().await.expect("the server has answers left")
    }

    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    pub(crate) fn planner(&self) -> OpenAi {
        OpenAi::new(&self.address(), Some("key"), "some-model").expect("a fine URL")
    }
}

fn serve(mut connection: TcpStream, answer: &Answer, seen: &Sender<Value>) {
    let body = read_request(&mut connection);
    // The test may have ended already.
    let _ = seen.blocking_send(body);
    let mut write = |text: String| connection.write_all(text.as_bytes()).expect("the agent reads");
    let (Answer::Stream(chunks) | Answer::Cut(chunks) | Answer::Hang(chunks)) = answer else {
        let Answer::Status(status, body) = answer else { return };
        return write(format!(
            "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        ));
    };
    write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n".to_owned());
    chunks.iter().for_each(|chunk| write(format!(": ping\n\ndata: {chunk}\n\n")));
    match answer {
        Answer::Stream(_) => write("data: [DONE]\n\n".to_owned()),
        Answer::Hang(_) => {
            // It returns when the agent closes the connection, in order or by a reset.
            let _ = connection.read(&mut [0]);
            let _ = seen.blocking_send(Value::Null);
        }
        _ => {}
    }
}

/// Reads a request and returns its body. Checks that its head follows the protocol.
fn read_request(connection: &mut TcpStream) -> Value {
    let mut reader = BufReader::new(connection);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        reader.read_line(&mut head).expect("the agent sends a request");
    }
    let head = head.to_lowercase();
    assert!(head.starts_with("post /v1/chat/completions http/1.1\r\n"), "{head}");
    assert!(head.contains("\r\nauthorization: bearer key\r\n"), "{head}");
    let (_, length) = head.split_once("content-length: ").expect("a length");
    let length = length.lines().next().and_then(|length| length.parse().ok()).expect("a number");
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a whole body");
    serde_json::from_slice(&body).expect("JSON")
}

/// Makes a chunk with this delta.
pub(crate) fn delta(delta: &Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

/// Makes a chunk with some words.
pub(crate) fn words(text: &str) -> Value {
    delta(&json!({"content": text}))
}

/// Makes the chunk with the reason for the end of the answer.
pub(crate) fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

/// Makes the chunks of a function call, its arguments in pieces.
pub(crate) fn call(index: u64, id: &str, name: &str, arguments: &Value) -> Vec<Value> {
    let arguments = arguments.to_string();
    let (head, tail) = arguments.split_at(arguments.len() / 2);
    let first =
        json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
    let piece = |text| json!({"index": index, "function": {"arguments": text}});
    [first, piece(head), piece(tail)].into_iter().map(|call| delta(&json!({"tool_calls": [call]}))).collect()
}
