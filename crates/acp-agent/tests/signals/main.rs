//! An agent as a process: its end after a signal, and after the end of its client.
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
                // The handler knows of the cancellation, and goes on.
                "stubborn" => {
                    turn.cancelled().await;
                    std::future::pending::<()>().await;
                }
                // The handler knows of the cancellation, and blocks the runtime or a thread of it.
                "blocking" => {
                    turn.cancelled().await;
                    eprintln!("blocking");
                    loop {
                        std::thread::park();
                    }
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
        let runtime = builder.enable_all().build().unwrap();
        #[cfg(feature = "store")]
        if let Some(folder) = std::env::var_os("ACP_AGENT_TEST_STORE") {
            let agent = super::wedged::agent(folder);
            runtime.block_on(Serve::new(agent).options(options).stdio()).unwrap();
            eprintln!("served");
            return;
        }
        runtime.block_on(Serve::new(Patient).options(options).stdio()).unwrap();
        eprintln!("served");
    }
}

#[cfg(all(unix, feature = "store"))]
mod wedged;

#[cfg(unix)]
mod parent {
    use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
    use std::os::unix::process::ExitStatusExt;
    use std::path::Path;
    use std::process::{Child, Command, ExitStatus, Stdio};

    use serde_json::{Value, json};

    type Test = fn(runtime: &str);

    /// In seconds. Only a failing test waits for this long.
    const FOR_EVER: u64 = 3600;

    pub(crate) fn run() {
        let tests: &[(&str, Test)] = &[
            ("a signal ends it in good order", signals),
            ("a second signal ends it on the spot", second_signal),
            ("a second signal ends it when the first has blocked it", second_signal_when_blocked),
            ("two signals end it when it is blocked already", two_signals_when_blocked),
            ("a signal that ends it at once gives back the pipes", pipes_are_given_back),
            ("a hangup that is ignored is ignored", ignored_hangup),
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
        stdin: Option<Box<dyn Write>>,
        stdout: Option<BufReader<Box<dyn Read>>>,
    }

    impl Agent {
        fn program() -> Command {
            Command::new(std::env::current_exe().unwrap())
        }

        /// Builds the program with the default actions of SIGHUP and SIGQUIT. A shell's background
        /// jobs ignore SIGQUIT, and children inherit that.
        fn heeding_program() -> Command {
            let exe = std::env::current_exe().unwrap();
            if !cfg!(target_os = "linux") {
                return Command::new(exe);
            }
            let mut program = Command::new("env");
            program.arg("--default-signal=HUP,QUIT").arg(exe);
            program
        }

        /// Starts an agent whose drain is `drain` seconds. It uses `pipes`, or pipes of its own.
        fn start(
            runtime: &str,
            drain: u64,
            store: Option<&Path>,
            pipes: Option<(PipeReader, PipeWriter)>,
            program: &mut Command,
        ) -> Self {
            let (stdin, stdout) = match pipes {
                Some((stdin, stdout)) => (stdin.into(), stdout.into()),
                None => (Stdio::piped(), Stdio::piped()),
            };
            let mut child = program
                .env("ACP_AGENT_TEST", runtime)
                .env("ACP_AGENT_TEST_DRAIN", drain.to_string())
                .envs(store.map(|folder| ("ACP_AGENT_TEST_STORE", folder)))
                .stdin(stdin)
                .stdout(stdout)
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let stdin = child.stdin.take().map(|stdin| Box::new(stdin) as Box<dyn Write>);
            let stdout = child.stdout.take().map(|stdout| BufReader::new(Box::new(stdout) as Box<dyn Read>));
            Agent { child, stdin, stdout }
        }

        /// Opens a session.
        fn opened(&mut self) -> Value {
            self.say(1, "initialize", &json!({"protocolVersion": 1}));
            self.recv();
            self.say(2, "session/new", &json!({"cwd": "/", "mcpServers": []}));
            self.recv()["result"]["sessionId"].clone()
        }

        /// Both.
        fn open(runtime: &str, drain: u64, store: Option<&Path>) -> (Self, Value) {
            let mut agent = Self::start(runtime, drain, store, None, &mut Self::program());
            let session = agent.opened();
            (agent, session)
        }

        /// Starts an agent and opens a session with a turn that is running.
        fn prompted(runtime: &str, text: &str, drain: u64) -> Self {
            let (mut agent, session) = Self::open(runtime, drain, None);
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

        /// Waits for its end. Returns its last messages and its exit status.
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
        // The signals come together. The handler still has its own time to end, and no more.
        let agent = Agent::prompted(runtime, "stubborn", FOR_EVER);
        agent.signal(&["TERM", "INT"]);
        let (said, status, told) = agent.rest();
        assert!(said.iter().all(|message| message["id"] != 3), "it was waited for: {said:?}");
        assert!(status.success(), "{status} {told}");
        assert_eq!(told, "served\n");
    }

    /// Waits until a handler of the agent blocks, and signals until that ends the agent.
    fn blocked(mut agent: Agent, signals: &[&str]) {
        let mut told = BufReader::new(agent.child.stderr.take().unwrap());
        let mut line = String::new();
        told.read_line(&mut line).unwrap();
        assert_eq!(line, "blocking\n");
        agent.signal(signals);
        let status = agent.child.wait().unwrap();
        // Two pending signals can be delivered in either order.
        assert!(signals.len() == 2 && status.signal() == Some(15) || status.signal() == Some(2), "{status}");
    }

    fn second_signal_when_blocked(runtime: &str) {
        let agent = Agent::prompted(runtime, "blocking", FOR_EVER);
        agent.signal(&["TERM"]);
        blocked(agent, &["INT"]);
    }

    fn two_signals_when_blocked(runtime: &str) {
        let (mut agent, session) = Agent::open(runtime, FOR_EVER, None);
        let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": "blocking"}]});
        agent.say(3, "session/prompt", &prompt);
        assert_eq!(agent.recv()["params"]["update"]["status"], "in_progress");
        let cancel = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}});
        writeln!(agent.stdin.as_mut().unwrap(), "{cancel}").unwrap();
        blocked(agent, &["TERM", "INT"]);
    }

    fn is_nonblocking(pipe: impl std::os::fd::AsFd) -> bool {
        rustix::fs::fcntl_getfl(pipe).unwrap().contains(rustix::fs::OFlags::NONBLOCK)
    }

    /// Other processes may have the same pipes, and do not expect them to be non-blocking.
    fn pipes_are_given_back(runtime: &str) {
        for (signals, text, ended_by) in
            [(["HUP"].as_slice(), "wait", 1), (&["QUIT"], "wait", 3), (&["INT"], "blocking", 2)]
        {
            let ((stdin, input), (output, stdout)) = (std::io::pipe().unwrap(), std::io::pipe().unwrap());
            let pipes = Some((stdin.try_clone().unwrap(), stdout.try_clone().unwrap()));
            let mut agent = Agent::start(runtime, FOR_EVER, None, pipes, &mut Agent::heeding_program());
            agent.stdin = Some(Box::new(input));
            agent.stdout = Some(BufReader::new(Box::new(output)));
            let session = agent.opened();
            let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]});
            agent.say(3, "session/prompt", &prompt);
            assert_eq!(agent.recv()["params"]["update"]["status"], "in_progress");
            assert!(is_nonblocking(&stdin) && is_nonblocking(&stdout));
            if text == "blocking" {
                agent.signal(&["TERM"]);
                blocked(agent, signals);
            } else {
                agent.signal(signals);
                assert_eq!(agent.child.wait().unwrap().signal(), Some(ended_by), "{signals:?}");
            }
            assert!(!is_nonblocking(&stdin) && !is_nonblocking(&stdout), "{signals:?}");
        }
    }

    /// The agent ignores SIGHUP, as under `nohup`.
    fn ignored_hangup(runtime: &str) {
        if !cfg!(target_os = "linux") {
            return;
        }
        let mut program = Command::new("/bin/sh");
        program.args(["-c", "trap '' HUP; exec \"$0\""]).arg(std::env::current_exe().unwrap());
        let mut agent = Agent::start(runtime, FOR_EVER, None, None, &mut program);
        agent.opened();
        agent.signal(&["HUP"]);
        agent.stdin = None;
        let (_, status, told) = agent.rest();
        assert!(status.success(), "{status} {told}");
    }

    #[cfg(feature = "store")]
    fn second_signal_while_closing(runtime: &str) {
        let folder = tempfile::tempdir().unwrap();
        for hangup in [true, false] {
            let (mut agent, _) = Agent::open(runtime, FOR_EVER, Some(folder.path()));
            let mut told = BufReader::new(agent.child.stderr.take().unwrap());
            if hangup {
                agent.stdin = None;
            }
            agent.signal(&["TERM"]);
            let mut line = String::new();
            told.read_line(&mut line).unwrap();
            assert_eq!(line, "closing\n");
            // The agent may have read the first signal only now. Then it needs another one.
            agent.signal(&["INT"]);
            agent.signal(&["INT"]);
            let mut rest = String::new();
            told.read_to_string(&mut rest).unwrap();
            assert_eq!(rest, "served\n");
            assert!(agent.child.wait().unwrap().success());
        }
    }

    fn end_of_input(runtime: &str) {
        // This time has to pass before the handlers are told. They must answer before it has passed
        // again.
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
        // Nobody reads the agent's output from here on.
        let stdout = agent.stdout.take();
        agent.signal(&["TERM"]);
        let (_, status, told) = agent.rest();
        drop(stdout);
        assert!(status.success(), "{status} {told}");
        assert_eq!(told, "served\n");
    }
}
