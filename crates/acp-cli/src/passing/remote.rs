//! The two streams of a program, connected to an agent of another machine.

use std::future::pending;
use std::io;
use std::pin::pin;

use acp_client::Transport;
use acp_http::{Error, Remote};
use tokio::io::{AsyncWriteExt as _, DuplexStream};

use super::lines::{Watch, pass};
use super::{Reader, Writer};
use crate::outcome::tell;

/// The longest message in either direction, in bytes.
const LONGEST: usize = 32 * 1024 * 1024;
/// The bytes that wait for a reader within this process.
const CAPACITY: usize = 64 * 1024;

/// Tells the user of what is left out.
struct Told(&'static str);

impl Watch for Told {
    fn passed(&mut self, _: usize) {}

    fn skipped(&mut self) {
        tell(&format!("acp: a line of the {} is left out: it is not UTF-8", self.0));
    }
}

/// Passes messages between a client and an agent, until either ends, or `stop` does.
///
/// # Errors
/// Fails if the connection to the agent fails. The end of the client is not an error.
pub(crate) async fn between(
    client: (Reader, Writer),
    agent: Transport,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let agent = agent.into_parts();
    let (from_client, to_client) = client;
    let mut to_agent = agent.writer;
    let ended = {
        let (mut of_client, mut of_agent) = (Told("client"), Told("agent"));
        let up = pass(from_client, &mut to_agent, LONGEST, &mut of_client);
        let down = pass(agent.reader, to_client, LONGEST, &mut of_agent);
        let (mut up, mut down) = (pin!(up), pin!(down));
        tokio::select! {
            // A lost connection fails in both directions, and the reader knows the reason.
            biased;
            done = &mut down => done,
            () = stop => Ok(()),
            done = &mut up => match done {
                // The writer only says that it is broken.
                Err(error) if is_of_network(&error) => down.await,
                done => done,
            },
        }
    };
    // What waits is sent, and the agent learns of the end.
    let closed = to_agent.shutdown().await;
    match ended {
        // The client does not read any more.
        Err(error) if Error::of(&error).is_none() && is_of_network(&error) => Ok(()),
        ended => ended.and(closed),
    }
}

/// Returns true for the error of a stream whose other end is gone.
fn is_of_network(error: &io::Error) -> bool {
    !matches!(error.kind(), io::ErrorKind::InvalidData)
}

/// Connects to an agent in the background. The messages of the agent come out of the stream.
pub(crate) fn stream_of(remote: Remote) -> DuplexStream {
    let (ours, theirs) = tokio::io::duplex(CAPACITY);
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(theirs);
        let passed = match remote.connect().await {
            Ok(agent) => between((Box::pin(reader), Box::pin(writer)), agent, pending()).await,
            Err(error) => Err(error.into()),
        };
        if let Err(error) = passed {
            tell(&format!("acp: {error}"));
        }
    });
    ours
}

/// Returns true if the server refuses the credentials.
pub(crate) fn is_denied(error: &io::Error) -> bool {
    Error::of(error).is_some_and(Error::is_denied)
}
