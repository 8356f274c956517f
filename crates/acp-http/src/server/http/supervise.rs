//! The life of an agent behind a connection over HTTP.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use acp_rpc::Transport;
use futures_sink::Sink;
use futures_util::future::FutureExt as _;
use futures_util::stream;
use tokio::sync::mpsc;

use super::connection::{Connection, Connections};
use crate::server::agent::{AgentFuture, AgentTask};
use crate::server::clock::sleep_until;
use crate::server::close_code::{GOING_AWAY, NORMAL};
use crate::server::seats::Seat;

/// Makes the transport of the agent. Its input ends when the connection is closed.
pub(super) fn transport(connection: &Arc<Connection>, from_client: mpsc::Receiver<Vec<u8>>) -> Transport {
    let mut from_client = from_client;
    let mut closed = Box::pin(connection.closing.token.clone().cancelled_owned());
    let incoming = stream::poll_fn(move |cx| match from_client.poll_recv(cx) {
        Poll::Ready(message) => Poll::Ready(message.map(Ok::<_, Infallible>)),
        Poll::Pending => closed.poll_unpin(cx).map(|()| None),
    });
    Transport::messages(incoming, ToClient(Arc::clone(connection)))
}

/// Runs the agent until it ends, the client leaves, or nobody has used the connection for a time.
pub(super) async fn run(
    connection: Arc<Connection>,
    connections: Arc<Connections>,
    agent: AgentFuture,
    seat: Arc<Seat>,
) {
    let mut agent = AgentTask::spawn(agent);
    let (mut is_shutting, mut has_panicked) = (false, false);
    loop {
        let idle_until = connection.idle_until();
        if is_shutting && connection.is_finished() {
            connection.close(GOING_AWAY);
        }
        tokio::select! {
            panicked = agent.ended() => {
                has_panicked = panicked;
                break;
            }
            () = connection.closing.token.cancelled() => {
                // Nothing new comes, not even by those who know the id.
                connections.remove(&connection.id);
                connection.close(GOING_AWAY);
                agent.finish(connection.limits.end).await;
                break;
            }
            () = seat.shutting(), if !is_shutting => is_shutting = true,
            () = connection.changed.notified() => {}
            () = sleep_until(idle_until), if idle_until.is_some() => {
                // Somebody may have come at the last moment.
                if connection.idle_until() == idle_until {
                    tracing::debug!(connection = %connection.id, "nobody uses the connection: its agent is ended");
                    connection.close(NORMAL);
                }
            }
        }
    }
    connections.remove(&connection.id);
    connection.end(connection.closing.code(has_panicked));
    drop(seat);
}

/// The writer of the agent.
struct ToClient(Arc<Connection>);

impl Sink<Vec<u8>> for ToClient {
    type Error = Infallible;

    fn poll_ready(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.state().routes.poll_room(cx.waker()).map(Ok)
    }

    fn start_send(self: Pin<&mut Self>, message: Vec<u8>) -> Result<(), Infallible> {
        self.0.place(message);
        Ok(())
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }
}
