//! What runs as a task of its own: the handler of a request, up to its answer.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use crate::encode;
use crate::fault::{Fault, Origin};
use crate::message::{Error, Id};
use crate::peer::Peer;
use crate::service::{Reply, Service, Task};
use crate::writer::PushError;

/// Runs a future; a panic becomes its message.
pub(crate) async fn caught<T>(
    mut future: Pin<Box<dyn Future<Output = T> + Send>>,
) -> std::result::Result<T, String> {
    poll_fn(move |cx| match guarded(|| future.as_mut().poll(cx)) {
        Ok(poll) => poll.map(Ok),
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await
}

/// Runs a function; a panic becomes its message.
///
/// What a panicking handler left half done is its own: nothing of this crate is behind the closure.
pub(crate) fn guarded<T>(run: impl FnOnce() -> T) -> std::result::Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| message_of(panic.as_ref()))
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(message), _) => (*message).to_owned(),
        (_, Some(message)) => message.clone(),
        _ => "a panic without a message".to_owned(),
    }
}

/// One request of the peer.
pub(crate) struct Answering {
    pub(crate) peer: Peer,
    pub(crate) service: Arc<dyn Service>,
    pub(crate) id: Id,
    pub(crate) method: Box<str>,
}

impl Answering {
    /// Runs the handler and sends its answer: exactly one, whatever the handler does.
    pub(crate) async fn run(self, task: Task) {
        let outcome = caught(task).await.unwrap_or_else(|panic| Err(self.panicked(&panic)));
        let turn = self.peer.shared.writer.turn().await;
        let in_flight = self.peer.shared.endpoint().finished(&self.id);
        if turn.is_ok() && in_flight {
            self.send(outcome);
        }
    }

    fn send(&self, outcome: Result<Reply, Error>) {
        let writer = &self.peer.shared.writer;
        let answer = outcome.and_then(|Reply { result, after }| {
            match guarded(|| writer.push(|buffer| encode::response(buffer, &self.id, result.as_ref()))) {
                Ok(Ok(()) | Err(PushError::Closed)) => Ok(after),
                Ok(Err(PushError::Encode(error))) => Err(self.unwritable(&error.to_string())),
                Err(panic) => Err(self.unwritable(&panic)),
            }
        });
        match answer {
            Ok(None) => {}
            Ok(Some(after)) => {
                if let Err(panic) = guarded(|| after(&self.peer)) {
                    self.panicked(&panic);
                }
            }
            Err(error) => self.peer.shared.refuse(&self.id, &error),
        }
    }

    fn panicked(&self, message: &str) -> Error {
        self.service.fault(Fault::Panicked { origin: Origin::Method(&self.method), message });
        Error::internal("the handler failed unexpectedly")
    }

    fn unwritable(&self, message: &str) -> Error {
        self.service.fault(Fault::UnwritableResult { method: &self.method, message });
        Error::internal("the result cannot be written as JSON")
    }
}
