//! Login and logout.

use std::fmt::Display;
use std::process;

use acp_types::v1::{AuthMethod, AuthMethodId, AuthenticateRequest, LogoutRequest};

use crate::launch::terminal_login::Described;
use crate::{Agent, Error, TerminalLogin};

impl Agent {
    /// Returns the ways to log in. Most agents need no login while their own configuration holds a
    /// key.
    #[must_use]
    pub fn auth_methods(&self) -> &[AuthMethod] {
        &self.initialize_response().auth_methods
    }

    /// Returns the [`auth_methods`](Self::auth_methods) that run in a terminal, each for
    /// [`terminal_login`](Self::terminal_login). These are the methods of that kind, and others
    /// whose `_meta["terminal-auth"]` names a command. Agents described a login like that before
    /// the protocol had a kind for it, and many still do.
    #[must_use]
    pub fn terminal_logins(&self) -> Vec<TerminalLogin> {
        let described = self.auth_methods().iter().filter_map(Described::of);
        described.map(|described| described.login).collect()
    }

    /// Logs in (`authenticate`) with one of the [`auth_methods`](Self::auth_methods) that the agent
    /// runs itself. A method that runs in a terminal is for
    /// [`terminal_login`](Self::terminal_login). As a rule that also holds for a method with
    /// `_meta["terminal-auth"]`, although the protocol allows it here.
    ///
    /// ```no_run
    /// # async fn open(agent: acp_client::Agent) -> Result<(), acp_client::Error> {
    /// let session = match agent.new_session("/work").await {
    ///     Err(error) if error.is_auth_required() => {
    ///         agent.authenticate("browser").await?;
    ///         agent.new_session("/work").await?
    ///     }
    ///     opened => opened?,
    /// };
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] for a method [that is not
    /// listed](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-auth-03) or [runs in a
    /// terminal](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-auth-04); the agent
    /// refused.
    pub async fn authenticate(&self, method: impl Into<AuthMethodId>) -> Result<(), Error> {
        let id = method.into();
        AuthMethod::check(self.auth_methods(), &id).map_err(|error| self.method_id(&error))?;
        let patient = self.peer().timeout(None);
        self.wire().ask(&patient, None, &AuthenticateRequest::new(id)).await?;
        Ok(())
    }

    /// Returns the program to run in a terminal for one of the
    /// [`terminal_logins`](Self::terminal_logins). It is the agent's own program, started as the
    /// agent was, with the [arguments and environment of the
    /// method](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-auth-07) added. It uses
    /// this process's stdin, stdout and stderr. A client with a terminal of its own sets others.
    ///
    /// `_meta["terminal-auth"]` may name another program in `command`. That one runs instead, in
    /// the environment and the folder of the agent. The agent has chosen it, so a client may want
    /// to show it first.
    ///
    /// Exit code zero means that the login succeeded; any other end means that it failed. [After a
    /// login connect again](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-auth-09).
    /// Agents list such methods only for a client that [can run
    /// them](crate::Connect::terminal_logins).
    ///
    /// ```no_run
    /// # async fn log_in(agent: acp_client::Agent) -> Result<(), Box<dyn std::error::Error>> {
    /// let is_logged_in = agent.terminal_login("login")?.status()?.success();
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] for a method that is not listed or is of another kind, and for an agent
    /// that was not started by [`spawn`](crate::spawn).
    pub fn terminal_login(&self, method: impl Into<AuthMethodId>) -> Result<process::Command, Error> {
        let id = method.into();
        let method = self.auth_method(&id);
        let method = method.ok_or_else(|| self.method_id(&"does not name a method that the agent lists"))?;
        let login = Described::of(method);
        let login = login.ok_or_else(|| self.method_id(&"names a method that is for `authenticate`"))?;
        // Without a program the agent may run anywhere, and its commands may not be for this
        // machine.
        let unknown = "is of no use: the agent's program is not known";
        let program = self.program().ok_or_else(|| self.method_id(&unknown))?;
        Ok(login.command(&program))
    }

    /// Logs out (`logout`). Open sessions may fail from now on with an error that [requires a
    /// login](Error::is_auth_required).
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `auth.logout`, or the agent refused.
    pub async fn logout(&self) -> Result<(), Error> {
        let method = self.method::<LogoutRequest>();
        self.check_offered(self.capabilities().auth.logout.is_some(), method, "auth.logout")?;
        self.ask(None, &LogoutRequest::new()).await?;
        Ok(())
    }

    fn auth_method(&self, id: &AuthMethodId) -> Option<&AuthMethod> {
        self.auth_methods().iter().find(|listed| listed.id().as_ref() == Some(id))
    }

    fn method_id(&self, problem: &dyn Display) -> Error {
        Error::argument(self.method::<AuthenticateRequest>(), "methodId", problem)
    }
}
