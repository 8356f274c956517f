//! The life of an agent behind a WebSocket.

use std::sync::Arc;

use acp_rpc::Transport;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::incoming::FromClient;
use super::socket::{POLICY, Socket, ToClient};
use crate::server::agent::{AgentFuture, AgentTask, Closing};
use crate::server::clock::sleep_until;
use crate::server::close_code::GOING_AWAY;
use crate::server::options::Limits;
use crate::server::policy::Policy;
use crate::server::seats::Seat;

/// The buffer of a socket for what it reads. It is there as long as the socket.
const READ_BUFFER: usize = 4 * 1024;
/// The bytes that are collected before they are written.
const WRITE_BUFFER: usize = 16 * 1024;

/// Runs an agent on a socket until either ends.
pub(super) async fn run(
    upgrade: OnUpgrade,
    closing: Arc<Closing>,
    seat: Seat,
    limits: Limits,
    policy: Option<Arc<Policy>>,
    credentials: Option<impl Future<Output = ()>>,
    run: impl FnOnce(Transport) -> AgentFuture,
) {
    let Ok(Ok(upgraded)) = timeout(limits.head, upgrade).await else { return };
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .max_message_size(Some(limits.message))
        .max_frame_size(Some(limits.message));
    let stream = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, Some(config)).await;
    let socket = Arc::new(Socket::new(stream, Arc::clone(&closing), seat));
    let incoming = FromClient::new(Arc::clone(&socket), limits.keep_alive, policy);
    let transport = Transport::messages(incoming, ToClient(Arc::clone(&socket)));
    let mut agent = AgentTask::spawn(run(transport));
    let mut has_panicked = false;
    let initialize_until = tokio::time::Instant::now().checked_add(limits.initialize);
    tokio::select! {
        panicked = agent.ended() => has_panicked = panicked,
        () = async {
            tokio::select! {
                () = closing.token.cancelled() => {}
                () = async {
                    match credentials {
                        Some(end) => end.await,
                        None => std::future::pending().await,
                    }
                } => closing.close(POLICY),
                () = async {
                    sleep_until(initialize_until).await;
                    if socket.is_initialized() {
                        std::future::pending::<()>().await;
                    }
                } => closing.close(POLICY),
                () = socket.may_go() => closing.close(GOING_AWAY),
            }
        } => agent.finish(limits.end).await,
    }
    let _ = timeout(limits.end, socket.say_goodbye(closing.code(has_panicked))).await;
}
