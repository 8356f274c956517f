//! A process and everything it started.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::time::sleep;

/// How often to look whether a process group is empty.
const LOOK: Duration = Duration::from_millis(10);

#[cfg(unix)]
pub(super) use self::unix::{Group, Stopper};

#[cfg(not(unix))]
pub(super) use self::other::{Group, Stopper};

#[cfg(unix)]
mod unix {
    use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

    use super::{Child, Command, ExitStatus, LOOK, io, sleep};

    /// A process group, killed on drop.
    pub(crate) struct Group {
        leader: Option<Pid>,
    }

    /// Waits for the leader.
    pub(crate) struct Stopper;

    impl Group {
        pub(crate) fn prepare(command: &mut Command) {
            command.process_group(0);
        }

        pub(crate) fn of(pid: u32) -> Self {
            Self { leader: i32::try_from(pid).ok().and_then(Pid::from_raw) }
        }

        #[expect(clippy::unused_self, reason = "other systems stop the process through its handle")]
        pub(crate) const fn stopper(&self) -> Stopper {
            Stopper
        }

        /// Asks every member to end.
        pub(crate) fn terminate(&self) {
            self.signal(Signal::TERM);
        }

        /// Ends what is left. Afterwards the group is let go of, for its number may be given to others.
        pub(crate) fn kill(&mut self) {
            if !self.is_gone() {
                self.signal(Signal::KILL);
            }
            self.leader = None;
        }

        /// Whether no member is left. One that has exited counts until its parent has taken note.
        pub(crate) fn is_gone(&self) -> bool {
            self.leader.is_none_or(|leader| test_kill_process_group(leader).is_err())
        }

        /// Waits until no member is left.
        pub(crate) async fn gone(&self) {
            // Only the parents of members are told when they exit, so there is nothing to wait on.
            while !self.is_gone() {
                sleep(LOOK).await;
            }
        }

        fn signal(&self, signal: Signal) {
            if let Some(leader) = self.leader {
                // It fails when nobody is left, which is what was wanted.
                let _ = kill_process_group(leader, signal);
            }
        }
    }

    impl Drop for Group {
        fn drop(&mut self) {
            self.kill();
        }
    }

    impl Stopper {
        pub(crate) async fn wait(self, process: &mut Child) -> io::Result<ExitStatus> {
            process.wait().await
        }
    }
}

#[cfg(not(unix))]
mod other {
    use tokio_util::sync::CancellationToken;

    use super::{Child, Command, ExitStatus, LOOK, io, sleep};

    /// One process, killed on drop. What it started is not found here.
    pub(crate) struct Group {
        stop: CancellationToken,
        gone: CancellationToken,
    }

    /// Waits for the process, and kills it when told to.
    pub(crate) struct Stopper {
        stop: CancellationToken,
        gone: CancellationToken,
    }

    impl Group {
        pub(crate) fn prepare(command: &mut Command) {
            command.kill_on_drop(true);
        }

        pub(crate) fn of(_: u32) -> Self {
            Self { stop: CancellationToken::new(), gone: CancellationToken::new() }
        }

        pub(crate) fn stopper(&self) -> Stopper {
            Stopper { stop: self.stop.clone(), gone: self.gone.clone() }
        }

        /// There is no polite way: closing stdin was it.
        pub(crate) fn terminate(&self) {
            self.stop.cancel();
        }

        pub(crate) fn kill(&mut self) {
            self.stop.cancel();
        }

        pub(crate) fn is_gone(&self) -> bool {
            self.gone.is_cancelled()
        }

        pub(crate) async fn gone(&self) {
            while !self.is_gone() {
                sleep(LOOK).await;
            }
        }
    }

    impl Drop for Group {
        fn drop(&mut self) {
            self.stop.cancel();
        }
    }

    impl Stopper {
        pub(crate) async fn wait(self, process: &mut Child) -> io::Result<ExitStatus> {
            let status = tokio::select! {
                status = process.wait() => status,
                () = self.stop.cancelled() => {
                    process.start_kill()?;
                    process.wait().await
                }
            };
            self.gone.cancel();
            status
        }
    }
}
