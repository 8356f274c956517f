//! Unix: a child process and what it started, as a process group in a session of its own.

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

/// How soon to look whether a process group is empty: soon at first, later less and less often. There may be hundreds of
/// groups whose members run for hours.
const LOOK: Duration = Duration::from_millis(10);
const LONGEST_LOOK: Duration = Duration::from_millis(250);
/// How soon to find out whether those who are left still run, which costs more; again after twice the time.
const SCAN: Duration = Duration::from_millis(250);
const LONGEST_SCAN: Duration = Duration::from_secs(10);

/// Starts a process that leads a session of its own, and so a group, and that has no terminal.
pub(crate) fn spawn(mut command: Command) -> io::Result<(Tree, Process)> {
    // Only its hook is of use: the child that it makes of ours waits for all of the group.
    ProcessSession.pre_spawn(&mut command, &CommandWrap::from(Command::new("")))?;
    Ok(led_by(command.spawn()?))
}

/// The process group of a child that leads one.
pub(crate) fn led_by(child: Child) -> (Tree, Process) {
    let leader = child.id().and_then(|id| i32::try_from(id).ok());
    let number = Arc::new(Number(AtomicI32::new(leader.unwrap_or_default())));
    if let Some(leader) = number.get() {
        guardian::watch(leader);
    }
    (Tree { number: Arc::clone(&number) }, Process { child: Some(child), has_exited: false, number })
}

/// A process group, killed on drop.
pub(crate) struct Tree {
    number: Arc<Number>,
}

impl Tree {
    /// Asks every member to end.
    pub(crate) fn terminate(&self) {
        if let Some(group) = self.number.get() {
            // It fails when nobody is left, which is what was wanted.
            let _ = kill_process_group(group, Signal::TERM);
        }
    }

    /// Ends what is left.
    pub(crate) fn kill(&self) {
        self.number.kill();
    }

    /// Whether no member is left. One that has exited counts until its parent has taken note.
    pub(crate) fn is_gone(&self) -> bool {
        self.number.is_free()
    }

    /// Waits until no member is left that runs.
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

    /// Keeps an eye on what an exited leader has left behind, until it is gone.
    pub(crate) async fn outlived(&self) {
        self.number.free().await;
    }
}

/// Before it has exited, only a runtime that shuts down drops it.
impl Drop for Process {
    fn drop(&mut self) {
        if self.has_exited {
            return;
        }
        self.number.kill();
        if let Some(child) = self.child.take() {
            // With the runtime goes who would take note of the exit; without that, a zombie stays.
            let _ = thread::Builder::new().name("acp-process reaper".into()).spawn(move || reap(child));
        }
    }
}

fn reap(child: Child) {
    if let Some(pid) = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw) {
        let exited = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let _ = retry_on_intr(|| waitid(WaitId::Pid(pid), exited));
    }
    // This takes note of a child that has exited.
    drop(child);
}

/// The number of a process group; 0 once it may be given to others.
///
/// It stays the group's as long as a member lives or the leader's exit has not been taken note of. So it is looked
/// at right after that and at least every [`LONGEST_LOOK`] from then on: to hit a stranger, all numbers of the
/// system would have to be given away in between.
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
        // Only the parents of members are told when they exit, so there is nothing to wait on.
        loop {
            if self.is_free() {
                return;
            }
            // A parent may take no note for ever; so may the first process of a container, which inherits them.
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
            // Not before: this process may be killed in between.
            guardian::forget(group);
        }
    }

    fn take(&self) -> Option<Pid> {
        Pid::from_raw(self.0.swap(0, Ordering::AcqRel))
    }
}

/// Whether a member of the group may still run, instead of waiting for its parent to take note of its exit.
#[cfg(target_os = "linux")]
fn runs(group: Pid) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else { return true };
    let group = group.as_raw_nonzero().to_string();
    let mut members = processes.flatten().filter_map(|process| {
        // Not all that is there is a process, and one may have gone meanwhile.
        let stat = std::fs::read_to_string(process.path().join("stat")).ok()?;
        // The name comes before, and may have anything in it.
        let mut fields = stat.rsplit(") ").next()?.split(' ');
        let (state, of) = (fields.next()?, fields.nth(1)?);
        // A first thread that has ended looks the same while others run.
        let threads: u32 = fields.nth(14)?.parse().ok()?;
        (of == group).then_some(!matches!(state, "Z" | "X") || threads > 1)
    });
    // Where none can be seen, some may be hidden.
    members.next().is_none_or(|first| first || members.any(|runs| runs))
}

/// Elsewhere nobody can be asked; those that have exited count as members no more on most systems.
#[cfg(not(target_os = "linux"))]
fn runs(_: Pid) -> bool {
    true
}
