//! The process of a `terminal/create`.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::time::Duration;

use acp_rpc::{Command, Output, Running};
use acp_types::v1::{CreateTerminalRequest, SessionId};

use crate::RpcError;
use crate::parts::refusal::{invalid, refusal};
use crate::sessions::roots::Roots;

/// The settings for the start of commands.
#[derive(Clone)]
pub(super) struct Launch {
    /// The shell for commands without arguments: a program, and its arguments before the command.
    pub(super) shell: Option<(OsString, Vec<OsString>)>,
    /// The variables of this program that a command inherits; `None` for all.
    pub(super) inherited: Option<Vec<OsString>>,
    pub(super) env: Vec<(OsString, OsString)>,
    pub(super) grace: Duration,
    /// The columns and rows of the command's terminal, if it runs on one.
    #[cfg(all(feature = "pty", unix))]
    pub(super) size: Option<(u16, u16)>,
}

impl Launch {
    /// Checks the request before anything is done and anybody is asked.
    pub(super) fn check(request: &CreateTerminalRequest, cwd: &str) -> Result<(), RpcError> {
        let problem = if request.command.is_empty() {
            Some(("command", "must not be empty"))
        } else if request.command.contains('\0') {
            Some(("command", "must not contain a NUL"))
        } else if request.args.iter().any(|arg| arg.contains('\0')) {
            Some(("args", "must not contain a NUL"))
        } else if request.env.iter().any(|variable| !is_name(&variable.name) || variable.value.contains('\0'))
        {
            Some(("env", "has a variable with an invalid name or value"))
        } else if !Path::new(cwd).is_absolute() || cwd.contains('\0') {
            Some(("cwd", "must be an absolute path"))
        } else {
            None
        };
        problem.map_or(Ok(()), |(field, problem)| Err(invalid(field, problem, &request.session_id)))
    }

    /// Returns the folder without links, if it lies below one of the roots. It may wait for the
    /// disk.
    pub(super) fn contain(roots: &Roots, cwd: &str, session: &SessionId) -> Result<String, RpcError> {
        let problem = match roots.opened().real_directory(Path::new(cwd)) {
            Ok(folder) => match folder.into_os_string().into_string() {
                Ok(folder) => return Ok(folder),
                Err(_) => "must be UTF-8 text",
            },
            Err(acp_fs::Error::Missing | acp_fs::Error::NotADirectory) => "is not a directory",
            Err(_) => "lies outside of the session's directories",
        };
        Err(invalid("cwd", problem, session))
    }

    /// Starts the command. It may wait for the disk.
    pub(super) fn run(
        &self,
        request: &CreateTerminalRequest,
        cwd: &str,
    ) -> Result<(Running, Output), RpcError> {
        let session = &request.session_id;
        // The error of the system does not tell a missing folder from a missing program.
        if !Path::new(cwd).is_dir() {
            return Err(invalid("cwd", "is not a directory", session));
        }
        self.start(&self.command(request, cwd)).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::ArgumentListTooLong => {
                invalid("command", &format!("cannot be started: {error}"), session)
            }
            _ => refusal(
                RpcError::INTERNAL_ERROR,
                "command",
                &format!("could not be started: {error}"),
                session,
            ),
        })
    }

    fn start(&self, command: &Command) -> io::Result<(Running, Output)> {
        #[cfg(all(feature = "pty", unix))]
        if let Some((columns, rows)) = self.size {
            return command.run_on_terminal(columns, rows);
        }
        command.run()
    }

    fn command(&self, request: &CreateTerminalRequest, cwd: &str) -> Command {
        let mut command = match &self.shell {
            Some((shell, args)) if request.args.is_empty() => {
                Command::new(shell.clone()).args(args.clone()).arg(&request.command)
            }
            _ => Command::new(&request.command).args(&request.args),
        };
        if let Some(names) = &self.inherited {
            command = command.env_inherit(names);
        }
        #[cfg(all(feature = "pty", unix))]
        if self.size.is_some() {
            command = command.env("TERM", "xterm-256color");
        }
        for (name, value) in &self.env {
            command = command.env(name, value);
        }
        for variable in &request.env {
            command = command.env(&variable.name, &variable.value);
        }
        command.current_dir(cwd).grace(self.grace)
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}
