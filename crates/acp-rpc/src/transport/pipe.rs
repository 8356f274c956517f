//! The capacity of pipes.

use std::os::fd::AsFd;

/// The size of a connection's pipes, in bytes. One user may have 64 MiB of pipes in all, and gets
/// small ones beyond that.
#[cfg(target_os = "linux")]
const SIZE: usize = 256 * 1024;

/// Makes a pipe hold more than the 64 KiB that Linux gives it.
///
/// A long message then crosses it in fewer pieces, and the processes switch less often. A pipe that
/// may not grow stays as it is.
#[cfg(target_os = "linux")]
pub(super) fn widen(pipe: impl AsFd) {
    if rustix::pipe::fcntl_getpipe_size(&pipe).is_ok_and(|size| size < SIZE) {
        let _ = rustix::pipe::fcntl_setpipe_size(pipe, SIZE);
    }
}

/// Leaves a pipe as it is, because other systems have no call for it.
#[cfg(not(target_os = "linux"))]
pub(super) fn widen(_: impl AsFd) {}
