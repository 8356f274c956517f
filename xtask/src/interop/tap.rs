//! The recorder between a client and an agent: `xtask interop tap <log folder> -- <agent command>`.
//!
//! The client starts it in the agent's place. Bytes pass unchanged; each line is written to
//! `wire.ndjson` first (`t` seconds, `dir` `c2a` or `a2c`, `line`), so an answer always stands
//! after what it answers. How the agent ended goes to `exit.json`.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use serde_json::json;

/// The first argument that turns `cargo xtask interop` into the recorder.
pub(super) const COMMAND: &str = "tap";
pub(super) const WIRE: &str = "wire.ndjson";
pub(super) const EXIT: &str = "exit.json";

/// How long the agent may run on after its input was closed.
const GRACE: Duration = Duration::from_secs(3);

/// The command line that starts `agent` behind a recorder which writes to `logs`.
pub(super) fn wrap(logs: &Path, agent: &Command) -> anyhow::Result<Vec<PathBuf>> {
    let mut line = vec![std::env::current_exe().context("cannot find the running xtask")?];
    line.extend(["interop", COMMAND].map(PathBuf::from));
    line.extend([logs.to_owned(), "--".into(), agent.get_program().into()]);
    line.extend(agent.get_args().map(PathBuf::from));
    Ok(line)
}

pub(super) fn run(args: &[String]) -> anyhow::Result<()> {
    let [logs, separator, program, args @ ..] = args else { bail!("tap needs <log folder> -- <command>") };
    if separator != "--" {
        bail!("tap needs `--` before the command");
    }
    let logs = Path::new(logs);
    let log = Arc::new(Log::create(&logs.join(WIRE))?);
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{program}`"))?;
    let (events, received) = mpsc::channel();
    pump_both_ways(&mut child, &log, &events);
    let pid = child.id();
    thread::spawn(move || events.send(Event::Exit(child.wait())));
    let ending = Ending::wait_for(&received, pid);
    let code = ending.code();
    fs::write(logs.join(EXIT), ending.describe().to_string())?;
    std::process::exit(code)
}

enum Event {
    InputClosed,
    OutputClosed,
    Exit(io::Result<ExitStatus>),
}

fn pump_both_ways(child: &mut Child, log: &Arc<Log>, events: &Sender<Event>) {
    if let Some(stdin) = child.stdin.take() {
        let (log, events) = (log.clone(), events.clone());
        thread::spawn(move || {
            pump(io::stdin().lock(), stdin, "c2a", &log);
            events.send(Event::InputClosed).ok();
        });
    }
    if let Some(stdout) = child.stdout.take() {
        let (log, events) = (log.clone(), events.clone());
        thread::spawn(move || {
            pump(BufReader::new(stdout), io::stdout().lock(), "a2c", &log);
            events.send(Event::OutputClosed).ok();
        });
    }
}

/// Copies lines until either end is gone; dropping `to` then closes the agent's input.
fn pump(mut from: impl BufRead, mut to: impl Write, dir: &'static str, log: &Log) {
    let mut line = Vec::new();
    while let Ok(1..) = from.read_until(b'\n', &mut line) {
        log.line(dir, &line);
        if to.write_all(&line).and_then(|()| to.flush()).is_err() {
            return;
        }
        line.clear();
    }
}

/// How the agent came to its end.
#[derive(Default)]
struct Ending {
    status: Option<ExitStatus>,
    input_closed: bool,
    output_closed: bool,
    killed: bool,
}

impl Ending {
    fn wait_for(received: &mpsc::Receiver<Event>, pid: u32) -> Self {
        let mut ending = Self::default();
        while ending.status.is_none() || !ending.output_closed {
            // Only a client that is still there may wait as long as it likes.
            let limit = if ending.input_closed || ending.status.is_some() { GRACE } else { Duration::MAX };
            match received.recv_timeout(limit) {
                Ok(Event::InputClosed) => ending.input_closed = true,
                Ok(Event::OutputClosed) => ending.output_closed = true,
                Ok(Event::Exit(status)) => ending.status = status.ok(),
                Err(RecvTimeoutError::Timeout) if !ending.killed && ending.status.is_none() => {
                    ending.killed = true;
                    kill(pid);
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return ending,
            }
        }
        ending
    }

    fn code(&self) -> i32 {
        self.status.and_then(|status| status.code()).unwrap_or(1)
    }

    fn describe(&self) -> serde_json::Value {
        json!({
            "code": self.status.and_then(|status| status.code()),
            "afterInputClosed": self.input_closed,
            "killed": self.killed,
        })
    }
}

/// The agent ignores the end of its input. Only this process: the group is the client's as well.
fn kill(pid: u32) {
    let mut kill = Command::new("sh");
    kill.arg("-c")
        .arg(format!("kill -s KILL {pid}"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .ok();
}

struct Log {
    started: Instant,
    file: Mutex<File>,
}

impl Log {
    fn create(path: &Path) -> anyhow::Result<Self> {
        // A client may start its other end again, and then it is one record.
        let file = File::options().create(true).append(true).open(path);
        let file = file.with_context(|| format!("cannot create {}", path.display()))?;
        Ok(Self { started: Instant::now(), file: Mutex::new(file) })
    }

    fn line(&self, dir: &str, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let seconds = (self.started.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
        let entry = json!({ "t": seconds, "dir": dir, "line": text.trim_end_matches('\n') });
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // A full disk must not change what the two ends see; the case then fails for want of lines.
        writeln!(file, "{entry}").ok();
    }
}
