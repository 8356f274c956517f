//! Options at their extremes: each value works, or is refused with an error that says so. None
//! panics, and none makes anybody wait silently.
//!
//! `cargo test -p xtask` compares the names in these tables with the setters in the sources.

use std::time::Duration;

use acp_client::{Connect, Error, LocalFs, Restart, Transcript};
use serde_json::{Value, json};

use crate::common::{Wire, connected, pipe, with_session};

const SIZES: [usize; 3] = [0, 1, usize::MAX];
const TIMES: [Duration; 3] = [Duration::ZERO, Duration::from_nanos(1), Duration::MAX];
const REFUSED: i64 = -32602;

/// Runs a turn over a connection with these settings. Returns true if the agent was given up
/// before.
async fn is_overdue(set: impl FnOnce(Connect) -> Connect, answers: bool) -> bool {
    let (transport, mut wire) = pipe();
    let agent = tokio::spawn(set(acp_client::connect(transport)).into_future());
    if answers {
        wire.initialize(json!({})).await;
    }
    match agent.await.expect("it does not panic") {
        Ok(_) => false,
        Err(Error::Rpc(error)) => panic!("{error:?}"),
        Err(_) => true,
    }
}

#[tokio::test]
async fn connections_at_the_extremes_of_their_options() {
    // "Connect::initialize_timeout"
    for (time, overdue) in TIMES.into_iter().zip([true, true, false]) {
        // Without any time the order is not defined.
        let overdue_now = is_overdue(|connect| connect.initialize_timeout(time), !overdue).await;
        assert_eq!(overdue_now, overdue, "initialize_timeout({time:?})");
    }
    // "Connect::cancel_timeout"
    for (time, answers) in TIMES.into_iter().zip([false, false, true]) {
        let (session, mut wire) = with_session(|connect| connect.cancel_timeout(time)).await;
        let (turn, request) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
        let turn = turn.expect("sent");
        session.cancel().expect("told");
        wire.expect("session/cancel").await;
        if answers {
            wire.answer(&request, json!({"stopReason": "cancelled"})).await;
        }
        assert_eq!(turn.finish().await.is_ok(), answers, "cancel_timeout({time:?})");
    }
}

#[tokio::test]
async fn silence_at_its_extremes() {
    // "TurnLimits::silence"
    for (time, answers) in TIMES.into_iter().zip([false, false, true]) {
        let limits = acp_client::TurnLimits::new().silence(time);
        let (session, mut wire) = with_session(|connect| connect.turn_limits(limits)).await;
        let (turn, request) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
        let finishing = tokio::spawn(turn.expect("sent").finish());
        if !answers {
            wire.expect("session/cancel").await;
        }
        let reason = if answers { "end_turn" } else { "cancelled" };
        wire.answer(&request, json!({"stopReason": reason})).await;
        let finished = finishing.await.expect("it does not panic");
        assert_eq!(finished.is_ok(), answers, "silence({time:?}): {finished:?}");
    }
}

#[tokio::test]
async fn budgets_at_their_extremes() {
    use acp_client::TurnLimits;

    type Set = fn(TurnLimits, f64) -> TurnLimits;
    let costs: [(&str, Set); 2] = [
        ("TurnLimits::cost", |limits, amount| limits.cost(amount, "USD")),
        ("TurnLimits::session_cost", |limits, amount| limits.session_cost(amount, "USD")),
    ];
    let amounts = [(0.0, true), (-1.0, true), (f64::MAX, false), (f64::INFINITY, false), (f64::NAN, false)];
    for (name, set) in costs {
        for (amount, cancels) in amounts {
            // A cost below nothing is beyond it before the first prompt.
            let limits = if amount < 0.0 && name.contains("session") {
                set(TurnLimits::new(), 0.0)
            } else {
                set(TurnLimits::new(), amount)
            };
            assert_eq!(is_cancelled(limits).await, cancels, "{name}({amount})");
        }
    }
    // "TurnLimits::tokens"
    for (tokens, cancels) in [(0, true), (1, true), (u64::MAX, false)] {
        assert_eq!(is_cancelled(TurnLimits::new().tokens(tokens)).await, cancels, "tokens({tokens})");
    }
}

/// Returns true if these limits cancel a turn that has cost a dollar and two tokens.
async fn is_cancelled(limits: acp_client::TurnLimits) -> bool {
    let (session, mut wire) = with_session(|connect| connect.turn_limits(limits)).await;
    let (turn, request) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
    let mut turn = turn.expect("sent");
    let cost = json!({"amount": 1.0, "currency": "USD"});
    wire.update("s1", json!({"sessionUpdate": "usage_update", "used": 2, "size": 9, "cost": cost})).await;
    assert!(turn.next().await.is_some());
    wire.answer(&request, json!({"stopReason": "cancelled"})).await;
    turn.finish().await.is_err()
}

#[test]
fn restarts_at_their_extremes() {
    type Set = fn(Restart, Duration) -> Restart;
    let rows: [(&str, Set); 3] = [
        ("Restart::first_delay", Restart::first_delay),
        ("Restart::max_delay", Restart::max_delay),
        ("Restart::stable_after", Restart::stable_after),
    ];
    for (name, set) in rows {
        for time in TIMES {
            // "Restart::times"
            for times in [0, 1, u32::MAX] {
                let policy = set(Restart::times(times).max_delay(Duration::MAX), time);
                for restart in [1, 2, 1000, u32::MAX] {
                    assert_eq!(
                        policy.delay(restart).is_some(),
                        restart <= times,
                        "{name}({time:?}), {times}"
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn restored_within_the_extremes() {
    // "Reconnect::restore_timeout": sessions that are not there in time get an error of their own.
    for time in TIMES {
        let (first, mut wire) = pipe();
        let (second, mut again) = pipe();
        let transports = std::sync::Mutex::new(vec![second, first]);
        let start =
            move || acp_client::connect(transports.lock().expect("whole").pop().expect("twice at most"));
        let restart = Restart::times(1).first_delay(Duration::ZERO);
        let reconnect = acp_client::reconnecting(start).restart(restart).restore_timeout(time);
        let offered = json!({"sessionCapabilities": {"resume": {}}});
        let (agent, _) = tokio::join!(reconnect.into_future(), wire.initialize(offered.clone()));
        let agent = agent.expect("it starts");
        let (session, ()) = tokio::join!(agent.new_session("/work"), async {
            let request = wire.expect("session/new").await;
            wire.answer(&request, json!({"sessionId": "s1"})).await;
        });
        let session = session.expect("opened");
        drop(wire);
        again.initialize(offered).await;
        let turn = tokio::spawn(async move { session.prompt("go").await.map(drop) });
        if time == Duration::MAX {
            let request = again.expect("session/resume").await;
            again.answer(&request, json!({})).await;
            again.expect("session/prompt").await;
            turn.await.expect("it does not panic").expect("taken up");
        } else {
            turn.await.expect("it does not panic").expect_err("not in time");
        }
    }
}

async fn file(files: LocalFs, method: &str, mut params: Value) -> Value {
    let (_session, mut wire): (_, Wire) = with_session(|connect| connect.fs(files)).await;
    params["sessionId"] = json!("s1");
    wire.call(json!(1), method, params).await
}

#[tokio::test]
async fn files_and_transcripts_at_their_extremes() {
    for (most, fits) in SIZES.into_iter().zip([false, false, true]) {
        // "LocalFs::max_bytes"
        let folder = tempfile::tempdir().expect("a folder");
        let files = LocalFs::rooted(folder.path()).expect("a root").max_bytes(most);
        let path = folder.path().canonicalize().expect("a path").join("file");
        let written =
            file(files.clone(), "fs/write_text_file", json!({"path": path, "content": "two"})).await;
        std::fs::write(&path, "two").expect("room");
        let read = file(files, "fs/read_text_file", json!({"path": path})).await;
        for answer in [written, read] {
            let code = answer["error"]["code"].as_i64();
            assert_eq!(code, (!fits).then_some(REFUSED), "max_bytes({most}): {answer}");
        }
        // "Transcript::with_limit"
        let mut transcript = Transcript::new().with_limit(most);
        for text in ["one", "two"] {
            transcript.prompt(text);
        }
        assert_eq!(transcript.entries().len(), most.clamp(1, 2), "with_limit({most})");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn terminals_at_the_extremes_of_their_options() {
    use acp_client::LocalTerminals;

    type Set = fn(LocalTerminals, usize) -> LocalTerminals;
    // The output, or nothing if a terminal or the time is missing.
    let rows: [(&str, Set, [Option<&str>; 3]); 4] = [
        (
            "LocalTerminals::max_terminals",
            |terminals, at| terminals.max_terminals(SIZES[at]),
            [None, Some("words"), Some("words")],
        ),
        (
            "LocalTerminals::max_output_bytes",
            |terminals, at| terminals.max_output_bytes(SIZES[at]),
            [Some(""), Some("s"), Some("words")],
        ),
        (
            "LocalTerminals::max_time",
            |terminals, at| terminals.max_time(TIMES[at]),
            [None, None, Some("words")],
        ),
        ("LocalTerminals::grace", |terminals, at| terminals.grace(TIMES[at]), [Some("words"); 3]),
    ];
    for (name, set, outcomes) in rows {
        for (at, outcome) in outcomes.into_iter().enumerate() {
            let terminals = set(LocalTerminals::new(), at);
            assert_eq!(
                printed(terminals, name != "LocalTerminals::max_time").await.as_deref(),
                outcome,
                "{name} at {at}"
            );
        }
    }
    // "LocalTerminals::on_terminal"
    #[cfg(feature = "pty")]
    for size in [0, 1, u16::MAX] {
        let printed = printed(LocalTerminals::new().on_terminal(size, size), true).await;
        assert_eq!(printed.as_deref(), Some("words"), "on_terminal({size})");
    }
}

/// The output of a command that ends by itself. Without time it may be missing.
#[cfg(unix)]
async fn printed(terminals: acp_client::LocalTerminals, is_quick: bool) -> Option<String> {
    let (_session, mut wire) = with_session(|connect| connect.terminals(terminals)).await;
    let line = if is_quick { "printf words" } else { "printf words; exec sleep 0.5" };
    let created = json!({"sessionId": "s1", "command": "sh", "args": ["-c", line], "cwd": "/"});
    let answer = wire.call(json!(1), "terminal/create", created).await;
    let id = json!({"sessionId": "s1", "terminalId": answer["result"].get("terminalId")?});
    let exit = wire.call(json!(2), "terminal/wait_for_exit", id.clone()).await;
    let output = wire.call(json!(3), "terminal/output", id.clone()).await;
    wire.call(json!(4), "terminal/release", id).await;
    (exit["result"]["exitCode"] == 0).then(|| output["result"]["output"].as_str().expect("text").to_owned())
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_not_free_at_the_extremes() {
    let problem = json!({"acp-rs/store": {"kind": "busy", "sessionId": "s1"}});
    let busy = json!({"code": -32600, "message": "open elsewhere", "data": problem});
    let offered = json!({"loadSession": true, "sessionCapabilities": {"resume": {}}});
    // "ResumeSession::wait_until_free", "LoadSession::wait_until_free"
    for (time, attempts) in TIMES.into_iter().zip([1, 2, 3]) {
        let (agent, mut wire) = connected(|connect| connect, offered.clone()).await;
        for method in ["session/resume", "session/load"] {
            let opening = if method == "session/load" {
                agent.load_session("s1", "/work").wait_until_free(time).into_future()
            } else {
                agent.resume_session("s1", "/work").wait_until_free(time).into_future()
            };
            let (opened, ()) = tokio::join!(opening, async {
                for attempt in 1..=attempts {
                    let request = wire.expect(method).await;
                    if attempt == 3 {
                        wire.answer(&request, json!({})).await;
                    } else {
                        wire.fail(&request, busy.clone()).await;
                    }
                }
            });
            assert_eq!(opened.is_ok(), time == Duration::MAX, "wait_until_free({time:?}) of {method}");
        }
    }
}
