//! The neighbors of a proxy, for messages of its own.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use acp_rpc::{Encode, Error};
use acp_types::v1::SessionNotification;

#[cfg(feature = "v2")]
use super::prompt::Prompt;
use super::update::{self, Message, UpdateError};
use super::ways::{Held, Ways};
use crate::flow::cancel::Cancel;
use crate::flow::json::Json;
use crate::flow::reply::Reply;
use crate::flow::route::Toward;
use crate::lane::Holding;
use crate::wire::message::Call;

/// A handle on the neighbors of a proxy on one side, for messages of the proxy's own.
#[derive(Clone)]
pub struct Neighbor {
    ways: Arc<Ways>,
    toward: Toward,
    holding: Holding,
    message: Arc<Mutex<Message>>,
    /// The prompt at the handler that has this. Its turn begins before anything of it is sent.
    #[cfg(feature = "v2")]
    prompt: std::sync::Weak<Prompt>,
}

impl Neighbor {
    /// Makes the handle of the handler that has a message.
    pub(super) fn of(held: &Held, toward: Toward) -> Self {
        Self {
            ways: Arc::clone(&held.ways),
            toward,
            holding: held.turn.holding(),
            message: Arc::default(),
            #[cfg(feature = "v2")]
            prompt: held.prompt.as_ref().map(|prompt| Arc::downgrade(prompt)).unwrap_or_default(),
        }
    }

    /// Sends an update of a session, as the version of the chain has it. In version 2 chunks get
    /// the id of their message: those of one kind that follow each other are one message. A mode is
    /// told with all config options.
    ///
    /// # Errors
    /// The update cannot be sent in this version. Nothing is sent then.
    pub fn update(&self, update: &SessionNotification) -> Result<(), UpdateError> {
        #[cfg_attr(not(feature = "v2"), allow(unused_mut, reason = "version 1 keeps no ids"))]
        let mut message = self.message.lock().unwrap_or_else(PoisonError::into_inner);
        let params = match self.ways.version() {
            #[cfg(feature = "v2")]
            2 => update::of_v2(update, &mut message, self.ways.modes())?,
            version if version > 1 => return Err(UpdateError::OtherVersion(version)),
            _ => update::of_v1(update)?,
        };
        drop(message);
        #[cfg(feature = "v2")]
        self.ways.note_options(params.as_str());
        self.send("session/update", params);
        Ok(())
    }

    /// Sends a notification. The turn of a prompt begins before that.
    fn send(&self, method: &str, params: Json) {
        #[cfg(feature = "v2")]
        if let Some(prompt) = self.own_prompt() {
            return prompt.notify(method, params);
        }
        self.ways.notify(self.toward, &Call { method: method.into(), params: Some(params.as_str()) });
    }

    #[cfg(feature = "v2")]
    fn own_prompt(&self) -> Option<Arc<Prompt>> {
        (self.toward == Toward::Client).then(|| self.prompt.upgrade()).flatten()
    }

    /// Sends a request and returns the answer. The answer may overtake notifications that wait for
    /// handlers of this proxy, so a handler may wait for it. Dropping the future cancels the
    /// request.
    ///
    /// # Errors
    /// The handler has neither sent on nor dropped its own message, and more than four times the
    /// [budget](crate::Conductor::budget) waits for handlers: the answer is not read before the
    /// handler goes on. The request is cancelled then.
    pub async fn request(
        &self,
        method: &str,
        params: &(impl Encode + Sync + ?Sized),
    ) -> Result<Reply, OverBudget> {
        let params = match Json::of(params) {
            Ok(params) => params,
            Err(error) => {
                let problem = format!("the params of `{method}` are not JSON: {error}");
                return Ok(Error::internal(problem).into());
            }
        };
        let call = Call { method: method.into(), params: Some(params.as_str()) };
        #[cfg(feature = "v2")]
        if let Some(prompt) = self.own_prompt() {
            prompt.insert();
        }
        let cancel = Arc::<Cancel>::default();
        let answer = self.ways.ask(self.toward, &call, Arc::clone(&cancel));
        let budget = self.ways.budget();
        let _asking = budget.asks();
        let guard = Withdrawn(cancel);
        tokio::pin!(answer);
        let reply = tokio::select! {
            biased;
            reply = &mut answer => reply,
            () = budget.full(), if self.holding.is_held() => {
                return Err(OverBudget { method: method.into(), bytes: budget.ceiling() });
            }
        };
        drop(guard);
        Ok(reply.unwrap_or_else(|_| Error::internal("the chain gave no answer").into()))
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// The params have no JSON text. Nothing is sent then.
    pub fn notify(&self, method: &str, params: &(impl Encode + ?Sized)) -> Result<(), acp_rpc::EncodeError> {
        self.send(method, Json::of(params)?);
        Ok(())
    }
}

impl fmt::Debug for Neighbor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Neighbor").field("toward", &self.toward).finish_non_exhaustive()
    }
}

/// Cancels a request when it is dropped. For an answered request that has no effect.
struct Withdrawn(Arc<Cancel>);

impl Drop for Withdrawn {
    fn drop(&mut self) {
        self.0.fire();
    }
}

/// The error of a request to a neighbor whose answer stands behind too many messages that wait for
/// the handler itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OverBudget {
    /// The method of the request.
    pub method: Box<str>,
    /// The bytes that may wait meanwhile.
    pub bytes: usize,
}

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, bytes } = self;
        write!(
            f,
            "the answer to `{method}` is behind more than {bytes} bytes of messages that wait for the \
             handler: send its own message on before it asks, or raise the budget"
        )
    }
}

impl std::error::Error for OverBudget {}

impl From<OverBudget> for Error {
    fn from(error: OverBudget) -> Self {
        Self::internal(error.to_string())
    }
}
