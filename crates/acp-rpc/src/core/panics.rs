//! Panics of other people's code, kept in.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

/// Runs a future of the service. Panics of the future and of its drop go to `report`. The output is
/// `None` if a panic took it. The future is dropped with the result of this function, not when it
/// is done.
pub(crate) fn caught<T, R: FnMut(&str) + Unpin>(future: Foreign<T>, report: R) -> Caught<T, R> {
    Caught { future: Some(future), report }
}

type Foreign<T> = Pin<Box<dyn Future<Output = T> + Send>>;

pub(crate) struct Caught<T, R: FnMut(&str) + Unpin> {
    future: Option<Foreign<T>>,
    report: R,
}

impl<T, R: FnMut(&str) + Unpin> Caught<T, R> {
    fn discard(&mut self) {
        let future = self.future.take();
        if let Err(panic) = guarded(|| drop(future)) {
            (self.report)(&panic);
        }
    }
}

impl<T, R: FnMut(&str) + Unpin> Future for Caught<T, R> {
    type Output = Option<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let Some(future) = &mut self.future else { return Poll::Pending };
        let output = match guarded(|| future.as_mut().poll(cx)) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(output)) => Some(output),
            Err(panic) => {
                (self.report)(&panic);
                None
            }
        };
        Poll::Ready(output)
    }
}

/// Discards the future, also if its task is stopped half-way.
impl<T, R: FnMut(&str) + Unpin> Drop for Caught<T, R> {
    fn drop(&mut self) {
        self.discard();
    }
}

/// Runs a function and turns a panic into its message.
///
/// A panicking handler leaves only its own state half changed: nothing of this crate is behind the
/// closure.
pub(crate) fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(message_of)
}

fn message_of(panic: Box<dyn Any + Send>) -> String {
    let message = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(message), _) => (*message).to_owned(),
        (_, Some(message)) => message.clone(),
        _ => "a panic without a message".to_owned(),
    };
    // A panic payload may panic when it is dropped, and so on. The second one is leaked.
    if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        mem::forget(another);
    }
    message
}
