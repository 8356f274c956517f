//! The ways to run one proxy as a program.

use std::io;

use acp_rpc::{Command, Transport};

use super::{ConductError, Conductor};
use crate::proxy::Proxy;

impl Proxy {
    /// Runs this proxy as a program on stdin and stdout, in the way that its arguments and its
    /// first message tell.
    ///
    /// * `my-proxy`: as a process of a conductor, which sends `proxy/initialize` first.
    /// * `my-proxy -- agent args…`: alone, as the one command that an editor starts. It starts the
    ///   agent itself.
    ///
    /// `arguments` are those behind the program's own, such as from `std::env::args_os().skip(1)`.
    /// An agent begins behind `--`.
    ///
    /// # Errors
    /// As [`Conductor::serve`].
    pub async fn run(
        self,
        arguments: impl IntoIterator<Item = impl Into<std::ffi::OsString>>,
    ) -> Result<(), ConductError> {
        let stdio = Transport::stdio().map_err(|error: io::Error| ConductError::Client(error.into()))?;
        self.run_on(stdio, arguments).await
    }

    /// Runs this proxy like [`run`](Self::run), on another transport.
    ///
    /// # Errors
    /// As [`Conductor::serve`].
    pub async fn run_on(
        self,
        transport: Transport,
        arguments: impl IntoIterator<Item = impl Into<std::ffi::OsString>>,
    ) -> Result<(), ConductError> {
        let mut words = arguments.into_iter().map(Into::into).skip_while(|word| word != "--").skip(1);
        let conductor = Conductor::new().proxy(self);
        let conductor = match words.next() {
            Some(agent) => conductor.agent(Command::new(agent).args(words)),
            None => conductor,
        };
        conductor.serve(transport).await
    }
}
