//! The persistent agent as a program that is killed.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// The program, and a client that speaks in lines.
struct Program {
    child: Child,
    stdin: ChildStdin,
    stdout: Lines<BufReader<ChildStdout>>,
    requests: u64,
}

impl Program {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_persistent_agent"))
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let stdin = child.stdin.take().expect("it was asked for");
        let stdout = BufReader::new(child.stdout.take().expect("it was asked for")).lines();
        let mut program = Program { child, stdin, stdout, requests: 0 };
        program.call("initialize", &json!({"protocolVersion": 1}));
        program
    }

    /// Calls a method. Returns the lines before the answer, and the result.
    fn call(&mut self, method: &str, params: &Value) -> (Vec<String>, Value) {
        self.requests += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.requests, "method": method, "params": params});
        writeln!(self.stdin, "{request}").expect("it reads");
        let mut lines = Vec::new();
        loop {
            let line = self.stdout.next().expect("it answers").expect("it writes text");
            let mut message: Value = serde_json::from_str(&line).expect("it writes JSON");
            if message["id"] == self.requests {
                assert!(message.get("error").is_none(), "{message}");
                return (lines, message["result"].take());
            }
            lines.push(line);
        }
    }

    fn prompt(&mut self, session: &Value, text: &str) -> Vec<String> {
        let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]});
        self.call("session/prompt", &prompt).0
    }

    fn kill(mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it was started here");
    }
}

fn text(line: &str) -> String {
    let message: Value = serde_json::from_str(line).expect("JSON");
    message["params"]["update"]["content"]["text"].as_str().expect("text").to_owned()
}

#[test]
fn it_remembers_after_a_kill() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut program = Program::start(folder.path());
    let (_, opened) = program.call("session/new", &json!({"cwd": "/work", "mcpServers": []}));
    let session = &opened["sessionId"];
    let mut said = program.prompt(session, "Buy milk.");
    said.extend(program.prompt(session, "Feed the cat."));
    program.kill();

    let named = json!({"sessionId": session, "cwd": "/work", "mcpServers": []});
    for round in 0..3 {
        let mut program = Program::start(folder.path());
        let (_, list) = program.call("session/list", &json!({}));
        let sessions = list["sessions"].as_array().expect("a list");
        assert_eq!(sessions.len(), 1);
        assert_eq!((&sessions[0]["sessionId"], &sessions[0]["title"]), (session, &json!("Buy milk.")));
        let (replayed, _) = program.call("session/load", &named);
        let (asked, answers): (Vec<_>, Vec<_>) =
            replayed.into_iter().partition(|line| line.contains("user_message_chunk"));
        assert_eq!(answers, said, "every line as it was");
        let asked: Vec<_> = asked.iter().map(|line| text(line)).collect();
        assert_eq!(asked[..2], ["Buy milk.", "Feed the cat."]);
        let answer = program.prompt(session, "What do you know?");
        let mut known = vec!["Buy milk.", "Feed the cat."];
        known.extend(std::iter::repeat_n("What do you know?", round));
        assert_eq!(text(&answer[0]), known.join("\n"));
        said.extend(answer);
        program.kill();
    }
}
