//! The bridge of MCP: servers that proxies and clients offer over the connection, for agents that
//! know only other ways to a server.

mod agent;
mod conversation;
mod declared;
mod hearer;
#[cfg(feature = "mcp-http")]
mod http;
mod lines;
mod offers;
mod options;
mod out;
#[cfg(feature = "mcp-http")]
mod outbox;
mod shared;
mod socket;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use acp_rpc::{BoxFuture, Error};
use tokio::task::JoinHandle;

pub use self::options::McpBridge;
pub(crate) use self::shared::Bounds;

use self::agent::Agent;
use self::declared::{Place, Replaced};
use self::offers::Offer;
use self::options::Way;
use self::shared::Shared;
use crate::flow::responder::Responder;
use crate::flow::route::Route;
use crate::wire::forms::INITIALIZE;
use crate::wire::member::session_of;
use crate::wire::message::{Answer, Call};
use crate::wire::methods::{MCP_MESSAGE, closes_session, opens_session};

/// The bridge of a chain, between its last proxy and the agent.
pub(crate) struct Bridge {
    options: McpBridge,
    agent: Arc<Mutex<Agent>>,
    shared: Arc<Shared>,
    listening: Mutex<Listening>,
}

/// The listeners, each since a session has needed it.
#[derive(Default)]
struct Listening {
    socket: Option<Box<str>>,
    #[cfg(feature = "mcp-http")]
    http: Option<Box<str>>,
    tasks: Vec<JoinHandle<()>>,
}

/// The outcome of showing the bridge a message on its way to the agent.
pub(crate) enum Shown {
    /// It goes on, perhaps with other params.
    Passes { params: Option<String>, responder: Option<Responder> },
    /// It went somewhere else.
    Taken,
}

impl Bridge {
    /// Makes the bridge behind the joint before the agent.
    pub(crate) fn new(options: McpBridge, route: Weak<dyn Route>, joint: usize, bounds: Bounds) -> Self {
        let shared = Arc::new(Shared::new(route, joint, bounds, options.stall));
        Self { options, agent: Arc::default(), shared, listening: Mutex::default() }
    }

    /// Takes a message on its way to the agent.
    pub(crate) fn show(&self, call: &Call<'_>, responder: Option<Responder>) -> Shown {
        let Some(responder) = responder else { return self.show_notification(call) };
        let method = &*call.method;
        if method == INITIALIZE {
            return Shown::Passes { params: None, responder: Some(self.initialize(responder)) };
        }
        if closes_session(method) {
            return Shown::Passes { params: None, responder: Some(self.closing(call, responder)) };
        }
        let opening = call.params.filter(|_| opens_session(method));
        let Some(params) = opening.filter(|params| declared::has_any(params)) else {
            return Shown::Passes { params: None, responder: Some(responder) };
        };
        let Some((way, is_v2)) = self.way() else {
            return Shown::Passes { params: None, responder: Some(responder) };
        };
        match self.replaced(params, way, is_v2) {
            Ok(Replaced { params: changed, offers }) => {
                let responder = self.opening(params, offers, responder);
                Shown::Passes { params: Some(changed), responder: Some(responder) }
            }
            Err(error) => {
                responder.refuse(&error);
                Shown::Taken
            }
        }
    }

    /// Returns a future to wait for while clients have too much to read.
    pub(crate) fn pause(&self) -> Option<BoxFuture> {
        self.shared.full.pause()
    }

    /// Waits for the end of all listeners and connections, once the chain has ended.
    pub(crate) async fn ended(&self) {
        let tasks = std::mem::take(&mut self.listening().tasks);
        for task in tasks {
            let _ = task.await;
        }
    }

    fn show_notification(&self, call: &Call<'_>) -> Shown {
        if call.method == MCP_MESSAGE && self.way().is_some() {
            self.shared.notified(call.params);
            return Shown::Taken;
        }
        Shown::Passes { params: None, responder: None }
    }

    /// Learns the ways that the agent knows, and advertises that it takes servers of the type `acp`
    /// if one of them is there.
    fn initialize(&self, responder: Responder) -> Responder {
        let (agent, options) = (Arc::clone(&self.agent), self.options.clone());
        responder.seen_by(move |answer, pass| {
            let Answer::Result(result) = answer else { return pass(answer) };
            let known = Agent::of(result);
            let changed = known.way(&options).and_then(|_| known.advertised(result));
            *agent.lock().unwrap_or_else(PoisonError::into_inner) = known;
            match changed {
                Some(changed) => pass(Answer::Result(&changed)),
                None => pass(answer),
            }
        })
    }

    /// Returns the way to servers, unless the agent takes them as they are or knows no way.
    fn way(&self) -> Option<(Way, bool)> {
        let agent = self.agent.lock().unwrap_or_else(PoisonError::into_inner);
        Some((agent.way(&self.options)?, agent.is_v2))
    }

    fn replaced(&self, params: &str, way: Way, is_v2: bool) -> Result<Replaced, Error> {
        let offers = &self.shared.offers;
        match way {
            Way::Stdio => {
                let Some(shim) = &self.options.shim else { return Err(Error::internal("there is no shim")) };
                let address = self.socket()?;
                declared::replaced(params, offers, &Place::Shim { shim, address: &address, is_v2 })
            }
            #[cfg(feature = "mcp-http")]
            Way::Http => declared::replaced(params, offers, &Place::Http { origin: &self.http()? }),
            #[cfg(not(feature = "mcp-http"))]
            Way::Http => Err(Error::internal("MCP over HTTP needs the feature `mcp-http` of acp-proxy")),
        }
    }

    fn socket(&self) -> Result<Box<str>, Error> {
        let mut listening = self.listening();
        if let Some(address) = &listening.socket {
            return Ok(address.clone());
        }
        let listener = socket::Listener::bind().map_err(|error| not_bound(&error))?;
        let address: Box<str> = listener.address.as_str().into();
        listening.socket = Some(address.clone());
        listening.tasks.push(tokio::spawn(listener.run(Arc::clone(&self.shared))));
        Ok(address)
    }

    #[cfg(feature = "mcp-http")]
    fn http(&self) -> Result<Box<str>, Error> {
        let mut listening = self.listening();
        if let Some(origin) = &listening.http {
            return Ok(origin.clone());
        }
        let listener = http::Listener::bind().map_err(|error| not_bound(&error))?;
        let origin: Box<str> = listener.origin.as_str().into();
        listening.http = Some(origin.clone());
        listening.tasks.push(tokio::spawn(listener.run(Arc::clone(&self.shared))));
        Ok(origin)
    }

    /// Learns the session of servers from the answer.
    fn opening(&self, params: &str, offers: Vec<Arc<Offer>>, responder: Responder) -> Responder {
        let (shared, named) = (Arc::clone(&self.shared), session_of(Some(params)).map(Box::<str>::from));
        responder.seen_by(move |answer, pass| {
            match answer {
                Answer::Result(result) => {
                    // A fork names the session that it is made of, and its result the new one.
                    if let Some(session) = session_of(Some(result)).map(Into::into).or(named) {
                        shared.offers.opened(&offers, &session);
                    }
                }
                Answer::Error(_) => shared.offers.withdraw(&offers),
            }
            pass(answer);
        })
    }

    /// Ends the servers of a session once it is closed.
    fn closing(&self, call: &Call<'_>, responder: Responder) -> Responder {
        let Some(session) = session_of(call.params).map(Box::<str>::from) else { return responder };
        let shared = Arc::clone(&self.shared);
        responder.seen_by(move |answer, pass| {
            if matches!(answer, Answer::Result(_)) {
                shared.offers.close(&session);
            }
            pass(answer);
        })
    }

    fn listening(&self) -> MutexGuard<'_, Listening> {
        self.listening.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn not_bound(error: &std::io::Error) -> Error {
    Error::internal(format!(
        "the MCP servers of proxies cannot be reached: no socket could be opened: {error}"
    ))
}
