//! The start of a child process: program, arguments, environment, folder.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
#[cfg(windows)]
use std::path::Path;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[cfg(windows)]
use crate::program;
use crate::stderr::OnLine;

/// The variables of this process's environment that a child process gets.
#[derive(Clone)]
enum Inherited {
    All,
    Named(Vec<OsString>),
}

/// A child process that can be started, any number of times.
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
    /// Makes a command without arguments, in this process's environment and working directory.
    ///
    /// The process does not get the terminal of this process. On unix it leads a session of its
    /// own: `/dev/tty` cannot be opened there, so the process neither prints past its pipes nor
    /// waits for keys that nobody types. On Windows it has a console of its own, without a window.
    /// [`to_std`](Self::to_std) leaves the terminal to a process, and `run_on_terminal` gives it a
    /// new one.
    ///
    /// A name without a folder is looked up in the `PATH` that the process will have. On Windows
    /// the program may be a `.com`, `.exe`, `.bat` or `.cmd` file, and `PATHEXT` gives their order.
    /// A `.bat` or `.cmd` file is not started with arguments that its shell could misread.
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

    /// Sets an environment variable. It wins over an inherited one.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), Some(value.into())));
        self
    }

    /// Removes an environment variable, inherited or set before.
    #[must_use]
    pub fn env_remove(mut self, name: impl Into<OsString>) -> Self {
        self.env.push((name.into(), None));
        self
    }

    /// Inherits nothing of this process's environment. By default all of it is inherited.
    ///
    /// Variables of [`env`](Self::env) stay.
    #[must_use]
    pub fn env_clear(mut self) -> Self {
        self.inherited = Inherited::Named(Vec::new());
        self
    }

    /// Inherits these variables of this process's environment and no others. A second call adds
    /// more.
    ///
    /// They are looked up when the process is started. A variable that is not set then is left out.
    ///
    /// A program without a folder needs `PATH` to be found, and most programs on Windows need
    /// `SystemRoot`.
    ///
    /// ```
    /// # use acp_process::Command;
    /// let names = ["PATH", "HOME", "LANG"];
    /// let command = Command::new("my-agent").env_inherit(names).env("LOG", "debug");
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

    /// Sets the time that the process gets to exit after its stdin was closed, and once more after
    /// it was asked to terminate. Then it is killed. Default 2 seconds.
    ///
    /// On unix the process leads a process group of its own, and the whole group is ended: wrappers
    /// such as `npx` leave nothing behind. Only a process that leaves the group (`setsid`) stays.
    /// On Windows the process is in a job object, and everything in the job ends with it. A job
    /// cannot be asked to terminate, so it is killed after the first wait.
    ///
    /// The end of a killed process is waited for up to 10 seconds. A process that has exited, but
    /// whose parent takes no note of that, is not waited for.
    ///
    /// # When this process is killed
    ///
    /// On Windows the jobs end with this process, at once.
    ///
    /// On unix a *guardian* notices that this process is gone. It waits for 0.4 seconds, asks the
    /// groups to terminate, waits for 0.9 seconds more, and kills the rest. On Linux it also finds
    /// processes that have left their group, if their parent was alive when this process ended.
    /// Elsewhere, as on macOS, it knows the groups only. A process that was being started in that
    /// very moment may be missed.
    ///
    /// The guardian is one `/bin/sh` for all processes. It takes about a megabyte, most of it
    /// shared. It runs in a process group of its own, from the start of the first process to the
    /// end of the last one, and sleeps all the while. A system without `/bin/sh` has no guardian.
    #[must_use]
    pub const fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Sets the number of bytes of stderr that are kept for
    /// [`Exit::stderr_tail`](crate::Exit::stderr_tail). Default 8 KiB.
    #[must_use]
    pub const fn stderr_tail(mut self, bytes: usize) -> Self {
        self.stderr_tail = bytes;
        self
    }

    /// Calls `line` with each line of stderr, without its newline. A line above 8 KiB comes in
    /// pieces.
    ///
    /// A callback that panics is not called again. The stream is read on.
    #[must_use]
    pub fn on_stderr(mut self, line: impl FnMut(&str) + Send + 'static) -> Self {
        self.on_stderr = Some(Box::new(line));
        self
    }

    /// The program, as it was given.
    #[must_use]
    pub fn program(&self) -> &OsStr {
        &self.program
    }

    /// Returns the program and the arguments, as they were given.
    pub fn words(&self) -> impl Iterator<Item = &OsStr> {
        std::iter::once(self.program()).chain(self.args.iter().map(OsString::as_os_str))
    }

    /// Copies the command, without the callback of [`on_stderr`](Self::on_stderr).
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

    /// Copies the command. Both call the callback of [`on_stderr`](Self::on_stderr) from now on.
    #[must_use]
    pub fn share(&mut self) -> Self {
        let listener = self.on_stderr.take().map(|line| Arc::new(Mutex::new(line)));
        let heard = |listener: Arc<Mutex<OnLine>>| -> OnLine {
            // After a panic of the callback it is not called again.
            Box::new(move |line| listener.lock().into_iter().for_each(|mut listener| listener(line)))
        };
        self.on_stderr = listener.clone().map(heard);
        Self { on_stderr: listener.map(heard), ..self.without_listener() }
    }

    /// Makes a command for another program in the same environment and working directory.
    ///
    /// It has no arguments, and no callback of [`on_stderr`](Self::on_stderr).
    #[must_use]
    pub fn of_program(&self, program: impl Into<OsString>) -> Self {
        Self { program: program.into(), args: Vec::new(), ..self.without_listener() }
    }

    /// Makes a command of the standard library for a process on this process's stdin, stdout and
    /// stderr.
    ///
    /// Program, arguments, environment and working directory are those of this command.
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

    /// Finds `.cmd` files as well: they are the usual wrappers, and the system looks for `.exe`
    /// only.
    #[cfg(windows)]
    fn executable(&self) -> OsString {
        self.found().map_or_else(|| self.program.clone(), OsString::from)
    }

    #[cfg(windows)]
    fn found(&self) -> Option<String> {
        let (path, extensions) = (self.variable("PATH"), self.variable("PATHEXT"));
        let is_file = |file: &str| Path::new(file).is_file();
        program::find(self.program.to_str()?, path.as_deref(), extensions.as_deref(), is_file)
    }

    /// Refuses a batch file that does not exist. The system would start a shell for it all the
    /// same.
    #[cfg(windows)]
    pub(crate) fn check(&self) -> io::Result<()> {
        let is_missing = self.program.to_str().is_some_and(program::is_batch_file) && self.found().is_none();
        if is_missing { Err(io::ErrorKind::NotFound.into()) } else { Ok(()) }
    }

    /// Accepts everything: the system itself reports a missing program.
    #[cfg(not(windows))]
    #[expect(clippy::unnecessary_wraps, reason = "on Windows it can fail")]
    pub(crate) const fn check(&self) -> io::Result<()> {
        Ok(())
    }

    /// Looks a variable up in the environment that the process will have. Names have no case there.
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

/// Shows the program only: arguments and environment may hold secrets.
impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command").field("program", &self.program).finish_non_exhaustive()
    }
}
