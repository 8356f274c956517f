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
        // Longer than the handler's own time to end.
        let drain = std::env::var_os("ACP_AGENT_TEST_DRAIN").map(|_| Duration::from_secs(3600));
        let options = drain.into_iter().fold(Options::default(), Options::drain);
        let runtime = builder.enable_all().build().unwrap();
        #[cfg(feature = "store")]
        if let Some(folder) = std::env::var_os("ACP_AGENT_TEST_STORE") {
            runtime.block_on(Serve::new(super::wedged::agent(folder)).stdio()).unwrap();
            eprintln!("served");
            return;
        }
        runtime.block_on(Serve::new(Patient).options(options).stdio()).unwrap();
        eprintln!("served");
    }
}

/// An agent whose store never gets anything to the disk.
#[cfg(all(unix, feature = "store"))]
mod wedged {
    use std::ffi::OsString;

    use acp_agent::store::{Journal, Pending, Record, Records, SessionLog, SessionStore};
    use acp_agent::types::{ListSessionsRequest, ListSessionsResponse, SessionId, SessionInfo};
    use acp_agent::{Agent, Result, Router, StopReason, op};

    struct Wedged(Journal);

    struct WedgedLog(Box<dyn SessionLog>);

    pub(crate) fn agent(folder: OsString) -> impl Agent {
        Router::new("wedged", "1", ()).on::<op::Prompt, _>(prompt).store(Wedged(Journal::at(folder)))
    }

    async fn prompt(_: &()) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    impl SessionStore for Wedged {
        fn create(&self, session: SessionInfo) -> Pending<'_, Box<dyn SessionLog>> {
            Box::pin(async move {
                let log = self.0.create(session).await?;
                Ok(Box::new(WedgedLog(log)) as Box<dyn SessionLog>)
            })
        }

        fn open<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn SessionLog>> {
            self.0.open(session)
        }

        fn read<'a>(&'a self, session: &'a SessionId) -> Pending<'a, Box<dyn Records>> {
            self.0.read(session)
        }

        fn list<'a>(&'a self, request: &'a ListSessionsRequest) -> Pending<'a, ListSessionsResponse> {
            self.0.list(request)
        }

        fn delete<'a>(&'a self, session: &'a SessionId) -> Pending<'a, ()> {
            self.0.delete(session)
        }
    }

    impl SessionLog for WedgedLog {
        fn info(&self) -> &SessionInfo {
            self.0.info()
        }

        fn append(&mut self, records: Vec<Record>) -> Pending<'_, ()> {
            self.0.append(records)
        }

        fn set_title(&mut self, title: Option<String>) -> Pending<'_, ()> {
            self.0.set_title(title)
        }

        fn commit(&mut self) -> Pending<'_, ()> {
            Box::pin(async {
                eprintln!("closing");
                std::future::pending().await
            })
        }
    }
}

#[cfg(unix)]
mod parent {
    use std::ffi::OsStr;
    use std::io::{BufRead, BufReader, Read, Write};
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

    use serde_json::{Value, json};

    type Test = fn(runtime: &str);

    pub(crate) fn run() {
        let tests: &[(&str, Test)] = &[
            ("a signal ends it in good order", signals),
            ("a second signal ends it on the spot", second_signal),
            ("the end of stdin ends it", end_of_input),
            ("a client that is gone is no failure", broken_pipe),
            ("a signal ends it while nobody reads", nobody_reads),
            #[cfg(feature = "store")]
            ("a second signal ends it while its sessions are being closed", second_signal_while_closing),
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
        /// Starts an agent with these variables, and opens a session.
        fn open(runtime: &str, variables: Option<(&str, &OsStr)>) -> (Self, Value) {
            let mut child = Command::new(std::env::current_exe().unwrap())
                .env("ACP_AGENT_TEST", runtime)
                .envs(variables)
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
            (agent, session)
        }

        /// Starts an agent whose turn is running.
        fn prompted(runtime: &str, text: &str) -> Self {
            let drain = (text == "stubborn").then_some(("ACP_AGENT_TEST_DRAIN", OsStr::new("long")));
            let (mut agent, session) = Self::open(runtime, drain);
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

        fn signal(&self, name: &str) {
            let id = self.child.id().to_string();
            let kill = format!("kill -s {name} {id}");
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
            let agent = Agent::prompted(runtime, "wait");
            agent.signal(name);
            let (said, status, told) = agent.rest();
            check_last_words(&said);
            assert!(status.success(), "{name}: {status} {told}");
            assert_eq!(told, "served\n", "{name}");
        }
    }

    fn second_signal(runtime: &str) {
        let agent = Agent::prompted(runtime, "stubborn");
        agent.signal("TERM");
        agent.signal("INT");
        let (said, status, told) = agent.rest();
        assert!(said.iter().all(|message| message["id"] != 3), "it was waited for: {said:?}");
        assert!(status.success(), "{status} {told}");
        assert_eq!(told, "served\n");
    }

    #[cfg(feature = "store")]
    fn second_signal_while_closing(runtime: &str) {
        let folder = tempfile::tempdir().unwrap();
        for hangup in [true, false] {
            let store = ("ACP_AGENT_TEST_STORE", folder.path().as_os_str());
            let (mut agent, _) = Agent::open(runtime, Some(store));
            let mut told = BufReader::new(agent.child.stderr.take().unwrap());
            if hangup {
                agent.stdin = None;
            }
            agent.signal("TERM");
            let mut line = String::new();
            told.read_line(&mut line).unwrap();
            assert_eq!(line, "closing\n");
            agent.signal("INT");
            // It may be that the first was heard only now: then this one is the second.
            agent.signal("INT");
            let mut rest = String::new();
            told.read_to_string(&mut rest).unwrap();
            assert_eq!(rest, "served\n");
            assert!(agent.child.wait().unwrap().success());
        }
    }

    fn end_of_input(runtime: &str) {
        let mut agent = Agent::prompted(runtime, "wait");
        agent.stdin = None;
        let (said, status, told) = agent.rest();
        check_last_words(&said);
        assert!(status.success() && status.signal().is_none(), "{status} {told}");
        assert_eq!(told, "served\n");
    }

    /// The client dies: its end of both pipes is closed while the agent writes.
    fn broken_pipe(runtime: &str) {
        let mut agent = Agent::prompted(runtime, "flood");
        agent.stdout = None;
        let (_, status, told) = agent.rest();
        assert!(status.success(), "{status} {told}");
        assert_eq!(told, "served\n");
    }

    fn nobody_reads(runtime: &str) {
        let mut agent = Agent::prompted(runtime, "flood");
        // Nobody reads a word of it from here on.
        let stdout = agent.stdout.take();
        agent.signal("TERM");
        let (_, status, told) = agent.rest();
        drop(stdout);
        assert!(status.success(), "{status} {told}");
        assert_eq!(told, "served\n");
    }
}
