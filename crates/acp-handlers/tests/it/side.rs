//! A side with one way to be called, and a peer that calls it.

use std::sync::{Arc, Mutex};

use acp_handlers::{
    Admit, Answered, Call, CallContext, Handlers, Notified, ServeKeyed, ServeNotification, ServeRequest,
};
use acp_json::{Node, ReadError, Value};
use acp_rpc::{
    Delivery, Error as RpcError, Options, Peer, Reply, Request, Service, Task, Transport, connect,
};
use acp_types::op::{self, Op};
use tokio::sync::mpsc;

/// The context of a call: a log of everything that happens to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    steps: Arc<Mutex<Vec<String>>>,
    /// The methods of the notifications that had no effect, each with the reason.
    ignored: Option<mpsc::UnboundedSender<String>>,
}

impl Log {
    pub(crate) fn note(&self, step: impl Into<String>) {
        self.steps.lock().unwrap().push(step.into());
    }

    /// Returns the steps since the last call of this function.
    pub(crate) fn taken(&self) -> Vec<String> {
        std::mem::take(&mut *self.steps.lock().unwrap())
    }
}

impl CallContext for Log {
    type Error = RpcError;
    type Special = Vec<&'static str>;

    fn into_rpc(error: RpcError) -> RpcError {
        error
    }

    fn read<O: Op>(&self, params: Node<'_>) -> Result<O::Params, ReadError> {
        acp_json::read(params)
    }

    fn ignored(&self, method: &str, reason: &str) {
        self.note(format!("ignored {method}: {reason}"));
        if let Some(ignored) = &self.ignored {
            ignored.send(format!("{method}: {reason}")).unwrap();
        }
    }
}

/// Admits every call whose params are not the text `stranger`, with their JSON as the admission.
impl<O: Op<Params: serde_core::Serialize>> Admit<O> for Log {
    type Admission = String;

    fn admit(&self, params: &Arc<O::Params>) -> Result<String, RpcError> {
        let text = acp_types::to_string(&**params);
        if text.contains("stranger") {
            return Err(RpcError::invalid_params("no strangers"));
        }
        self.note(format!("admitted {text}"));
        Ok(text)
    }
}

impl<O: Answered + Op<Params: serde_core::Serialize>> ServeRequest<O> for Log {
    type Answer = O::Answer;

    fn on_admitted(admission: &String, _: &Request) {
        assert!(!admission.is_empty());
    }

    async fn ready(call: &Call<O, Self>) -> Result<(), RpcError> {
        call.context().note("ready");
        match call.admission().contains("unready") {
            true => Err(RpcError::invalid_request("not now")),
            false => Ok(()),
        }
    }

    async fn finish(call: &Call<O, Self>, outcome: Result<O::Answer, RpcError>) -> Result<Reply, RpcError> {
        call.context().note(if outcome.is_ok() { "finished" } else { "failed" });
        Ok(O::reply(outcome?, Reply::new))
    }
}

impl<O: Notified + Op<Params: serde_core::Serialize>> ServeNotification<O> for Log {}

/// Keyed handlers are only listed.
impl ServeKeyed<op::Extension> for Log {
    type Key = &'static str;

    fn enter_keyed<F>(
        handlers: &mut Handlers<Self>,
        key: Self::Key,
        _: impl Fn(Call<op::Extension, Self>) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = Result<Reply, RpcError>> + Send + 'static,
    {
        handlers.claim(&format!("_keyed, {key}"));
        handlers.special.push(key);
    }
}

/// Serves by the handlers alone.
struct Served {
    handlers: Handlers<Log>,
    log: Log,
}

impl Service for Served {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, RpcError> {
        let handler = self.handlers.find_request(method).ok_or_else(|| RpcError::method_not_found(method))?;
        handler(params, self.log.clone(), &request)
    }

    fn notification(&self, method: &str, params: Node<'_>, _: &Peer) -> Delivery {
        let Some(handler) = self.handlers.find_notification(method) else { return Delivery::Ignore };
        match handler(params, self.log.clone()) {
            Ok(job) => Delivery::Task(job),
            Err(reason) => {
                self.log.ignored(method, &reason);
                Delivery::Done
            }
        }
    }
}

/// Nothing is asked of the caller.
struct Silent;

impl Service for Silent {
    fn request(&self, method: &str, _: Node<'_>, _: Request) -> Result<Task, RpcError> {
        Err(RpcError::method_not_found(method))
    }

    fn notification(&self, _: &str, _: Node<'_>, _: &Peer) -> Delivery {
        Delivery::Ignore
    }
}

/// A peer of the handlers.
pub(crate) struct Caller {
    peer: Peer,
    pub(crate) log: Log,
    ignored: mpsc::UnboundedReceiver<String>,
}

impl Caller {
    pub(crate) fn of(handlers: Handlers<Log>) -> Self {
        let (near, far) = tokio::io::duplex(4096);
        let (tell, ignored) = mpsc::unbounded_channel();
        let log = Log { ignored: Some(tell), ..Log::default() };
        let served = Served { handlers, log: log.clone() };
        let (_, driver) = connect(Transport::from_stream(far), served, Options::default());
        tokio::spawn(driver);
        let (peer, driver) = connect(Transport::from_stream(near), Silent, Options::default());
        tokio::spawn(driver);
        Self { peer, log, ignored }
    }

    /// Calls a method. Returns the JSON of its result, or its error.
    pub(crate) async fn call(&self, method: &str, params: &str) -> Result<String, String> {
        let params: Value = acp_json::from_str(params).unwrap();
        let result = self.peer.request::<_, Value>(method, &params).await;
        result.map(|value| acp_types::to_string(&value)).map_err(|error| error.to_string())
    }

    pub(crate) async fn notify(&self, method: &str, params: &str) {
        let params: Value = acp_json::from_str(params).unwrap();
        self.peer.notify(method, &params).await.unwrap();
    }

    /// Returns the next notification that had no effect, with the reason.
    pub(crate) async fn ignored(&mut self) -> String {
        self.ignored.recv().await.unwrap()
    }
}
