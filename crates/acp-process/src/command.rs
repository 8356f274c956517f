//! How a child process is started.

use std::ffi::{OsStr, OsString};
use std::fmt;
#[cfg(windows)]
use std::path::Path;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

#[cfg(windows)]
use crate::program;
use crate::stderr::OnLine;

/// Which variables of this process's environment a child process gets.
#[derive(Clone)]
enum Inherited {
    All,
    Named(Vec<OsString>),
}

/// How to start a child process.
pub struct Command {
    program: OsString,
    args: Vec<OsString>,
    inherited: Inherited,
    env: Vec<(OsString, Option<OsString>)>,
    current_dir: Option<PathBuf>,
    pub(crate) grace: Duration,
    pub(crate) stderr_tail: usize,
    pub(crate) on_stderr: Option<OnLine>,
}

impl Command {
    /// A command without arguments, in this process's environment and working directory.
    ///
    /// On unix the process leads a session of its own, as what it starts is in: it has no terminal, also where this process
    /// has one. `/dev/tty` cannot be opened there, so nothing is printed past its pipes, and nobody waits for keys in vain.
    /// [`to_std`](Self::to_std) leaves the terminal to a process, and `run_on_terminal` gives it one.
    ///
    /// A name without a folder is looked up in the `PATH` that the process will have. On Windows that finds `.com`,
    /// `.exe`, `.bat` and `.cmd` files, in the order of `PATHEXT`; arguments that cannot be passed safely to a
    /// `.bat` or `.cmd` file are refused when it is started.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            inherited: Inherited::All,
            env: Vec::new(),
            current_dir: None,
            grace: Duration::from_secs(2),
            stderr_tail: 8 * 1024,
            on_stderr: None,
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets an environment variable, whatever is inherited.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), Some(value.into())));
        self
    }

    /// Removes an environment variable, be it inherited or set before.
    #[must_use]
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        self.env.push((name.into(), None));
        self
    }

    /// Inherits nothing of this process's environment; the default is all of it. What [`env`](Self::env) sets stays.
    #[must_use]
    pub fn env_clear(mut self) -> Self {
        self.inherited = Inherited::Named(Vec::new());
        self
    }

    /// Inherits these variables of this process's environment and no others; called again, these as well. They are
    /// looked up when the process is started, and one that is not set then is not set for the process.
    ///
    /// A program without a folder needs `PATH` to be found, and most programs on Windows need `SystemRoot`.
    ///
    /// ```
    /// # use acp_process::Command;
    /// let command = Command::new("my-agent").env_inherit(["PATH", "HOME", "LANG"]).env("LOG", "debug");
    /// ```
    #[must_use]
    pub fn env_inherit<N: Into<OsString>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        let names = names.into_iter().map(Into::into);
        match &mut self.inherited {
            Inherited::Named(inherited) => inherited.extend(names),
            Inherited::All => self.inherited = Inherited::Named(names.collect()),
        }
        self
    }

    /// Sets the working directory.
    #[must_use]
    pub fn current_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.current_dir = Some(path.into());
        self
    }

    /// How long the process gets to exit after its stdin was closed, and again after it was asked to
    /// terminate, before it is killed. Default 2 seconds.
    ///
    /// On unix the process leads a process group of its own, and all of the group is ended, so that wrappers
    /// such as `npx` leave nothing behind; only what leaves the group (`setsid`) stays. On Windows the same goes for
    /// a job object, where nobody is asked to terminate, as there is no way to. What was killed is waited for up to
    /// 10 seconds; processes that have exited, and whose parents take no note of that, are not waited for.
    ///
    /// # When this process is killed
    ///
    /// Nobody is left who could end anything. On Windows the job ends with this process, at once. On unix a *guardian*
    /// notices, however this process has ended: after 0.4 seconds it asks the groups to terminate, and after 0.9 more
    /// it kills what is left. On Linux it also finds what the groups have started and has left them, as long as the one who
    /// started it was alive when this process ended; elsewhere, as on macOS, it knows the groups only. A process that was
    /// being started in that very moment may be missed.
    ///
    /// The guardian is one `/bin/sh` for all processes, about a megabyte of which most is shared. It is there from the first
    /// one's start to the last one's end, in a process group of its own, and sleeps all the while. Without a `/bin/sh`
    /// there is none.
    #[must_use]
    pub const fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// How many bytes of stderr are kept for [`Exit::stderr_tail`](crate::Exit::stderr_tail). Default 8 KiB.
    #[must_use]
    pub const fn stderr_tail(mut self, bytes: usize) -> Self {
        self.stderr_tail = bytes;
        self
    }

    /// Is given each line of stderr, without its newline; very long lines come in pieces. If it panics, it is not asked
    /// again; the stream is read on.
    #[must_use]
    pub fn on_stderr(mut self, line: impl FnMut(&str) + Send + 'static) -> Self {
        self.on_stderr = Some(Box::new(line));
        self
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &OsStr {
        &self.program
    }

    /// The same command once more, without the callback of [`on_stderr`](Self::on_stderr).
    #[must_use]
    pub fn without_listener(&self) -> Self {
        Self {
            program: self.program.clone(),
            args: self.args.clone(),
            inherited: self.inherited.clone(),
            env: self.env.clone(),
            current_dir: self.current_dir.clone(),
            grace: self.grace,
            stderr_tail: self.stderr_tail,
            on_stderr: None,
        }
    }

    /// Another program, without arguments, in the same environment and working directory; without the callback of
    /// [`on_stderr`](Self::on_stderr).
    #[must_use]
    pub fn of_program(&self, program: impl Into<OsString>) -> Self {
        Self { program: program.into(), args: Vec::new(), ..self.without_listener() }
    }

    /// The same program, arguments, environment and working directory for a process that has this process's stdin,
    /// stdout and stderr.
    #[must_use]
    pub fn to_std(&self) -> std::process::Command {
        let mut process = self.to_process().into_std();
        process.stdin(Stdio::inherit()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
        process
    }

    pub(crate) fn to_process(&self) -> tokio::process::Command {
        let mut process = tokio::process::Command::new(self.executable());
        process.args(&self.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Inherited::Named(names) = &self.inherited {
            process.env_clear();
            process.envs(names.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        }
        for (name, value) in &self.env {
            match value {
                Some(value) => process.env(name, value),
                None => process.env_remove(name),
            };
        }
        if let Some(path) = &self.current_dir {
            process.current_dir(path);
        }
        process
    }

    #[cfg(unix)]
    fn executable(&self) -> &OsStr {
        &self.program
    }

    /// The system looks for `.exe` only, and the usual wrappers are `.cmd`.
    #[cfg(windows)]
    fn executable(&self) -> OsString {
        let found = self.program.to_str().and_then(|program| {
            let (path, extensions) = (self.variable("PATH"), self.variable("PATHEXT"));
            program::find(program, path.as_deref(), extensions.as_deref(), |file| Path::new(file).is_file())
        });
        found.map_or_else(|| self.program.clone(), OsString::from)
    }

    /// What the process will find in its environment, where names have no case.
    #[cfg(windows)]
    fn variable(&self, name: &str) -> Option<String> {
        let is_it = |(key, _): &&(OsString, _)| key.eq_ignore_ascii_case(name);
        let value = match self.env.iter().rev().find(is_it) {
            Some((_, value)) => value.clone(),
            None => std::env::var_os(name).filter(|_| self.inherits(name)),
        };
        value.and_then(|value| value.into_string().ok())
    }

    #[cfg(windows)]
    fn inherits(&self, name: &str) -> bool {
        match &self.inherited {
            Inherited::All => true,
            Inherited::Named(names) => names.iter().any(|inherited| inherited.eq_ignore_ascii_case(name)),
        }
    }
}

/// Shows the program and nothing else: arguments and environment may hold secrets.
impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command").field("program", &self.program).finish_non_exhaustive()
    }
}
