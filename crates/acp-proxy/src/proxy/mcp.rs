//! MCP servers that a proxy offers to agents, over the connection of the protocol itself.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use acp_rpc::{Encode, Error};
use serde_json::value::RawValue;

use crate::flow::json::Json;
use crate::flow::reply::Reply;
use crate::flow::responder::Responder;
use crate::wire::member::{at, member, session_of, text, with};
use crate::wire::message::{Answer, Call};
use crate::wire::methods::{MCP_MESSAGE, closes_session, opens_session};
use crate::wire::random;

pub(super) type OnMcp =
    Arc<dyn Fn(McpCall) -> std::pin::Pin<Box<dyn Future<Output = Result<Json, Error>> + Send>> + Send + Sync>;

/// A request of an agent to an MCP server that a proxy offers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct McpCall {
    /// The method of MCP, such as `tools/call`.
    pub method: String,
    /// The params.
    pub params: Option<Json>,
    /// The session whose server was called. It is `None` before the request that opens the session
    /// is answered.
    pub session: Option<String>,
}

/// The servers of one proxy, as the sessions on a connection have them.
#[derive(Default)]
pub(super) struct Offered {
    /// The agent takes servers of this kind.
    is_taken: AtomicBool,
    /// Each session has servers of its own, so that a call tells its session.
    by_id: Arc<Mutex<HashMap<Box<str>, Server>>>,
}

#[derive(Clone)]
struct Server {
    index: usize,
    session: Arc<OnceLock<Box<str>>>,
}

/// Makes the handler of a server from a function.
pub(super) fn handler<F, Fut, R>(handler: F) -> OnMcp
where
    F: Fn(McpCall) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, Error>> + Send + 'static,
    R: Encode,
{
    Arc::new(move |call| {
        let result = handler(call);
        Box::pin(async move {
            let result = result.await?;
            Json::of(&result).map_err(|error| Error::internal(format!("the result is not JSON: {error}")))
        })
    })
}

impl Offered {
    /// Reads from the answer to `initialize` if the agent takes servers over this connection.
    pub(super) fn note_capabilities(&self, result: &str) {
        let v1 = at(result, &["agentCapabilities", "mcpCapabilities", "acp"]) == Some("true");
        let v2 = at(result, &["capabilities", "session", "mcp", "acp"]);
        let is_taken = v1 || v2.is_some_and(|offered| offered != "null" && offered != "false");
        self.is_taken.store(is_taken, Ordering::SeqCst);
    }

    /// Adds the servers to a request that opens a session. Returns the changed params and the
    /// request's responder, or `None` if nothing changes.
    ///
    /// # Errors
    /// The request has a server of the same name.
    pub(super) fn add(&self, call: &Call<'_>, names: &[Box<str>]) -> Result<Option<Added>, Error> {
        let is_opening = opens_session(&call.method);
        if names.is_empty() || !is_opening || !self.is_taken.load(Ordering::SeqCst) {
            return Ok(None);
        }
        let Some(params) = call.params else { return Ok(None) };
        let listed = member(params, "mcpServers").unwrap_or("[]");
        let Ok(mut servers) = serde_json::from_str::<Vec<&RawValue>>(listed).map(texts) else {
            return Ok(None);
        };
        let taken: HashSet<_> =
            servers.iter().filter_map(|server| text(server, "name")).map(String::from).collect();
        if let Some(name) = names.iter().find(|name| taken.contains(&***name)) {
            return Err(Error::invalid_params(format!(
                "`mcpServers` of `{}` has a server `{name}`, and a proxy adds another of this name: rename it",
                call.method
            )));
        }
        let (session, mut added) = (Arc::<OnceLock<Box<str>>>::default(), Vec::new());
        for (index, name) in names.iter().enumerate() {
            // No other proxy has it.
            let id: Box<str> = random::hex::<16>()?.into();
            let name = Json::of(&**name).map_err(|error| Error::internal(error.to_string()))?;
            servers.push(format!(r#"{{"type":"acp","name":{},"serverId":"{id}"}}"#, name.as_str()));
            added.push((id, Server { index, session: Arc::clone(&session) }));
        }
        let changed = with(params, "mcpServers", &format!("[{}]", servers.join(",")));
        let Some(params) = changed else { return Ok(None) };
        // The agent may connect to them before it answers.
        self.by_id().extend(added);
        let named = session_of(call.params).map(Into::into);
        Ok(Some(Added { params, session, named, by_id: Arc::clone(&self.by_id) }))
    }

    /// Forgets the servers that a session has now, once it is closed.
    pub(super) fn closing(&self, call: &Call<'_>, responder: Responder) -> Responder {
        let closed = session_of(call.params).filter(|_| closes_session(&call.method));
        let Some(closed) = closed else { return responder };
        let is_of = |server: &Server| server.session.get().is_some_and(|session| **session == *closed);
        let mut ids: Vec<Box<str>> = Vec::new();
        ids.extend(self.by_id().iter().filter(|(_, server)| is_of(server)).map(|(id, _)| id.clone()));
        if ids.is_empty() {
            return responder;
        }
        let by_id = Arc::clone(&self.by_id);
        responder.seen_by(move |answer, pass| {
            if matches!(answer, Answer::Result(_)) {
                let mut by_id = lock(&by_id);
                for id in &ids {
                    by_id.remove(id);
                }
            }
            pass(answer);
        })
    }

    /// Returns the server that a message is for, and its call, if it is one of these.
    pub(super) fn call(&self, call: &Call<'_>) -> Option<(usize, McpCall)> {
        if call.method != MCP_MESSAGE {
            return None;
        }
        let params = call.params?;
        let server = self.by_id().get(&*text(params, "serverId")?).cloned()?;
        let mcp = McpCall {
            method: text(params, "method")?.into_owned(),
            params: member(params, "params").map(Json::from_text),
            session: server.session.get().map(|session| session.to_string()),
        };
        Some((server.index, mcp))
    }

    fn by_id(&self) -> MutexGuard<'_, HashMap<Box<str>, Server>> {
        lock(&self.by_id)
    }
}

fn lock(by_id: &Mutex<HashMap<Box<str>, Server>>) -> MutexGuard<'_, HashMap<Box<str>, Server>> {
    by_id.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A request that opens a session with servers of a proxy.
pub(super) struct Added {
    pub(super) params: String,
    session: Arc<OnceLock<Box<str>>>,
    /// The session that the request names.
    named: Option<Box<str>>,
    by_id: Arc<Mutex<HashMap<Box<str>, Server>>>,
}

impl Added {
    /// Learns the session from the answer. A request that fails has opened none, and its servers
    /// are forgotten. So are those of an earlier request that has opened the same session.
    pub(super) fn noted(&self, responder: Responder) -> Responder {
        let (session, named, by_id) =
            (Arc::clone(&self.session), self.named.clone(), Arc::clone(&self.by_id));
        responder.seen_by(move |answer, pass| {
            let is_own = |server: &Server| Arc::ptr_eq(&server.session, &session);
            // A fork names the session that it is made of, and its result the new one.
            let opened = match answer {
                Answer::Result(result) => session_of(Some(result)).map(Into::into).or(named),
                Answer::Error(_) => {
                    lock(&by_id).retain(|_, server| !is_own(server));
                    return pass(answer);
                }
            };
            if let Some(opened) = opened {
                let id = session.get_or_init(|| opened);
                lock(&by_id).retain(|_, server| is_own(server) || server.session.get() != Some(id));
            }
            pass(answer);
        })
    }
}

/// Writes the outcome of a server as the answer to `mcp/message`.
pub(super) fn answered(outcome: Result<Json, Error>) -> Reply {
    let text = match outcome {
        Ok(result) => format!(r#"{{"result":{}}}"#, result.as_str()),
        Err(error) => format!(r#"{{"error":{}}}"#, crate::wire::forms::error_text(&error)),
    };
    Reply::from_answer(Answer::Result(&text))
}

fn texts(servers: Vec<&RawValue>) -> Vec<String> {
    servers.into_iter().map(|server| server.get().to_owned()).collect()
}

impl fmt::Debug for Offered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Offered").field("is_taken", &self.is_taken).finish_non_exhaustive()
    }
}
