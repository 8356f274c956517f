//! Changes of the settings that meet others on their way, or do not leave.

use std::sync::{Arc, Barrier, Mutex};

use acp_agent::layer::{Exchange, Outbound, Outgoing, layer_fn};
use acp_agent::store::{Journal, Pending, Record, RecordKind};
use acp_agent::types::ConfigOptionUpdate;
use acp_agent::{Options, SessionUpdates};
use acp_rpc::CallError;
use serde_json::json;
use tokio::runtime::Handle;

use super::*;
use crate::store::wrapped::{Hooks, Wrapped};

/// Keeps the last settings that were stored.
#[derive(Default)]
struct Last(Mutex<Option<Record>>);

impl Hooks for Last {
    fn append(&self, records: Vec<Record>) -> Pending<'_, Vec<Record>> {
        if let Some(last) = records.iter().rfind(|record| record.kind() == RecordKind::Settings) {
            *self.0.lock().unwrap() = Some(last.clone());
        }
        Box::pin(async { Ok(records) })
    }
}

const ROUNDS: usize = 500;

async fn open(_: &Wrapped<Last>, _: NewSession) -> Result<Opened<u32>> {
    Ok(Opened::new(0).modes(modes("ask")).config_options(options("small", false)))
}

/// Switches the mode and the model at the same time, on two threads, many times. Compares the
/// stored settings with those of the session each time.
async fn race(store: &Wrapped<Last>, turn: Turn, session: Session<u32>) -> Result<StopReason> {
    let start = Arc::new(Barrier::new(2));
    let runtime = Handle::current();
    let on_thread = |change: fn(Handle, SessionUpdates, usize)| {
        let (runtime, start, updates) = (runtime.clone(), Arc::clone(&start), turn.session_updates());
        move |round| {
            let (runtime, start, updates) = (runtime.clone(), Arc::clone(&start), updates.clone());
            tokio::task::spawn_blocking(move || {
                start.wait();
                change(runtime, updates, round);
            })
        }
    };
    let modes = on_thread(|runtime, updates, round| {
        runtime.block_on(updates.current_mode(["code", "ask"][round % 2])).unwrap();
    });
    let models = on_thread(|runtime, updates, round| {
        let update = ConfigOptionUpdate::new(options(["large", "small"][round % 2], false));
        runtime.block_on(updates.update(update)).unwrap();
    });
    for round in 0..ROUNDS {
        let (mode, model) = tokio::join!(modes(round), models(round));
        mode.unwrap();
        model.unwrap();
        // Reading the history waits until everything before it is stored.
        turn.history().await?;
        let stored = store.0.lock().unwrap().clone().unwrap();
        let stored: Value = serde_json::from_str(stored.json()).unwrap();
        let (mode, model, _) = told(&stored);
        let now = (json!(session.mode()), json!(session.config_value("model").unwrap().as_id()));
        assert_eq!((mode, model), now, "round {round}");
    }
    Ok(StopReason::EndTurn)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_settings_are_stored_whoever_changes_them() {
    let folder = tempfile::tempdir().unwrap();
    let store = Wrapped::new(Journal::at(folder.path()), Last::default());
    let agent =
        Router::with_sessions("race", "1", store.clone(), open).on::<op::Prompt, _>(race).store(store);
    let (mut wire, session) = Wire::open(agent, all()).await;
    let prompt = wire.prompt(&session, "race").await;
    for _ in 0..2 * ROUNDS {
        wire.update().await;
    }
    assert_eq!(wire.stopped(prompt).await, "end_turn");
    wire.close().await;
}

/// Lets no change of the settings out.
struct Strict<O>(O);

impl<O: Outbound> Outbound for Strict<O> {
    fn send<'a>(&self, outgoing: Outgoing<'a>) -> Exchange<'a> {
        let kind = outgoing.param("update").and_then(|update| update.get("sessionUpdate").cloned());
        let kind = kind.as_ref().and_then(|kind| kind.as_str()).unwrap_or_default().to_owned();
        if ["current_mode_update", "config_option_update"].contains(&kind.as_str()) {
            let (method, reason) = (outgoing.method().to_owned(), "not now".into());
            return Box::pin(async { Err(CallError::Refused { method, reason }) });
        }
        self.0.send(outgoing)
    }
}

#[tokio::test]
async fn a_change_that_does_not_leave_is_none() {
    let folder = tempfile::tempdir().unwrap();
    for is_stored in [true, false] {
        let agent = || match is_stored {
            true => agent(Journal::at(folder.path())),
            false => without_store(),
        };
        let mut wire = Wire::serve_with(agent(), Options::default().layer_out(layer_fn(Strict)));
        wire.initialize(all()).await;
        let session = wire.new_session().await;
        for change in ["switch code", "choose large"] {
            let (updates, answer) = wire.turn(&session, change).await;
            assert!(updates.is_empty() && answer.get("error").is_some(), "{answer}");
            assert_eq!(says(&mut wire, &session).await, "ask small Some(false) 0", "{change}");
        }
        // The client's change is stored without those.
        let web = json!({"sessionId": session, "configId": "web", "type": "boolean", "value": true});
        done(&mut wire, "session/set_config_option", web).await;
        assert_eq!(says(&mut wire, &session).await, "ask small Some(true) 0");
        wire.close().await;
        if is_stored {
            let mut wire = Wire::connect(agent(), all()).await;
            let result = reopen(&mut wire, "session/resume", &session).await;
            assert_eq!(told(&result), (json!("ask"), json!("small"), json!(true)), "{result}");
            wire.close().await;
        }
    }
}
