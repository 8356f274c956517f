//! Steering: the extension `_session/steering`, a message of the user for a turn that runs.

use acp_json::{Fields, FromNode as _, Map, Node, ReadError, Record, Value};
use serde_core::ser::SerializeMap;

use crate::Meta;
use crate::method::{Method, Request, Side};
use crate::open::string_enum;
use crate::v1::{ContentBlock, SessionId};

/// The member of `_meta` that belongs to the extension.
const NAME: &str = "steering";

/// The marker of `_session/steering`, an extension of some agents: a message of the user for the
/// turn that runs. The protocol does not have it.
///
/// An agent that has it says so in the `_meta` of its answer to `initialize`, by
/// `{"steering": {"supported": true}}`.
#[derive(Debug)]
pub enum Steering {}

impl Method for Steering {
    const NAME: &'static str = "_session/steering";
    const HANDLER: Side = Side::Agent;
    type Params = SteerRequest;
}

impl Request for Steering {
    type Response = SteerResponse;
}

impl Steering {
    /// Returns true if an agent with this `_meta` in its answer to `initialize` can be steered.
    #[must_use]
    pub fn is_offered(initialized: Option<&Meta>) -> bool {
        let steering = initialized.and_then(|meta| meta.get(NAME));
        matches!(steering.and_then(|steering| steering.get("supported")), Some(Node::Bool(true)))
    }

    /// Adds the offer to the `_meta` of an answer to `initialize`.
    #[must_use]
    pub fn offer(initialized: Option<Meta>) -> Meta {
        initialized.unwrap_or_default().with(NAME, Map::from([("supported", Value::from(true))]))
    }
}

/// The params of `_session/steering`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SteerRequest {
    /// The session whose turn runs.
    pub session_id: SessionId,
    /// The message.
    pub prompt: Vec<ContentBlock>,
    /// Data of extensions, by name. `steering` has the [idle behavior](Self::idle_behavior).
    pub meta: Option<Meta>,
}

impl SteerRequest {
    /// Creates a message for the turn that runs. If none does, the agent decides.
    #[must_use]
    pub fn new(session: impl Into<SessionId>, prompt: impl Into<Vec<ContentBlock>>) -> Self {
        SteerRequest { session_id: session.into(), prompt: prompt.into(), meta: None }
    }

    /// Sets the part of the agent when no turn runs.
    #[must_use]
    pub fn when_idle(mut self, behavior: &IdleBehavior) -> Self {
        let steering = Map::from([("idleBehavior", Value::from(behavior.as_str()))]);
        self.meta = Some(self.meta.unwrap_or_default().with(NAME, steering));
        self
    }

    /// Returns the part of the agent when no turn runs. `None` leaves it to the agent.
    ///
    /// # Errors
    /// The member of `_meta` has another form.
    pub fn idle_behavior(&self) -> Result<Option<IdleBehavior>, ReadError> {
        let steering = self.meta.as_ref().and_then(|meta| meta.get(NAME));
        let Some(steering) = steering.filter(|steering| !steering.is_null()) else { return Ok(None) };
        acp_json::read::<Settings>(steering.as_node().clone()).map(|settings| settings.idle_behavior)
    }
}

impl Record for SteerRequest {
    fn read(fields: &mut Fields<'_, '_>) -> Result<Self, ReadError> {
        Ok(Self {
            session_id: fields.required("sessionId", SessionId::from_node)?,
            prompt: fields.required("prompt", Vec::<ContentBlock>::from_node)?,
            meta: fields.optional_lenient("_meta", Meta::from_node),
        })
    }

    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("sessionId", &self.session_id)?;
        map.serialize_entry("prompt", &self.prompt)?;
        if let Some(value) = &self.meta {
            map.serialize_entry("_meta", value)?;
        }
        Ok(())
    }
}

acp_json::record!(SteerRequest);

/// The member `steering` of a request's `_meta`.
struct Settings {
    idle_behavior: Option<IdleBehavior>,
}

impl Record for Settings {
    fn read(fields: &mut Fields<'_, '_>) -> Result<Self, ReadError> {
        Ok(Self { idle_behavior: fields.optional("idleBehavior", IdleBehavior::from_node)? })
    }

    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        match &self.idle_behavior {
            Some(behavior) => map.serialize_entry("idleBehavior", behavior),
            None => Ok(()),
        }
    }
}

acp_json::record!(Settings);

/// The part of an agent that is steered while no turn runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IdleBehavior {
    /// It does nothing with the message, and answers [`SteerOutcome::PromptRequired`].
    PromptRequired,
    /// A part that is not known here.
    Unknown(String),
}

string_enum!(IdleBehavior, Unknown { PromptRequired = "promptRequired" });

/// The answer to `_session/steering`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SteerResponse {
    /// The way that the message went.
    pub outcome: SteerOutcome,
    /// The reason, if the message did not reach a turn.
    pub reason: Option<SteerReason>,
    /// Data of extensions, by name. No meaning may be assumed for names of others.
    pub meta: Option<Meta>,
}

impl SteerResponse {
    /// Creates the answer with this outcome.
    #[must_use]
    pub fn new(outcome: impl Into<SteerOutcome>) -> Self {
        SteerResponse { outcome: outcome.into(), reason: None, meta: None }
    }

    /// Creates the answer to a message that no turn has taken: send it as a prompt.
    #[must_use]
    pub fn prompt_required() -> Self {
        let reason = Some(SteerReason::NoRunningTurn);
        SteerResponse { outcome: SteerOutcome::PromptRequired, reason, meta: None }
    }
}

impl Record for SteerResponse {
    fn read(fields: &mut Fields<'_, '_>) -> Result<Self, ReadError> {
        Ok(Self {
            outcome: fields.required("outcome", SteerOutcome::from_node)?,
            reason: fields.optional_lenient("reason", SteerReason::from_node),
            meta: fields.optional_lenient("_meta", Meta::from_node),
        })
    }

    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("outcome", &self.outcome)?;
        if let Some(value) = &self.reason {
            map.serialize_entry("reason", value)?;
        }
        if let Some(value) = &self.meta {
            map.serialize_entry("_meta", value)?;
        }
        Ok(())
    }
}

acp_json::record!(SteerResponse);

/// The way that a steering message went.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SteerOutcome {
    /// The turn that runs has taken it.
    Injected,
    /// It has started a turn, which is not the client's: no answer to a prompt ends it.
    StartedNewTurn,
    /// The agent has done nothing with it, because no turn runs that takes it. Send it as a prompt.
    PromptRequired,
    /// A way that is not known here.
    Unknown(String),
}

string_enum!(SteerOutcome, Unknown {
    Injected = "injected",
    StartedNewTurn = "startedNewTurn",
    PromptRequired = "promptRequired",
});

/// The reason why a steering message did not reach a turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SteerReason {
    /// No turn of the session runs, or it has ended without taking the message.
    NoRunningTurn,
    /// A reason that is not known here.
    Unknown(String),
}

string_enum!(SteerReason, Unknown { NoRunningTurn = "noRunningTurn" });
