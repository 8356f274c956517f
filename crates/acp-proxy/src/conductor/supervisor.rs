//! The supervisor of a chain: it drives the connections, and deals with components that end.

use std::sync::Arc;

use acp_rpc::lines::connect;
use acp_rpc::{CloseReason, Error, Noise, Transport};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::error::ConductError;
use crate::chain::{Chain, FrontSite, Incident, Planned, Settings, Slot};
use crate::link::{Gone, Reader};

/// A client that has closed its side waits so many times the drain for a component that takes no
/// more.
const PATIENCE: u32 = 10;

/// Serves a chain until its client goes or it fails.
pub(super) async fn run(
    planned: Vec<Planned>,
    agent: Option<Slot>,
    settings: Settings,
    transport: Transport,
) -> Result<(), ConductError> {
    let (sender, mut incidents) = mpsc::unbounded_channel();
    let chain = Chain::new(planned, agent, settings, sender);
    let reader = Reader {
        link: Arc::clone(&chain.front),
        site: FrontSite { chain: Arc::clone(&chain) },
        noise: Noise::Answer,
    };
    let lines = chain.settings.lines(chain.settings.front_tap.as_ref());
    // A client that is gone ends the chain, also if a component takes no more.
    let lines = lines.pause_limit(Some(chain.settings.drain.saturating_mul(PATIENCE)));
    let (outlet, mut client) = connect(transport, reader, lines);
    chain.front.attach(outlet.clone());
    let mut ending = Ending(Some(Arc::clone(&chain)));
    let mut tasks = JoinSet::new();
    let mut outcome = Ok(());
    let reason = loop {
        tokio::select! {
            biased;
            reason = &mut client => break reason,
            Some(incident) = incidents.recv() => match incident {
                Incident::Started(driver) => {
                    tasks.spawn(async move {
                        driver.await;
                    });
                }
                Incident::Restart(index) => {
                    let chain = Arc::clone(&chain);
                    tasks.spawn(async move { chain.restart(index).await });
                }
                Incident::Failed { failure, was_initialized } => {
                    if was_initialized {
                        outcome = Err(ConductError::Component(failure.clone()));
                    }
                    let (chain, outlet) = (Arc::clone(&chain), outlet.clone());
                    tasks.spawn(async move {
                        chain.wind_up(&failure).await;
                        if was_initialized {
                            outlet.close();
                        }
                    });
                }
            },
            Some(_) = tasks.join_next(), if !tasks.is_empty() => {}
        }
    };
    ending.now();
    // Connections that were made at the last moment.
    incidents.close();
    while let Some(incident) = incidents.recv().await {
        match incident {
            Incident::Started(driver) => drop(driver),
            Incident::Failed { failure, was_initialized: true } if outcome.is_ok() => {
                outcome = Err(ConductError::Component(failure));
            }
            _ => {}
        }
    }
    while tasks.join_next().await.is_some() {}
    chain.bridge.ended().await;
    match (outcome, reason) {
        (Ok(()), CloseReason::Io(error)) => Err(ConductError::Client(error)),
        (outcome, _) => outcome,
    }
}

/// Ends the chain, at the latest when it is dropped.
struct Ending(Option<Arc<Chain>>);

impl Ending {
    fn now(&mut self) {
        if let Some(chain) = self.0.take() {
            chain.closed.cancel();
            chain.close_components();
            chain.front.fail(&Gone(Error::internal("the client is gone")));
        }
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.now();
    }
}
