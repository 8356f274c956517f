//! The way of messages through a chain.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use acp_rpc::lines::{LineOptions, connect};

use acp_rpc::{BoxFuture, CancellationToken, Error, Noise, Tap, Transport};
use tokio::sync::{Notify, mpsc};

use super::component::{Failure, Kind};
use super::failure::{Incident, Policy};
use super::sites::SlotSite;
use super::slot::{Given, Slot};
use crate::bridge::{Bounds, Bridge, McpBridge, Shown};
use crate::flow::responder::Responder;
use crate::flow::route::{Route, Toward};
use crate::link::{Gone, Link, Reader};
use crate::proxy::{Local, Proxy};
use crate::wire::forms::{Form, INITIALIZE};
use crate::wire::message::Call;
use crate::wire::spelling::{Side, Speech, Spelling};

/// A chain: what is between the client and the agent.
pub(crate) struct Chain {
    pub(crate) front: Arc<Link>,
    pub(crate) parts: Vec<Part>,
    pub(crate) agent: Option<Arc<Slot>>,
    /// The MCP servers of proxies, for agents that know only other ways to a server.
    pub(crate) bridge: Bridge,
    /// The end of the chain, once the first message has told which it is.
    end: OnceLock<End>,
    phase: Mutex<Phase>,
    pub(super) phase_changed: Notify,
    /// The client has been told that the chain is initialized.
    pub(super) was_initialized: AtomicBool,
    /// Tells readers that an outlet has filled up.
    pub(super) filled: Arc<Notify>,
    /// Fires when the chain ends.
    pub(crate) closed: CancellationToken,
    pub(crate) settings: Settings,
    incidents: mpsc::UnboundedSender<Incident>,
    this: Weak<Self>,
}

/// A part of a chain.
pub(crate) enum Part {
    Local(Local),
    Process(Arc<Slot>),
}

/// The end of a chain behind its last proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The agent.
    Agent,
    /// The successor of the chain, which is a proxy itself.
    Successor,
}

/// The stage in the life of a chain.
#[derive(Clone, Debug)]
pub(crate) enum Phase {
    /// Nothing has initialized it.
    New,
    /// Its components are being started.
    Starting,
    Running,
    /// A component has failed.
    Failed(Failure),
}

/// Limits and habits of a chain.
#[derive(Clone)]
pub(crate) struct Settings {
    /// The limits of each connection.
    pub(crate) lines: LineOptions,
    /// The observer of the connection to the client.
    pub(crate) front_tap: Option<Tap>,
    /// The most bytes that may wait for a part of the chain.
    pub(crate) budget: usize,
    /// The most bytes that wait for a proxy whose own messages cannot leave.
    pub(crate) ceiling: usize,
    pub(crate) drain: Duration,
    pub(crate) restart_timeout: Duration,
    pub(crate) highest_version: u64,
    pub(crate) bridge: McpBridge,
    /// Older spellings of the messages of proxies are taken.
    pub(crate) takes_older: bool,
    pub(crate) on_fault: crate::proxy::OnFault,
}

/// A part that a chain is to have.
pub(crate) enum Planned {
    Local(Proxy),
    Process(Box<Slot>),
}

impl Chain {
    pub(crate) fn new(
        planned: Vec<Planned>,
        agent: Option<Slot>,
        settings: Settings,
        incidents: mpsc::UnboundedSender<Incident>,
    ) -> Arc<Self> {
        let closed = CancellationToken::new();
        let filled = Arc::<Notify>::default();
        let speech = Speech::new(Side::Proxy, settings.takes_older, Spelling::Current);
        Arc::new_cyclic(|this: &Weak<Self>| {
            let part = |(joint, planned)| match planned {
                Planned::Process(slot) => Part::Process(Arc::from(slot)),
                Planned::Local(proxy) => Part::Local(Local::new(
                    &proxy,
                    Weak::clone(this) as Weak<dyn Route>,
                    joint,
                    settings.budget,
                    closed.clone(),
                    Arc::clone(&settings.on_fault),
                )),
            };
            let parts: Vec<_> = planned.into_iter().enumerate().map(part).collect();
            let route = Weak::clone(this) as Weak<dyn Route>;
            let bridge = Bridge::new(settings.bridge.clone(), route, parts.len(), settings.bounds(&closed));
            Self {
                front: Arc::new(Link::new(Arc::clone(&filled), speech)),
                parts,
                bridge,
                agent: agent.map(Arc::new),
                end: OnceLock::new(),
                phase: Mutex::new(Phase::New),
                phase_changed: Notify::new(),
                was_initialized: AtomicBool::new(false),
                filled,
                closed,
                settings,
                incidents,
                this: Weak::clone(this),
            }
        })
    }

    pub(crate) fn end(&self) -> Option<End> {
        self.end.get().copied()
    }

    /// Sets the end. It does not change once it is known.
    pub(crate) fn set_end(&self, end: End) {
        let _ = self.end.set(end);
    }

    pub(crate) fn phase(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn report(&self, incident: Incident) {
        // A supervisor that is gone has ended the chain.
        let _ = self.incidents.send(incident);
    }

    /// Returns the slots with the index of their place, the agent's last.
    pub(crate) fn slots(&self) -> impl Iterator<Item = (usize, &Arc<Slot>)> {
        let proxies = self.parts.iter().enumerate().filter_map(|(index, part)| match part {
            Part::Process(slot) => Some((index, slot)),
            Part::Local(_) => None,
        });
        proxies.chain(self.agent.iter().map(|agent| (self.parts.len(), agent)))
    }

    /// Connects a component that has been started. Its connection is driven by the supervisor.
    pub(crate) fn connect(&self, index: usize, slot: &Arc<Slot>, transport: Transport) -> Option<Arc<Link>> {
        let chain = self.this.upgrade()?;
        let speech = Speech::new(Side::Conductor, self.settings.takes_older, slot.spelling);
        let link = Arc::new(Link::new(Arc::clone(&self.filled), speech));
        let site = SlotSite { chain, slot: Arc::clone(slot), index };
        let reader = Reader { link: Arc::clone(&link), site, noise: Noise::Skip };
        let options = self.settings.lines(slot.tap.as_ref()).noise(Noise::Skip);
        let (outlet, driver) = connect(transport, reader, options);
        link.attach(outlet);
        self.report(Incident::Started(driver));
        Some(link)
    }

    /// Starts the components, one after the other.
    pub(crate) async fn start(&self) -> Result<(), Failure> {
        for (index, slot) in self.slots() {
            if slot.kind == Kind::Agent && self.end() != Some(End::Agent) {
                continue;
            }
            let opened = tokio::time::timeout(self.settings.restart_timeout, self.opened(slot)).await;
            let late = || Some(Err(io::Error::new(io::ErrorKind::TimedOut, "it was not started in time")));
            match opened.unwrap_or_else(|_| late()) {
                Some(Ok(transport)) => {
                    if let Some(link) = self.connect(index, slot, transport) {
                        slot.start(Arc::clone(&link));
                        // Components are closed once, which may have been before this one was
                        // there.
                        if self.closed.is_cancelled() {
                            link.close();
                        }
                    }
                }
                Some(Err(_)) if slot.policy == Policy::Optional => slot.leave_out(),
                Some(Err(error)) => return Err(slot.failure(error)),
                None => return Err(slot.failure("the chain has ended before it was started")),
            }
        }
        Ok(())
    }

    /// Opens the connection to a component. Returns `None` if the chain ends meanwhile.
    pub(super) async fn opened(&self, slot: &Slot) -> Option<io::Result<Transport>> {
        let opening = async { slot.component.lock().await.open().await };
        tokio::select! {
            biased;
            () = self.closed.cancelled() => None,
            opened = opening => Some(opened),
        }
    }

    /// Ends the chain because of a failure: what comes later fails. The requests that the component
    /// had fail with its connection.
    pub(crate) fn fail(&self, failure: Failure) {
        {
            let mut phase = self.phase();
            if matches!(&*phase, Phase::Failed(_)) {
                return;
            }
            *phase = Phase::Failed(failure.clone());
        }
        self.phase_changed.notify_waiters();
        let was_initialized = self.was_initialized.load(Ordering::SeqCst);
        self.report(Incident::Failed { failure, was_initialized });
    }

    pub(super) fn weak(&self) -> Weak<Self> {
        Weak::clone(&self.this)
    }

    /// Lets answers get to the client, answers all else with the failure, and ends the components.
    pub(crate) async fn wind_up(&self, failure: &Failure) {
        self.front.idle(self.settings.drain).await;
        self.front.answer_all(&failure.to_rpc());
        self.close_components();
    }

    /// Ends all connections to components.
    pub(crate) fn close_components(&self) {
        for (_, slot) in self.slots() {
            if let Some(link) = slot.link() {
                link.close();
                link.fail(&Gone(Error::internal("the chain has ended")));
            }
        }
    }

    fn leave(&self, toward: Toward, call: &Call<'_>, responder: Option<Responder>) {
        match (toward, self.end()) {
            (Toward::Client, _) => self.front.send(Form::Plain, call, responder),
            (Toward::Agent, Some(End::Successor)) => self.front.send(Form::Enveloped, call, responder),
            (Toward::Agent, _) => match (&self.agent, self.bridge.show(call, responder)) {
                (Some(agent), Shown::Passes { params, responder }) => {
                    let call =
                        Call { method: call.method.clone(), params: params.as_deref().or(call.params) };
                    // An agent is never left out.
                    let _ = agent.give(Form::Plain, &call, responder);
                }
                (None, Shown::Passes { .. }) | (_, Shown::Taken) => {}
            },
        }
    }
}

impl Route for Chain {
    fn pass(&self, joint: usize, toward: Toward, call: &Call<'_>, responder: Option<Responder>) {
        let (mut joint, mut responder) = (joint, responder);
        loop {
            let index = match toward {
                Toward::Agent => Some(joint),
                Toward::Client => joint.checked_sub(1),
            };
            match index.and_then(|index| self.parts.get(index)) {
                None => return self.leave(toward, call, responder),
                Some(Part::Local(local)) => return local.pass(toward, call, responder),
                Some(Part::Process(slot)) => {
                    let given = if toward == Toward::Agent && call.method == INITIALIZE {
                        self.initialize(joint, slot, call, responder)
                    } else {
                        let form = if toward == Toward::Agent { Form::Plain } else { Form::Enveloped };
                        slot.give(form, call, responder)
                    };
                    match given {
                        Given::Done => return,
                        Given::Bypassed(back) => responder = back,
                    }
                }
            }
            joint = match toward {
                Toward::Agent => joint + 1,
                Toward::Client => joint.saturating_sub(1),
            };
        }
    }

    fn full(&self, joint: usize, toward: Toward) -> Option<BoxFuture> {
        self.blocked(None, joint, toward)
    }
}

impl Settings {
    /// Returns the options of a connection that has an observer of its own.
    pub(crate) fn lines(&self, own: Option<&Tap>) -> LineOptions {
        let mut lines = self.lines.clone();
        if let Some(own) = own.cloned() {
            lines.tap = Some(match lines.tap.take() {
                Some(tap) => tap.and(own),
                None => own,
            });
        }
        lines
    }

    fn bounds(&self, closed: &CancellationToken) -> Bounds {
        Bounds {
            budget: self.budget,
            max_line: self.lines.max_line,
            drain: self.drain,
            closed: closed.clone(),
        }
    }
}

impl Chain {
    /// Returns a future to wait for before the reader of `own` goes on: while one of the places
    /// that it feeds has no room, or while its peer leaves too many answers unread.
    pub(crate) fn pause(&self, own: &Arc<Link>, fed: &[(usize, Toward)]) -> Option<BoxFuture> {
        if let Some(outlet) = own.outlet().filter(|outlet| outlet.waiting() >= self.settings.ceiling) {
            let outlet = outlet.clone();
            return Some(Box::pin(async move { outlet.room().await }));
        }
        fed.iter().find_map(|(joint, toward)| self.blocked(Some(own), *joint, *toward))
    }
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain").field("parts", &self.parts.len()).finish_non_exhaustive()
    }
}
