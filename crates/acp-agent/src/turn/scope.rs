//! The part of a turn that its session knows.

use std::sync::Arc;

use acp_rpc::CancellationToken;
use acp_types::v1::ext::TurnLimits;
use acp_types::v1::{ContentBlock, MessageId, PromptRequest};

use crate::client::cancel::Cancel;
use crate::error::Result;
use crate::turn::open_plan::OpenPlan;
use crate::turn::steering_queue::SteeringQueue;
use crate::turn::usage::Budget;
use crate::updates::session_updates::SessionUpdates;
use crate::wire::flow::Flow;
use crate::wire::gate::Gate;

/// The part of a turn that its clones share with the session.
pub(crate) struct TurnScope {
    pub(super) request: Arc<PromptRequest>,
    pub(super) session: SessionUpdates,
    pub(crate) cancel: Cancel,
    pub(super) gate: Gate,
    pub(super) flow: Flow,
    pub(super) plan: OpenPlan,
    pub(super) budget: Budget,
    pub(super) steering: Arc<SteeringQueue>,
    /// Set if the turn before can take the message.
    can_join: bool,
    /// Fires when the turn's answer stands in the output buffer.
    pub(crate) answered: CancellationToken,
}

impl TurnScope {
    pub(crate) fn new(
        request: Arc<PromptRequest>,
        session: SessionUpdates,
        cancel: Cancel,
        limits: TurnLimits,
        can_join: bool,
    ) -> Self {
        let flow = Flow::new(session.wire(), session.session_id(), session.client().peer());
        let (gate, answered) = (Gate::of_turn(), CancellationToken::new());
        let (plan, budget, steering) = (OpenPlan::default(), Budget::new(limits), Arc::default());
        TurnScope { request, session, cancel, gate, flow, plan, budget, steering, can_join, answered }
    }

    pub(crate) const fn flow(&self) -> &Flow {
        &self.flow
    }

    /// Returns the prompt.
    pub(super) const fn request(&self) -> &Arc<PromptRequest> {
        &self.request
    }

    pub(crate) fn prompt(&self) -> &[ContentBlock] {
        &self.request.prompt
    }

    /// Returns the messages of the user that wait for the turn.
    pub(crate) const fn steering(&self) -> &Arc<SteeringQueue> {
        &self.steering
    }

    /// Lets the turn that runs take the message of one that waits, if this version has that.
    pub(crate) fn offer(waiting: &Arc<Self>, running: &Self) {
        if waiting.can_join {
            running.steering.push_prompt(waiting);
        }
    }

    /// Inserts the message into the turn that runs, in place of a turn of its own. `keep` keeps it
    /// before. Returns the prompt, unless it is cancelled.
    pub(super) fn join<E>(
        &self,
        keep: impl FnOnce(&[ContentBlock], Option<&MessageId>) -> Result<(), E>,
    ) -> Result<Option<Arc<PromptRequest>>, E> {
        if self.cancel.has_fired() || !self.flow.join(self.prompt(), |id| keep(self.prompt(), id))? {
            return Ok(None);
        }
        self.close();
        self.answered.cancel();
        Ok(Some(Arc::clone(&self.request)))
    }

    /// Begins to count what the turn uses. A session that is beyond a limit gets no turn.
    pub(crate) fn begin_usage(&self) -> Result<()> {
        let meter = self.session.meter();
        meter.begin_turn();
        self.budget.check_session(self.session.session_id(), &meter.now())
    }

    /// Closes the turn's gate. From here on nothing is sent, and no message of the user is taken.
    pub(crate) fn close(&self) {
        self.gate.close();
        self.steering.close();
    }

    /// Closes the running entries of the turn's plans, as its last updates: the turn has ended.
    /// They are completed if it `is_done`, and pending again otherwise.
    pub(crate) fn close_plan(&self, is_done: bool) {
        for plan in self.plan.close(is_done) {
            // The turn's own gate is closed for the handler and its tasks.
            self.session.close_plan(&Gate::of_turn(), plan);
        }
    }

    /// Returns whether the turn has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.gate.is_closed()
    }
}
