//! The messages of each connection, by its place in the chain.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use acp_rpc::{BoxFuture, CloseReason, Error, Fault};

use super::chain::{Chain, End, Phase};
use super::component::Kind;
use super::failure::Incident;
use super::slot::{Consequence, Slot};
use crate::flow::json::Json;
use crate::flow::responder::Responder;
use crate::flow::route::{Route, Toward};
use crate::link::{Event, Gone, Link, Site};
use crate::wire::forms::{INITIALIZE, PROXY_INITIALIZE};
use crate::wire::member::{member, with};
use crate::wire::message::{Answer, Call};

/// The answer of a proxy to a client that has started it without an agent.
const PROXY_ALONE: &str = "this is a proxy without an agent: name one after `--`, or start the proxy by a \
    conductor, which sends `proxy/initialize`";

/// The connection to a proxy or to the agent.
pub(crate) struct SlotSite {
    pub(super) chain: Arc<Chain>,
    pub(super) slot: Arc<Slot>,
    /// The number of the joint before it.
    pub(super) index: usize,
}

impl Site for SlotSite {
    fn event(&self, _: &Arc<Link>, event: Event<'_>) {
        match event {
            Event::Plain(call, responder) if call.method == PROXY_INITIALIZE => {
                refuse(responder, "only a conductor sends `proxy/initialize`");
            }
            Event::Plain(call, responder) => {
                self.chain.pass(self.index, Toward::Client, &call, responder);
            }
            Event::Enveloped(call, Some(responder)) if call.method == INITIALIZE => {
                self.chain.initialize_successor(self.index + 1, &self.slot, &call, responder);
            }
            Event::Enveloped(call, responder) => {
                self.chain.pass(self.index + 1, Toward::Agent, &call, responder);
            }
        }
    }

    fn takes_envelopes(&self) -> bool {
        self.slot.kind == Kind::Proxy
    }

    fn pause(&self, link: &Arc<Link>) -> Option<BoxFuture> {
        let fed = [(self.index, Toward::Client), (self.index + 1, Toward::Agent)];
        let fed = if self.slot.kind == Kind::Agent { fed.get(..1)? } else { &fed };
        self.chain.pause(link, fed)
    }

    fn fault(&self, fault: Fault<'_>) {
        (self.chain.settings.on_fault)(fault);
    }

    fn ended(&self, link: &Arc<Link>, reason: &CloseReason) -> BoxFuture {
        let failure = self.slot.failure(reason);
        let gone = Gone(failure.to_rpc());
        if self.chain.closed.is_cancelled() || matches!(reason, CloseReason::Local) {
            link.fail(&gone);
            return Box::pin(async {});
        }
        match self.slot.ended(link, &failure) {
            Consequence::ChainEnds => self.chain.fail(failure),
            Consequence::LeftOut | Consequence::Awaited => {}
            Consequence::Restarts => self.chain.report(Incident::Restart(self.index)),
        }
        link.fail(&gone);
        Box::pin(async {})
    }
}

/// The connection to the client, or to the conductor that this chain is a proxy of.
pub(crate) struct FrontSite {
    pub(crate) chain: Arc<Chain>,
}

impl FrontSite {
    /// Takes a message before the chain runs.
    fn first(&self, call: &Call<'_>, responder: Responder) {
        let end = match &*call.method {
            INITIALIZE if self.chain.agent.is_some() => End::Agent,
            INITIALIZE => {
                return refuse(Some(responder), PROXY_ALONE);
            }
            PROXY_INITIALIZE if self.chain.agent.is_none() => End::Successor,
            PROXY_INITIALIZE => {
                return refuse(
                    Some(responder),
                    "this chain has an agent: it takes `initialize` from a client",
                );
            }
            _ => return refuse(Some(responder), "the first request must be `initialize`"),
        };
        self.chain.set_end(end);
        *self.chain.phase() = Phase::Starting;
        let (chain, params) = (Arc::clone(&self.chain), call.params.map(Json::from_text));
        tokio::spawn(async move {
            match chain.start().await {
                Ok(()) => chain.run(params.as_ref().map(Json::as_str), responder),
                Err(failure) => {
                    chain.close_components();
                    chain.fail(failure.clone());
                    responder.refuse(&failure.to_rpc());
                }
            }
        });
    }

    fn running(&self, call: &Call<'_>, responder: Option<Responder>) {
        match (&*call.method, self.chain.end(), responder) {
            (INITIALIZE, Some(End::Successor), responder) => {
                refuse(responder, PROXY_ALONE);
            }
            (PROXY_INITIALIZE, Some(End::Agent), responder) => {
                refuse(responder, "only a conductor sends `proxy/initialize`");
            }
            (INITIALIZE | PROXY_INITIALIZE, _, Some(responder)) => {
                self.chain.initialize_first(call.params, responder);
            }
            (_, _, responder) => self.chain.pass(0, Toward::Agent, call, responder),
        }
    }
}

impl Site for FrontSite {
    fn event(&self, _: &Arc<Link>, event: Event<'_>) {
        let phase = self.chain.phase().clone();
        match (phase, event) {
            (Phase::Failed(failure), Event::Plain(_, responder) | Event::Enveloped(_, responder)) => {
                if let Some(responder) = responder {
                    responder.refuse(&failure.to_rpc());
                }
            }
            (Phase::New | Phase::Starting, Event::Plain(call, Some(responder))) => {
                self.first(&call, responder);
            }
            (Phase::New | Phase::Starting, Event::Plain(_, None)) => {}
            (Phase::Running, Event::Plain(call, responder)) => self.running(&call, responder),
            (_, Event::Enveloped(call, responder)) => {
                self.chain.pass(self.chain.parts.len(), Toward::Client, &call, responder);
            }
        }
    }

    fn takes_envelopes(&self) -> bool {
        self.chain.end() == Some(End::Successor)
    }

    fn pause(&self, link: &Arc<Link>) -> Option<BoxFuture> {
        if matches!(&*self.chain.phase(), Phase::Starting) {
            let chain = Arc::clone(&self.chain);
            return Some(Box::pin(async move { chain.started().await }));
        }
        let fed = [(0, Toward::Agent), (self.chain.parts.len(), Toward::Client)];
        let fed = if self.takes_envelopes() { &fed } else { fed.get(..1)? };
        self.chain.pause(link, fed)
    }

    fn fault(&self, fault: Fault<'_>) {
        (self.chain.settings.on_fault)(fault);
    }

    /// The client may have closed its side and still wait for answers.
    fn ended(&self, link: &Arc<Link>, _: &CloseReason) -> BoxFuture {
        let (link, drain) = (Arc::clone(link), self.chain.settings.drain);
        Box::pin(async move {
            link.idle(drain).await;
            link.fail(&Gone(Error::internal("the client is gone")));
        })
    }
}

impl Chain {
    /// Takes messages from now on, unless a component has ended already.
    fn run(&self, params: Option<&str>, responder: Responder) {
        let failed = {
            let mut phase = self.phase();
            match &*phase {
                Phase::Failed(failure) => Some(failure.clone()),
                _ => {
                    *phase = Phase::Running;
                    None
                }
            }
        };
        self.phase_changed.notify_waiters();
        match failed {
            Some(failure) => responder.refuse(&failure.to_rpc()),
            None => self.initialize_first(params, responder),
        }
    }

    /// Passes the client's `initialize` on, with a version that this conductor knows.
    fn initialize_first(&self, params: Option<&str>, responder: Responder) {
        let highest = self.settings.highest_version;
        let asked = params.and_then(|params| member(params, "protocolVersion"));
        let is_unknown =
            asked.and_then(|version| version.parse::<u64>().ok()).is_some_and(|asked| asked > highest);
        let lowered = params.filter(|_| is_unknown);
        let lowered = lowered.and_then(|params| with(params, "protocolVersion", &highest.to_string()));
        let call = Call { method: INITIALIZE.into(), params: lowered.as_deref().or(params) };
        let chain = self.weak();
        let noted = responder.seen_by(move |answer, pass| {
            if let (Answer::Result(_), Some(chain)) = (answer, chain.upgrade()) {
                chain.was_initialized.store(true, Ordering::SeqCst);
            }
            pass(answer);
        });
        self.pass(0, Toward::Agent, &call, Some(noted));
    }

    /// Waits until the components have been started, or one could not be.
    async fn started(&self) {
        loop {
            let changed = self.phase_changed.notified();
            if !matches!(&*self.phase(), Phase::Starting) {
                return;
            }
            changed.await;
        }
    }
}

fn refuse(responder: Option<Responder>, problem: &'static str) {
    if let Some(responder) = responder {
        responder.refuse(&Error::invalid_request(problem));
    }
}
