//! Progress of calls, from the server to who calls.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{ProgressNotificationParam, ProgressToken};

/// Of progress that came before its call was known, this much is kept.
const EARLY: usize = 32;

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

pub(super) type OnProgress = Arc<dyn Fn(Progress) + Send + Sync>;

#[derive(Default)]
struct Table {
    calls: HashMap<ProgressToken, OnProgress>,
    early: VecDeque<ProgressNotificationParam>,
}

/// Whose progress is whose.
#[derive(Clone, Default)]
pub(super) struct Router(Arc<Mutex<Table>>);

impl Router {
    /// The token of a call is known only once it is on its way: what came meanwhile is handed over now.
    pub(super) fn add(&self, token: &ProgressToken, on_progress: &OnProgress) -> Route {
        let early: VecDeque<_> = {
            let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            table.calls.insert(token.clone(), Arc::clone(on_progress));
            let (mine, others) = table.early.drain(..).partition(|report| report.progress_token == *token);
            table.early = others;
            mine
        };
        early.into_iter().map(Progress::from).for_each(|progress| on_progress(progress));
        Route { router: self.clone(), token: token.clone() }
    }

    pub(super) fn tell(&self, report: &ProgressNotificationParam) {
        let on_progress = {
            let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let on_progress = table.calls.get(&report.progress_token).cloned();
            if on_progress.is_none() {
                table.early.push_back(report.clone());
                if table.early.len() > EARLY {
                    table.early.pop_front();
                }
            }
            on_progress
        };
        if let Some(on_progress) = on_progress {
            on_progress(Progress::from(report.clone()));
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
pub(super) struct Route {
    router: Router,
    token: ProgressToken,
}

impl Drop for Route {
    fn drop(&mut self) {
        self.router.0.lock().unwrap_or_else(PoisonError::into_inner).calls.remove(&self.token);
    }
}
