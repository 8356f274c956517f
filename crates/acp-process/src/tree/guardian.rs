//! Unix: a process that ends what this process has started, should this one be killed.
//!
//! It is a shell that reads a socket whose other end only this process has: when this process is gone, however it went,
//! the shell comes to the end of its input. It is started with the first process group and ends with the last one, so
//! there is one at most, whatever is started meanwhile. Where there is no shell, nobody watches.

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
/// The variable that has the script: among the arguments it would fill whole lists of processes.
const VARIABLE: &str = "ACP_GUARDIAN";

static GUARDIAN: Mutex<Guardian> = Mutex::new(Guardian { groups: BTreeMap::new(), shell: None });

/// Sees to the end of a group that has been started, until it is told to [`forget`] it.
pub(super) fn watch(leader: Pid) {
    let (group, birth) = (leader.as_raw_nonzero().get(), birth(leader));
    let mut guardian = lock();
    guardian.groups.insert(group, birth);
    guardian.tell(&format!("+ {group} {birth}\n"));
}

/// The number is not that of the group any more.
pub(super) fn forget(group: Pid) {
    let group = group.as_raw_nonzero().get();
    let mut guardian = lock();
    if guardian.groups.remove(&group).is_none() {
        return;
    }
    guardian.tell(&format!("- {group}\n"));
    if guardian.groups.is_empty()
        && let Some(shell) = guardian.shell.take()
    {
        shell.retire();
    }
}

fn lock() -> MutexGuard<'static, Guardian> {
    GUARDIAN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// When the leader was born, by which a stranger is told who has been given its number. 0 where nobody says.
fn birth(leader: Pid) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", leader.as_raw_nonzero()));
    // The name comes before, and may have anything in it.
    let birth = stat.ok().and_then(|stat| stat.rsplit(") ").next()?.split(' ').nth(19)?.parse().ok());
    birth.unwrap_or_default()
}

struct Guardian {
    groups: BTreeMap<i32, u64>,
    shell: Option<Shell>,
}

impl Guardian {
    /// One that does not listen is replaced.
    fn tell(&mut self, line: &str) {
        if self.shell.as_mut().is_some_and(|shell| shell.tell(line).is_ok()) {
            return;
        }
        if let Some(shell) = self.shell.take() {
            shell.dismiss();
        }
        if self.groups.is_empty() {
            return;
        }
        let known: String = self.groups.iter().map(|(group, birth)| format!("+ {group} {birth}\n")).collect();
        self.shell = Shell::start().ok().and_then(|mut shell| match shell.tell(&known) {
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
        // Whoever starts or ends a process must not wait for one that has been stopped.
        wire.set_nonblocking(true)?;
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &format!("eval \"${VARIABLE}\""), "acp-guardian"]);
        command.env_clear().env(VARIABLE, SCRIPT).current_dir("/");
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        // What ends all of this process's group leaves it alive.
        let process = command.process_group(0).spawn()?;
        Ok(Self { process, wire })
    }

    fn tell(&mut self, text: &str) -> io::Result<()> {
        self.wire.write_all(text.as_bytes())
    }

    /// With nothing to watch it ends by itself.
    fn retire(self) {
        let Self { mut process, wire } = self;
        drop(wire);
        // There may be no runtime to take note of its exit.
        let _ = thread::Builder::new().name("acp-process reaper".into()).spawn(move || process.wait());
    }

    /// Before its input ends: it would take that for the end of this process.
    fn dismiss(mut self) {
        let _ = self.process.kill();
        self.retire();
    }
}
