//! The task that sends the messages of a connection, and ends it.

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::lanes::{Lane, Lanes};
use super::letter::Letter;
use super::outbox::Outbox;
use super::post;
use super::shared::Shared;
use super::stop::Stop;
use super::stream::FIRST_WAIT;
use crate::client::error::{Error, Exchanged};
use crate::client::settings::after;

/// The time in which the server is told of the end, if the first attempt fails.
const TELLING: Duration = Duration::from_secs(5 * 60);
/// The longest wait between two of these attempts.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

pub(super) struct Carrier {
    shared: Arc<Shared>,
    lanes: Lanes<Letter>,
    /// The messages that are on their way. Those of a connection that is over are dropped.
    posts: JoinSet<(Lane, Result<(), Stop>)>,
}

impl Carrier {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, lanes: Lanes::new(), posts: JoinSet::new() }
    }

    /// Carries messages until either side ends the connection. `over` is dropped at the end.
    pub(super) async fn carry(
        mut self,
        mut outbox: Outbox,
        mut stopped: UnboundedReceiver<Stop>,
        over: oneshot::Sender<()>,
    ) {
        let end = self.run(&mut outbox, &mut stopped).await;
        self.posts.abort_all();
        let can_be_told = match &end {
            Some(Stop::Over(_)) => false,
            Some(Stop::Failed(error)) => !matches!(error.status(), Some(401 | 403 | 404 | 410)),
            None => true,
        };
        if matches!(end, Some(Stop::Over(_))) {
            // What waits in the streams of sessions still comes.
            let _ = timeout(self.shared.settings.close_timeout, self.shared.sessions.ended()).await;
        }
        self.shared.sessions.abort();
        // Only this side's own end waits until the server knows of it.
        let over = end.is_none().then_some(over);
        self.shared.inbox.end(match end {
            Some(Stop::Failed(error)) => Some(error),
            Some(Stop::Over(error)) => error,
            None => None,
        });
        let is_told = !can_be_told || self.delete().await;
        drop(over);
        if !is_told {
            self.insist().await;
        }
    }

    /// Returns the end that the server made, or `None` if this side has closed.
    async fn run(&mut self, outbox: &mut Outbox, stopped: &mut UnboundedReceiver<Stop>) -> Option<Stop> {
        let mut closing = None;
        loop {
            while let Some((lane, letter)) = self.lanes.next(self.shared.is_initialized()) {
                let shared = Arc::clone(&self.shared);
                self.posts.spawn(async move { (lane, post::post(&shared, letter).await) });
            }
            if closing.is_some() && self.lanes.is_empty() {
                return None;
            }
            tokio::select! {
                sent = outbox.queue.recv(), if closing.is_none() => match sent {
                    Some(sent) => Letter::enter(sent, &mut self.shared.ledger(), &mut self.lanes),
                    None => closing = Some(after(self.shared.settings.close_timeout)),
                },
                Some(posted) = self.posts.join_next() => {
                    if let Err(stop) = self.posted(posted) {
                        return Some(stop);
                    }
                }
                Some(stop) = stopped.recv() => return Some(stop),
                () = sleep_until(closing.unwrap_or_else(Instant::now)), if closing.is_some() => {
                    return None;
                }
            }
        }
    }

    fn posted(&mut self, posted: Result<(Lane, Result<(), Stop>), JoinError>) -> Result<(), Stop> {
        let Ok((lane, outcome)) = posted else {
            let problem = "the source of credentials panicked".to_owned();
            return Err(Stop::Failed(Error::Setup { problem }));
        };
        self.lanes.done(lane);
        outcome
    }

    /// Tells the server again that the connection is over. Until it knows, the agent lives on, and
    /// nobody else gets its sessions: a socket that broke off unnoticed looks as if it were in use.
    async fn insist(&self) {
        let until = after(TELLING);
        let mut wait = FIRST_WAIT;
        while Instant::now() < until {
            sleep(wait).await;
            if self.delete().await {
                return;
            }
            wait = wait.saturating_mul(2).min(LONGEST_WAIT);
        }
    }

    /// Tells the server that the connection is over. Returns false if it may not know it.
    async fn delete(&self) -> bool {
        if !self.shared.is_initialized() {
            return true;
        }
        let what = Exchanged::new("DELETE", None, None);
        let headers = self.shared.names(&None);
        let told = self.shared.exchange.send(Method::DELETE, &headers, Vec::new(), &what);
        match timeout(self.shared.settings.close_timeout, told).await {
            Ok(Ok(answer)) => {
                let status = answer.status();
                tracing::debug!(status = status.as_u16(), "the DELETE was answered");
                !status.is_server_error()
            }
            Ok(Err(_)) | Err(_) => {
                tracing::debug!("the DELETE got no answer");
                false
            }
        }
    }
}
