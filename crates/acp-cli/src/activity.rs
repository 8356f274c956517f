//! When the agent last said something, by what goes over the wire.

use std::time::Duration;

use acp_client::tap::{Direction, Kind, Tap};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Whether the agent is silent. While it waits for an answer of ours, such as the user's or the end of a command, it is
/// not.
#[derive(Clone, Debug)]
pub(crate) struct Activity(watch::Sender<State>);

#[derive(Clone, Copy, Debug)]
struct State {
    last: Instant,
    /// Requests of the agent without an answer.
    open: usize,
}

impl Activity {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(State { last: Instant::now(), open: 0 }))
    }

    /// Sees every message.
    pub(crate) fn tap(&self) -> Tap {
        let state = self.0.clone();
        Tap::new(move |traffic| {
            let is_answer = matches!(traffic.kind, Kind::Result | Kind::Error(_));
            let (opens, closes) = match traffic.direction {
                Direction::In => (traffic.kind == Kind::Request, false),
                Direction::Out => (false, is_answer),
            };
            state.send_modify(|state| {
                state.last = Instant::now();
                state.open = (state.open + usize::from(opens)).saturating_sub(usize::from(closes));
            });
        })
    }

    /// What was before does not count.
    pub(crate) fn begin(&self) {
        self.0.send_modify(|state| state.last = Instant::now());
    }

    /// Waits until the agent has been silent for so long.
    pub(crate) async fn silence(&self, limit: Duration) {
        let mut states = self.0.subscribe();
        loop {
            let State { last, open } = *states.borrow_and_update();
            let end = if open == 0 { last.checked_add(limit) } else { None };
            tokio::select! {
                () = until(end) => return,
                // The sender is here, so it does not end.
                _ = states.changed() => {}
            }
        }
    }
}

/// Waits until then; without a time, for ever.
pub(crate) async fn until(end: Option<Instant>) {
    match end {
        Some(end) => sleep_until(end).await,
        None => std::future::pending().await,
    }
}
