//! Runs a command with a time limit, in a process group of its own that never outlives the call.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;

pub(crate) const STDOUT: &str = "stdout.txt";
pub(crate) const STDERR: &str = "stderr.txt";

/// How long a process may take to obey SIGTERM, and output may still arrive after the exit.
const GRACE: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) ended: Ended,
    pub(crate) stdout: String,
}

#[derive(Debug)]
pub(crate) enum Ended {
    Exited(ExitStatus),
    TimedOut,
}

/// Runs the command to its end. Standard output and standard error are also written to the folder
/// `logs`. When `interrupt_at` is given, the group gets one SIGINT (a Ctrl-C) as soon as that text
/// was printed, and standard input stays open without a word until the end; otherwise it is empty.
pub(crate) fn run(
    mut command: Command,
    limit: Duration,
    logs: &Path,
    interrupt_at: Option<&str>,
) -> anyhow::Result<Outcome> {
    let program = Path::new(command.get_program()).display().to_string();
    let errors = File::create(logs.join(STDERR)).context("cannot create the log of standard error")?;
    command.stdin(if interrupt_at.is_some() { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(errors);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().with_context(|| format!("cannot start `{program}`"))?;
    let group = Group(child.id());
    let (events, received) = mpsc::channel();
    watch(&mut child, &events);
    // `wait` would close it.
    let _silent_input = child.stdin.take();
    thread::spawn(move || events.send(Event::Exit(child.wait())));

    let mut watcher = Watcher { group, interrupt_at, stdout: Vec::new(), output_open: true, exit: None };
    let deadline = Instant::now() + limit;
    let finished = watcher.until(deadline, &received, |watcher| watcher.exit.is_some());
    if !finished {
        watcher.group.signal("TERM");
        watcher.until(Instant::now() + GRACE, &received, |watcher| watcher.exit.is_some());
        watcher.group.signal("KILL");
    }
    // A child that outlives the command may hold the pipe open: take what is there and end it.
    watcher.until(Instant::now() + GRACE, &received, |watcher| !watcher.output_open);
    watcher.group.signal("KILL");
    fs::write(logs.join(STDOUT), &watcher.stdout).context("cannot write the log of standard output")?;
    let ended = match watcher.exit {
        Some(status) if finished => Ended::Exited(status.context("cannot wait for the process")?),
        _ => Ended::TimedOut,
    };
    Ok(Outcome { ended, stdout: String::from_utf8_lossy(&watcher.stdout).into_owned() })
}

enum Event {
    Output(Vec<u8>),
    OutputClosed,
    Exit(io::Result<ExitStatus>),
}

fn watch(child: &mut Child, events: &Sender<Event>) {
    let Some(mut stdout) = child.stdout.take() else { return };
    let events = events.clone();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = stdout.read(&mut buffer) {
            let text = buffer.get(..length).unwrap_or_default().to_vec();
            if events.send(Event::Output(text)).is_err() {
                return;
            }
        }
        // The receiver is gone only after the run was given up.
        events.send(Event::OutputClosed).ok();
    });
}

struct Watcher<'a> {
    group: Group,
    interrupt_at: Option<&'a str>,
    stdout: Vec<u8>,
    output_open: bool,
    exit: Option<io::Result<ExitStatus>>,
}

impl Watcher<'_> {
    /// Takes events until `done` or the deadline; says whether it was `done`.
    fn until(
        &mut self,
        deadline: Instant,
        received: &mpsc::Receiver<Event>,
        done: impl Fn(&Self) -> bool,
    ) -> bool {
        while !done(self) {
            let left = deadline.saturating_duration_since(Instant::now());
            match received.recv_timeout(left) {
                Ok(Event::Output(text)) => self.output(&text),
                Ok(Event::OutputClosed) => self.output_open = false,
                Ok(Event::Exit(status)) => self.exit = Some(status),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return false,
            }
        }
        true
    }

    fn output(&mut self, text: &[u8]) {
        self.stdout.extend_from_slice(text);
        if let Some(marker) = self.interrupt_at
            && String::from_utf8_lossy(&self.stdout).contains(marker)
        {
            self.interrupt_at = None;
            self.group.signal("INT");
        }
    }
}

/// A process group, named by the id of its first process.
pub(crate) struct Group(pub(super) u32);

impl Group {
    /// Signals every process of the group. An empty group is not an error here.
    pub(crate) fn signal(&self, name: &str) {
        // The standard library cannot signal a group, and the shell's own `kill` is there on every
        // Unix.
        let mut kill = if cfg!(windows) {
            let mut kill = Command::new("taskkill");
            kill.args(["/F", "/T", "/PID", &self.0.to_string()]);
            kill
        } else {
            let mut kill = Command::new("sh");
            kill.arg("-c").arg(format!("kill -s {name} -- -{}", self.0));
            kill
        };
        kill.stdout(Stdio::null()).stderr(Stdio::null()).status().ok();
    }
}
