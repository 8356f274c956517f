//! `acp conduct`: an agent on stdin and stdout, made of proxies and an agent.

mod file;

use std::ffi::OsString;
#[cfg(feature = "inspect")]
use std::net::SocketAddr;

use acp_client::Command;
use acp_proxy::{Audit, Conductor, McpBridge, Policy};

#[cfg(feature = "inspect")]
use acp_inspect::{Source, Store};

use crate::args::conduct::{ChainSource, ConductArgs, McpWay};
#[cfg(feature = "inspect")]
use crate::commands::inspect;
use crate::outcome::{Failure, exit, tell};

/// Serves the client until it goes, and returns the exit code.
pub(crate) async fn run(args: ConductArgs) -> Result<u8, Failure> {
    let conductor = Conductor::new().on_fault(|fault| tell(&format!("acp: {fault}")));
    let mut conductor = conductor.mcp_bridge(bridge(args.mcp)?);
    let audit = args.audit.as_deref().map(Audit::in_folder).transpose()?;
    if let Some(audit) = &audit {
        conductor = conductor.proxy(audit.proxy());
    }
    let conductor = match args.chain {
        ChainSource::File(path) => file::read(&path, conductor, audit)?,
        ChainSource::Words { components, as_proxy } => {
            let last = components.len().saturating_sub(1);
            components.into_iter().enumerate().fold(conductor, |conductor, (number, words)| {
                let (name, command) = command(words);
                let conductor = if number == last && !as_proxy {
                    conductor.agent(command)
                } else {
                    conductor.process(command, Policy::Required)
                };
                conductor.named(name)
            })
        }
    };
    #[cfg(feature = "inspect")]
    let conductor = match args.inspect {
        Some(address) => inspected(conductor, address).await?,
        None => conductor,
    };
    conductor.serve_stdio().await?;
    Ok(exit::DONE)
}

/// Shows the connections of the chain on a page, which ends with the chain.
#[cfg(feature = "inspect")]
async fn inspected(conductor: Conductor, address: SocketAddr) -> Result<Conductor, Failure> {
    let store = Store::new()?;
    let links = store.links()?;
    inspect::serve(inspect::inspector(address, &store, Source::Live, "a chain of proxies").await?);
    Ok(conductor.taps(move |component| links.tap(component)))
}

/// Makes the ways of MCP servers of proxies to the agent. The shim is this program.
fn bridge(first: Option<McpWay>) -> Result<McpBridge, Failure> {
    let bridge = McpBridge::new().shim(std::env::current_exe()?).shim_argument("mcp-shim");
    Ok(match first {
        None | Some(McpWay::Stdio) => bridge,
        Some(McpWay::Http) => bridge.http_first(),
        Some(McpWay::Off) => McpBridge::off(),
    })
}

/// Returns the name of a component and its command. What it says on stderr stands behind its name.
fn command(words: Vec<OsString>) -> (String, Command) {
    let mut words = words.into_iter();
    let program = words.next().unwrap_or_default();
    let name = std::path::Path::new(&program).file_name().unwrap_or(&program).to_string_lossy().into_owned();
    let command = Command::new(program).args(words);
    (name.clone(), telling(&name, command))
}

fn telling(name: &str, command: Command) -> Command {
    let name = name.to_owned();
    command.on_stderr(move |line| tell(&format!("{name}: {line}")))
}
