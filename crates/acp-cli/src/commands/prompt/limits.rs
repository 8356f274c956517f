//! Time limits of a run.

use std::time::Duration;

use tokio::time::Instant;

use crate::commands::prompt::activity::{Activity, until};

/// The limits of `--timeout` and `--idle-timeout`.
pub(crate) struct Limits {
    end: Option<Instant>,
    idle: Option<(Duration, Activity)>,
}

/// The limit that was reached.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reached {
    /// The time of the run is up.
    End,
    /// The agent has been silent for too long.
    Silence(Duration),
}

impl Limits {
    /// Starts the limits now. A time that no clock can show is not a limit.
    pub(crate) fn new(timeout: Option<Duration>) -> Self {
        Self { end: timeout.and_then(|timeout| Instant::now().checked_add(timeout)), idle: None }
    }

    /// Limits the agent's silence from now on.
    pub(crate) fn watch(&mut self, limit: Duration, activity: Activity) {
        activity.begin();
        self.idle = Some((limit, activity));
    }

    /// Waits until a limit is reached, or for ever without limits.
    pub(crate) async fn reached(&self) -> Reached {
        let silence = async {
            match &self.idle {
                Some((limit, activity)) => {
                    activity.silence(*limit).await;
                    *limit
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = until(self.end) => Reached::End,
            limit = silence => Reached::Silence(limit),
        }
    }

    /// Replaces all limits with this one, while the turn is being stopped.
    pub(crate) fn replace(&mut self, end: Option<Duration>) {
        self.end = end.and_then(|end| Instant::now().checked_add(end));
        self.idle = None;
    }
}

impl Reached {
    /// Returns a sentence for the user.
    pub(crate) fn what(self) -> String {
        match self {
            Self::End => "the time is up".to_owned(),
            Self::Silence(limit) => format!("the agent has said nothing for {limit:?}"),
        }
    }
}
