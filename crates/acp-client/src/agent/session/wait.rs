//! The wait for a session that is open elsewhere.

use std::time::{Duration, SystemTime};

use acp_types::v1::ext::StoreProblem;
use tokio::time::{Instant, timeout};

use crate::{Agent, Error};

/// The pause before the second attempt. The next ones double, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Opens a session. While it is open elsewhere, it is tried again for as long as the limit says.
pub(crate) async fn until_free<T, F: Future<Output = Result<T, Error>>>(
    agent: &Agent,
    limit: Option<Duration>,
    attempt: impl Fn() -> F,
) -> Result<T, Error> {
    let Some(limit) = limit else { return attempt().await };
    let began = Instant::now();
    let mut longest = FIRST_PAUSE;
    loop {
        let error = match attempt().await {
            Err(error) => error,
            opened => return opened,
        };
        let Some(StoreProblem::Busy { until, .. }) = error.store_problem() else { return Err(error) };
        let left = limit.saturating_sub(began.elapsed());
        if left.is_zero() {
            return Err(error);
        }
        // The next attempt tells if the connection has ended.
        let _ = timeout(pause(until, longest).min(left), agent.peer().closed()).await;
        longest = longest.saturating_mul(2).min(LONGEST_PAUSE);
    }
}

/// Returns the time until the session may be free. The session can be closed earlier, so a time
/// that is far away does not count. The clocks of the two sides may differ, so a time that is over
/// does not count either.
fn pause(until: Option<SystemTime>, longest: Duration) -> Duration {
    let left = until.and_then(|until| until.duration_since(SystemTime::now()).ok());
    left.map_or(longest, |left| left.clamp(FIRST_PAUSE, longest))
}
