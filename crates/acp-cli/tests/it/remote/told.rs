//! Servers over HTTP that have to learn of the end of each connection before a command exits.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use super::{LONG, acp, kill};

/// A server without keep-alive, so that the DELETE needs a socket of its own.
struct Counting {
    url: String,
    begun: AtomicUsize,
    /// The connections whose end was told.
    ended: Mutex<Vec<String>>,
    /// Tells of each stream that is open.
    opened: Mutex<Sender<()>>,
}

impl Counting {
    fn start() -> (Arc<Self>, Receiver<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("it listens");
        let url = format!("http://{}/acp", listener.local_addr().expect("an address"));
        let (opened, receiver) = channel();
        let counting = Arc::new(Self {
            url,
            begun: AtomicUsize::new(0),
            ended: Mutex::default(),
            opened: Mutex::new(opened),
        });
        let server = Arc::clone(&counting);
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                let server = Arc::clone(&server);
                std::thread::spawn(move || server.answer(&socket));
            }
        });
        (counting, receiver)
    }

    /// Reads a request, and answers it. A client that is gone is not a problem.
    fn answer(&self, mut socket: &TcpStream) -> Option<()> {
        let mut reader = BufReader::new(socket);
        let (mut verb, mut connection, mut length) = (String::new(), String::new(), 0);
        reader.read_line(&mut verb).ok()?;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().ok()?,
                "acp-connection-id" => value.clone_into(&mut connection),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let message: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
        let mut say = |head: &str, body: &str| {
            let answer = format!("HTTP/1.1 {head}\r\nconnection: close\r\n\r\n{body}");
            socket.write_all(answer.as_bytes()).ok()
        };
        match verb.split(' ').next()? {
            "GET" => {
                say("200 OK\r\ncontent-type: text/event-stream", "")?;
                let _ = self.opened.lock().expect("a lock").send(());
                // It stays open until the client is gone.
                let _ = reader.read_exact(&mut [0]);
            }
            "DELETE" => {
                self.ended.lock().expect("a lock").push(connection);
                say("202 Accepted\r\ncontent-length: 0", "")?;
            }
            _ if message["method"] == "initialize" => {
                let id = self.begun.fetch_add(1, Ordering::SeqCst);
                let head = format!("200 OK\r\ncontent-type: application/json\r\nacp-connection-id: {id}");
                let answer = serde_json::json!({
                    "jsonrpc": "2.0", "id": message["id"], "result": { "protocolVersion": 1 }
                });
                say(&head, &answer.to_string())?;
            }
            _ => say("202 Accepted\r\ncontent-length: 0", "")?,
        }
        Some(())
    }

    /// Each connection has begun, and its end was told once.
    fn assert_told(&self, what: &str) {
        let mut ended = self.ended.lock().expect("a lock").clone();
        ended.sort();
        let begun = self.begun.load(Ordering::SeqCst);
        assert!(begun > 0, "{what}");
        assert_eq!(ended, (0..begun).map(|id| id.to_string()).collect::<Vec<_>>(), "{what}");
    }
}

const INITIALIZE: &str = "{\"request\":\"initialize\",\"params\":{\"protocolVersion\":1}}\n\
    {\"result\":{\"protocolVersion\":1}}\n";

const RECORDING: &str = r#"{"time":0,"direction":"out","kind":"request","id":0,"method":"initialize","bytes":1,"body":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}}
{"time":1,"direction":"in","kind":"result","id":0,"bytes":1,"body":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}}
"#;

#[test]
fn a_server_learns_of_the_end_before_the_command_exits() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::write(&file, text).expect("written");
        file.display().to_string()
    };
    let (script, recording) = (write("client.ndjson", INITIALIZE), write("recording.ndjson", RECORDING));
    let commands: [&[&str]; 3] = [
        &["mock", "client", "--script", &script, "--url"],
        &["replay", &recording, "--url"],
        &["check", "agent", "--rule", "v1-init-04", "--url"],
    ];
    for words in commands {
        let (server, _opened) = Counting::start();
        let (_, out, err) = acp(&[words, &[&server.url]].concat());
        server.assert_told(&format!("{words:?}: {out}{err}"));
    }
}

#[test]
fn a_server_learns_of_the_end_that_a_signal_makes() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("client.ndjson");
    // The agent never answers it.
    fs::write(&script, format!("{INITIALIZE}{{\"request\":\"_none\"}}\n{{\"error\":-32601}}\n"))
        .expect("written");
    let (server, opened) = Counting::start();
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.args(["mock", "client", "--script"]).arg(&script).args(["--url", &server.url]);
    let mut process = command.stdin(Stdio::null()).spawn().expect("acp runs");
    opened.recv_timeout(LONG).expect("a stream is open");
    kill("-TERM", process.id());
    process.wait().expect("it ends");
    server.assert_told("SIGTERM");
}
