//! Prompts, and how they start turns.

use std::time::Duration;

use acp_types::Meta;
use acp_types::v1::ext::PromptError;
use acp_types::v1::{ContentBlock, PromptRequest};
use tokio::sync::oneshot;

use crate::sessions::session_state::NoTurn;
use crate::sessions::table::Attached;
use crate::wire::end::Ended;
use crate::wire::flow::PromptId;
use crate::wire::moment::Read;
use crate::{Error, Session, Turn};

/// A prompt: text, a content block, or several, with data of extensions or without.
///
/// ```no_run
/// # async fn ask(session: acp_client::Session) -> Result<(), acp_client::Error> {
/// use acp_client::Meta;
///
/// let meta = Meta::new().with("acme.dev/effort", "high");
/// let turn = session.prompt(("What changed today?", meta)).await?;
/// # turn.finish().await?;
/// # Ok(()) }
/// ```
pub trait IntoPrompt {
    /// Converts to the blocks of the prompt.
    fn into_prompt(self) -> Vec<ContentBlock>;

    /// Takes the data of extensions out of the prompt, its `_meta`.
    fn take_meta(&mut self) -> Option<Meta> {
        None
    }
}

impl Session {
    /// Starts a turn (`session/prompt`). When this returns, the prompt is on its way.
    ///
    /// A turn that was dropped before its end is waited for first.
    ///
    /// # Errors
    /// [`Error::Content`] for a block of a kind that the agent does not take;
    /// [`Error::Argument`] for a prompt without blocks; [`Error::Busy`] while another turn of the
    /// session runs or was not read to its end; [`Error::CancelTimeout`] if the agent does not end
    /// a cancelled turn; [`Error::LimitReached`] if the session is beyond a limit of
    /// [`Connect::turn_limits`](crate::Connect::turn_limits) already; [`Error::SessionClosed`];
    /// [`Error::Closed`].
    pub async fn prompt(&self, mut content: impl IntoPrompt) -> Result<Turn, Error> {
        let (meta, mut prompt) = (content.take_meta(), content.into_prompt());
        self.check_content(self.agent().method::<PromptRequest>(), &prompt)?;
        let state = self.state();
        let patience = self.agent().cancel_timeout();
        let number = state.begin_turn(patience).await.map_err(|why| self.no_turn(&why, patience))?;
        let running = RunningTurn(self.attached().clone());
        // A turn that was waited for may have used the rest.
        let exceeded = state.usage.with(|usage| self.agent().turn_limits().exceeded_by_session(usage));
        if let Some(limit) = exceeded {
            return Err(Error::LimitReached { session: self.id().clone(), limit });
        }
        state.usage.begin_turn();
        self.fit_content(&mut prompt);
        let mut request = PromptRequest::new(self.id().clone(), prompt);
        request.meta = meta;
        let (sender, outcome) = oneshot::channel();
        let message = PromptId::default();
        let turn = Turn::new(self.clone(), number, outcome, PromptId::clone(&message));
        let shared = self.agent().shared_with_reader();
        // The turn ends even if nobody holds it any more.
        let shows_states = self.agent().shared().shows_states();
        let ended = move |response: Ended| {
            if shows_states {
                let end = response.as_ref().ok();
                let reason = end.map(|end| end.value.response.stop_reason.clone());
                running.0.end_work(reason, end.map(|end| end.at));
            }
            if let Ok(Read { value: end, .. }) = &response {
                running.0.usage.end_turn(&end.response);
                if end.is_doubtful {
                    let id = running.0.id();
                    shared.faults.note(format!(
                        "the agent ended a turn without ever reporting that it works (session `{id}`)"
                    ));
                }
            }
            drop(running);
            // A turn that was dropped has no receiver.
            let _ = sender.send(response);
        };
        if shows_states {
            state.begin_work();
        }
        // This returns when the prompt is on its way, so that a cancel cannot overtake it.
        let way = (&state.flow, state.lane(), message);
        let sent = self.agent().wire().prompt(self.agent().peer(), way, &request, ended).await;
        if sent.is_err() && shows_states {
            state.end_work(None, None);
        }
        sent?;
        Ok(turn)
    }

    fn no_turn(&self, why: &NoTurn, patience: Option<Duration>) -> Error {
        let session = self.id().clone();
        match why {
            NoTurn::Busy => Error::Busy { session },
            NoTurn::Closed => {
                Error::SessionClosed { method: self.agent().method::<PromptRequest>(), session }
            }
            NoTurn::Overdue => Error::CancelTimeout { session, waited: patience.unwrap_or_default() },
        }
    }

    /// Leaves out the parts of a prompt that the version does not have, and reports them.
    pub(super) fn fit_content(&self, prompt: &mut [ContentBlock]) {
        let lost = self.agent().wire().fit_content(prompt);
        self.agent().shared().report(lost, Some(self.state()));
    }

    /// Refuses prompts that the agent does not take (rule v1-cap-09).
    pub(super) fn check_content(&self, method: &'static str, prompt: &[ContentBlock]) -> Result<(), Error> {
        let takes = &self.agent().capabilities().prompt_capabilities;
        takes.check(prompt).map_err(|error| match error {
            PromptError::Content { block, kind, capability } => {
                let capability = capability.map(|capability| self.agent().wire().capability(capability));
                Error::Content { method, session: self.id().clone(), block, kind, capability }
            }
            _ => Error::argument(method, "prompt", &"must have at least one content block"),
        })
    }
}

impl IntoPrompt for &str {
    fn into_prompt(self) -> Vec<ContentBlock> {
        vec![ContentBlock::text(self)]
    }
}

impl IntoPrompt for String {
    fn into_prompt(self) -> Vec<ContentBlock> {
        vec![ContentBlock::text(self)]
    }
}

impl IntoPrompt for ContentBlock {
    fn into_prompt(self) -> Vec<ContentBlock> {
        vec![self]
    }
}

impl IntoPrompt for Vec<ContentBlock> {
    fn into_prompt(self) -> Vec<ContentBlock> {
        self
    }
}

impl<const N: usize> IntoPrompt for [ContentBlock; N] {
    fn into_prompt(self) -> Vec<ContentBlock> {
        self.into()
    }
}

/// Content with data of extensions, the `_meta` of the prompt.
impl<P: IntoPrompt> IntoPrompt for (P, Meta) {
    fn into_prompt(self) -> Vec<ContentBlock> {
        self.0.into_prompt()
    }

    fn take_meta(&mut self) -> Option<Meta> {
        Some(std::mem::take(&mut self.1))
    }
}

/// A running turn. Dropping it ends the turn of the session.
struct RunningTurn(Attached);

impl Drop for RunningTurn {
    fn drop(&mut self) {
        Attached::end_turn(&self.0);
    }
}
