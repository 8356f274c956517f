//! Signals that a process gets, too, and its exit code as a shell shows it.

use std::io;
use std::process::ExitStatus;

use tokio::process::Child;

/// Returns the exit code of the agent as a shell shows it.
pub(crate) fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(128 + signal).unwrap_or(u8::MAX);
    }
    match status.code() {
        Some(0) => 0,
        // A code that has no room is still not a success.
        Some(code) => u8::try_from(code & 0xff).ok().filter(|code| *code != 0).unwrap_or(1),
        None => 1,
    }
}

/// Signals that the agent gets, too.
#[cfg(unix)]
pub(crate) struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
    quit: tokio::signal::unix::Signal,
    /// The terminal sends its signals to the agent itself.
    has_terminal: bool,
}

/// A signal that came.
#[cfg(unix)]
pub(crate) struct Came(Option<rustix::process::Signal>);

#[cfg(unix)]
impl Signals {
    pub(crate) fn listen() -> io::Result<Self> {
        use std::io::IsTerminal;

        use tokio::signal::unix::{SignalKind, signal};

        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            quit: signal(SignalKind::quit())?,
            has_terminal: io::stdin().is_terminal() || io::stderr().is_terminal(),
        })
    }

    /// Listens for a process in a group of its own, which the terminal does not reach.
    #[cfg(feature = "agents")]
    pub(crate) fn listen_for_group() -> io::Result<Self> {
        Ok(Self { has_terminal: false, ..Self::listen()? })
    }

    pub(crate) async fn next(&mut self) -> Came {
        use rustix::process::Signal;
        let of_terminal = |signal| Came((!self.has_terminal).then_some(signal));
        tokio::select! {
            _ = self.interrupt.recv() => of_terminal(Signal::INT),
            _ = self.quit.recv() => of_terminal(Signal::QUIT),
            _ = self.terminate.recv() => Came(Some(Signal::TERM)),
            _ = self.hangup.recv() => Came(Some(Signal::HUP)),
        }
    }
}

#[cfg(unix)]
impl Came {
    pub(crate) fn send_to(&self, child: &Child) {
        let pid = child.id().and_then(|pid| rustix::process::Pid::from_raw(i32::try_from(pid).ok()?));
        if let (Some(signal), Some(pid)) = (self.0, pid) {
            // It may have exited in this moment.
            let _ = rustix::process::kill_process(pid, signal);
        }
    }

    /// Sends it to the group that the process leads.
    #[cfg(feature = "agents")]
    pub(crate) fn send_to_group(&self, group: rustix::process::Pid) {
        if let Some(signal) = self.0 {
            // Its last process may have exited in this moment.
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }
}

/// Signals that the agent gets, too: the console sends them to it.
#[cfg(not(unix))]
pub(crate) struct Signals(tokio::signal::windows::CtrlC);

/// A signal that came.
#[cfg(not(unix))]
pub(crate) struct Came;

#[cfg(not(unix))]
impl Signals {
    pub(crate) fn listen() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    pub(crate) async fn next(&mut self) -> Came {
        self.0.recv().await;
        Came
    }
}

#[cfg(not(unix))]
impl Came {
    pub(crate) fn send_to(&self, _: &Child) {}
}
