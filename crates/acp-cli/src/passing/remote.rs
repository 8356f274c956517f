//! The two streams of a program, connected to an agent of another machine.

use std::future::pending;
use std::io;
use std::pin::pin;
use std::time::Duration;

use acp_client::Transport;
use acp_http::{Error, Unfinished};
use tokio::io::AsyncWriteExt as _;
use tokio::sync::Notify;
use tokio::time::timeout;

use super::lines::{Watch, pass, pass_until};
use super::{Reader, Writer};
use crate::outcome::tell;

/// The longest message in either direction, in bytes.
const LONGEST: usize = 32 * 1024 * 1024;

/// The lines of the client. It notes its requests, and tells the user of what is left out.
struct OfClient<'a>(&'a Unfinished);

impl Watch for OfClient<'_> {
    fn passed(&mut self, line: &[u8]) {
        self.0.sent(line);
    }

    fn skipped(&mut self) {
        tell("acp: a line of the client is left out: it is not UTF-8");
    }
}

/// The lines of the agent. It notes its answers.
struct OfAgent<'a>(&'a Unfinished);

impl Watch for OfAgent<'_> {
    fn passed(&mut self, line: &[u8]) {
        self.0.received(line);
    }

    fn skipped(&mut self) {
        tell("acp: a line of the agent is left out: it is not UTF-8");
    }
}

/// The end of an agent whose client has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Finished,
    /// Some requests have no answer, or a turn still runs.
    Cut,
}

/// Passes messages between a client and an agent, until either ends, or `stop` does.
///
/// When the client has ended, the agent has `drain` to answer its requests and to end its turns.
///
/// # Errors
/// Fails if the connection to the agent fails. The end of the client is not an error.
pub(crate) async fn between(
    client: (Reader, Writer),
    agent: Transport,
    drain: Duration,
    stop: impl Future<Output = ()>,
) -> io::Result<Ended> {
    let agent = agent.into_parts();
    let (from_client, mut to_client) = client;
    let mut to_agent = agent.writer;
    let unfinished = Unfinished::new();
    let ended = {
        let enough = Notify::new();
        let (mut of_client, mut of_agent) = (OfClient(&unfinished), OfAgent(&unfinished));
        let up = pass(from_client, &mut to_agent, LONGEST, &mut of_client);
        let down = pass_until(agent.reader, &mut to_client, LONGEST, &mut of_agent, enough.notified());
        let (mut up, mut down) = (pin!(up), pin!(down));
        let passing = async {
            tokio::select! {
                // A lost connection fails in both directions, and the reader knows the reason.
                biased;
                done = &mut down => return finished(done),
                done = &mut up => match done {
                    Ok(()) => {}
                    // The writer only says that it is broken.
                    Err(error) if is_of_network(&error) => return finished(down.await),
                    failed => return finished(failed),
                },
            }
            let finishing = async {
                let all = async {
                    unfinished.none().await;
                    enough.notify_one();
                    pending().await
                };
                tokio::select! {
                    done = &mut down => done,
                    () = all => Ok(()),
                }
            };
            timeout(drain, finishing).await.map_or(Ok(Ended::Cut), finished)
        };
        tokio::select! {
            biased;
            done = passing => done,
            () = stop => Ok(Ended::Finished),
        }
    };
    // What waits is sent, and the agent learns of the end.
    let closed = to_agent.shutdown().await;
    // Whoever sees the end of the messages may take it for the end of the connection, and exit.
    drop(to_client);
    match ended {
        // The client does not read any more.
        Err(error) if Error::of(&error).is_none() && is_of_network(&error) => Ok(Ended::Finished),
        Err(error) => Err(error),
        Ok(ended) => closed.map(|()| ended),
    }
}

fn finished(done: io::Result<()>) -> io::Result<Ended> {
    done.map(|()| Ended::Finished)
}

/// Returns true for the error of a stream whose other end is gone.
fn is_of_network(error: &io::Error) -> bool {
    !matches!(error.kind(), io::ErrorKind::InvalidData)
}

/// Returns true if the server refuses the credentials.
pub(crate) fn is_denied(error: &io::Error) -> bool {
    Error::of(error).is_some_and(Error::is_denied)
}
