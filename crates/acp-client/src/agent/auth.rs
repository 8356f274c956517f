//! Logging in and out.

use std::process;

use acp_types::method::Method;
use acp_types::v1::methods::{Authenticate, Logout};
use acp_types::v1::{AuthMethod, AuthMethodId, AuthenticateRequest, AuthenticateResponse, LogoutRequest};

use crate::launch::terminal_login::Described;
use crate::{Agent, Error, TerminalLogin};

impl Agent {
    /// How one can log in. Most agents need no login while their own configuration holds a key.
    #[must_use]
    pub fn auth_methods(&self) -> &[AuthMethod] {
        &self.initialize_response().auth_methods
    }

    /// The [`auth_methods`](Self::auth_methods) that run in a terminal, each for [`terminal_login`](Self::terminal_login):
    /// those of this kind, and those of another kind whose `_meta["terminal-auth"]` says what to run. The latter are how
    /// agents described such a login before the protocol had a kind for it, and many still do.
    #[must_use]
    pub fn terminal_logins(&self) -> Vec<TerminalLogin> {
        let described = self.auth_methods().iter().filter_map(Described::of);
        described.map(|described| described.login).collect()
    }

    /// Logs in (`authenticate`) with one of the [`auth_methods`](Self::auth_methods) that the agent runs itself. One
    /// that runs in a terminal is for [`terminal_login`](Self::terminal_login); so is as a rule one that is described in
    /// `_meta["terminal-auth"]`, though the protocol lets it be asked for here.
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
    /// [`Error::Argument`] for a method that is not listed, or is one to run in a terminal (rules v1-auth-03, -04);
    /// or the agent refused.
    pub async fn authenticate(&self, method: impl Into<AuthMethodId>) -> Result<(), Error> {
        let id = method.into();
        let problem = match self.auth_method(&id) {
            Some(AuthMethod::Terminal(_)) => Some("names a method that is to be run in a terminal"),
            Some(_) => None,
            None => Some("does not name a method that the agent lists"),
        };
        if let Some(problem) = problem {
            return Err(method_id(problem));
        }
        let patient = self.peer().timeout(None);
        let answer = patient.request(Authenticate::NAME, &AuthenticateRequest::new(id)).await;
        answer
            .map(|AuthenticateResponse { .. }| ())
            .map_err(|error| Error::of_call(Authenticate::NAME, None, error))
    }

    /// The program to run in a terminal for one of the [`terminal_logins`](Self::terminal_logins): the agent's own, as it
    /// was started, with the arguments and environment of the method added (rule v1-auth-07). Its stdin, stdout and
    /// stderr are this process's; a client that has a terminal of its own gives it those.
    ///
    /// `_meta["terminal-auth"]` may name another program in `command`. That is run instead, in the environment and the
    /// folder of the agent. It is the agent's choice, so a client may want to show it first.
    ///
    /// An exit code of zero is a login, everything else is none. After a login connect again (rules v1-auth-09, -10).
    /// Agents list such methods only for a client that [can do this](crate::Connect::terminal_logins).
    ///
    /// ```no_run
    /// # async fn log_in(agent: acp_client::Agent) -> Result<(), Box<dyn std::error::Error>> {
    /// let is_logged_in = agent.terminal_login("login")?.status()?.success();
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] for a method that is not listed or is not of this kind, and for an agent that was not started
    /// by [`spawn`](crate::spawn).
    pub fn terminal_login(&self, method: impl Into<AuthMethodId>) -> Result<process::Command, Error> {
        let id = method.into();
        let method = self.auth_method(&id);
        let method = method.ok_or_else(|| method_id("does not name a method that the agent lists"))?;
        let login = Described::of(method);
        let login = login.ok_or_else(|| method_id("names a method that is for `authenticate`"))?;
        // Without one the agent may be anywhere, and its commands are not for this machine.
        let unknown = "is of no use: the agent's program is not known";
        let program = self.program().ok_or_else(|| method_id(unknown))?;
        Ok(login.command(&program))
    }

    /// Logs out (`logout`). Sessions that are open may fail from now on with an error that
    /// [asks for a login](Error::is_auth_required).
    ///
    /// # Errors
    /// [`Error::NotOffered`] without `auth.logout`, or the agent refused.
    pub async fn logout(&self) -> Result<(), Error> {
        self.check_offered(self.capabilities().auth.logout.is_some(), Logout::NAME, "auth.logout")?;
        self.call::<Logout>(None, &LogoutRequest::new()).await?;
        Ok(())
    }

    fn auth_method(&self, id: &AuthMethodId) -> Option<&AuthMethod> {
        self.auth_methods().iter().find(|listed| listed.id().as_ref() == Some(id))
    }
}

fn method_id(problem: &str) -> Error {
    Error::Argument { method: Authenticate::NAME, field: "methodId", problem: problem.to_owned() }
}
