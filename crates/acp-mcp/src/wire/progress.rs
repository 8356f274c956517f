//! Progress of calls, on its way from the server to the caller.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rmcp::model::{
    ClientRequest, GetExtensions as _, GetMeta as _, ProgressNotificationParam, ProgressToken,
};

/// The progress of a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The amount that is done. It grows with each report; the unit is the server's.
    pub progress: f64,
    /// The amount at the end, if that is known.
    pub total: Option<f64>,
    /// A description for people.
    pub message: Option<String>,
}

pub(crate) type OnProgress = Arc<dyn Fn(Progress) + Send + Sync>;

/// The calls of a connection whose progress somebody wants, by token.
#[derive(Clone, Default)]
pub(crate) struct Router(Arc<Mutex<HashMap<ProgressToken, OnProgress>>>);

impl Router {
    /// Reports the progress of a request until the returned route is dropped.
    pub(crate) fn add(&self, request: &mut ClientRequest, on_progress: &OnProgress) -> ProgressRoute {
        let route = ProgressRoute { router: self.clone(), token: Arc::default() };
        let (router, token) = (self.clone(), Arc::clone(&route.token));
        let wanted = ProgressWanted { router, token, on_progress: Arc::clone(on_progress) };
        request.extensions_mut().insert(wanted);
        route
    }

    pub(crate) fn received(&self, report: &ProgressNotificationParam) {
        // Progress of a request that has ended is dropped.
        let on_progress = self.calls().get(&report.progress_token).cloned();
        if let Some(on_progress) = on_progress {
            on_progress(Progress::from(report.clone()));
        }
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<ProgressToken, OnProgress>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The token of a request, once it is sent. `None` when nobody wants its progress any more.
type SentToken = Arc<OnceLock<Option<ProgressToken>>>;

/// Marks a request whose progress somebody wants.
///
/// rmcp makes the token while it sends the request. The caller would learn the token too late,
/// because the first progress may have arrived by then.
#[derive(Clone)]
pub(crate) struct ProgressWanted {
    router: Router,
    token: SentToken,
    on_progress: OnProgress,
}

impl ProgressWanted {
    /// Registers the token of a request that is about to be sent.
    pub(crate) fn sent(request: &ClientRequest) {
        let wanted = request.extensions().get::<Self>();
        if let (Some(wanted), Some(token)) = (wanted, request.get_meta().get_progress_token()) {
            let mut calls = wanted.router.calls();
            if wanted.token.set(Some(token.clone())).is_ok() {
                calls.insert(token, Arc::clone(&wanted.on_progress));
            }
        }
    }
}

impl From<ProgressNotificationParam> for Progress {
    fn from(report: ProgressNotificationParam) -> Self {
        Self { progress: report.progress, total: report.total, message: report.message }
    }
}

impl fmt::Debug for Router {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Router").finish_non_exhaustive()
    }
}

/// The route of one call's progress. Dropping it ends the reports.
pub(crate) struct ProgressRoute {
    router: Router,
    token: SentToken,
}

impl Drop for ProgressRoute {
    fn drop(&mut self) {
        if self.token.set(None).is_err() {
            let token = self.token.get().and_then(Option::as_ref);
            let removed = token.and_then(|token| self.router.calls().remove(token));
            // The handler is dropped after the lock is released.
            drop(removed);
        }
    }
}
