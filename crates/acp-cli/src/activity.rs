//! When the agent last said something, by what goes over the wire.

use std::time::Duration;

use acp_client::tap::{Direction, Kind, Tap};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Tells whether the agent is silent. While it waits for an answer of ours, such as the user's or the end of a command, it is
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

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(5);

    /// When it is said to be silent, in seconds from now; `None` when it is not within an hour.
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
        // Two requests of the agent, one of which is answered.
        activity.see(Direction::In, Kind::Request);
        activity.see(Direction::In, Kind::Request);
        activity.see(Direction::Out, Kind::Error(-32601));
        assert_eq!(silent_after(&activity).await, None);
        // Its answer to a request of ours is none of them.
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
