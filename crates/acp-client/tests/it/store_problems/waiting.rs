//! The wait until a session is free.

use std::time::{Duration, SystemTime};

use acp_client::types::ext::format_timestamp;
use acp_client::{Agent, Error, LoadSession, ResumeSession, Session, StoreProblem};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::common::{Wire, connected};

const MILLIS: fn(u64) -> Duration = Duration::from_millis;
const SECONDS: fn(u64) -> Duration = Duration::from_secs;

async fn agent() -> (Agent, Wire) {
    connected(|connect| connect, json!({"loadSession": true, "sessionCapabilities": {"resume": {}}})).await
}

/// The error of a session that is open elsewhere.
fn busy(until: Option<SystemTime>) -> Value {
    let until = until.and_then(format_timestamp);
    let problem = json!({"kind": "busy", "sessionId": "s1", "until": until});
    json!({"code": -32600, "message": "open elsewhere", "data": {"acp-rs/store": problem}})
}

fn load(agent: &Agent, limit: Duration) -> LoadSession {
    agent.load_session("s1", "/work").wait_until_free(limit)
}

fn resume(agent: &Agent, limit: Duration) -> ResumeSession {
    agent.resume_session("s1", "/work").wait_until_free(limit)
}

fn is_busy(error: &Error) -> bool {
    matches!(error.store_problem(), Some(StoreProblem::Busy { .. }))
}

#[tokio::test(start_paused = true)]
async fn it_is_tried_again_in_pauses_that_grow() {
    let (agent, mut wire) = agent().await;
    let script = async |wire: &mut Wire, method: &str| {
        let mut pauses = Vec::new();
        let mut request = wire.expect(method).await;
        for _ in 0..9 {
            wire.fail(&request, busy(None)).await;
            let refused = Instant::now();
            let again = wire.expect(method).await;
            assert_eq!(again["params"], request["params"]);
            pauses.push(refused.elapsed().as_millis() / 10 * 10);
            request = again;
        }
        wire.answer(&request, json!({})).await;
        pauses
    };
    let growing = [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000];
    let (loaded, pauses) =
        tokio::join!(load(&agent, SECONDS(60)).into_future(), script(&mut wire, "session/load"));
    assert_eq!((loaded.expect("free").id().as_str(), pauses.as_slice()), ("s1", growing.as_slice()));
    let (resumed, pauses) =
        tokio::join!(resume(&agent, SECONDS(60)).into_future(), script(&mut wire, "session/resume"));
    assert_eq!((resumed.expect("free").id().as_str(), pauses.as_slice()), ("s1", growing.as_slice()));
}

/// Returns the pause after a refusal with this time, when pauses have grown to 5 seconds.
async fn pause_after(until: impl Fn() -> SystemTime) -> Duration {
    let (agent, mut wire) = agent().await;
    let script = async {
        for _ in 0..6 {
            let request = wire.expect("session/resume").await;
            wire.fail(&request, busy(None)).await;
        }
        let request = wire.expect("session/resume").await;
        wire.fail(&request, busy(Some(until()))).await;
        let refused = Instant::now();
        let request = wire.expect("session/resume").await;
        wire.answer(&request, json!({})).await;
        refused.elapsed()
    };
    let (resumed, pause) = tokio::join!(resume(&agent, SECONDS(600)).into_future(), script);
    resumed.expect("free");
    pause
}

#[tokio::test(start_paused = true)]
async fn it_is_tried_again_at_the_time_that_the_agent_names() {
    // The clock of the machine goes on, so a pause may be shorter than it was.
    let pause = pause_after(|| SystemTime::now() + SECONDS(4)).await;
    assert!(pause >= MILLIS(100) && pause <= MILLIS(4010), "{pause:?}");
    // There is a pause before each attempt, whatever the agent says.
    let pause = pause_after(|| SystemTime::now() + MILLIS(1)).await;
    assert!(pause >= MILLIS(100), "{pause:?}");
    // Clocks differ, and the session may be closed before.
    for until in [SystemTime::UNIX_EPOCH, SystemTime::now() - SECONDS(1), SystemTime::now() + SECONDS(86_400)]
    {
        let pause = pause_after(|| until).await;
        assert!(pause >= SECONDS(5) && pause <= MILLIS(5010), "{pause:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_limit_ends_the_wait() {
    for (limit, attempts) in [(SECONDS(0), 1), (MILLIS(50), 2), (MILLIS(300), 3), (SECONDS(10), 8)] {
        let (agent, mut wire) = agent().await;
        let began = Instant::now();
        let script = async {
            for _ in 0..attempts {
                let request = wire.expect("session/resume").await;
                wire.fail(&request, busy(None)).await;
            }
        };
        let (resumed, ()) = tokio::join!(resume(&agent, limit).into_future(), script);
        assert!(is_busy(&resumed.expect_err("not free")));
        let took = began.elapsed();
        assert!(took >= limit && took <= limit + MILLIS(50), "{took:?} of {limit:?}");
        drop(agent);
        assert!(wire.next().await.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn other_errors_count_at_once() {
    let changed = json!({"acp-rs/store": {"kind": "changed", "sessionId": "s1"}});
    for error in [
        json!({"code": -32600, "message": "open elsewhere"}),
        json!({"code": -32600, "message": "busy", "data": "busy"}),
        json!({"code": -32600, "message": "continued elsewhere", "data": changed}),
        json!({"code": -32603, "message": "away", "data": {"acp-rs/store": {"kind": "unavailable"}}}),
    ] {
        let (agent, mut wire) = agent().await;
        let script = async {
            let request = wire.expect("session/resume").await;
            wire.fail(&request, busy(None)).await;
            let request = wire.expect("session/resume").await;
            wire.fail(&request, error).await;
        };
        let (resumed, ()) = tokio::join!(resume(&agent, Duration::MAX).into_future(), script);
        assert!(matches!(resumed.expect_err("refused"), Error::Agent { .. }));
        drop(agent);
        assert!(wire.next().await.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_asked_after_the_wait_was_dropped() {
    let (agent, mut wire) = agent().await;
    let script = async {
        for _ in 0..8 {
            let request = wire.expect("session/resume").await;
            wire.fail(&request, busy(None)).await;
        }
    };
    tokio::select! {
        _ = resume(&agent, SECONDS(600)).into_future() => panic!("it is not free"),
        () = async { script.await; tokio::task::yield_now().await } => {}
    }
    tokio::time::sleep(SECONDS(60)).await;
    // The next request is that of another try.
    let (resumed, ()) = tokio::join!(agent.resume_session("s1", "/other").into_future(), async {
        let request = wire.expect("session/resume").await;
        assert_eq!(request["params"]["cwd"], "/other");
        wire.answer(&request, json!({})).await;
    });
    resumed.expect("free");
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_connection_ends_the_wait() {
    let (agent, mut wire) = agent().await;
    let (resumed, ended) = tokio::join!(resume(&agent, SECONDS(600)).into_future(), async move {
        for _ in 0..8 {
            let request = wire.expect("session/resume").await;
            wire.fail(&request, busy(None)).await;
        }
        drop(wire);
        Instant::now()
    });
    assert!(matches!(resumed.expect_err("it is over"), Error::Closed { .. }));
    assert!(ended.elapsed() < SECONDS(1), "{:?}", ended.elapsed());
}

/// Reads a replay to its end.
async fn read(load: LoadSession) -> Result<(Vec<String>, Session), Error> {
    // A request too many would have no answer.
    let mut replay = tokio::time::timeout(SECONDS(600), load.replay()).await.expect("it begins")?;
    let mut texts = Vec::new();
    while let Some(event) = replay.next().await {
        texts.extend(event.text().map(str::to_owned));
    }
    replay.finish().await.map(|session| (texts, session))
}

#[tokio::test(start_paused = true)]
async fn a_replay_begins_when_the_session_is_free() {
    for count in [0, 1, 300] {
        let (agent, mut wire) = agent().await;
        let script = async {
            for _ in 0..3 {
                let request = wire.expect("session/load").await;
                wire.fail(&request, busy(None)).await;
            }
            let request = wire.expect("session/load").await;
            for n in 0..count {
                wire.text("s1", &n.to_string()).await;
            }
            wire.answer(&request, json!({})).await;
        };
        let (replayed, ()) = tokio::join!(read(load(&agent, SECONDS(60))), script);
        let (texts, session) = replayed.expect("free");
        let expected: Vec<String> = (0..count).map(|n| n.to_string()).collect();
        assert_eq!((texts, session.id().as_str()), (expected, "s1"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_replay_that_has_begun_is_not_repeated() {
    let (agent, mut wire) = agent().await;
    let script = async {
        let request = wire.expect("session/load").await;
        wire.text("s1", "shown").await;
        wire.fail(&request, busy(None)).await;
    };
    let (replayed, ()) = tokio::join!(read(load(&agent, SECONDS(60))), script);
    assert!(is_busy(&replayed.expect_err("refused late")));
    let (replayed, ()) = tokio::join!(read(load(&agent, SECONDS(0))), async {
        let request = wire.expect("session/load").await;
        wire.fail(&request, busy(None)).await;
    });
    assert!(is_busy(&replayed.expect_err("not free")));
    drop(agent);
    assert!(wire.next().await.is_none());
}
