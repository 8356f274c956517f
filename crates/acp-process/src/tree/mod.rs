//! A child process with all that it starts: a process group on unix, a job object on Windows.

#[cfg(unix)]
mod group;
#[cfg(unix)]
mod guardian;
#[cfg(windows)]
mod job;

use std::time::Duration;

#[cfg(all(feature = "pty", unix))]
pub(crate) use self::group::led_by;
#[cfg(unix)]
pub(crate) use self::group::{Process, Tree, spawn};
#[cfg(windows)]
pub(crate) use self::job::{Process, Tree, spawn};

/// The longest wait for the exit of a killed process, which may be in the middle of I/O.
pub(crate) const KILLED: Duration = Duration::from_secs(10);
