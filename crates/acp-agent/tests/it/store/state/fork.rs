//! Forks, which begin with the state of another session.

use acp_agent::store::Journal;
use acp_agent::{ForkSession, Opened};
use serde_json::json;

use super::*;

async fn fork(_: &(), fork: ForkSession) -> Result<Opened<u32>> {
    Ok(Opened::new(fork.saved()?.unwrap_or(0)))
}

#[tokio::test]
async fn a_fork_has_the_state_of_the_session_that_it_forks() {
    let folder = tempfile::tempdir().unwrap();
    let agent = || agent(Journal::at(folder.path())).on::<op::ForkSession, _>(fork);
    let mut wire = Wire::connect(agent(), all()).await;
    let session = set_all(&mut wire).await;
    let forks = |session: &str| json!({"sessionId": session, "cwd": "/elsewhere"});
    let first = done(&mut wire, "session/fork", forks(&session)).await;
    assert_eq!(told(&first), (json!("code"), json!("large"), json!(true)), "{first}");
    let first = first["sessionId"].as_str().unwrap().to_owned();
    assert_eq!(says(&mut wire, &first).await, "code large Some(true) 7");
    // Each has its own from here on.
    wire.turn(&first, "save 8").await;
    done(&mut wire, "session/set_mode", json!({"sessionId": first, "modeId": "ask"})).await;
    assert_eq!(says(&mut wire, &session).await, "code large Some(true) 0");
    wire.close().await;

    let mut wire = Wire::connect(agent(), all()).await;
    // Neither needs to be open, and a session that is not stored has no state.
    let second = done(&mut wire, "session/fork", forks(&first)).await;
    assert_eq!(told(&second), (json!("ask"), json!("large"), json!(true)), "{second}");
    let second = second["sessionId"].as_str().unwrap().to_owned();
    assert_eq!(says(&mut wire, &second).await, "ask large Some(true) 8");
    let none = done(&mut wire, "session/fork", forks("nope")).await;
    assert_eq!(told(&none), (json!(null), json!(null), json!(null)), "{none}");
    let mut again = named("session/resume", &second);
    again["cwd"] = json!("/elsewhere");
    wire.close().await;
    let mut wire = Wire::connect(agent(), all()).await;
    let result = done(&mut wire, "session/resume", again).await;
    assert_eq!(told(&result), (json!("ask"), json!("large"), json!(true)), "{result}");
    assert_eq!(says(&mut wire, &second).await, "ask large Some(true) 8");
    wire.close().await;
}

/// More sessions than a connection keeps the logs of.
const OTHERS: usize = 20;

#[tokio::test]
async fn a_session_that_is_open_elsewhere_can_be_forked() {
    let folder = tempfile::tempdir().unwrap();
    let agent = || agent(Journal::at(folder.path())).on::<op::ForkSession, _>(fork);
    let mut here = Wire::connect(agent(), all()).await;
    let session = set_all(&mut here).await;
    for _ in 0..OTHERS {
        let other = here.new_session().await;
        here.turn(&other, "tell").await;
    }
    let mut there = Wire::connect(agent(), all()).await;
    reopen(&mut there, "session/resume", &session).await;
    for changed in [false, true] {
        if changed {
            done(&mut there, "session/set_mode", json!({"sessionId": session, "modeId": "ask"})).await;
        }
        let forked =
            done(&mut here, "session/fork", json!({"sessionId": session, "cwd": "/elsewhere"})).await;
        let mode = if changed { "ask" } else { "code" };
        assert_eq!(told(&forked), (json!(mode), json!("large"), json!(true)), "{forked}");
    }
    // It is still open there.
    assert_eq!(says(&mut there, &session).await, "ask large Some(true) 7");
    here.close().await;
    there.close().await;
}
