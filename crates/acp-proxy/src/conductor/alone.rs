//! The ways to run one proxy as a program.

use std::io;

use acp_rpc::{Command, Transport};

use super::{ConductError, Conductor};
use crate::bridge::McpBridge;
use crate::proxy::Proxy;
use crate::shim::shim_main;

impl Proxy {
    /// Runs this proxy as a program on stdin and stdout, in the way that its arguments and its
    /// first message tell.
    ///
    /// * `my-proxy`: as a process of a conductor, which sends `proxy/initialize` first.
    /// * `my-proxy -- agent args…`: alone, as the one command that an editor starts. It starts the
    ///   agent itself.
    ///
    /// `arguments` are those behind the program's own, such as from `std::env::args_os().skip(1)`.
    /// An agent begins behind `--`. An agent that takes no MCP servers over its connection starts
    /// this program once more for each of them, without arguments: see [`shim_main`]. A program
    /// that needs arguments before it gets here calls that itself.
    ///
    /// # Errors
    /// As [`Conductor::serve`].
    pub async fn run(
        self,
        arguments: impl IntoIterator<Item = impl Into<std::ffi::OsString>>,
    ) -> Result<(), ConductError> {
        let as_shim = tokio::task::spawn_blocking(shim_main).await;
        if let Ok(Some(ended)) = as_shim {
            return ended.map_err(|error| ConductError::Shim(error.into()));
        }
        let stdio = Transport::stdio().map_err(|error: io::Error| ConductError::Client(error.into()))?;
        let bridge = std::env::current_exe().map(|program| McpBridge::new().shim(program));
        self.run_with(stdio, arguments, bridge.unwrap_or_default()).await
    }

    /// Runs this proxy like [`run`](Self::run), on another transport. This program is not the shim
    /// of its MCP servers.
    ///
    /// # Errors
    /// As [`Conductor::serve`].
    pub async fn run_on(
        self,
        transport: Transport,
        arguments: impl IntoIterator<Item = impl Into<std::ffi::OsString>>,
    ) -> Result<(), ConductError> {
        self.run_with(transport, arguments, McpBridge::new()).await
    }

    async fn run_with(
        self,
        transport: Transport,
        arguments: impl IntoIterator<Item = impl Into<std::ffi::OsString>>,
        bridge: McpBridge,
    ) -> Result<(), ConductError> {
        let mut words = arguments.into_iter().map(Into::into).skip_while(|word| word != "--").skip(1);
        let conductor = Conductor::new().proxy(self).mcp_bridge(bridge);
        let conductor = match words.next() {
            Some(agent) => conductor.agent(Command::new(agent).args(words)),
            None => conductor,
        };
        conductor.serve(transport).await
    }
}
