//! The shim: a process that is an MCP server on stdio to an agent, and a connection to a conductor.

mod error;
mod socket;

use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;

pub use self::error::ShimError;
use self::socket::Socket;

/// The variable with the address of the conductor: `unix:PATH` or `tcp:ADDRESS`.
pub(crate) const ADDRESS: &str = "ACP_MCP_SHIM";
/// The variable with the token of the server.
pub(crate) const TOKEN: &str = "ACP_MCP_SHIM_TOKEN";
/// The answer to a token that is accepted.
pub(crate) const ADMITTED: u8 = b'\n';

/// Carries the lines of an MCP server between stdio and a conductor, if an agent has started this
/// program for that. Returns `None` otherwise: then the program goes on as itself.
///
/// Programs that [name themselves as the shim](crate::McpBridge::shim) call it first. It blocks
/// until the agent or the conductor has gone, and needs no runtime.
///
/// ```no_run
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     if let Some(ended) = acp_proxy::shim_main() {
///         return Ok(ended?);
///     }
///     // The program itself.
///     Ok(())
/// }
/// ```
#[must_use]
pub fn shim_main() -> Option<Result<(), ShimError>> {
    let address = std::env::var(ADDRESS).ok()?;
    Some(run(&address))
}

fn run(address: &str) -> Result<(), ShimError> {
    let token = std::env::var(TOKEN).map_err(|_| ShimError::NoToken)?;
    match address.split_once(':') {
        #[cfg(unix)]
        Some(("unix", path)) => {
            carry(std::os::unix::net::UnixStream::connect(path).map_err(ShimError::Unreachable)?, &token)
        }
        Some(("tcp", address)) => {
            let address: SocketAddr = address.parse().map_err(|_| ShimError::BadAddress)?;
            if !address.ip().is_loopback() {
                return Err(ShimError::BadAddress);
            }
            carry(TcpStream::connect(address).map_err(ShimError::Unreachable)?, &token)
        }
        _ => Err(ShimError::BadAddress),
    }
}

/// Copies both ways until one side has ended.
fn carry<S: Socket>(mut socket: S, token: &str) -> Result<(), ShimError> {
    let introduced = socket.write_all(format!("{token}\n").as_bytes());
    let mut admitted = [0];
    let answered = introduced.and_then(|()| socket.read_exact(&mut admitted));
    if answered.is_err() || admitted != [ADMITTED] {
        return Err(ShimError::Refused);
    }
    let mut outward = socket.share().map_err(ShimError::Broken)?;
    thread::spawn(move || {
        // Its end is seen by the other direction.
        let _ = io::copy(&mut io::stdin().lock(), &mut outward);
        let _ = outward.finish();
    });
    let mut stdout = io::stdout().lock();
    let mut chunk = vec![0; 64 * 1024];
    loop {
        let read = match socket.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            // The conductor is gone, and has not read all that the agent said.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(()),
            Err(error) => return Err(ShimError::Broken(error)),
        };
        let written = stdout.write_all(chunk.get(..read).unwrap_or_default());
        if written.and_then(|()| stdout.flush()).is_err() {
            // The agent has gone.
            return Ok(());
        }
    }
}
