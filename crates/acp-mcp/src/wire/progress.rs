//! Progress of calls, from the server to who calls.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rmcp::model::{
    ClientRequest, GetExtensions as _, GetMeta as _, ProgressNotificationParam, ProgressToken,
};

/// How far a call is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// It grows with each report; the unit is the server's.
    pub progress: f64,
    /// What it will be at the end, if that is known.
    pub total: Option<f64>,
    /// What is going on, for people.
    pub message: Option<String>,
}

pub(crate) type OnProgress = Arc<dyn Fn(Progress) + Send + Sync>;

/// Whose progress is whose.
#[derive(Clone, Default)]
pub(crate) struct Router(Arc<Mutex<HashMap<ProgressToken, OnProgress>>>);

impl Router {
    /// Has the progress of a request told, as long as what is returned lives.
    pub(crate) fn add(&self, request: &mut ClientRequest, on_progress: &OnProgress) -> Route {
        let route = Route { router: self.clone(), token: Arc::default() };
        let (router, token) = (self.clone(), Arc::clone(&route.token));
        let wanted = ProgressWanted { router, token, on_progress: Arc::clone(on_progress) };
        request.extensions_mut().insert(wanted);
        route
    }

    pub(crate) fn tell(&self, report: &ProgressNotificationParam) {
        // Of a request that is over nobody wants to know.
        let on_progress = self.calls().get(&report.progress_token).cloned();
        if let Some(on_progress) = on_progress {
            on_progress(Progress::from(report.clone()));
        }
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<ProgressToken, OnProgress>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The token of a request once it is sent; `None` when nobody wants to know of its progress any more.
type Token = Arc<OnceLock<Option<ProgressToken>>>;

/// Goes with a request whose progress somebody wants to know. rmcp gives it its token on the way, so whoever sends it
/// knows that only then, and the first progress may be there already.
#[derive(Clone)]
pub(crate) struct ProgressWanted {
    router: Router,
    token: Token,
    on_progress: OnProgress,
}

impl ProgressWanted {
    /// The request is about to be sent.
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

/// The way of one call's progress, until it is dropped.
pub(crate) struct Route {
    router: Router,
    token: Token,
}

impl Drop for Route {
    fn drop(&mut self) {
        if self.token.set(None).is_err() {
            let token = self.token.get().and_then(Option::as_ref);
            let removed = token.and_then(|token| self.router.calls().remove(token));
            // What it holds is dropped after the lock is free.
            drop(removed);
        }
    }
}
