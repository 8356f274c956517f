//! Unix: a process that ends the children of this process when this process is killed.
//!
//! It is a shell that reads a socket. Only this process has the other end, so the shell comes to
//! the end of its input when this process is gone. The shell starts with the first process group
//! and ends with the last one: there is at most one. A system without a shell has no guardian.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use rustix::process::Pid;

const SCRIPT: &str = include_str!("guardian.sh");
/// The variable with the script. As an argument the script would fill the lists of `ps`.
const VARIABLE: &str = "ACP_GUARDIAN";

static GUARDIAN: Mutex<Guardian> = Mutex::new(Guardian { groups: BTreeMap::new(), shell: None });

/// Has the guardian end this group, until [`forget`].
pub(super) fn watch(leader: Pid) {
    let (group, birth) = (leader.as_raw_nonzero().get(), birth(leader));
    let mut guardian = lock();
    guardian.groups.insert(group, birth);
    guardian.send(&format!("+ {group} {birth}\n"));
}

/// Tells the guardian that the number does not belong to the group any more.
pub(super) fn forget(group: Pid) {
    let group = group.as_raw_nonzero().get();
    let mut guardian = lock();
    if guardian.groups.remove(&group).is_none() {
        return;
    }
    guardian.send(&format!("- {group}\n"));
    if guardian.groups.is_empty()
        && let Some(shell) = guardian.shell.take()
    {
        shell.retire();
    }
}

fn lock() -> MutexGuard<'static, Guardian> {
    GUARDIAN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The start time of the leader, or 0 if the system does not tell.
///
/// It distinguishes the leader from a stranger with the same number.
fn birth(leader: Pid) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", leader.as_raw_nonzero()));
    // The name comes before, and may contain anything.
    let birth = stat.ok().and_then(|stat| stat.rsplit(") ").next()?.split(' ').nth(19)?.parse().ok());
    birth.unwrap_or_default()
}

struct Guardian {
    groups: BTreeMap<i32, u64>,
    shell: Option<Shell>,
}

impl Guardian {
    /// Sends a line to the shell. A shell that does not listen is replaced.
    fn send(&mut self, line: &str) {
        if self.shell.as_mut().is_some_and(|shell| shell.send(line).is_ok()) {
            return;
        }
        if let Some(shell) = self.shell.take() {
            shell.dismiss();
        }
        if self.groups.is_empty() {
            return;
        }
        let known: String = self.groups.iter().map(|(group, birth)| format!("+ {group} {birth}\n")).collect();
        self.shell = Shell::start().ok().and_then(|mut shell| match shell.send(&known) {
            Ok(()) => Some(shell),
            Err(_) => {
                shell.dismiss();
                None
            }
        });
    }
}

struct Shell {
    process: Child,
    wire: UnixStream,
}

impl Shell {
    fn start() -> io::Result<Self> {
        let (wire, theirs) = UnixStream::pair()?;
        // Nobody who starts or ends a process may wait for a shell that was stopped.
        wire.set_nonblocking(true)?;
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &format!("eval \"${VARIABLE}\""), "acp-guardian"]);
        command.env_clear().env(VARIABLE, SCRIPT).current_dir("/");
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        // A signal to the group of this process must not reach it.
        let process = command.process_group(0).spawn()?;
        Ok(Self { process, wire })
    }

    fn send(&mut self, text: &str) -> io::Result<()> {
        self.wire.write_all(text.as_bytes())
    }

    /// Lets the shell end by itself, as it has nothing to watch.
    fn retire(self) {
        let Self { mut process, wire } = self;
        drop(wire);
        // There may be no runtime that would take note of its exit.
        let _ = thread::Builder::new().name("acp-process reaper".into()).spawn(move || process.wait());
    }

    /// Kills the shell before its input ends: the end would mean the end of this process.
    fn dismiss(mut self) {
        let _ = self.process.kill();
        self.retire();
    }
}
