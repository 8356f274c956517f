//! The requests of MCP that are under way through a chain.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use acp_rpc::{BoxFuture, CancellationToken, Error};

use super::hearer::Hearer;
use super::offers::{Offer, Offers};
use super::out::Full;
use crate::flow::cancel::Cancel;
use crate::flow::responder::Responder;
use crate::flow::route::{Route, Toward};
use crate::wire::forms::error_text;
use crate::wire::member::{member, text, with_at};
use crate::wire::message::{Answer, Call};
use crate::wire::methods::MCP_MESSAGE;

/// The member that names the request of a listener.
const SUBSCRIPTION: [&str; 2] = ["_meta", "io.modelcontextprotocol/subscriptionId"];

/// Limits of a bridge, and the end of its chain.
#[derive(Clone)]
pub(crate) struct Bounds {
    /// The most bytes that may wait for one client.
    pub(crate) budget: usize,
    pub(crate) max_line: usize,
    pub(crate) drain: Duration,
    pub(crate) closed: CancellationToken,
}

/// The parts of a bridge that all its connections use.
pub(super) struct Shared {
    route: Weak<dyn Route>,
    /// The joint before the agent.
    joint: usize,
    pub(super) offers: Offers,
    pub(super) full: Arc<Full>,
    pub(super) bounds: Bounds,
    last: AtomicU64,
    active: Mutex<HashMap<Box<str>, Active>>,
}

struct Active {
    server: Box<str>,
    hearer: Hearer,
}

impl Shared {
    pub(super) fn new(route: Weak<dyn Route>, joint: usize, bounds: Bounds, stall: Duration) -> Self {
        Self {
            route,
            joint,
            offers: Offers::new(&bounds.closed),
            full: Arc::new(Full::new(stall)),
            bounds,
            last: AtomicU64::new(0),
            active: Mutex::default(),
        }
    }

    /// Sends a request of MCP to the server. `then` gets its result or error of MCP.
    pub(super) fn ask(
        self: &Arc<Self>,
        offer: &Arc<Offer>,
        call: &Call<'_>,
        hearer: Hearer,
        cancel: Arc<Cancel>,
        then: impl FnOnce(Answer<'_>) + Send + 'static,
    ) {
        let request: Box<str> = format!("mcp-bridge-{}", self.last.fetch_add(1, Ordering::Relaxed)).into();
        let mut params = format!(r#"{{"serverId":{},"requestId":"{request}","method":"#, offer.server_id);
        params.push_str(&serde_json::Value::from(&*call.method).to_string());
        if let Some(inner) = call.params {
            params.push_str(r#","params":"#);
            params.push_str(inner);
        }
        params.push('}');
        self.active().insert(request.clone(), Active { server: offer.server_id.clone(), hearer });
        let (shared, offer) = (Arc::clone(self), Arc::clone(offer));
        let responder = Responder::then(cancel, move |answer| {
            shared.active().remove(&request);
            let failed;
            then(match inner(answer) {
                Ok(answer) => answer,
                Err(problem) => {
                    failed = failure(&offer, &problem);
                    Answer::Error(&failed)
                }
            });
        });
        let call = Call { method: MCP_MESSAGE.into(), params: Some(&params) };
        match self.route.upgrade() {
            Some(route) => route.pass(self.joint, Toward::Client, &call, Some(responder)),
            None => responder.refuse(&Error::internal("the chain has ended")),
        }
    }

    /// Takes a notification of a server. One whose request is answered comes too late.
    pub(super) fn notified(&self, params: Option<&str>) {
        let Some(params) = params else { return };
        let Some(request) = text(params, "requestId") else { return };
        let hearer = {
            let active = self.active();
            let Some(active) = active.get(&*request) else { return };
            if member(params, "serverId") != Some(&*active.server) {
                return;
            }
            active.hearer.clone()
        };
        let Some(method) = text(params, "method") else { return };
        let inner = member(params, "params");
        let named = inner.filter(|inner| crate::wire::member::at(inner, &SUBSCRIPTION).is_some());
        let renamed = named.and_then(|inner| with_at(inner, &SUBSCRIPTION, &hearer.id()?));
        hearer.hear(&Call { method, params: renamed.as_deref().or(inner) });
    }

    /// Returns a future to wait for before a client is read on.
    pub(super) fn pause(&self) -> Option<BoxFuture> {
        self.route.upgrade()?.full(self.joint, Toward::Client)
    }

    fn active(&self) -> MutexGuard<'_, HashMap<Box<str>, Active>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes the answer of the server out of the answer to `mcp/message`.
fn inner(answer: Answer<'_>) -> Result<Answer<'_>, Problem<'_>> {
    let outer = match answer {
        Answer::Result(outer) => outer,
        Answer::Error(error) => return Err(Problem::Outer(error)),
    };
    match (member(outer, "result"), member(outer, "error")) {
        (Some(result), _) => Ok(Answer::Result(result)),
        (None, Some(error)) => Ok(Answer::Error(error)),
        (None, None) => Err(Problem::Neither),
    }
}

/// The reason why a server gave no answer.
enum Problem<'a> {
    /// The error of the chain.
    Outer(&'a str),
    Neither,
}

/// Writes the error of a request that did not get to its server. Codes of ACP are not codes of MCP.
fn failure(offer: &Offer, problem: &Problem<'_>) -> String {
    let (message, error) = match problem {
        Problem::Outer(error) => (text(error, "message").unwrap_or_default(), Some(*error)),
        Problem::Neither => ("its answer has neither a result nor an error".into(), None),
    };
    let written = error_text(&Error::internal(format!("the MCP server `{}` failed: {message}", offer.name)));
    let data = error.and_then(|error| with_at(&written, &["data", "acp"], error));
    data.unwrap_or(written)
}
