//! The stream of events: the page learns that there is more.

use std::convert::Infallible;
use std::time::Duration;

use futures_util::stream;
use http_body_util::{BodyExt, StreamBody};
use hyper::StatusCode;
use hyper::body::{Bytes, Frame};
use serde_json::json;
use tokio::time::{Instant, sleep_until};

use super::answer::{Answer, body};
use crate::store::Store;
use crate::view;

/// The shortest time between two events.
const PACE: Duration = Duration::from_millis(100);

/// Tells the state of the store now, and after each change, at most ten times a second.
pub(super) fn events(store: &Store, acts: bool) -> Answer {
    let mut seen = store.watch();
    seen.mark_changed();
    let asked = store.clone();
    let stream =
        stream::unfold((seen, Instant::now(), asked), move |(mut seen, not_before, store)| async move {
            sleep_until(not_before).await;
            seen.changed().await.ok()?;
            let state = *seen.borrow_and_update();
            let asks = if acts { view::asks(&store) } else { Vec::new() };
            let event =
                json!({"messages": state.messages, "ended": state.ended, "lost": state.lost, "asks": asks});
            let frame = Frame::data(Bytes::from(format!("data: {event}\n\n")));
            Some((Ok::<_, Infallible>(frame), (seen, Instant::now() + PACE, store)))
        });
    body(StatusCode::OK, "text/event-stream", StreamBody::new(stream).boxed_unsync())
}
