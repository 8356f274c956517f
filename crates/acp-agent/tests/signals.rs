//! An agent as a process: how it ends when it is asked to, and when its client goes.
//!
//! This program starts itself: as the parent it is the test, as the child it is the agent.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a test program tells what it does")]

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
fn main() {
    match std::env::var("ACP_AGENT_TEST").as_deref() {
        Ok(runtime) => agent::run(runtime),
        Err(_) => parent::run(),
    }
}

#[cfg(unix)]
mod agent {
    use std::time::Duration;

    use acp_agent::{Options, Result, Serve, StopReason, Turn, agent};

    struct Patient;

    #[agent(name = "patient")]
    impl Patient {
        async fn prompt(&self, turn: Turn) -> Result<StopReason> {
            let _tool = turn.start_tool(acp_agent::ToolCall::new("t", "Long")).await?;
            match &*turn.text() {
                "flood" => loop {
                    turn.say("x".repeat(8 * 1024)).await?;
                },
                // It knows, and goes on.
                "stubborn" => {
                    turn.cancelled().await;
                    std::future::pending::<()>().await;
                }
                _ => {
                    turn.cancelled().await;
                    turn.uncancelled().say("bye").await?;
                }
            }
            Ok(StopReason::EndTurn)
        }
    }

    pub(crate) fn run(runtime: &str) {
        let mut builder = match runtime {
            "multi_thread" => tokio::runtime::Builder::new_multi_thread(),
            _ => tokio::runtime::Builder::new_current_thread(),
        };
        let drain = std::env::var("ACP_AGENT_TEST_DRAIN").unwrap().parse().unwrap();
        let options = Options::default().drain(Duration::from_secs(drain));
        let served = Serve::new(Patient).options(options).stdio();
        builder.enable_all().build().unwrap().block_on(served).unwrap();
        eprintln!("served");
    }
}

#[cfg(unix)]
mod parent {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

    use serde_json::{Value, json};

    type Test = fn(runtime: &str);

    /// In seconds: only a test that fails waits as long.
    const FOR_EVER: u64 = 3600;

    pub(crate) fn run() {
        let tests: [(&str, Test); 5] = [
            ("a signal ends it in good order", signals),
            ("a second signal ends it on the spot", second_signal),
            ("the end of stdin ends it", end_of_input),
            ("a client that is gone is no failure", broken_pipe),
            ("a signal ends it while nobody reads", nobody_reads),
        ];
        for (name, test) in tests {
            for runtime in ["current_thread", "multi_thread"] {
                test(runtime);
                println!("{name} ({runtime}): ok");
            }
        }
    }

    struct Agent {
        child: Child,
        stdin: Option<ChildStdin>,
        stdout: Option<BufReader<ChildStdout>>,
    }

    impl Agent {
        /// Starts an agent whose turn is running, and that waits so many seconds for something to happen at its end.
        fn prompted(runtime: &str, text: &str, drain: u64) -> Self {
            let mut child = Command::new(std::env::current_exe().unwrap())
                .env("ACP_AGENT_TEST", runtime)
                .env("ACP_AGENT_TEST_DRAIN", drain.to_string())
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let stdin = child.stdin.take();
            let stdout = child.stdout.take().map(BufReader::new);
            let mut agent = Agent { child, stdin, stdout };
            agent.say(1, "initialize", &json!({"protocolVersion": 1}));
            agent.recv();
            agent.say(2, "session/new", &json!({"cwd": "/", "mcpServers": []}));
            let session = agent.recv()["result"]["sessionId"].clone();
            let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]});
            agent.say(3, "session/prompt", &prompt);
            assert_eq!(agent.recv()["params"]["update"]["status"], "in_progress");
            agent
        }

        fn say(&mut self, id: u64, method: &str, params: &Value) {
            let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
        }

        fn recv(&mut self) -> Value {
            let mut line = String::new();
            self.stdout.as_mut().unwrap().read_line(&mut line).unwrap();
            serde_json::from_str(&line).unwrap()
        }

        /// Sends these signals, one right after the other.
        fn signal(&self, names: &[&str]) {
            let id = self.child.id();
            let kill: Vec<String> = names.iter().map(|name| format!("kill -s {name} {id}")).collect();
            let kill = kill.join(" && ");
            assert!(Command::new("/bin/sh").args(["-c", &kill]).status().unwrap().success());
        }

        /// Waits until it is gone: the rest of what it said, and how it ended.
        fn rest(mut self) -> (Vec<Value>, ExitStatus, String) {
            let mut said = String::new();
            if let Some(stdout) = &mut self.stdout {
                stdout.read_to_string(&mut said).unwrap();
            }
            let mut told = String::new();
            self.child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
            let status = self.child.wait().unwrap();
            (said.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), status, told)
        }
    }

    /// The tool is reported as failed, the turn says its last words, and the prompt is answered.
    fn check_last_words(said: &[Value]) {
        assert_eq!(said[0]["params"]["update"]["content"]["text"], "bye", "{said:?}");
        assert_eq!(said[1]["params"]["update"]["status"], "failed", "{said:?}");
        assert_eq!((&said[2]["id"], &said[2]["result"]["stopReason"]), (&json!(3), &json!("cancelled")));
        assert_eq!(said.len(), 3, "{said:?}");
    }

    fn signals(runtime: &str) {
        for name in ["TERM", "INT"] {
            let agent = Agent::prompted(runtime, "wait", FOR_EVER);
            agent.signal(&[name]);
            let (said, status, told) = agent.rest();
            check_last_words(&said);
            assert!(status.success(), "{name}: {status} {told}");
            assert_eq!(told, "served\n", "{name}");
        }
    }

    fn second_signal(runtime: &str) {
        // Together: in between, its handler has its own time to end, and no more.
        let agent = Agent::prompted(runtime, "stubborn", FOR_EVER);
        agent.signal(&["TERM", "INT"]);
        let (said, status, told) = agent.rest();
        assert!(said.iter().all(|message| message["id"] != 3), "it was waited for: {said:?}");
        assert!(status.success(), "{status} {told}");
        assert_eq!(told, "served\n");
    }

    fn end_of_input(runtime: &str) {
        // This time has to pass before its handlers are told, and must not before they have answered.
        let mut agent = Agent::prompted(runtime, "wait", 3);
        agent.stdin = None;
        let (said, status, told) = agent.rest();
        check_last_words(&said);
        assert!(status.success() && status.signal().is_none(), "{status} {told}");
        assert_eq!(told, "served\n");
    }

    /// The client dies: its end of both pipes is closed while the agent writes.
    fn broken_pipe(runtime: &str) {
        let mut agent = Agent::prompted(runtime, "flood", 1);
        agent.stdout = None;
        let (_, status, told) = agent.rest();
        assert!(status.success(), "{status} {told}");
        assert_eq!(told, "served\n");
    }

    fn nobody_reads(runtime: &str) {
        let mut agent = Agent::prompted(runtime, "flood", 1);
        // Nobody reads a word of it from here on.
        let stdout = agent.stdout.take();
        agent.signal(&["TERM"]);
        let (_, status, told) = agent.rest();
        drop(stdout);
        assert!(status.success(), "{status} {told}");
        assert_eq!(told, "served\n");
    }
}
