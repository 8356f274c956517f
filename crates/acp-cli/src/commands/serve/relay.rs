//! The life of one connection: a client, a process, and the lines between them.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use acp_client::{Exit, Transport, TransportParts};
use acp_http::server::Remote;
use tokio::time::timeout;

use crate::commands::serve::agents::{Agents, Started};
use crate::commands::serve::metrics::{Metrics, Number};
use crate::outcome::tell;
use crate::passing::lines::{Watch, pass};

/// The time for the last lines of a process that has exited. Another process may hold its stdout.
const LAST_LINES: Duration = Duration::from_secs(1);

/// Counts what passes.
struct Counted<'a> {
    bytes: &'a Number,
    skipped: &'a Number,
}

impl Watch for Counted<'_> {
    fn passed(&mut self, line: &[u8]) {
        self.bytes.add(line.len());
    }

    fn skipped(&mut self) {
        self.skipped.add(1);
    }
}

/// The reason why a connection ends.
enum End {
    /// The client has left.
    Client,
    /// The agent has closed its stdout, or has exited.
    Agent,
    /// A line cannot be passed on.
    Failed(io::Error),
}

/// Serves a client with a process of its own. `limit` is the longest line.
pub(super) async fn run(agents: Arc<Agents>, client: Transport, remote: Remote, limit: usize) {
    let started = match agents.take(&remote.principal) {
        Ok(started) => started,
        Err(error) => {
            remote.report_failure();
            return tell(&format!("acp: connection {}: {error}", remote.connection));
        }
    };
    let _running = agents.metrics.running.held();
    let Started { transport, child } = started;
    let end = relay(client.into_parts(), transport.into_parts(), &agents.metrics, limit).await;
    let problem = match end {
        End::Client => return,
        End::Failed(error) => error.to_string(),
        End::Agent => match child.wait().await {
            Exit { status: Some(0), .. } => return,
            // Its stderr may have anything in it, so it is shown only if that is wanted.
            exit => Exit { stderr_tail: String::new(), ..exit }.to_string(),
        },
    };
    remote.report_failure();
    agents.metrics.failed.add(1);
    tell(&format!("acp: connection {}: {problem}", remote.connection));
}

/// Passes lines on until either side ends, and then ends the process.
async fn relay(client: TransportParts, agent: TransportParts, metrics: &Metrics, limit: usize) -> End {
    let Some(process) = agent.process else { return End::Agent };
    let mut to_client = Counted { bytes: &metrics.to_clients, skipped: &metrics.skipped };
    let mut to_client = pin!(pass(agent.reader, client.writer, limit, &mut to_client));
    let mut to_agent = Counted { bytes: &metrics.to_agents, skipped: &metrics.skipped };
    let end = {
        // Its end closes the stdin of the process.
        let to_agent = pin!(pass(client.reader, agent.writer, limit, &mut to_agent));
        tokio::select! {
            done = &mut to_client => match done {
                Err(error) if error.kind() == io::ErrorKind::InvalidData => End::Failed(error),
                Err(_) => End::Client,
                Ok(()) => End::Agent,
            },
            done = to_agent => match done {
                Err(error) if error.kind() == io::ErrorKind::InvalidData => End::Failed(error),
                // It does not read any more.
                Err(_) => End::Agent,
                Ok(()) => End::Client,
            },
            _ = process.exited() => {
                // It may have written more than was passed on.
                let _ = timeout(LAST_LINES, &mut to_client).await;
                End::Agent
            }
        }
    };
    process.end().await;
    end
}
