//! A proxy of TCP that spoils what goes through it, as a plan says.

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use acp_testkit::Dice;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::broadcast;
use tokio::task::{JoinSet, spawn_local};
use tokio::time::{Instant, sleep, sleep_until};

use super::plan::{Fault, Plan};

/// A proxy. It runs until it is dropped.
pub(super) struct Proxy {
    pub(super) address: SocketAddr,
    state: Rc<State>,
    task: tokio::task::JoinHandle<()>,
}

/// The state that all sockets of a proxy share.
struct State {
    plan: RefCell<Plan>,
    dice: Dice,
    /// Nothing passes before this moment.
    quiet_until: RefCell<Instant>,
    /// New sockets are refused before this moment.
    closed_until: RefCell<Instant>,
    cut_all: broadcast::Sender<()>,
}

/// The end of one direction of a socket.
enum End {
    /// The peer has closed its side in order.
    Closed,
    /// Both sides are to be reset.
    Reset,
    /// Both sides are to be closed in order.
    Shut,
    /// Nothing passes any more, and nobody learns of it.
    Mute,
}

impl Proxy {
    /// Starts a proxy to `target`.
    pub(super) async fn start(target: SocketAddr, plan: Plan, dice: Dice) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let now = Instant::now();
        let state = Rc::new(State {
            plan: RefCell::new(plan),
            dice,
            quiet_until: RefCell::new(now),
            closed_until: RefCell::new(now),
            cut_all: broadcast::channel(1).0,
        });
        let task = spawn_local(accept(listener, target, Rc::clone(&state)));
        Self { address, state, task }
    }

    /// Lets everything through from now on. What is mute stays so.
    pub(super) fn heal(&self) {
        self.state.plan.borrow_mut().heal();
        *self.state.quiet_until.borrow_mut() = Instant::now();
        *self.state.closed_until.borrow_mut() = Instant::now();
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, target: SocketAddr, state: Rc<State>) {
    let mut sockets = JoinSet::new();
    loop {
        let (client, _) = listener.accept().await.unwrap();
        if Instant::now() < *state.closed_until.borrow() {
            client.set_zero_linger().unwrap();
            continue;
        }
        sockets.spawn_local(relay(client, target, Rc::clone(&state)));
    }
}

async fn relay(client: TcpStream, target: SocketAddr, state: Rc<State>) {
    let Ok(server) = TcpStream::connect(target).await else { return };
    for socket in [&client, &server] {
        socket.set_nodelay(true).unwrap();
    }
    let mut cut = state.cut_all.subscribe();
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let end = {
        let up = pass(&mut from_client, &mut to_server, &state);
        let down = pass(&mut from_server, &mut to_client, &state);
        tokio::select! {
            end = both(up, down) => end,
            _ = cut.recv() => End::Reset,
        }
    };
    match end {
        End::Reset => {
            for half in [&to_client, &to_server] {
                let _ = half.as_ref().set_zero_linger();
            }
        }
        End::Mute => {
            let _ = cut.recv().await;
        }
        End::Closed | End::Shut => {}
    }
}

/// Passes bytes in both directions. A direction that has closed in order leaves the other one open.
async fn both(up: impl Future<Output = End>, down: impl Future<Output = End>) -> End {
    let (mut up, mut down) = (std::pin::pin!(up), std::pin::pin!(down));
    tokio::select! {
        end = &mut up => match end {
            End::Closed => down.await,
            end => end,
        },
        end = &mut down => match end {
            End::Closed => up.await,
            end => end,
        },
    }
}

async fn pass(from: &mut OwnedReadHalf, to: &mut OwnedWriteHalf, state: &State) -> End {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let length = match from.read(&mut buffer).await {
            Ok(0) => {
                let _ = to.shutdown().await;
                return End::Closed;
            }
            Ok(length) => length,
            Err(_) => return End::Reset,
        };
        let mut rest = &buffer[..length];
        while !rest.is_empty() {
            let (size, fault) = state.plan.borrow_mut().next(rest.len(), &state.dice);
            let (piece, behind) = rest.split_at(size);
            rest = behind;
            let quiet = *state.quiet_until.borrow();
            sleep_until(quiet).await;
            let delay = state.plan.borrow().delay(&state.dice);
            if let Some(delay) = delay {
                sleep(delay).await;
            }
            if to.write_all(piece).await.is_err() {
                return End::Reset;
            }
            if let Some(fault) = fault
                && let Some(end) = strike(fault, to, state).await
            {
                return end;
            }
        }
    }
}

/// Does what a fault says to this direction of a socket, and to all sockets.
async fn strike(fault: Fault, to: &mut OwnedWriteHalf, state: &State) -> Option<End> {
    let later = |wait: Duration| Instant::now() + wait;
    match fault {
        Fault::Reset => Some(End::Reset),
        Fault::Shut => Some(End::Shut),
        Fault::HalfShut => {
            let _ = to.shutdown().await;
            Some(End::Closed)
        }
        Fault::Mute => Some(End::Mute),
        Fault::Silence(wait) => {
            *state.quiet_until.borrow_mut() = later(wait);
            None
        }
        Fault::CutAll(wait) => {
            *state.closed_until.borrow_mut() = later(wait);
            let _ = state.cut_all.send(());
            Some(End::Reset)
        }
    }
}
