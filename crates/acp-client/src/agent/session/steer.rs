//! Steering: messages of the user for a turn that runs.

use std::future::IntoFuture;
use std::pin::Pin;

use acp_types::Meta;
use acp_types::v1::ContentBlock;
use acp_types::v1::ext::{IdleBehavior, SteerRequest, SteerResponse};

use crate::wire::steering::METHOD;
use crate::{Agent, Error, IntoPrompt, Session};

/// A message about to be sent into a turn that runs (`_session/steering`). Await it.
///
/// If no turn runs, or the turn ends without taking the message, the outcome is
/// [`PromptRequired`](crate::SteerOutcome::PromptRequired): the agent has done nothing with it, and
/// it can be sent as a prompt.
///
/// In version 2 of the protocol the message is a second prompt. An agent that holds it until the
/// turn is over has [started a turn](crate::SteerOutcome::StartedNewTurn) with it. Such a turn
/// belongs to nobody here.
///
/// Dropping the future withdraws the message, unless the agent has taken it. It can be spawned,
/// because it does not borrow the turn.
#[derive(Clone, Debug)]
#[must_use = "nothing is sent until this is awaited"]
pub struct Steer {
    session: Session,
    /// The turn that the message is for; `None` for any.
    turn: Option<u64>,
    prompt: Vec<ContentBlock>,
    meta: Option<Meta>,
    starts_turn: bool,
}

impl Agent {
    /// Returns true if the agent takes messages for turns that run: see
    /// [`Turn::steer`](crate::Turn::steer). In version 1 of the protocol it has
    /// `steering.supported` in the `_meta` of its answer to `initialize`. In version 2 any agent
    /// may take a second prompt.
    #[must_use]
    pub fn can_be_steered(&self) -> bool {
        self.wire().can_steer(self.initialize_response().meta.as_ref())
    }
}

impl Session {
    /// Sends a message of the user into the turn that runs (`_session/steering`, an extension of
    /// some agents), and returns the way that the message went. [`Turn::steer`](crate::Turn::steer)
    /// sends it into one turn only.
    ///
    /// # Errors
    /// Awaiting it fails with [`Error::NotOffered`] if the agent does not offer the extension;
    /// [`Error::Content`] and [`Error::Argument`] as a prompt does; [`Error::SessionClosed`]; the
    /// agent refused.
    pub fn steer(&self, content: impl IntoPrompt) -> Steer {
        Steer::new(self.clone(), None, content)
    }
}

impl Steer {
    pub(super) fn new(session: Session, turn: Option<u64>, mut content: impl IntoPrompt) -> Self {
        let meta = content.take_meta();
        Self { session, turn, prompt: content.into_prompt(), meta, starts_turn: false }
    }

    /// Lets the agent begin a turn with the message if none runs. Some agents do; others answer
    /// [`PromptRequired`](crate::SteerOutcome::PromptRequired) all the same.
    ///
    /// Such a turn belongs to nobody here. Its events are those of [`Session::updates`], and its
    /// end is not told.
    pub const fn or_start_turn(mut self) -> Self {
        self.starts_turn = true;
        self
    }

    async fn send(self) -> Result<SteerResponse, Error> {
        let Self { session, turn, mut prompt, meta, starts_turn } = self;
        let agent = session.agent();
        agent.check_offered(agent.can_be_steered(), METHOD, "_meta.steering.supported")?;
        session.check_open(METHOD)?;
        session.check_content(METHOD, &prompt)?;
        let state = session.state();
        let is_over = match turn {
            Some(number) => !state.is_running(number),
            None => agent.wire().steers_by_prompt() && !state.runs_turn(),
        };
        if is_over && !starts_turn {
            return Ok(SteerResponse::prompt_required());
        }
        session.fit_content(&mut prompt);
        let mut request = SteerRequest::new(session.id().clone(), prompt);
        request.meta = meta;
        if !starts_turn {
            request = request.when_idle(&IdleBehavior::PromptRequired);
        }
        // The agent may answer when it takes the message, which can be late in a long turn.
        let peer = agent.peer().timeout(None);
        agent.wire().steer(&peer, &state.flow, &request).await
    }
}

impl IntoFuture for Steer {
    type Output = Result<SteerResponse, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}
