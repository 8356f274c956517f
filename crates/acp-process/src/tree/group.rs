//! Unix: a child process and all that it starts, as a process group in a session of its own.

use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;
use std::time::Duration;

use process_wrap::tokio::{CommandWrap, CommandWrapper, ProcessSession};
use rustix::io::retry_on_intr;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid,
};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::sleep;

use super::guardian;

/// The time between two looks for members of a process group: from the first to the longest.
///
/// There may be hundreds of groups whose members run for hours.
const LOOK: Duration = Duration::from_millis(10);
const LONGEST_LOOK: Duration = Duration::from_millis(250);
/// The time between two scans for members that still run: from the first to the longest, doubled
/// each time.
///
/// A scan costs more than a look.
const SCAN: Duration = Duration::from_millis(250);
const LONGEST_SCAN: Duration = Duration::from_secs(10);

/// Starts a process without a terminal, as the leader of a session and so of a group.
pub(crate) fn spawn(mut command: Command) -> io::Result<(Tree, Process)> {
    // Only the hook of the wrapper is used: its child would wait for the whole group.
    ProcessSession.pre_spawn(&mut command, &CommandWrap::from(Command::new("")))?;
    Ok(led_by(command.spawn()?))
}

/// Takes a child that leads a process group.
pub(crate) fn led_by(child: Child) -> (Tree, Process) {
    let leader = child.id().and_then(|id| i32::try_from(id).ok());
    let number = Arc::new(Number(AtomicI32::new(leader.unwrap_or_default())));
    if let Some(leader) = number.get() {
        guardian::watch(leader);
    }
    (Tree { number: Arc::clone(&number) }, Process { child: Some(child), has_exited: false, number })
}

/// A process group. A drop kills it.
pub(crate) struct Tree {
    number: Arc<Number>,
}

impl Tree {
    /// Asks every member to terminate.
    pub(crate) fn terminate(&self) {
        if let Some(group) = self.number.get() {
            // An error means that nobody is left.
            let _ = kill_process_group(group, Signal::TERM);
        }
    }

    /// Kills the members that are left.
    pub(crate) fn kill(&self) {
        self.number.kill();
    }

    /// Returns true if no member is left. A member counts until its parent has taken note of its
    /// exit.
    pub(crate) fn is_gone(&self) -> bool {
        self.number.is_free()
    }

    /// Waits until no member runs any more.
    pub(crate) async fn gone(&self) {
        self.number.free().await;
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The leader of the group.
pub(crate) struct Process {
    child: Option<Child>,
    has_exited: bool,
    number: Arc<Number>,
}

impl Process {
    pub(crate) fn id(&self) -> Option<u32> {
        self.child.as_ref().and_then(Child::id)
    }

    pub(crate) fn pipes(&mut self) -> Option<(ChildStdin, ChildStdout, ChildStderr)> {
        let child = self.child.as_mut()?;
        Some((child.stdin.take()?, child.stdout.take()?, child.stderr.take()?))
    }

    pub(crate) async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = match &mut self.child {
            Some(child) => child.wait().await,
            None => Err(io::ErrorKind::NotFound.into()),
        };
        self.has_exited = true;
        self.number.is_free();
        status
    }

    /// Waits until the members that an exited leader has left behind are gone.
    pub(crate) async fn outlived(&self) {
        self.number.free().await;
    }
}

/// Kills the group. Only a runtime that shuts down drops a leader that has not exited.
impl Drop for Process {
    fn drop(&mut self) {
        if self.has_exited {
            return;
        }
        self.number.kill();
        if let Some(child) = self.child.take() {
            // The runtime, which would take note of the exit, is going. Without a note a zombie
            // would stay.
            let _ = thread::Builder::new().name("acp-process reaper".into()).spawn(move || reap(child));
        }
    }
}

fn reap(child: Child) {
    if let Some(pid) = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw) {
        let exited = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let _ = retry_on_intr(|| waitid(WaitId::Pid(pid), exited));
    }
    // The drop of a child that has exited takes note of that.
    drop(child);
}

/// The number of a process group. It is 0 once the system may give it to another group.
///
/// The number belongs to the group as long as a member lives, or until the exit of the leader is
/// taken note of. The first look comes right after that note, and the others at most
/// [`LONGEST_LOOK`] apart. To signal a stranger, the system would have to give away all its numbers
/// in between.
struct Number(AtomicI32);

impl Number {
    fn get(&self) -> Option<Pid> {
        Pid::from_raw(self.0.load(Ordering::Acquire))
    }

    fn is_free(&self) -> bool {
        let is_free = self.get().is_none_or(|group| test_kill_process_group(group).is_err());
        if is_free && let Some(group) = self.take() {
            guardian::forget(group);
        }
        is_free
    }

    async fn free(&self) {
        let (mut look, mut scan, mut until_scan) = (LOOK, SCAN, SCAN);
        // The system reports an exit to the parent only, so there is nothing to wait for.
        loop {
            if self.is_free() {
                return;
            }
            // A parent may never take note, and neither may the first process of a container, which
            // inherits children.
            if until_scan.is_zero() {
                if self.get().is_some_and(|group| !runs(group)) {
                    self.kill();
                    return;
                }
                scan = (scan * 2).min(LONGEST_SCAN);
                until_scan = scan;
            }
            sleep(look).await;
            until_scan = until_scan.saturating_sub(look);
            look = (look + look / 4).min(LONGEST_LOOK);
        }
    }

    fn kill(&self) {
        if let Some(group) = self.take() {
            let _ = kill_process_group(group, Signal::KILL);
            // Not before the kill: this process may be killed in between.
            guardian::forget(group);
        }
    }

    fn take(&self) -> Option<Pid> {
        Pid::from_raw(self.0.swap(0, Ordering::AcqRel))
    }
}

/// Returns true if a member of the group may still run. One that has exited does not.
#[cfg(target_os = "linux")]
fn runs(group: Pid) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else { return true };
    let group = group.as_raw_nonzero().to_string();
    let mut members = processes.flatten().filter_map(|process| {
        // Not every entry is a process, and a process may be gone by now.
        let stat = std::fs::read_to_string(process.path().join("stat")).ok()?;
        // The name comes before, and may contain anything.
        let mut fields = stat.rsplit(") ").next()?.split(' ');
        let (state, of) = (fields.next()?, fields.nth(1)?);
        // A process whose first thread has ended looks like a zombie while other threads run.
        let threads: u32 = fields.nth(14)?.parse().ok()?;
        (of == group).then_some(!matches!(state, "Z" | "X") || threads > 1)
    });
    // If no member can be seen, some may be hidden.
    members.next().is_none_or(|first| first || members.any(|runs| runs))
}

/// Returns true: other systems do not tell. On most of them an exited process is not a member any
/// more.
#[cfg(not(target_os = "linux"))]
fn runs(_: Pid) -> bool {
    true
}
