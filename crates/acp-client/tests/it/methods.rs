//! The methods of an agent beside turns: the required capabilities, the requests, and the results.

use std::future::IntoFuture;

use acp_client::v1::SessionInfo;
use acp_client::{Connect, Error, SessionList};
use serde_json::{Value, json};

use crate::common::{chunk, connected, open, pipe, with_session};

fn plain(connect: Connect) -> Connect {
    connect
}

/// An agent that offers everything this file uses.
fn everything() -> Value {
    json!({
        "loadSession": true,
        "sessionCapabilities": {"resume": {}, "list": {}, "close": {}, "delete": {}},
        "auth": {"logout": {}},
    })
}

#[tokio::test]
async fn what_was_not_offered_is_not_sent_and_names_the_capability() {
    // A malformed capability counts as missing (rule v1-cap-05).
    let lies =
        json!({"sessionCapabilities": {"close": null, "delete": true, "list": 1}, "auth": {"logout": false}});
    for offers in [json!({}), lies] {
        let (agent, mut wire) = connected(plain, offers).await;
        let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
        let refused = [
            (agent.load_session("s", "/work").await.err(), "session/load", "loadSession"),
            (agent.load_session("s", "/work").replay().await.err(), "session/load", "loadSession"),
            (agent.resume_session("s", "/work").await.err(), "session/resume", "sessionCapabilities.resume"),
            (
                agent.list_sessions().next().await.and_then(Result::err),
                "session/list",
                "sessionCapabilities.list",
            ),
            (agent.delete_session("s").await.err(), "session/delete", "sessionCapabilities.delete"),
            (session.close().await.err(), "session/close", "sessionCapabilities.close"),
            (session.set_mode("plan").await.err(), "session/set_mode", "modes"),
            (
                session.set_config_option("model", "x").await.err(),
                "session/set_config_option",
                "configOptions",
            ),
            (agent.logout().await.err(), "logout", "auth.logout"),
        ];
        for (error, method, capability) in refused {
            let error = error.expect("refused");
            let Error::NotOffered { method: named, capability: missing } = &error else {
                panic!("{method}: {error}")
            };
            assert_eq!((*named, *missing), (method, capability));
        }
        agent.close().await;
        assert!(wire.next().await.is_none(), "nothing was sent");
    }
}

#[tokio::test]
async fn logging_out_is_a_call_that_may_answer_null() {
    let (agent, mut wire) = connected(plain, everything()).await;
    let (done, ()) = tokio::join!(agent.logout(), async {
        let request = wire.expect("logout").await;
        wire.answer(&request, Value::Null).await;
    });
    done.expect("logged out");
}

#[tokio::test]
async fn a_resumed_session_keeps_what_comes_before_the_answer() {
    let (agent, mut wire) = connected(plain, everything()).await;
    let (session, ()) = tokio::join!(agent.resume_session("old", "/work").into_future(), async {
        let request = wire.expect("session/resume").await;
        assert_eq!(request["params"], json!({"sessionId": "old", "cwd": "/work"}));
        wire.text("old", "still here").await;
        let modes = json!({"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}]});
        wire.answer(&request, json!({"modes": modes})).await;
    });
    let session = session.expect("resumed");
    assert_eq!(session.modes().map(|modes| modes.current_mode_id.as_str()), Some("ask"));
    assert_eq!(session.updates().next().await.expect("kept").text(), Some("still here"));
}

#[tokio::test]
async fn a_replay_brings_all_of_a_conversation_however_long_it_is() {
    let (agent, mut wire) = connected(plain, everything()).await;
    let mut replay = {
        let (replay, request) =
            tokio::join!(agent.load_session("old", "/work").replay(), wire.expect("session/load"));
        // Four times the amount that is kept without a reader.
        tokio::spawn(async move {
            let block = "x".repeat(256 * 1024);
            for n in 0..64 {
                wire.text("old", &format!("{n} {block}")).await;
            }
            wire.answer(&request, json!({"configOptions": [{"id": "web", "name": "Web", "type": "boolean", "currentValue": true}]})).await;
            wire.text("old", "after").await;
            wire
        });
        replay.expect("asked for")
    };
    for n in 0..64 {
        let event = replay.next().await.expect("comes");
        assert!(event.text().expect("is text").starts_with(&format!("{n} ")), "in order, without a gap");
    }
    assert!(replay.next().await.is_none());
    let session = replay.finish().await.expect("loaded");
    assert_eq!(session.config_options().len(), 1);
    assert_eq!(session.updates().next().await.expect("the session's").text(), Some("after"));
}

#[tokio::test]
async fn a_replay_that_is_dropped_takes_the_request_back_and_one_that_fails_says_so() {
    let (agent, mut wire) = connected(plain, everything()).await;
    let (replay, request) =
        tokio::join!(agent.load_session("old", "/work").replay(), wire.expect("session/load"));
    drop(replay.expect("asked for"));
    let cancel = wire.expect("$/cancel_request").await;
    assert_eq!(cancel["params"], json!({"requestId": request["id"]}));

    let (replay, request) =
        tokio::join!(agent.load_session("gone", "/work").replay(), wire.expect("session/load"));
    wire.fail(&request, json!({"code": -32002, "message": "no such session"})).await;
    let error = replay.expect("asked for").finish().await.expect_err("there is none");
    assert_eq!(error.agent_error().map(|error| error.code), Some(-32002));
    assert!(error.to_string().contains("`session/load` (session `gone`)"), "{error}");
}

async fn ids(list: &mut SessionList) -> Vec<String> {
    let mut ids = Vec::new();
    while let Some(session) = list.next().await {
        let session: SessionInfo = session.expect("listed");
        ids.push(session.session_id.to_string());
    }
    ids
}

#[tokio::test]
async fn the_list_of_sessions_goes_from_page_to_page() {
    let (agent, mut wire) = connected(plain, everything()).await;
    let info = |id: &str| json!({"sessionId": id, "cwd": "/work"});
    let mut list = agent.list_sessions().cwd("/work");
    let (listed, ()) = tokio::join!(ids(&mut list), async {
        // Pages may be empty, entries may be broken (rule v1-list-11), and cursors may be any text
        // (rule v1-list-05).
        let pages = [
            (json!({"cwd": "/work"}), json!({"sessions": [info("a"), info("b")], "nextCursor": "  1\n"})),
            (json!({"cwd": "/work", "cursor": "  1\n"}), json!({"sessions": [], "nextCursor": ""})),
            (json!({"cwd": "/work", "cursor": ""}), json!({"sessions": [{"cwd": 5}, info("c")]})),
        ];
        for (asked, page) in pages {
            let request = wire.expect("session/list").await;
            assert_eq!(request["params"], asked);
            wire.answer(&request, page).await;
        }
    });
    assert_eq!(listed, ["a", "b", "c"]);
    assert!(list.next().await.is_none(), "nothing more is asked for");
}

#[tokio::test]
async fn a_list_ends_with_its_first_error() {
    let (agent, mut wire) = connected(plain, everything()).await;
    let mut list = agent.list_sessions();
    let (first, ()) = tokio::join!(list.next(), async {
        let request = wire.expect("session/list").await;
        wire.answer(&request, json!({"sessions": [{"sessionId": "a", "cwd": "/"}], "nextCursor": "n"})).await;
    });
    first.expect("one").expect("listed");
    // This agent's cursors lead in a circle.
    let (second, ()) = tokio::join!(list.next(), async {
        let request = wire.expect("session/list").await;
        wire.answer(&request, json!({"sessions": [], "nextCursor": "n"})).await;
    });
    let error = second.expect("an item").expect_err("no progress");
    assert!(error.to_string().contains("nextCursor"), "{error}");
    assert!(list.next().await.is_none());

    let refused = agent.list_sessions().cwd("relative").next().await.expect("an item").expect_err("refused");
    assert!(matches!(refused, Error::Argument { field: "cwd", .. }), "{refused}");
}

#[tokio::test]
async fn dropping_a_call_takes_it_back() {
    let (agent, mut wire) = connected(plain, everything()).await;
    let mut list = agent.list_sessions();
    let request = tokio::select! {
        _ = list.next() => panic!("nobody has answered"),
        request = wire.expect("session/list") => request,
    };
    drop(list);
    assert_eq!(wire.expect("$/cancel_request").await["params"], json!({"requestId": request["id"]}));
    let request = tokio::select! {
        _ = agent.delete_session("s") => panic!("nobody has answered"),
        request = wire.expect("session/delete") => request,
    };
    assert_eq!(wire.expect("$/cancel_request").await["params"], json!({"requestId": request["id"]}));
}

#[tokio::test]
async fn a_closed_session_ends_its_streams_and_takes_nothing_more() {
    let (agent, mut wire) = connected(plain, everything()).await;
    let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    let mut updates = session.updates();
    let (closed, ()) = tokio::join!(session.close(), async {
        let request = wire.expect("session/close").await;
        assert_eq!(request["params"], json!({"sessionId": "s1"}));
        wire.text("s1", "goodbye").await;
        wire.answer(&request, json!({})).await;
    });
    closed.expect("closed");
    assert_eq!(updates.next().await.expect("came before").text(), Some("goodbye"));
    assert!(updates.next().await.is_none());
    let refused = [
        session.prompt("more").await.err(),
        session.set_mode("x").await.err(),
        session.set_config_option("x", true).await.err(),
        session.close().await.err(),
        session.cancel().err(),
    ];
    for error in refused {
        let error = error.expect("refused");
        assert!(matches!(error, Error::SessionClosed { .. }), "{error}");
    }
    agent.close().await;
    assert!(wire.next().await.is_none(), "nothing was sent");
}

#[tokio::test]
async fn a_turn_is_heard_to_its_end_when_its_session_is_closed_or_deleted() {
    for method in ["session/close", "session/delete"] {
        let (agent, mut wire) = connected(plain, everything()).await;
        let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
        let (turn, prompt) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
        let mut turn = turn.expect("sent");
        let end = async {
            match method {
                "session/close" => session.close().await,
                _ => agent.delete_session("s1").await,
            }
        };
        let (ended, ()) = tokio::join!(end, async {
            let request = wire.expect(method).await;
            wire.answer(&request, json!({})).await;
        });
        ended.expect(method);
        wire.update("s1", chunk("late")).await;
        wire.answer(&prompt, json!({"stopReason": "cancelled"})).await;
        assert_eq!(turn.next().await.expect("still heard").text(), Some("late"), "{method}");
        assert_eq!(turn.finish().await.expect("ends").stop_reason.to_string(), "cancelled");
        let mut updates = session.updates();
        tokio::select! {
            biased;
            update = updates.next() => assert!(update.is_none(), "{method}: {update:?}"),
            () = tokio::task::yield_now() => panic!("{method}: nothing more will come, and the stream does not say so"),
        }
        assert!(matches!(session.prompt("more").await, Err(Error::SessionClosed { .. })), "{method}");
    }
}

#[tokio::test]
async fn a_session_that_the_agent_does_not_close_stays_open() {
    let (agent, mut wire) = connected(plain, everything()).await;
    let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    let (closed, ()) = tokio::join!(session.close(), async {
        let request = wire.expect("session/close").await;
        let error = session.prompt("meanwhile").await.expect_err("it is being closed");
        assert!(matches!(error, Error::SessionClosed { .. }), "{error}");
        wire.fail(&request, json!({"code": -32603, "message": "not now"})).await;
    });
    closed.expect_err("refused");
    let (turn, prompt) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
    wire.answer(&prompt, json!({"stopReason": "end_turn"})).await;
    turn.expect("open").finish().await.expect("ends");
}

#[cfg(unix)]
#[tokio::test]
async fn a_login_in_a_terminal_is_the_agents_program_with_more_arguments() {
    let answer = json!({"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "authMethods": [
        {"id": "login", "name": "Log in", "type": "terminal", "args": ["--login"], "env": {"STEP": "2"}},
        {"id": "broken", "name": "Broken", "type": "terminal", "args": 5},
        {"id": "key", "name": "Key"},
        // Agents described terminal logins like this before the protocol had a kind for them, and
        // many still do.
        {"id": "old", "name": "Old", "_meta": {"terminal-auth": {"args": ["--login"], "env": {"STEP": "2"}}}},
        {"id": "other", "name": "Other", "type": "agent", "_meta": {"terminal-auth":
            {"command": "sh", "args": ["-c", "[ \"$BASE$STEP\" = 13 ]"], "env": {"STEP": "3"}, "label": "Log in"}}},
        {"id": "flag", "name": "Flag", "_meta": {"terminal-auth": true}},
        {"id": "empty", "name": "Empty", "_meta": {"terminal-auth": {"command": null, "args": []}}},
        {"id": "wrong", "name": "Wrong", "_meta": {"terminal-auth": {"command": "sh", "args": "-c"}}},
    ]}});
    // Answers the first line, whatever its id is, and reads on. With `--login` it prints its
    // arguments and environment.
    let script = format!(
        r#"if [ "$2" = --login ]; then [ "$1$BASE$STEP" = base12 ] && exit 0; exit 3; fi
        read -r line; id=$(printf %s "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
        printf '%s' "$line" | grep -q '"terminal":true.*"_meta":{{"terminal-auth":true}}' || exit 4
        printf '%s\n' '{answer}' | sed "s/\"id\":0/\"id\":$id/"; cat >/dev/null"#
    );
    let command = acp_client::Command::new("sh").args(["-c", &script, "sh", "base"]).env("BASE", "1");
    let agent = acp_client::spawn(command).terminal_logins().await.expect("connected");
    let logins = agent.terminal_logins();
    let labels: Vec<_> = logins.iter().map(|login| (login.id.as_str(), login.label.as_str())).collect();
    assert_eq!(labels, [("login", "Log in"), ("old", "Old"), ("other", "Log in")]);
    for login in logins {
        let status = agent.terminal_login(login.id.clone()).expect("it is listed").status().expect("it runs");
        assert_eq!(status.code(), Some(0), "{login:?}");
    }
    let refused = [
        (agent.terminal_login("key"), "is for `authenticate`"),
        (agent.terminal_login("flag"), "is for `authenticate`"),
        (agent.terminal_login("empty"), "is for `authenticate`"),
        (agent.terminal_login("wrong"), "is for `authenticate`"),
        // Rule v1-auth-02.
        (agent.terminal_login("broken"), "does not name a method"),
    ];
    for (login, problem) in refused {
        let error = login.expect_err("not in a terminal");
        assert!(error.to_string().contains(problem), "{error}");
    }
    agent.close().await;
}

#[tokio::test]
async fn logins_in_a_terminal_are_not_offered_where_the_program_is_not_known() {
    let (transport, mut wire) = pipe();
    let connecting = acp_client::connect(transport).terminal_logins();
    let (agent, request) = tokio::join!(connecting.into_future(), wire.initialize(json!({})));
    agent.expect("connected");
    assert!(request["params"]["clientCapabilities"].get("auth").is_none(), "{request}");
}

#[tokio::test]
async fn an_update_for_nobody_is_noted_and_not_kept() {
    let (session, mut wire) = with_session(plain).await;
    for _ in 0..200 {
        wire.text("stranger", "hello").await;
    }
    wire.call(json!(1), "_unknown", json!(null)).await;
    let faults = session.agent().faults();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].contains("`stranger`") && !faults[0].contains("hello"), "{faults:?}");
}
