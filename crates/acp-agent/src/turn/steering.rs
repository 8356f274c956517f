//! Steering: messages of the user that reach a turn while it runs.

use std::fmt;

use acp_types::Meta;
use acp_types::v1::ext::SteerOutcome;
use acp_types::v1::{ContentBlock, MessageId};

use crate::error::Result;
use crate::turn::Turn;
use crate::turn::steering_queue::{Offered, Taken};

/// A message of the user for a turn that runs.
#[derive(Clone, PartialEq)]
pub struct SteeringMessage {
    taken: Taken,
}

/// Messages of the user while the turn runs, for an agent with
/// [`Profile::steering`](crate::Profile::steering).
impl Turn {
    /// Waits for the next message that the user sends into this turn, and takes it. Dropping the
    /// future loses nothing. Of several callers, each gets another message.
    ///
    /// The client learns at this moment that the turn has taken the message, which a
    /// [`store`](crate::store) keeps as a message of the user. A message that the turn has not
    /// taken when it ends goes back to the client, which can send it as a prompt. Up to
    /// [`STEERING_BUDGET`](crate::STEERING_BUDGET) bytes wait.
    ///
    /// In version 2 of the protocol such a message is a second prompt. One end of the turn is the
    /// end of both. A prompt that the turn has not taken when it ends gets a turn of its own. Up to
    /// [`PROMPT_QUEUE`](crate::PROMPT_QUEUE) of them wait.
    ///
    /// ```
    /// # use acp_agent::{Result, StopReason, Turn};
    /// # struct Model;
    /// # impl Model {
    /// #     async fn step(&mut self) -> Option<String> { None }
    /// #     fn tell(&mut self, _: String) {}
    /// # }
    /// async fn work(turn: Turn, mut model: Model) -> Result<StopReason> {
    ///     loop {
    ///         tokio::select! {
    ///             // The message first: the model hears it before its next step.
    ///             biased;
    ///             message = turn.steered() => model.tell(message?.text()),
    ///             step = model.step() => match step {
    ///                 Some(said) => turn.say(said).await?,
    ///                 None => return Ok(StopReason::EndTurn),
    ///             },
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled) and
    /// [`Error::TurnOver`](crate::Error::TurnOver) with the turn. A turn that nobody can steer
    /// waits until then.
    pub async fn steered(&self) -> Result<SteeringMessage> {
        self.check_open()?;
        self.heeding(async {
            loop {
                self.steering_queue().arrival().await;
                if let Some(recorder) = self.session_updates().recorder() {
                    recorder.room().await;
                }
                if let Some(message) = self.take_steering()? {
                    return Ok(message);
                }
            }
        })
        .await
    }

    /// Takes the next message that the user has sent into this turn, if one waits. Call it between
    /// two steps of the work. While the [`store`](crate::store) is behind, the message stays for a
    /// later call.
    ///
    /// # Errors
    /// The errors of [`steered`](Self::steered).
    pub fn try_steered(&self) -> Result<Option<SteeringMessage>> {
        self.check_open()?;
        match self.session_updates().recorder() {
            Some(recorder) if !recorder.has_room() => Ok(None),
            _ => self.take_steering(),
        }
    }

    /// Waits for the next message that the user sends into this turn, without taking it: for an
    /// agent that has to ask somebody first, such as another agent that does the work. Each message
    /// is offered once. Dropping the future loses nothing.
    ///
    /// # Errors
    /// The errors of [`steered`](Self::steered).
    pub async fn steering_offered(&self) -> Result<SteeringOffer> {
        self.check_open()?;
        self.heeding(async {
            loop {
                self.steering_queue().new_arrival().await;
                if let Some(offered) = self.steering_queue().offer() {
                    let message = SteeringMessage { taken: offered.message() };
                    return Ok(SteeringOffer { turn: self.clone(), message, offered });
                }
            }
        })
        .await
    }

    fn take_steering(&self) -> Result<Option<SteeringMessage>> {
        let taken = self.steering_queue().take(|prompt, id| self.keep_message(prompt, id))?;
        Ok(taken.map(|taken| SteeringMessage { taken }))
    }

    fn keep_message(&self, prompt: &[ContentBlock], id: Option<&MessageId>) -> Result<()> {
        match self.session_updates().recorder() {
            Some(recorder) => recorder.message(prompt, id),
            None => Ok(()),
        }
    }
}

/// A message of the user for a turn that runs, which waits until somebody decides about it.
/// Dropped, it waits on. It goes back to the client when the turn ends.
#[must_use = "the message waits until it is taken or declined"]
pub struct SteeringOffer {
    turn: Turn,
    message: SteeringMessage,
    offered: Offered,
}

impl SteeringOffer {
    /// Returns the message.
    #[must_use]
    pub const fn message(&self) -> &SteeringMessage {
        &self.message
    }

    /// Waits until the message cannot be taken any more: the client has withdrawn it, or the turn
    /// has ended.
    pub async fn gone(&self) {
        self.offered.gone().await;
    }

    /// Takes the message into the turn. Returns false if the client has withdrawn it.
    ///
    /// # Errors
    /// The [`store`](crate::store) does not keep the message. It waits on then.
    pub fn take(self) -> Result<bool> {
        let Self { turn, offered, .. } = self;
        let keep = |prompt: &[ContentBlock], id: Option<&MessageId>| turn.keep_message(prompt, id);
        Ok(turn.steering_queue().take_offered(&offered, keep)?.is_some())
    }

    /// Leaves the message to the client, as the end of the turn does.
    pub fn decline(self) {
        self.turn.steering_queue().decline(&self.offered, None);
    }

    /// Tells the client that a turn has begun with the message which is not this one, and has no
    /// prompt of its own. In version 2 of the protocol the message is a prompt, which gets its turn
    /// in any case.
    pub fn started_turn(self) {
        self.turn.steering_queue().decline(&self.offered, Some(SteerOutcome::StartedNewTurn));
    }
}

impl fmt::Debug for SteeringOffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SteeringOffer").field("message", &self.message).finish_non_exhaustive()
    }
}

impl SteeringMessage {
    /// Returns the message. Its content is of the kinds that the agent has advertised for prompts.
    #[must_use]
    pub fn prompt(&self) -> &[ContentBlock] {
        match &self.taken {
            Taken::Steer(request) => &request.prompt,
            Taken::Prompt(request) => &request.prompt,
        }
    }

    /// Returns the text of the message: its text blocks, joined by line breaks.
    #[must_use]
    pub fn text(&self) -> String {
        let texts: Vec<_> = self.prompt().iter().filter_map(ContentBlock::as_text).collect();
        texts.join("\n")
    }

    /// Returns the `_meta` of the message.
    #[must_use]
    pub fn meta(&self) -> Option<&Meta> {
        match &self.taken {
            Taken::Steer(request) => request.meta.as_ref(),
            Taken::Prompt(request) => request.meta.as_ref(),
        }
    }
}

/// Shows no text, because that is the user's.
impl fmt::Debug for SteeringMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SteeringMessage").field("blocks", &self.prompt().len()).finish_non_exhaustive()
    }
}
