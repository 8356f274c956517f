//! Agents on the network: `acp serve`, `acp connect` and `--url`.

mod access;
mod connect;
mod drain;
mod limits;
mod metrics;
mod prestart;
mod recipes;
mod serve;
mod tap;
mod told;
mod url;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use acp_client::{Agent, Error, Session};
use acp_http::Remote;

use crate::prompt::{AGENT, beside_session};

/// The longest time that a test waits for an event.
const LONG: Duration = Duration::from_secs(60);
/// A folder that the server allows.
const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// An agent that obeys words. `$1` is a file, or a pipe.
const OBEDIENT: &str = r#"
file=$1
take; give '{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}'
while :; do
  take
  case "$line" in
    *session/new*) give '{"sessionId":"s1"}' ;;
    *session/load*) give '{}' ;;
    *'"text":"pid"'*) say "$$"; give '{"stopReason":"end_turn"}' ;;
    *'"text":"variables"'*) say "$(env | cut -d= -f1 | sort | tr '\n' ' ')"; give '{"stopReason":"end_turn"}' ;;
    *'"text":"whose"'*) say "${CLIENT-nobody}"; give '{"stopReason":"end_turn"}' ;;
    *'"text":"noise"'*) printf '\377\376\n\n  \nno JSON\r\n'; say fine; give '{"stopReason":"end_turn"}' ;;
    *'"text":"leave"'*) exit 0 ;;
    *'"text":"die"'*) kill -9 $$ ;;
    *'"text":"report"'*) echo $$ > "$file"; read -r never ;;
    *'"text":"wait"'*) say waiting; cat "$file" > /dev/null; say done; give '{"stopReason":"end_turn"}' ;;
    *'"text":"long"'*) say "$(head -c 100000 /dev/zero | tr '\0' x)"; give '{"stopReason":"end_turn"}' ;;
    *) say "$(printf '%s' "$line" | wc -c)"; give '{"stopReason":"end_turn"}' ;;
  esac
done"#;

/// One of version 2. It answers a prompt at once, and works on until its pipe is written to.
const OBEDIENT_2: &str = r#"
file=$1
states() { update "{\"sessionUpdate\":\"state_update\",\"state\":$1}"; }
says() { update "{\"sessionUpdate\":\"agent_message_chunk\",\"messageId\":\"m2\",\"content\":{\"type\":\"text\",\"text\":\"$1\"}}"; }
take; give '{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}}'
while :; do
  take
  case "$line" in
    *session/new*) give '{"sessionId":"s1"}' ;;
    *session/prompt*)
      give '{"messageId":"m1"}'
      update '{"sessionUpdate":"user_message","messageId":"m1","content":[{"type":"text","text":"hello"}]}'
      states '"running"'; says "$$"
      cat "$file" > /dev/null
      states '"requires_action"'; states '"running"'; says done; states '"idle","stopReason":"end_turn"' ;;
  esac
done"#;

/// A server that runs.
struct Served {
    process: Child,
    address: SocketAddr,
    scheme: String,
    told: Receiver<String>,
    seen: Vec<String>,
}

/// The command of a server with these options.
fn serve(options: &[&str], agent: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    command.args(["serve", "--listen", "127.0.0.1:0"]).args(options).arg("--").args(agent);
    with_stderr(command)
}

/// Lets the tests read what a command tells.
fn with_stderr(mut command: Command) -> Command {
    command.env_remove("ACP_TOKEN").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

impl Served {
    /// Starts a server of obedient agents.
    fn start(options: &[&str]) -> Self {
        Self::with_file(options, "")
    }

    fn with_file(options: &[&str], file: &str) -> Self {
        let script = format!("{AGENT}{OBEDIENT}");
        Self::of(options, &["sh", "-c", &script, "sh", file])
    }

    /// Starts a server of agents of version 2.
    fn of_version_2(options: &[&str], file: &str) -> Self {
        let script = format!("{AGENT}{OBEDIENT_2}");
        Self::of(options, &["sh", "-c", &script, "sh", file])
    }

    fn of(options: &[&str], agent: &[&str]) -> Self {
        Self::run(serve(options, agent))
    }

    fn run(mut command: Command) -> Self {
        let mut process = command.spawn().expect("acp runs");
        let stderr = process.stderr.take().expect("is piped");
        let (sender, told) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let unbound = SocketAddr::from(([0; 4], 0));
        let mut served = Self { process, address: unbound, scheme: String::new(), told, seen: Vec::new() };
        let line = served.until("listening on ");
        let url = line.split("listening on ").nth(1).expect("an address");
        let (scheme, rest) = url.split_once("://").expect("a scheme");
        served.scheme = scheme.to_owned();
        served.address = rest.split('/').next().and_then(|address| address.parse().ok()).expect("an address");
        served
    }

    /// Waits for a line on stderr with this text.
    fn until(&mut self, part: &str) -> String {
        let found = self.seen.iter().find(|line| line.contains(part));
        if let Some(line) = found {
            return line.clone();
        }
        loop {
            let Ok(line) = self.told.recv_timeout(LONG) else {
                panic!("`{part}` is not told: {:?}", self.seen);
            };
            self.seen.push(line.clone());
            if line.contains(part) {
                return line;
            }
        }
    }

    fn ws(&self) -> String {
        format!("{}://{}/acp", self.scheme, self.address)
    }

    fn http(&self) -> String {
        self.ws().replacen("ws", "http", 1)
    }

    /// Both ways to the agent.
    fn ways(&self) -> [Remote; 2] {
        [acp_http::ws(self.ws()), acp_http::http(self.http())]
    }

    async fn agent(&self) -> Agent {
        acp_client::connect(acp_http::ws(self.ws())).await.expect("it connects")
    }

    fn signal(&self, signal: &str) {
        kill(signal, self.process.id());
    }

    /// Waits for the end, and returns the exit code.
    fn code(&mut self) -> Option<i32> {
        self.process.wait().expect("it ends").code()
    }

    /// Gets a path. Returns the status, the head, and the body.
    fn get(&self, path: &str, headers: &str) -> (u16, String, String) {
        let mut socket = TcpStream::connect(self.address).expect("it listens");
        let host = match headers.contains("host: ") {
            true => String::new(),
            false => format!("host: {}\r\n", self.address),
        };
        let request = format!("GET {path} HTTP/1.1\r\n{host}connection: close\r\n{headers}\r\n");
        socket.write_all(request.as_bytes()).expect("is written");
        let mut answer = String::new();
        socket.read_to_string(&mut answer).expect("is read");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.get(9..12).and_then(|status| status.parse().ok()).expect("a status");
        (status, head.to_ascii_lowercase(), body.to_owned())
    }

    /// The value of a metric.
    fn metric(&self, name: &str) -> u64 {
        let (status, _, body) = self.get("/metrics", "");
        assert_eq!(status, 200, "{body}");
        let value = body.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok());
        value.unwrap_or_else(|| panic!("no {name} in {body}"))
    }

    /// Waits until a metric has a value.
    fn until_metric(&self, name: &str, value: u64) {
        let until = Instant::now() + LONG;
        while self.metric(name) != value {
            assert!(Instant::now() < until, "{name} is {}, and not {value}", self.metric(name));
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn kill(signal: &str, pid: u32) {
    let killed = Command::new("kill").args([signal, &pid.to_string()]).status();
    assert!(killed.expect("kill runs").success());
}

/// Waits until a process is gone.
fn until_gone(pid: &str) {
    let until = Instant::now() + LONG;
    loop {
        let state = Command::new("ps").args(["-o", "stat=", "-p", pid.trim()]).output().expect("ps runs");
        let state = String::from_utf8_lossy(&state.stdout).into_owned();
        if state.trim().is_empty() || state.starts_with('Z') {
            return;
        }
        assert!(Instant::now() < until, "{pid} is still there: {state}");
    }
}

/// Prompts, and returns the text of the answer.
async fn said(session: &Session, prompt: &str) -> Result<String, Error> {
    let mut turn = session.prompt(prompt).await?;
    let mut said = String::new();
    while let Some(event) = turn.next().await {
        said.extend(event.text());
    }
    turn.finish().await?;
    Ok(said)
}

/// Makes a named pipe in a folder.
fn pipe(folder: &tempfile::TempDir) -> String {
    let pipe = folder.path().join("pipe").display().to_string();
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    pipe
}

/// Runs `acp` to its end. Returns the exit code, stdout and stderr.
fn acp(args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_acp"));
    let output = command.args(args).env_remove("ACP_TOKEN").stdin(Stdio::null()).output().expect("acp runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("it exits"), text(output.stdout), beside_session(&text(output.stderr)))
}
