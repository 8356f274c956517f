//! Locks between processes: one installs an agent at a time, and none replaces an agent that runs.

use std::fs::File;
use std::io;

use fs4::FileExt;

use super::error::InstallError;
use super::home::Home;

/// A lock, until it is dropped or the process ends.
#[derive(Debug)]
pub(crate) struct Guard(#[cfg_attr(not(unix), expect(dead_code, reason = "its drop is its use"))] File);

impl Guard {
    /// Waits until no other process installs, updates or removes this agent.
    pub(crate) fn install(home: &Home, id: &str) -> Result<Self, InstallError> {
        Self::lock(home, &format!("{id}.install"), Kind::Exclusive)
    }

    /// Waits until no other process writes the lock file.
    pub(super) fn lock_file(home: &Home) -> Result<Self, InstallError> {
        Self::lock(home, "lock.write", Kind::Exclusive)
    }

    /// Takes the lock file, unless another process writes it.
    pub(super) fn try_lock_file(home: &Home) -> Result<Self, InstallError> {
        Self::lock(home, "lock.write", Kind::AtOnce)
    }

    /// Takes part in the use of an agent. It waits while the agent is replaced, which is short.
    pub(crate) fn share(home: &Home, id: &str) -> Result<Self, InstallError> {
        Self::lock(home, &format!("{id}.use"), Kind::Shared)
    }

    /// Takes an agent that nobody uses.
    ///
    /// # Errors
    /// [`InstallError::InUse`] if a process uses it.
    pub(crate) fn take(home: &Home, id: &str) -> Result<Self, InstallError> {
        match Self::lock(home, &format!("{id}.use"), Kind::AtOnce) {
            Err(InstallError::File { error, .. }) if error.kind() == io::ErrorKind::WouldBlock => {
                Err(InstallError::InUse { id: id.to_owned() })
            }
            other => other,
        }
    }

    fn lock(home: &Home, name: &str, kind: Kind) -> Result<Self, InstallError> {
        let path = home.lockable(name)?;
        let open = || {
            // A user who may only read can run agents.
            let file = match kind {
                Kind::Shared if path.is_file() => File::open(&path)?,
                _ => File::options().create(true).truncate(false).write(true).open(&path)?,
            };
            lock(&file, kind).map(|()| Self(file))
        };
        open().map_err(InstallError::file(&path))
    }

    /// Lets the program that replaces this one keep the lock, with the processes that it starts.
    #[cfg(unix)]
    pub(crate) fn keep_over_exec(&self) -> io::Result<()> {
        Ok(rustix::io::fcntl_setfd(&self.0, rustix::io::FdFlags::empty())?)
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Exclusive,
    Shared,
    AtOnce,
}

/// Locks a file. The methods of the standard library need a newer compiler than this crate does.
fn lock(file: &File, kind: Kind) -> io::Result<()> {
    loop {
        let done = match kind {
            Kind::Exclusive => FileExt::lock(file),
            Kind::Shared => FileExt::lock_shared(file),
            Kind::AtOnce => FileExt::try_lock(file).map_err(io::Error::from),
        };
        match done {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}
