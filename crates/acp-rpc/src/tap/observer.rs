//! The part of a connection that shows its lines.

use std::sync::Arc;

use super::{Direction, Tap};
use crate::core::fault::{Fault, Origin};
use crate::core::panics::guarded;
use crate::service::Service;
use crate::wire::message::Id;

/// The tap of a connection, if it has one, and the service that learns of its panics.
#[derive(Clone)]
pub(crate) struct Observer {
    tap: Option<Tap>,
    service: Arc<dyn Service>,
}

impl Observer {
    pub(crate) fn new(tap: Option<Tap>, service: Arc<dyn Service>) -> Self {
        Self { tap, service }
    }

    pub(crate) const fn service(&self) -> &Arc<dyn Service> {
        &self.service
    }

    /// Shows a line that came and was read as `text`.
    pub(crate) fn received(&self, line: &[u8], text: &[u8]) {
        self.show(|tap| tap.see(Direction::In, line, text));
    }

    /// Shows that a line came that was not read.
    pub(crate) fn oversized(&self, id: Option<&Id>, bytes: u64) {
        self.show(|tap| tap.see_oversized(id, bytes));
    }

    /// Shows a batch of output, line by line.
    pub(crate) fn sent(&self, batch: &[u8]) {
        self.show(|tap| {
            let lines = batch.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            lines.for_each(|line| tap.see(Direction::Out, line, line));
        });
    }

    fn show(&self, see: impl FnOnce(&Tap)) {
        if let Some(tap) = &self.tap
            && let Err(message) = guarded(|| see(tap))
        {
            Fault::Panicked { origin: Origin::Tap, message: &message }.report(&*self.service);
        }
    }
}
