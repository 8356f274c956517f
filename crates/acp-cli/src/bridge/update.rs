//! Events of the agent on their way to the client.

use std::sync::{Mutex, MutexGuard, PoisonError};

use acp_agent::types::{ConfigOptionUpdate, CurrentModeUpdate, SessionUpdate};
use acp_agent::{Client, Error, Opening, OpensSession, Result, Turn};
use acp_client::Event;

use super::folded::Versions;
use super::loss;
use super::session::Bridged;

/// A way to the client.
pub(super) trait Way {
    fn client(&self) -> &Client;
    fn send(&self, update: SessionUpdate) -> impl Future<Output = Result<()>> + Send;
}

impl Way for Turn {
    fn client(&self) -> &Client {
        Turn::client(self)
    }

    async fn send(&self, update: SessionUpdate) -> Result<()> {
        self.update(update).await
    }
}

impl<O: OpensSession> Way for Opening<O> {
    fn client(&self) -> &Client {
        Opening::client(self)
    }

    async fn send(&self, update: SessionUpdate) -> Result<()> {
        self.update(update).await
    }
}

/// Sends the updates that an event is for the client.
pub(super) async fn send(session: &Bridged, event: Event, way: &impl Way) -> Result<()> {
    let versions = versions(session, way.client());
    for update in updates(session, event, versions) {
        sent(way.send(update).await)?;
    }
    report(session);
    Ok(())
}

pub(super) fn versions(session: &Bridged, client: &Client) -> Versions {
    let agent = session.inner.agent().protocol_version();
    Versions { agent, client: client.protocol_version() }
}

/// Reports the losses of a session that were not reported before.
pub(super) fn report(session: &Bridged) {
    let losses = lock(&session.folded).new_losses();
    loss::report(losses, session.inner.id(), session.on_fault.as_ref());
}

/// Passes over an update that the client does not take.
pub(super) fn sent(result: Result<()>) -> Result<()> {
    match result {
        Err(Error::NotOffered { .. } | Error::Commands(_)) => Ok(()),
        result => result,
    }
}

fn updates(session: &Bridged, event: Event, versions: Versions) -> Vec<SessionUpdate> {
    match event {
        Event::Mode(mode) => {
            let is_new = lock(&session.settings).set_mode(&mode.current_mode_id);
            is_new.then_some(SessionUpdate::CurrentModeUpdate(mode)).into_iter().collect()
        }
        Event::Config(update) => settings(session, update),
        event => lock(&session.folded).updates(event, versions),
    }
}

/// Returns the updates for new config options, one of which may have the modes.
fn settings(session: &Bridged, update: ConfigOptionUpdate) -> Vec<SessionUpdate> {
    let changed = lock(&session.settings).take(update.config_options);
    let mode = changed.mode.map(|mode| SessionUpdate::CurrentModeUpdate(CurrentModeUpdate::new(mode)));
    let options = changed.options.map(|options| {
        let mut changed = ConfigOptionUpdate::new(options);
        changed.meta = update.meta;
        SessionUpdate::ConfigOptionUpdate(changed)
    });
    mode.into_iter().chain(options).collect()
}

pub(super) fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
