//! Backpressure: the readers that feed a full place wait for it.

use std::sync::Arc;

use acp_rpc::BoxFuture;
use acp_rpc::lines::Outlet;

use super::chain::{Chain, End, Part};
use super::slot::Slot;
use crate::flow::route::Toward;
use crate::link::Link;

impl Chain {
    /// Returns a future to wait for if the next place in this direction has no room.
    pub(super) fn blocked(&self, own: Option<&Arc<Link>>, joint: usize, toward: Toward) -> Option<BoxFuture> {
        let mut joint = joint;
        loop {
            let index = match toward {
                Toward::Agent => Some(joint),
                Toward::Client => joint.checked_sub(1),
            };
            match index.and_then(|index| self.parts.get(index)) {
                None => return self.end_blocked(toward),
                Some(Part::Local(local)) => {
                    if let Some(pause) = local.pause() {
                        return Some(pause);
                    }
                }
                Some(Part::Process(slot)) if slot.is_bypassed() => {}
                Some(Part::Process(slot)) => return self.slot_blocked(own, slot),
            }
            joint = match toward {
                Toward::Agent => joint + 1,
                Toward::Client => joint.saturating_sub(1),
            };
        }
    }

    fn end_blocked(&self, toward: Toward) -> Option<BoxFuture> {
        if let Some(pause) = self.bridge.pause().filter(|_| toward == Toward::Agent) {
            return Some(pause);
        }
        let outlet = match (toward, self.end()) {
            (Toward::Agent, Some(End::Agent)) => self.agent.as_ref()?.link()?.outlet()?.clone(),
            _ => self.front.outlet()?.clone(),
        };
        (!outlet.has_room()).then(|| Box::pin(async move { outlet.room().await }) as BoxFuture)
    }

    /// A proxy reads no more while its own messages cannot leave, and they leave only if its
    /// neighbors are read. So two proxies that send each other very much would wait for each other.
    /// While the outlet of the reader's own peer is full, too, it goes on up to the ceiling.
    fn slot_blocked(&self, own: Option<&Arc<Link>>, slot: &Arc<Slot>) -> Option<BoxFuture> {
        if !slot.has_room() {
            let slot = Arc::clone(slot);
            return Some(Box::pin(async move { slot.room().await }));
        }
        let outlet = slot.link()?.outlet()?.clone();
        let own = match own {
            Some(own) => Some(own.outlet()?.clone()),
            None => None,
        };
        let ceiling = self.settings.ceiling;
        let is_blocked = move |outlet: &Outlet| {
            let goes_on = own.as_ref().is_some_and(|own| !own.has_room());
            !outlet.has_room() && (!goes_on || outlet.waiting() >= ceiling)
        };
        if !is_blocked(&outlet) {
            return None;
        }
        let filled = Arc::clone(&self.filled);
        Some(Box::pin(async move {
            loop {
                let filled = filled.notified();
                if !is_blocked(&outlet) {
                    return;
                }
                tokio::select! {
                    () = outlet.room() => return,
                    () = filled => {}
                }
            }
        }))
    }
}
