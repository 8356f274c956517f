//! The time to give back memory that was kept for large messages.

use std::pin::Pin;
use std::task::Context;
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep};

/// The time that a large buffer is kept without use, or up to twice that if it was used at first.
const PERIOD: Duration = Duration::from_secs(1);

/// Notices when large buffers have not been needed for a while.
///
/// Allocating a megabyte and touching it for the first time costs as much as reading it from a
/// pipe, and large messages seldom come alone.
#[derive(Debug, Default)]
pub(crate) struct Idle {
    timer: Option<Pin<Box<Sleep>>>,
    used: bool,
}

impl Idle {
    /// Notes that large buffers are in use.
    pub(crate) const fn used(&mut self) {
        self.used = true;
    }

    /// Tells whether large buffers should be given back. If not, and there are some, the task is
    /// woken when that may change.
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
