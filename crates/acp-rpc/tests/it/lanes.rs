//! Order within a lane, and between a lane and an answer. Elsewhere there is none.

use acp_rpc::{Options, Transport, connect};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::common::{Lab, raw, soon};

fn note(lane: &str, text: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"lane","params":{{"lane":"{lane}","text":"{text}"}}}}"#)
}

async fn take(events: &mut UnboundedReceiver<String>, count: usize) -> Vec<String> {
    let mut taken = Vec::new();
    for _ in 0..count {
        taken.push(soon("an event", events.recv()).await.unwrap());
    }
    taken
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_of_a_lane_run_in_the_order_of_the_wire() {
    let (lab, mut events) = Lab::new();
    lab.gate.add_permits(1000);
    let (mut wire, _peer, driver) = raw(lab, Options::default());
    tokio::spawn(driver);
    for number in 0..500 {
        wire.send(note("a", &format!("a{number}"))).await;
        wire.send(note("b", &format!("b{number}"))).await;
    }
    let seen = take(&mut events, 1000).await;
    for lane in ["a", "b"] {
        let of_lane: Vec<&String> = seen.iter().filter(|text| text.starts_with(lane)).collect();
        let expected: Vec<String> = (0..500).map(|number| format!("{lane}{number}")).collect();
        assert!(of_lane.into_iter().eq(expected.iter()), "lane {lane} is out of order");
    }
}

#[tokio::test]
async fn a_lane_runs_one_job_at_a_time_and_does_not_hold_up_others() {
    let (lab, mut events) = Lab::new();
    let (mut wire, _peer, driver) = raw(lab.clone(), Options::default());
    tokio::spawn(driver);
    wire.send(note("a", "one")).await;
    wire.send(note("a", "two")).await;
    // Requests and other notifications go ahead of a lane whose job waits.
    wire.send(r#"{"jsonrpc":"2.0","id":1,"method":"empty"}"#).await;
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    wire.send(r#"{"jsonrpc":"2.0","method":"note","params":[3]}"#).await;
    assert_eq!(take(&mut events, 1).await, ["note [3]"]);
    // One permit lets one job through, and it is the first.
    lab.gate.add_permits(1);
    assert_eq!(take(&mut events, 1).await, ["one"]);
    lab.gate.add_permits(1);
    assert_eq!(take(&mut events, 1).await, ["two"]);
}

#[tokio::test]
async fn a_panicking_job_does_not_end_its_lane() {
    let (lab, mut events) = Lab::new();
    lab.gate.add_permits(1);
    let (mut wire, _peer, driver) = raw(lab, Options::default());
    tokio::spawn(driver);
    wire.send(r#"{"jsonrpc":"2.0","method":"explode"}"#).await;
    wire.send(r#"{"jsonrpc":"2.0","method":"explode"}"#).await;
    wire.send(note("boom", "after the panics")).await;
    assert_eq!(take(&mut events, 1).await, ["after the panics"]);
}

#[tokio::test]
async fn an_answer_in_a_lane_waits_for_earlier_jobs_and_others_do_not() {
    let (lab, mut events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab.clone(), Options::default());
    tokio::spawn(driver);
    let in_lane = {
        let (peer, log) = (peer.clone(), lab.log.clone());
        tokio::spawn(async move {
            let answer = peer.request_in_lane::<_, String>("a".into(), "prompt", &()).await.unwrap();
            log.lock().unwrap().push(answer);
        })
    };
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":0,"method":"prompt"}"#);
    let at_once = tokio::spawn(async move { peer.request::<_, String>("other", &()).await.unwrap() });
    assert_eq!(wire.next().await, r#"{"jsonrpc":"2.0","id":1,"method":"other"}"#);
    wire.send(note("a", "first update")).await;
    wire.send(note("a", "second update")).await;
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":"the answer"}"#).await;
    wire.send(r#"{"jsonrpc":"2.0","id":1,"result":"at once"}"#).await;
    // It arrived after the other answer. So when it is delivered, the other one has been received,
    // too.
    assert_eq!(soon("the answer outside lanes", at_once).await.unwrap(), "at once");
    assert!(!in_lane.is_finished());
    lab.gate.add_permits(1);
    assert_eq!(take(&mut events, 1).await, ["first update"]);
    assert!(!in_lane.is_finished());
    lab.gate.add_permits(1);
    soon("the answer in the lane", in_lane).await.unwrap();
    assert_eq!(*lab.log.lock().unwrap(), ["first update", "second update", "the answer"]);
}

#[tokio::test]
async fn an_answer_in_a_lane_survives_the_end_of_the_connection() {
    let (lab, mut events) = Lab::new();
    let (mut wire, peer, driver) = raw(lab.clone(), Options::default());
    let driver = tokio::spawn(driver);
    let answer =
        tokio::spawn(async move { peer.request_in_lane::<_, String>("a".into(), "prompt", &()).await });
    wire.next().await;
    wire.send(note("a", "update")).await;
    wire.send(r#"{"jsonrpc":"2.0","id":0,"result":"last words"}"#).await;
    let finish = tokio::spawn(wire.finish());
    lab.gate.add_permits(1);
    assert_eq!(take(&mut events, 2).await, ["update", "closed: the peer closed it"]);
    assert_eq!(soon("the answer", answer).await.unwrap().unwrap(), "last words");
    finish.await.unwrap();
    soon("the end", driver).await.unwrap();
}

#[tokio::test]
async fn handlers_and_jobs_call_the_peer_as_deep_as_they_like() {
    let (lab, mut events) = Lab::new();
    let (here, there) = Transport::duplex();
    let (peer, driver) = connect(here, lab.clone(), Options::default());
    let (other, other_driver) = connect(there, lab, Options::default());
    tokio::spawn(driver);
    tokio::spawn(other_driver);
    let nested = soon("nested calls", peer.request::<_, String>("nest", &6)).await.unwrap();
    assert_eq!(nested, "6 5 4 3 2 1 bottom");
    // This happens many times, in both directions at once.
    let calls = (0..100).map(|number| {
        let peer = if number % 2 == 0 { peer.clone() } else { other.clone() };
        tokio::spawn(async move { peer.request::<_, String>("nest", &3).await.unwrap() })
    });
    for call in calls.collect::<Vec<_>>() {
        assert_eq!(soon("nested calls", call).await.unwrap(), "3 2 1 bottom");
    }
    // A job of a lane sends this, and the answer must not wait for the lane.
    peer.notify("lane_that_calls", &()).await.unwrap();
    assert_eq!(take(&mut events, 1).await, ["2 1 bottom"]);
}

#[tokio::test]
async fn cancels_are_seen_while_a_thousand_handlers_wait() {
    let (lab, mut events) = Lab::new();
    let (mut wire, _peer, driver) = raw(lab, Options::default());
    tokio::spawn(driver);
    for id in 0..1000 {
        wire.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"hang"}}"#)).await;
    }
    take(&mut events, 1000).await;
    wire.send(r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":500}}"#).await;
    assert_eq!(take(&mut events, 1).await, ["cancelled 500"]);
    assert!(wire.next().await.contains(r#""id":500,"error":{"code":-32800"#));
}
