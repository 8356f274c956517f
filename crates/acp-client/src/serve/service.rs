//! The client's end of the connection: it finds the handler of each message.

use std::sync::Arc;

use acp_json::Node;
use acp_rpc::{BoxFuture, CloseReason, Delivery, Fault, LaneKey, Peer, Reply, Request, Service, Task};
use acp_types::v1::{SessionId, SessionNotification};
use tokio_util::sync::CancellationToken;

use crate::serve::context::Link;
use crate::sessions::activity::noted;
use crate::sessions::coming::Coming;
use crate::sessions::inbox;
use crate::sessions::states::asked;
use crate::wire::Wire;
use crate::wire::moment::Moment;
use crate::wire::update::Update;
use crate::{Context, Event, Handlers, RpcError};

pub(crate) struct ClientService {
    pub(crate) handlers: Arc<Handlers>,
    pub(crate) link: Arc<Link>,
}

impl Service for ClientService {
    fn request(&self, method: &str, params: Node<'_>, request: Request) -> Result<Task, RpcError> {
        let wire = self.wire();
        wire.check_id(&request.id)?;
        let operation = wire.operation(method, &params);
        let handler = operation.and_then(|operation| self.handlers.find_request(operation));
        let handler = handler.ok_or_else(|| RpcError::method_not_found(method))?;
        let session = wire.session(&params);
        let work = wire.work(method, &params);
        let context = Context::new(request.peer.clone(), request.cancel.clone(), Arc::clone(&self.link));
        let task = handler(params, context.clone(), &request)?;
        if let Some(answer) = wire.answer_when_taken_back(method) {
            request.if_cancelled(answer);
        }
        let sessions = &self.link.shared.sessions;
        let withdrawn = wire.answer_when_withdrawn(method);
        let is_question = withdrawn.is_some();
        let task = match withdrawn {
            Some(answer) => {
                // A question may belong to a request of this side. Then no turn ends it.
                let turn = session.as_ref().map_or_else(CancellationToken::new, |id| sessions.asks(id));
                withdrawable(task, turn, context, answer)
            }
            None => task,
        };
        let Some(session) = session.and_then(|id| sessions.find(&id)) else { return Ok(task) };
        let is_shown = is_question && self.link.shared.shows_states();
        let task = if is_shown { asked(Arc::clone(&session), task) } else { task };
        Ok(noted(session, work, task))
    }

    fn notification(&self, method: &str, params: Node<'_>, peer: &Peer) -> Delivery {
        let wire = self.wire();
        if wire.is_update(method) {
            return self.update(method, params, peer);
        }
        let operation = wire.operation(method, &params);
        let Some(handler) = operation.and_then(|operation| self.handlers.find_notification(operation)) else {
            return Delivery::Ignore;
        };
        match handler(params, self.notification_context(peer)) {
            Ok(task) => Delivery::Task(task),
            Err(reason) => {
                self.fault(Fault::Ignored { method, reason: &reason });
                Delivery::Ignore
            }
        }
    }

    fn fault(&self, fault: Fault<'_>) {
        let faults = &self.link.shared.faults;
        if fault.is_loss() {
            faults.lose();
        }
        if matches!(fault, Fault::NotJson { .. }) {
            faults.hear_noise();
        }
        faults.note(fault.to_string());
    }

    fn closed(&self, reason: &CloseReason) {
        self.link.shared.end(reason);
    }
}

impl ClientService {
    /// Returns the context of a notification.
    fn notification_context(&self, peer: &Peer) -> Context {
        Context::new(peer.clone(), self.link.shared.over.clone(), Arc::clone(&self.link))
    }

    fn wire(&self) -> Wire {
        self.link.shared.wire()
    }

    fn update(&self, method: &str, params: Node<'_>, peer: &Peer) -> Delivery {
        let (wire, weight) = (self.wire(), inbox::weight(&params));
        let mut update = match wire.update(params, self.handlers.sees_updates()) {
            Ok(update) => update,
            Err(error) => {
                self.fault(Fault::Ignored { method, reason: &error.to_string() });
                return Delivery::Ignore;
            }
        };
        let Some(session) = self.link.shared.sessions.mentioned(&update.session_id) else {
            return self.update_of_unknown_session(&update.session_id, update.handled, peer);
        };
        let is_shown = wire.is_shown(&session.flow, &mut update);
        let Update { event, more, handled, .. } = update;
        match &event {
            Event::Config(config) => session.config.set(config.config_options.clone(), Moment::now()),
            Event::Usage(usage) => session.usage.update(usage),
            _ => {}
        }
        let state = wire.state_in(&event);
        // Queued first, so that a handler that panics costs nobody an event. As a rule queueing
        // needs no task.
        let handled = handled.map(|update| self.handlers.updated(update, || self.notification_context(peer)));
        let push = |event, weight| Coming::push_now(&session, event, weight).err();
        let waits = if is_shown { push(event, weight) } else { None };
        let more_waits = more.filter(|_| is_shown).and_then(|event| push(*event, inbox::INSERTED));
        let finished = wire.ended_by(&session.flow, state.as_deref());
        let job: BoxFuture = match (waits, handled) {
            (None, None) if more_waits.is_none() && finished.is_empty() => return Delivery::Done,
            (None, Some(handled)) if more_waits.is_none() && finished.is_empty() => handled,
            (waits, handled) => Box::pin(async move {
                if let Some((coming, event)) = waits {
                    coming.push(event, weight).await;
                }
                if let Some((coming, event)) = more_waits {
                    coming.push(event, inbox::INSERTED).await;
                }
                if let Some(handled) = handled {
                    handled.await;
                }
                finished.tell();
            }),
        };
        Delivery::Lane { lane: session.lane(), job }
    }

    /// Handles an update of a session that nobody holds. Only handlers of updates see it.
    fn update_of_unknown_session(
        &self,
        id: &SessionId,
        update: Option<Box<SessionNotification>>,
        peer: &Peer,
    ) -> Delivery {
        let Some(update) = update else {
            self.link
                .shared
                .faults
                .note(format!("ignored a session/update: no session of this id is open (session `{id}`)"));
            return Delivery::Ignore;
        };
        let lane = LaneKey::from(id.as_str());
        Delivery::Lane { lane, job: self.handlers.updated(update, || self.notification_context(peer)) }
    }
}

/// Answers exactly once: with the handler's answer, or as soon as the request is withdrawn.
fn withdrawable(task: Task, withdrawn: CancellationToken, context: Context, answer: fn() -> Reply) -> Task {
    Box::pin(async move {
        tokio::select! {
            // The answer for a cancelled turn has priority over that for a withdrawn request (rule
            // v1-creq-09).
            biased;
            () = withdrawn.cancelled() => Ok(answer()),
            () = context.cancelled() => Err(RpcError::cancelled()),
            answer = task => answer,
        }
    })
}
