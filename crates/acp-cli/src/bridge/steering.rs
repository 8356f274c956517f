//! Messages of the user for a turn that runs, on their way to the agent.

use std::future::{Future, IntoFuture as _};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use acp_agent::{SteeringOffer, Turn};
use acp_client::{Error, ProtocolVersion, SteerOutcome, SteerResponse};

use super::session::Bridged;

/// The messages for a turn. They go to the agent one after the other.
pub(super) struct Steering {
    /// True if a message may come that the agent may take.
    is_open: bool,
    agent: ProtocolVersion,
    passing: Option<Passing>,
}

/// A message that the agent has got, and has not decided about.
struct Passing {
    offer: SteeringOffer,
    sent: Pin<Box<dyn Future<Output = Decision> + Send>>,
}

type Decision = Result<SteerResponse, Error>;

impl Steering {
    pub(super) fn new(session: &Bridged) -> Self {
        let agent = session.inner.agent();
        Self { is_open: agent.can_be_steered(), agent: agent.protocol_version(), passing: None }
    }

    /// Passes a message on, or tells the client what became of one. Dropping the future loses
    /// nothing. It is never done if no message can come.
    pub(super) async fn next(&mut self, turn: &Turn, inner: &acp_client::Session) {
        if let Some(passing) = &mut self.passing {
            let decision = passing.decided().await;
            self.settle(turn, decision);
        } else if self.is_open {
            match turn.steering_offered().await {
                Ok(offer) => self.passing = Some(Passing::send(offer, inner)),
                // The turn is over.
                Err(_) => self.is_open = false,
            }
        } else {
            std::future::pending().await
        }
    }

    /// Settles the last message, because the agent's turn is over.
    pub(super) async fn end(mut self, turn: &Turn) {
        let Some(passing) = &mut self.passing else { return };
        let decision = match passing.decided_now() {
            Some(decision) => decision,
            // A prompt that an agent of version 2 holds gets a turn now. It must not go back to the
            // client, which would send it again.
            None if self.agent >= ProtocolVersion::V2 => tokio::select! {
                biased;
                decision = passing.decided() => decision,
                () = turn.cancelled() => None,
            },
            // Dropped, it is withdrawn.
            None => None,
        };
        self.settle(turn, decision);
    }

    /// Tells the client the agent's decision. There is none for a message that was withdrawn.
    fn settle(&mut self, turn: &Turn, decision: Option<Decision>) {
        let (Some(passing), Some(decision)) = (self.passing.take(), decision) else { return };
        let offer = passing.offer;
        let outcome = decision.map(|response| response.outcome);
        let is_prompt = turn.client().protocol_version() >= ProtocolVersion::V2;
        match outcome {
            // A message that is not kept waits on, for a turn of its own.
            Ok(SteerOutcome::Injected) => drop(offer.take()),
            // The agent has the message, so the prompt must not be sent once more.
            Ok(SteerOutcome::StartedNewTurn) if is_prompt => drop(offer.take()),
            Ok(SteerOutcome::StartedNewTurn) => offer.started_turn(),
            // A prompt gets a turn of its own, and the sender of a message gets it back.
            _ => offer.decline(),
        }
    }
}

impl Passing {
    fn send(offer: SteeringOffer, inner: &acp_client::Session) -> Self {
        let prompt = offer.message().prompt().to_vec();
        let steer = match offer.message().meta() {
            Some(meta) => inner.steer((prompt, meta.clone())),
            None => inner.steer(prompt),
        };
        Self { offer, sent: steer.into_future() }
    }

    /// Waits for the decision. Returns `None` if the client has withdrawn the message.
    async fn decided(&mut self) -> Option<Decision> {
        tokio::select! {
            biased;
            decision = &mut self.sent => Some(decision),
            () = self.offer.gone() => None,
        }
    }

    /// Returns the decision if it has come.
    fn decided_now(&mut self) -> Option<Option<Decision>> {
        match self.sent.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(decision) => Some(Some(decision)),
            Poll::Pending => None,
        }
    }
}
