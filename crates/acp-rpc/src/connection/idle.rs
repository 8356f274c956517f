//! When memory that was kept for more of the same is given back.

use std::pin::Pin;
use std::task::Context;
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};

/// How long a large buffer is kept without being needed; up to twice as long if it was needed at first.
const PERIOD: Duration = Duration::from_secs(1);

/// Notices when large buffers have not been needed for a while.
///
/// To take a megabyte from the allocator and to touch it for the first time costs as much as to read it from a pipe, and
/// large messages seldom come alone.
#[derive(Debug, Default)]
pub(crate) struct Idle {
    timer: Option<Pin<Box<Sleep>>>,
    used: bool,
}

impl Idle {
    /// Large buffers are needed just now.
    pub(crate) const fn used(&mut self) {
        self.used = true;
    }

    /// Tells whether they are to be given back. If not, the task is woken when that may be so; unless there are none.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> bool {
        if self.timer.is_none() && !self.used {
            return false;
        }
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(PERIOD)));
        while timer.as_mut().poll(cx).is_ready() {
            if !self.used {
                self.timer = None;
                return true;
            }
            self.used = false;
            timer.as_mut().reset(Instant::now() + PERIOD);
        }
        false
    }
}
