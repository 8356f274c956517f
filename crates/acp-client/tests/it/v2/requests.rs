//! The requests of the client, as version 2 has them.

use acp_client::v1::{McpServer, McpServerHttp, McpServerSse, McpServerStdio};
use acp_client::{Error, Event, ProtocolVersion};
use serde_json::{Value, json};

use super::{BOTH, connected, initialized, state, text, with_session};
use crate::common::{Wire, open, pipe};

async fn answered(wire: &mut Wire, method: &str, result: Value) -> Value {
    let request = wire.expect(method).await;
    wire.answer(&request, result).await;
    request["params"].clone()
}

#[tokio::test]
async fn sessions_are_opened_in_the_form_of_version_2() {
    let session = json!({"additionalDirectories": {}, "mcp": {"stdio": {}, "http": {}}});
    let (agent, mut wire) = connected(|connect| connect, json!({"session": session})).await;
    let servers = [
        McpServer::from(McpServerStdio::new("a", "/bin/a", ["-x".to_owned()], [])),
        McpServerHttp::new("b", "https://b", []).into(),
    ];
    let new = agent.new_session("/work").directory("/notes");
    let new = servers.into_iter().fold(new, |new, server| new.mcp_server(server));
    let (opened, params) =
        tokio::join!(new.into_future(), answered(&mut wire, "session/new", json!({"sessionId": "s1"})));
    opened.expect("opened");
    let servers = json!([
        {"type": "stdio", "name": "a", "command": "/bin/a", "args": ["-x"], "env": []},
        {"type": "http", "name": "b", "url": "https://b", "headers": []},
    ]);
    assert_eq!(params, json!({"cwd": "/work", "additionalDirectories": ["/notes"], "mcpServers": servers}));

    // A load is a resume that replays.
    let place = json!({"sessionId": "s2", "cwd": "/work"});
    let (resumed, params) = tokio::join!(
        agent.resume_session("s2", "/work").into_future(),
        answered(&mut wire, "session/resume", json!({})),
    );
    resumed.expect("resumed");
    assert_eq!(params, place);
    let mut replaying = place;
    replaying["replayFrom"] = json!({"type": "start"});
    let (loaded, ()) = tokio::join!(agent.load_session("s2", "/work").into_future(), async {
        let request = wire.expect("session/resume").await;
        assert_eq!(request["params"], replaying);
        wire.update("s2", text("m1", "yesterday")).await;
        wire.update("s2", state("idle")).await;
        wire.answer(&request, json!({})).await;
    });
    let mut updates = loaded.expect("loaded").updates();
    assert_eq!(updates.next().await.expect("an event").text(), Some("yesterday"));
    let (replay, params) = tokio::join!(
        async { agent.load_session("s2", "/work").replay().await?.finish().await },
        answered(&mut wire, "session/resume", json!({})),
    );
    replay.expect("loaded");
    assert_eq!(params, replaying);
}

#[tokio::test]
async fn an_answer_may_have_options_and_commands() {
    let (agent, mut wire) = connected(|connect| connect, json!({"session": {}})).await;
    let mode = |current: &str| {
        json!({"configId": "m", "name": "Mode", "category": "mode", "type": "select", "currentValue": current,
               "options": [{"groupId": "g", "name": "G", "options": [
                   {"value": "ask", "name": "Ask"}, {"value": "code", "name": "Code"}]}]})
    };
    let commands = json!([
        {"type": "command", "name": "plan", "description": "Plans", "input": {"type": "text", "hint": "what"}},
        {"type": "_macro", "name": "again", "description": "Again", "keys": 1},
        {"type": "command", "name": 5},
    ]);
    let opened = json!({"sessionId": "s1", "configOptions": [mode("ask")], "availableCommands": commands});
    let session = open(&agent, &mut wire, opened).await;
    assert_eq!(session.config_options().len(), 1);
    let modes = session.modes().expect("it has modes");
    assert_eq!((modes.current_mode_id.as_str(), modes.available_modes.len()), ("ask", 2));
    let Some(Event::Commands(listed)) = session.updates().next().await else { panic!("the commands") };
    let names: Vec<_> = listed.available_commands.iter().map(|command| command.name.as_str()).collect();
    assert_eq!(names, ["plan", "again"]);

    // The mode is an option.
    let (set, params) = tokio::join!(
        session.set_mode("code"),
        answered(&mut wire, "session/set_config_option", json!({"configOptions": [mode("code")]})),
    );
    set.expect("set");
    assert_eq!(params, json!({"sessionId": "s1", "configId": "m", "type": "id", "value": "code"}));
    let now = serde_json::to_value(&*session.config_options()).expect("JSON");
    assert_eq!(now[0]["currentValue"], "code");
    assert!(matches!(session.set_mode("fly").await, Err(Error::Argument { field: "modeId", .. })));

    let bare = open(&agent, &mut wire, json!({"sessionId": "s2", "configOptions": null})).await;
    let refused = bare.set_mode("code").await;
    assert!(matches!(refused, Err(Error::NotOffered { capability: "configOptions", .. })), "{refused:?}");
}

#[tokio::test]
async fn logins_and_lists_have_their_own_names() {
    let (transport, mut wire) = pipe();
    let mut answer = initialized(json!({"session": {"delete": {}}}));
    answer["authMethods"] = json!([
        {"type": "agent", "methodId": "web", "name": "Browser"},
        {"type": "terminal", "methodId": "tty", "name": "Terminal", "env": [{"name": "A", "value": "b"}]},
        {"type": "_card", "methodId": "card", "name": "Card", "slot": 2},
        {"methodId": "odd", "name": "Without a kind"},
    ]);
    let connecting = acp_client::connect(transport).versions(BOTH);
    let (agent, _) = tokio::join!(connecting.into_future(), answered(&mut wire, "initialize", answer));
    let agent = agent.expect("connected");
    let ids: Vec<_> = agent.auth_methods().iter().filter_map(|method| method.id()).collect();
    assert_eq!(ids, ["web", "tty", "card"]);
    let refused = agent.authenticate("tty").await.expect_err("it is for a terminal");
    assert!(matches!(refused, Error::Argument { method: "auth/login", .. }), "{refused:?}");
    let (done, params) =
        tokio::join!(agent.authenticate("card"), answered(&mut wire, "auth/login", json!({})));
    done.expect("logged in");
    assert_eq!(params, json!({"methodId": "card"}));
    let (done, params) = tokio::join!(agent.logout(), answered(&mut wire, "auth/logout", json!({})));
    done.expect("logged out");
    assert_eq!(params, json!({}));
    let (done, params) =
        tokio::join!(agent.delete_session("s9"), answered(&mut wire, "session/delete", json!({})));
    done.expect("deleted");
    assert_eq!(params, json!({"sessionId": "s9"}));

    // An empty cursor is one.
    let mut list = agent.list_sessions().cwd("/work");
    let page = json!({"sessions": [{"sessionId": "s1", "cwd": "/work"}], "nextCursor": ""});
    let (first, params) = tokio::join!(list.next(), answered(&mut wire, "session/list", page));
    assert_eq!(first.expect("one").expect("read").session_id.as_str(), "s1");
    assert_eq!(params, json!({"cwd": "/work"}));
    let (second, params) = tokio::join!(
        list.next(),
        answered(&mut wire, "session/list", json!({"sessions": [], "nextCursor": 5}))
    );
    assert!(matches!(second, Some(Err(Error::Call { .. }))), "{second:?}");
    assert_eq!(params, json!({"cwd": "/work", "cursor": ""}));
}

#[tokio::test]
async fn a_close_of_a_session_that_is_gone_succeeds() {
    let (session, mut wire) = with_session().await;
    let error = json!({"code": -32002, "message": "no such session", "data": {"sessionId": "s1"}});
    let (closed, ()) = tokio::join!(session.close(), async {
        let request = wire.expect("session/close").await;
        wire.fail(&request, error).await;
    });
    closed.expect("closed");
    assert!(matches!(session.prompt("hi").await, Err(Error::SessionClosed { .. })));
}

#[tokio::test]
async fn an_agent_without_sessions_is_asked_for_none() {
    let (agent, mut wire) = connected(|connect| connect, json!({})).await;
    let missing = |result: Result<acp_client::Session, Error>| match result {
        Err(Error::NotOffered { method, capability }) => (method, capability),
        other => panic!("{other:?}"),
    };
    let table = [
        (missing(agent.load_session("s", "/").await), ("session/resume", "session")),
        (missing(agent.resume_session("s", "/").await), ("session/resume", "session")),
        (missing(agent.new_session("/").await), ("session/new", "session")),
    ];
    for (said, wanted) in table {
        assert_eq!(said, wanted);
    }
    let refused = agent.logout().await;
    assert!(matches!(refused, Err(Error::NotOffered { method: "auth/logout", capability: "authMethods" })));
    drop(agent);
    assert!(wire.next().await.is_none(), "nothing was sent");
}

#[tokio::test]
async fn servers_that_the_version_or_the_agent_does_not_have_are_refused() {
    let (agent, mut wire) = connected(|connect| connect, json!({"session": {}})).await;
    let sse = agent.new_session("/").mcp_server(McpServerSse::new("s", "https://s", [])).await;
    let Err(Error::Unsupported { method: "session/new", version: ProtocolVersion::V2, .. }) = sse else {
        panic!("{sse:?}")
    };
    for (server, wanted) in [
        (McpServer::from(McpServerStdio::new("a", "/bin/a", [], [])), "session.mcp.stdio"),
        (McpServerHttp::new("b", "https://b", []).into(), "session.mcp.http"),
    ] {
        let refused = agent.new_session("/").mcp_server(server).await;
        let Err(Error::NotOffered { capability, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(capability, wanted);
    }
    drop(agent);
    assert!(wire.next().await.is_none(), "nothing was sent");
}

#[tokio::test]
async fn content_is_checked_by_the_capabilities_of_version_2() {
    let prompt = json!({"prompt": {"image": {}, "audio": true}});
    let (agent, mut wire) = connected(|connect| connect, json!({"session": prompt})).await;
    let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    let takes = &agent.capabilities().prompt_capabilities;
    // A marker is an object.
    assert_eq!((takes.image, takes.audio, takes.embedded_context), (true, false, false));
    let audio = acp_client::v1::AudioContent::new("AAAA", "audio/wav");
    let refused = session.prompt(acp_client::v1::ContentBlock::from(audio)).await;
    let Err(Error::Content { capability: Some(capability), .. }) = refused else { panic!("{refused:?}") };
    assert_eq!(capability, "session.prompt.audio");
}

#[tokio::test]
async fn the_clients_files_and_terminals_are_not_served() {
    let files = acp_client::LocalFs::rooted("/").expect("a folder");
    let set_up =
        |connect: acp_client::Connect| connect.fs(files).terminals(acp_client::LocalTerminals::new());
    let (_agent, mut wire) = connected(set_up, json!({"session": {}})).await;
    for method in ["fs/read_text_file", "fs/write_text_file", "terminal/create", "terminal/output"] {
        let answer = wire.call(json!(method), method, json!({"sessionId": "s1", "path": "/x"})).await;
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
}

#[tokio::test]
async fn a_tool_call_is_cancelled_while_the_agent_offers_it() {
    let (session, mut wire) = with_session().await;
    let refused = session.cancel_tool_call("c1").await;
    let Err(Error::NotOffered { method: "tool_call/cancel", capability }) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(capability, "capabilities.cancel");
    let turn = session.prompt("hi").await.expect("sent");
    let prompt = wire.expect("session/prompt").await;
    wire.answer(&prompt, json!({"messageId": "m1"})).await;
    let tool = |members: Value| {
        let mut update = json!({"sessionUpdate": "tool_call_update", "toolCallId": "c1", "title": "Work"});
        update.as_object_mut().expect("an object").extend(members.as_object().expect("an object").clone());
        update
    };
    let offer = json!({"capabilities": {"cancel": {}}});
    // What each update makes of the offer.
    let table = [
        (tool(offer.clone()), true),
        (tool(json!({"status": "in_progress"})), true),
        (tool(json!({"capabilities": null})), false),
        (tool(offer.clone()), true),
        (tool(json!({"capabilities": {"cancel": 1}})), false),
        (tool(offer.clone()), true),
        (tool(json!({"capabilities": {"cancel": {}}, "status": "failed"})), false),
    ];
    let mut turn = turn;
    for (update, is_offered) in table {
        wire.update("s1", update.clone()).await;
        wire.update("s1", text("m9", "mark")).await;
        while turn.next().await.expect("an event").text() != Some("mark") {}
        if is_offered {
            let (done, params) = tokio::join!(
                session.cancel_tool_call("c1"),
                answered(&mut wire, "tool_call/cancel", json!({})),
            );
            done.expect("accepted");
            assert_eq!(params, json!({"sessionId": "s1", "toolCallId": "c1"}), "{update}");
        } else {
            let refused = session.cancel_tool_call("c1").await;
            assert!(matches!(refused, Err(Error::NotOffered { .. })), "{update}: {refused:?}");
        }
    }
}

#[tokio::test]
async fn version_1_has_no_cancel_of_a_part() {
    let (session, mut wire) = crate::common::with_session(|connect| connect).await;
    for refused in [session.cancel_tool_call("c1").await, session.cancel_terminal("t1").await] {
        assert!(
            matches!(&refused, Err(Error::Unsupported { version: ProtocolVersion::V1, .. })),
            "{refused:?}"
        );
    }
    drop(session);
    assert!(wire.next().await.is_none(), "nothing was sent");
}
