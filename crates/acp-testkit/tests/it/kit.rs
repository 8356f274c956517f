//! Scripted peers, scripts and relays: each step, and the fault that its failure gives.

use std::time::Duration;

use acp_testkit::{Event, FaultKind, Garble, Script, ScriptedPeer, Way, Writer, relay};
use serde_json::json;
use tokio::io::duplex;

/// Two scripted peers, each of which is the other's peer.
fn both() -> (ScriptedPeer, ScriptedPeer) {
    let (here, there) = duplex(64 * 1024);
    (ScriptedPeer::from_stream(here), ScriptedPeer::from_stream(there))
}

#[tokio::test]
async fn a_difference_names_the_member_and_shows_the_lines() {
    let (mut client, agent) = both();
    let script = Script::new().expect_with("session/prompt", json!({"prompt": [{"text": "go"}]}));
    client.notify("_first", json!({})).await.unwrap();
    let fault = script.run(agent).await.unwrap_err();
    let FaultKind::Unexpected { difference: None, .. } = fault.kind else { panic!("{fault}") };
    assert!(fault.to_string().contains("expected: a call of `session/prompt`"), "{fault}");

    let (mut client, agent) = both();
    let script = Script::new().expect_with("session/prompt", json!({"prompt": [{"text": "go"}]}));
    let prompt = json!({"sessionId": "s", "prompt": [{"type": "text", "text": "stop"}]});
    client.request("session/prompt", prompt).await.unwrap();
    let fault = script.run(agent).await.unwrap_err();
    let shown = format!("{fault:?}");
    assert!(shown.contains("`prompt[0].text`: expected \"go\", seen \"stop\""), "{shown}");
    let is_seen = |line: &str| line.starts_with("    ← {") && line.contains("\"method\":\"session/prompt\"");
    assert!(shown.lines().any(is_seen), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn silence_an_end_and_noise_are_faults_of_their_own() {
    let (_client, agent) = both();
    let mut agent = agent.patience(Duration::from_secs(3600));
    let fault = agent.expect("initialize").await.unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Silent { .. }), "{fault}");

    let (mut client, mut agent) = both();
    client.close().await;
    let fault = agent.expect("initialize").await.unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Closed { .. }), "{fault}");
    assert!(agent.next().await.unwrap().is_none(), "the end stays the end");

    let (mut client, mut agent) = both();
    client.raw("Welcome!\n").await.unwrap();
    let fault = agent.next().await.unwrap_err();
    assert!(fault.to_string().contains("not JSON\n  seen:     Welcome!"), "{fault}");

    let (mut client, agent) = both();
    let mut agent = agent.limit(100);
    client.raw("x".repeat(200)).await.unwrap();
    assert!(matches!(agent.next_line().await.unwrap_err().kind, FaultKind::TooMuch));
}

#[tokio::test(start_paused = true)]
async fn a_script_waits_for_events_and_on_the_virtual_clock() {
    let (mut client, agent) = both();
    let (start, reached) = (Event::new(), Event::new());
    let script = Script::new()
        .expect("initialize")
        .wait_for(&start)
        .delay(Duration::from_secs(24 * 3600))
        .answer_with(|params| json!({"protocolVersion": params["protocolVersion"]}))
        .request("fs/read_text_file", json!({"path": "/a"}))
        .expect_result(json!({"content": "text"}))
        .request("terminal/create", json!({}))
        .expect_error(-32601)
        .fire(&reached)
        .expect("session/new")
        .fail(-32000, "log in")
        .close()
        .expect_end();
    let agent = tokio::spawn(script.run(patient(agent)));
    client.set_patience(Duration::from_secs(48 * 3600));
    let asked = client.request("initialize", json!({"protocolVersion": 1})).await.unwrap();
    start.fire();
    let answer = client.answer_to(&asked).await.unwrap();
    assert_eq!(answer.result().unwrap()["protocolVersion"], 1);
    let read = client.expect("fs/read_text_file").await.unwrap();
    assert!(read.is_request() && !read.is_notification() && !read.is_answer());
    client.answer(&read, json!({"content": "text", "_meta": {}})).await.unwrap();
    let create = client.expect("terminal/create").await.unwrap();
    client.fail(&create, -32601, "no terminals").await.unwrap();
    reached.happened().await;
    assert_eq!(client.call("session/new", json!({})).await.unwrap().code(), Some(-32000));
    client.expect_end().await.unwrap();
    client.close().await;
    let agent = agent.await.unwrap().unwrap();
    let sent = agent.lines().iter().filter(|line| line.way == Way::Sent).count();
    assert_eq!((sent, agent.lines().len()), (4, 8));
}

/// Returns the peer with a patience of days, for the virtual clock.
fn patient(peer: ScriptedPeer) -> ScriptedPeer {
    peer.patience(Duration::from_secs(48 * 3600))
}

#[tokio::test]
async fn standing_answers_serve_requests_while_an_answer_is_awaited() {
    let (mut client, agent) = both();
    client.respond("fs/read_text_file", |params| match params["path"].as_str() {
        Some("/a") => Ok(json!({"content": "a"})),
        _ => Err(json!({"code": -32002, "message": "there is no such file"})),
    });
    let script = Script::new()
        .expect("session/prompt")
        .update("s", json!({"sessionUpdate": "plan", "entries": []}))
        .request("fs/read_text_file", json!({"path": "/a"}))
        .expect_result(json!({"content": "a"}))
        .request("fs/read_text_file", json!({"path": "/b"}))
        .expect_error(-32002)
        .answer(json!({"stopReason": "end_turn"}));
    let agent = tokio::spawn(script.run(agent));
    let answer = client.call("session/prompt", json!({})).await.unwrap();
    assert_eq!(answer.result().unwrap()["stopReason"], "end_turn");
    let notices = client.take_notifications();
    assert_eq!((notices.len(), notices[0].method()), (1, Some("session/update")));
    assert!(client.take_notifications().is_empty());
    agent.await.unwrap().unwrap();
    // A request without a standing answer is unexpected.
    let (mut client, mut agent) = both();
    agent.request("fs/read_text_file", json!({})).await.unwrap();
    let fault = client.call("session/prompt", json!({})).await.unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Unexpected { .. }), "{fault}");
}

#[tokio::test]
async fn params_that_are_left_out_have_no_members() {
    let (mut client, agent) = both();
    let script = Script::new()
        .expect("_none")
        .expect_with("_none", json!({}))
        .expect("_list")
        .expect_with("_some", json!({"a": 1}));
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "_none"}),
        json!({"jsonrpc": "2.0", "method": "_none"}),
        json!({"jsonrpc": "2.0", "method": "_list", "params": [1]}),
        json!({"jsonrpc": "2.0", "method": "_some"}),
    ] {
        client.send(&message).await.unwrap();
    }
    let fault = script.run(agent).await.unwrap_err().to_string();
    assert!(fault.contains("differs:  `a`: expected 1, but it is missing"), "{fault}");
}

#[tokio::test]
async fn a_script_goes_on_with_the_ids_of_its_peer() {
    let (mut client, mut agent) = both();
    let first = agent.request("_first", json!({})).await.unwrap();
    let script = Script::new().request("_second", json!({})).expect_result(json!({"n": 2}));
    let agent = tokio::spawn(script.run(agent));
    let one = client.expect("_first").await.unwrap();
    let two = client.expect("_second").await.unwrap();
    assert_ne!(one.id(), two.id());
    client.answer(&two, json!({"n": 2})).await.unwrap();
    let mut agent = agent.await.unwrap().unwrap();
    client.answer(&one, json!({"n": 1})).await.unwrap();
    assert_eq!(agent.answer_to(&first).await.unwrap()["result"]["n"], 1);
}

#[tokio::test(start_paused = true)]
async fn other_messages_do_not_prolong_the_patience() {
    let (mut talker, agent) = both();
    let mut agent = agent.patience(Duration::from_secs(60));
    let talks = tokio::spawn(async move {
        // The peer at the other end goes at the end.
        while talker.notify("session/update", json!({})).await.is_ok() {
            tokio::time::sleep(Duration::from_secs(10)).await;
        }
    });
    let began = tokio::time::Instant::now();
    let fault = agent.call("session/prompt", json!({})).await.unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Silent { .. }), "{fault}");
    assert_eq!(began.elapsed().as_secs(), 60);
    drop(agent);
    talks.await.unwrap();
}

#[tokio::test]
async fn every_garbled_line_arrives_as_it_was_made() {
    use Garble::{Banner, Batch, Blank, Cut, Deep, EmptyBatch, Long, NoVersion, NotUtf8, Scalar, Twice};
    for (fault, lines, json) in [
        (Banner, 2, [false, true].as_slice()),
        (Blank, 2, &[false, true]),
        (Garble::ByteOrderMark, 1, &[false]),
        (Garble::CarriageReturn, 1, &[true]),
        (Cut, 1, &[false]),
        (Scalar, 1, &[true]),
        (Batch, 1, &[true]),
        (EmptyBatch, 1, &[true]),
        (NotUtf8, 1, &[false]),
        (NoVersion, 1, &[true]),
        (Deep(5), 1, &[true]),
        (Deep(500), 1, &[false]),
        (Long(1000), 1, &[true]),
        (Twice, 2, &[true, true]),
        (Garble::Unended, 1, &[true]),
        (Garble::Noise(1000), 1, &[false]),
        (Garble::UnknownId, 1, &[true]),
        (Garble::NullId, 1, &[true]),
        (Garble::FractionId, 1, &[true]),
        (Garble::HugeId, 1, &[true]),
        (Garble::BadParams, 1, &[true]),
    ] {
        let (client, mut agent) = both();
        let client = Script::new().garble(fault).notify("_x", json!({"a": 1})).close().run(client).await;
        assert_eq!(client.unwrap().lines().len(), lines);
        let mut seen = Vec::new();
        while let Some(line) = agent.next_line().await.unwrap() {
            assert_eq!(line.ended, fault != Garble::Unended, "{fault:?}");
            seen.push(line.json().is_some());
        }
        assert_eq!(seen, json, "{fault:?}");
    }
}

#[tokio::test]
async fn a_script_that_answers_nothing_is_a_mistake_of_the_script() {
    for script in [Script::new().answer(json!({})), Script::new().expect_result(json!({}))] {
        let fault = script.run(both().0).await.unwrap_err();
        assert!(matches!(fault.kind, FaultKind::Script(_)), "{fault}");
    }
}

#[tokio::test]
async fn two_sides_that_both_write_do_not_wait_for_each_other() {
    let (here, there) = duplex(1024);
    let (mut first, mut second) = (ScriptedPeer::from_stream(here), ScriptedPeer::from_stream(there));
    let text = "x".repeat(100_000);
    let one = async {
        first.notify("_x", json!([text])).await?;
        first.expect("_y").await
    };
    let two = async {
        second.notify("_y", json!([text])).await?;
        second.expect("_x").await
    };
    let (one, two) = tokio::join!(one, two);
    one.and(two).unwrap();
}

#[tokio::test]
async fn a_relay_changes_lines_and_sends_others() {
    let (client, to_client) = duplex(1024);
    let (agent, to_agent) = duplex(1024);
    let carried = tokio::spawn(relay(to_client, to_agent, |writer, line, out| {
        let text = String::from_utf8_lossy(line);
        if writer == Writer::First && text.contains("_drop") {
            out.back(writer, r#"{"jsonrpc":"2.0","id":1,"result":"dropped"}"#);
        } else {
            out.pass(writer, text.replace("_old", "_new"));
        }
    }));
    let (mut client, mut agent) = (ScriptedPeer::from_stream(client), ScriptedPeer::from_stream(agent));
    assert_eq!(client.call("_drop", json!({})).await.unwrap()["result"], "dropped");
    client.notify("_old", json!({})).await.unwrap();
    agent.expect("_new").await.unwrap();
    agent.notify("_old", json!({})).await.unwrap();
    client.expect("_new").await.unwrap();
    client.close().await;
    agent.expect_end().await.unwrap();
    agent.close().await;
    client.expect_end().await.unwrap();
    carried.await.unwrap().unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_child_process_is_a_peer_and_is_ended() {
    let answer = r#"read line; echo '{"jsonrpc":"2.0","id":1,"result":{"line":true}}'; echo words >&2; cat"#;
    let mut peer = ScriptedPeer::spawn(acp_process::Command::new("sh").args(["-c", answer])).unwrap();
    assert_eq!(peer.call("_x", json!({})).await.unwrap()["result"]["line"], true);
    peer.notify("_echo", json!({})).await.unwrap();
    peer.expect("_echo").await.unwrap();
    let exit = peer.end().await.expect("it is a process");
    assert_eq!((exit.status, exit.stderr_tail.as_str()), (Some(0), "words\n"));
    assert!(peer.end().await.is_none());
}

#[tokio::test]
async fn a_watch_sees_each_line_and_refuses_it_with_a_reason() {
    let (mut client, mut agent) = both();
    let (tell, seen) = std::sync::mpsc::channel();
    client.watch(move |line| {
        tell.send((line.way, line.text().into_owned())).unwrap();
        if line.text().contains("_bad") { Err("bad lines are refused".to_owned()) } else { Ok(()) }
    });
    client.raw("one\ntwo\n").await.unwrap();
    agent.raw("{}\n{\"method\":\"_bad\"}\n{}\n").await.unwrap();
    client.next().await.unwrap();
    let fault = client.next().await.unwrap_err();
    assert!(matches!(&fault.kind, FaultKind::Refused { reason, .. } if reason == "bad lines are refused"));
    assert!(fault.to_string().contains("seen:     {\"method\":\"_bad\"}"), "{fault}");
    let fault = client.notify("_bad", json!({})).await.unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Refused { .. }), "{fault}");
    client.unwatch();
    client.next().await.unwrap();
    let texts: Vec<_> = seen.try_iter().collect();
    let expected = [(Way::Sent, "one"), (Way::Sent, "two"), (Way::Received, "{}")];
    for ((way, text), expected) in texts.iter().zip(expected) {
        assert_eq!((*way, text.as_str()), expected);
    }
    assert_eq!(texts.len(), 5, "not the line after its end");
}

#[tokio::test(start_paused = true)]
async fn a_late_reader_holds_the_other_side_up() {
    for is_late in [false, true] {
        let (here, there) = duplex(1024);
        let late = ScriptedPeer::from_stream(here).patience(Duration::from_secs(10));
        let mut late = if is_late { late.reads_late() } else { late };
        let mut other = ScriptedPeer::from_stream(there).reads_late().patience(Duration::from_secs(3600));
        let speaks = tokio::spawn(async move {
            let written = other.notify("_x", json!(["x".repeat(100_000)])).await;
            (written, other)
        });
        let wrote = late.notify("_y", json!(["y".repeat(2000)])).await;
        // The other side reads nothing before all of its line is taken.
        assert!(wrote.is_err(), "late: {is_late}");
        assert_eq!(speaks.is_finished(), !is_late);
        late.expect("_x").await.unwrap();
        speaks.await.unwrap().0.unwrap();
    }
}

#[tokio::test]
async fn only_the_last_lines_are_kept() {
    let (client, mut agent) = both();
    let mut client = client.keep(5).ids_from(100);
    for number in 0..100 {
        let asked = client.request("_x", json!({})).await.unwrap();
        assert_eq!(asked, 100 + number);
        let request = agent.expect("_x").await.unwrap();
        agent.fail_with(&request, json!({"code": 1, "message": "no", "data": [2]})).await.unwrap();
        assert_eq!(client.expect_answer(&asked).await.unwrap()["error"]["data"], json!([2]));
        let count = client.lines().len();
        assert!((2..=12).contains(&count), "{count}");
    }
    assert_eq!(client.lines().last().unwrap().json().unwrap()["id"], 199);
    assert_eq!(agent.lines().len(), 200);
}

#[tokio::test]
async fn nothing_comes_before_an_expected_answer() {
    let (mut client, mut agent) = both();
    client.ask(&json!("a"), "_x", json!({})).await.unwrap();
    agent.notify("_update", json!({})).await.unwrap();
    let fault = client.expect_answer(&json!("a")).await.unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Unexpected { .. }), "{fault}");
    // A request of the other side may have the id.
    agent.ask(&json!("a"), "_x", json!({})).await.unwrap();
    client.expect_answer(&json!("a")).await.unwrap_err();
    agent.close().await;
    let fault = client.expect_answer(&json!("a")).await.unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Closed { .. }), "{fault}");
}

#[tokio::test]
async fn a_pair_holds_so_many_bytes() {
    let (transport, peer) = ScriptedPeer::pair_of(64);
    let mut peer = peer.patience(Duration::from_millis(1));
    let fault = peer.notify("_x", json!(["x".repeat(100)])).await.unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Silent { .. }), "{fault}");
    drop(transport);
}

#[tokio::test]
async fn the_rest_is_all_until_the_end() {
    let (mut client, mut agent) = both();
    for number in 0..3 {
        agent.notify("_x", json!([number])).await.unwrap();
    }
    agent.close().await;
    let rest = client.rest().await.unwrap();
    let numbers: Vec<_> = rest.iter().map(|message| message["params"][0].as_u64().unwrap()).collect();
    assert_eq!(numbers, [0, 1, 2]);

    let (client, _open) = both();
    let fault = client.patience(Duration::from_millis(1)).rest().await.unwrap_err();
    assert!(matches!(fault.kind, FaultKind::Silent { .. }), "{fault}");
}
