//! The end of a child process: its status or signal, and its last words.

use std::fmt;
use std::process::ExitStatus;

/// The end of a child process.
///
/// Neither `status` nor `signal` is set when the end is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exit {
    /// The exit status, unless a signal ended the process. On Windows a process whose job was
    /// killed has 1.
    pub status: Option<i32>,
    /// The signal that ended the process, on unix.
    pub signal: Option<i32>,
    /// The last bytes that the process and its children wrote to stderr.
    pub stderr_tail: String,
}

impl Exit {
    /// The name of the signal that ended the process, such as `SIGKILL`; `signal 35` for one
    /// without a name.
    #[must_use]
    pub fn signal_name(&self) -> Option<String> {
        self.signal.map(name_of)
    }

    pub(crate) fn of(status: Option<ExitStatus>) -> Self {
        let (status, signal) = status.map_or((None, None), |status| (status.code(), signal_of(status)));
        Self { status, signal, stderr_tail: String::new() }
    }
}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.status, self.signal) {
            (Some(status), _) => write!(f, "the process exited with status {status}")?,
            (None, Some(signal)) => write!(f, "the process was ended by signal {signal}")?,
            (None, None) => f.write_str("the process ended")?,
        }
        let tail = self.stderr_tail.trim();
        if tail.is_empty() { Ok(()) } else { write!(f, "; its last words on stderr:\n{tail}") }
    }
}

#[cfg(unix)]
fn name_of(number: i32) -> String {
    use rustix::process::Signal;
    let names = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::USR1, "SIGUSR1"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::USR2, "SIGUSR2"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
        (Signal::VTALARM, "SIGVTALRM"),
        (Signal::PROF, "SIGPROF"),
        (Signal::SYS, "SIGSYS"),
    ];
    let name = names.iter().find(|(signal, _)| signal.as_raw() == number).map(|(_, name)| *name);
    name.map_or_else(|| format!("signal {number}"), str::to_owned)
}

#[cfg(not(unix))]
fn name_of(number: i32) -> String {
    format!("signal {number}")
}
