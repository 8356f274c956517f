//! The time of the agent's last message.

use std::time::Duration;

use acp_client::tap::{Direction, Kind, Tap};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Watches if the agent is silent. An agent that waits for an answer of ours, such as the user's or
/// the end of a command, is not silent.
#[derive(Clone, Debug)]
pub(crate) struct Activity(watch::Sender<State>);

#[derive(Clone, Copy, Debug)]
struct State {
    last: Instant,
    /// The number of the agent's requests without an answer.
    open: usize,
}

impl Activity {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(State { last: Instant::now(), open: 0 }))
    }

    /// Returns the tap that sees every message.
    pub(crate) fn tap(&self) -> Tap {
        let activity = self.clone();
        Tap::new(move |traffic| activity.see(traffic.direction, traffic.kind))
    }

    fn see(&self, direction: Direction, kind: Kind) {
        let is_answer = matches!(kind, Kind::Result | Kind::Error(_));
        let (opens, closes) = match direction {
            Direction::In => (kind == Kind::Request, false),
            Direction::Out => (false, is_answer),
        };
        self.0.send_modify(|state| {
            state.last = Instant::now();
            state.open = (state.open + usize::from(opens)).saturating_sub(usize::from(closes));
        });
    }

    /// Counts the silence from now on.
    pub(crate) fn begin(&self) {
        self.0.send_modify(|state| state.last = Instant::now());
    }

    /// Waits until the agent has been silent for this long.
    pub(crate) async fn silence(&self, limit: Duration) {
        let mut states = self.0.subscribe();
        loop {
            let State { last, open } = *states.borrow_and_update();
            let end = if open == 0 { last.checked_add(limit) } else { None };
            tokio::select! {
                () = until(end) => return,
                // The sender is in `self`, so the channel does not end.
                _ = states.changed() => {}
            }
        }
    }
}

/// Waits until this time, or for ever without one.
pub(crate) async fn until(end: Option<Instant>) {
    match end {
        Some(end) => sleep_until(end).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(5);

    /// Returns the time at which the agent counts as silent, in seconds from now, or `None` if that
    /// is more than an hour away.
    async fn silent_after(activity: &Activity) -> Option<u64> {
        let start = Instant::now();
        let silent = tokio::time::timeout(Duration::from_secs(3600), activity.silence(LIMIT)).await;
        silent.ok().map(|()| start.elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn silence_begins_with_the_last_message_and_not_while_the_agent_waits() {
        let activity = Activity::new();
        assert_eq!(silent_after(&activity).await, Some(5));
        activity.see(Direction::In, Kind::Notification);
        assert_eq!(silent_after(&activity).await, Some(5));
        // Two requests of the agent; one is answered.
        activity.see(Direction::In, Kind::Request);
        activity.see(Direction::In, Kind::Request);
        activity.see(Direction::Out, Kind::Error(-32601));
        assert_eq!(silent_after(&activity).await, None);
        // Its answer to a request of ours is not one of them.
        activity.see(Direction::In, Kind::Result);
        assert_eq!(silent_after(&activity).await, None);
        activity.see(Direction::Out, Kind::Result);
        assert_eq!(silent_after(&activity).await, Some(5));
    }

    #[tokio::test(start_paused = true)]
    async fn any_limit_is_waited_for() {
        let activity = Activity::new();
        activity.silence(Duration::ZERO).await;
        let silent = tokio::time::timeout(Duration::from_secs(3600), activity.silence(Duration::MAX)).await;
        assert!(silent.is_err());
    }
}
