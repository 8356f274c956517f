//! The requests of a recording, and the later lines that name them.

use std::collections::{BTreeMap, BTreeSet};

use acp_rpc::tap::{Entry, Kind};

use super::recorded::json_of;

/// The requests of a recording, by the numbers of their entries.
#[derive(Debug, Default)]
pub(super) struct Requests {
    /// The request that an answer answers.
    answered: BTreeMap<usize, usize>,
    /// The request that a `$/cancel_request` names.
    cancelled: BTreeMap<usize, usize>,
    /// Requests that later steps have to name.
    named: BTreeSet<usize>,
}

impl Requests {
    pub(super) fn read(entries: &[Entry]) -> Self {
        let mut requests = Self::default();
        let mut open: Vec<(usize, &Entry)> = Vec::new();
        for (at, entry) in entries.iter().enumerate() {
            match entry.kind {
                Kind::Request => open.push((at, entry)),
                Kind::Result | Kind::Error(_) => requests.answer(at, entry, &mut open),
                Kind::Notification if entry.method.as_deref() == Some("$/cancel_request") => {
                    requests.cancel(at, entry, &open);
                }
                _ => {}
            }
        }
        requests
    }

    fn answer(&mut self, at: usize, answer: &Entry, open: &mut Vec<(usize, &Entry)>) {
        let of_side = |(_, request): &&(usize, &Entry)| request.direction != answer.direction;
        let Some((request, _)) = open.iter().filter(of_side).find(|(_, request)| request.id == answer.id)
        else {
            return;
        };
        let request = *request;
        // Another one could be meant.
        if open.iter().filter(of_side).count() > 1 {
            self.named.insert(request);
        }
        open.retain(|(other, _)| *other != request);
        self.answered.insert(at, request);
    }

    fn cancel(&mut self, at: usize, notification: &Entry, open: &[(usize, &Entry)]) {
        let body = json_of(notification).unwrap_or_default();
        let Some(id) = body.pointer("/params/requestId") else { return };
        let is_meant = |request: &Entry| {
            request.direction == notification.direction
                && json_of(request).as_ref().and_then(|body| body.get("id")) == Some(id)
        };
        if let Some((request, _)) = open.iter().find(|(_, request)| is_meant(request)) {
            self.named.insert(*request);
            self.cancelled.insert(at, *request);
        }
    }

    /// Returns the name of the request in this entry, and of the one that the entry answers.
    pub(super) fn names(&self, at: usize) -> (Option<String>, Option<String>) {
        (self.name(Some(&at)), self.name(self.answered.get(&at)))
    }

    /// Returns the name of the request that a `$/cancel_request` names.
    pub(super) fn cancelled(&self, at: usize) -> Option<String> {
        self.name(self.cancelled.get(&at))
    }

    /// Returns true for an answer whose request was recorded.
    pub(super) fn is_answer(&self, at: usize) -> bool {
        self.answered.contains_key(&at)
    }

    fn name(&self, request: Option<&usize>) -> Option<String> {
        request
            .filter(|request| self.named.contains(request))
            .map(|request| format!("request-{}", request + 1))
    }
}
