//! The config options of a session as they are now.

use std::sync::{Arc, Mutex, PoisonError};

use acp_types::v1::SessionConfigOption;

use crate::wire::moment::Moment;

/// The config options of a session. `None` while the agent has not named any.
#[derive(Debug, Default)]
pub(crate) struct Config {
    known: Mutex<Option<(Moment, Arc<[SessionConfigOption]>)>>,
}

impl Config {
    pub(crate) fn options(&self) -> Option<Arc<[SessionConfigOption]>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().map(|(_, options)| Arc::clone(options))
    }

    /// Replaces the options, unless newer ones are known.
    pub(crate) fn set(&self, options: Vec<SessionConfigOption>, at: Moment) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().is_none_or(|(known_at, _)| *known_at < at) {
            *known = Some((at, options.into()));
        }
    }
}
