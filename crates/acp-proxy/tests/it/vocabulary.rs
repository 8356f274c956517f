//! Handlers of the vocabulary in version 2: they have the types of version 1, and the wire has
//! version 2.

use std::sync::{Arc, Mutex};

use acp_proxy::{Conductor, Next, Pass, Proxy, Reply};
use acp_types::v1::{
    AuthenticateRequest, CancelNotification, LoadSessionRequest, McpServer, McpServerStdio,
    NewSessionRequest, PromptRequest, RequestPermissionRequest, ResumeSessionRequest, SessionNotification,
    SessionUpdate, SetSessionConfigOptionRequest, SetSessionModeRequest,
};
use serde_json::{Value, json};

use super::common::{End, end, serve};

pub(super) async fn start(proxy: Proxy) -> (End, End) {
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(Conductor::new().proxy(proxy).agent(transport));
    client.ask("init", "initialize", json!({"protocolVersion": 2})).await;
    let (id, params) = agent.request("initialize").await;
    assert_eq!(params["protocolVersion"], 2, "the handlers take part in version 2");
    agent.answer(&id, json!({"protocolVersion": 2})).await;
    client.result("init").await;
    (client, agent)
}

/// Sends a request of the client, and returns its method and params at the agent.
async fn down(client: &mut End, agent: &mut End, method: &str, params: &Value) -> Value {
    client.ask(1, method, params.clone()).await;
    let (id, params) = agent.request(method).await;
    agent.answer(&id, json!({})).await;
    client.result(1).await;
    params
}

/// Sends an update, and returns the one that the client gets.
async fn up(client: &mut End, agent: &mut End, update: &Value) -> Value {
    agent.notify("session/update", json!({"sessionId": "s", "update": update, "_x": 1})).await;
    let mut message = client.value().await;
    assert_eq!((&message["method"], &message["params"]["_x"]), (&json!("session/update"), &json!(1)));
    message["params"]["update"].take()
}

/// A session gets one more server and another folder. Everything else stays as it came.
#[tokio::test]
async fn a_session_is_opened_with_changes() {
    async fn new(mut request: NewSessionRequest, next: Next) -> Reply {
        request.mcp_servers.insert(0, McpServerStdio::new("mine", "/bin/mine", [], []).into());
        request.additional_directories.push("/notes".to_owned());
        request.meta = None;
        next.run_with(&request).await
    }
    let (mut client, mut agent) = start(Proxy::new("p").new_session(new)).await;
    let mine = json!({"type": "stdio", "name": "mine", "command": "/bin/mine", "args": [], "env": []});
    // Its lists may be left out.
    let params = json!({"cwd": "/w"});
    let got = down(&mut client, &mut agent, "session/new", &params).await;
    assert_eq!(got, json!({"cwd": "/w", "additionalDirectories": ["/notes"], "mcpServers": [mine]}));
    let theirs = json!([
        {"type": "stdio", "name": "a", "command": "/bin/a", "_y": 1},
        {"type": "http", "name": "b", "url": "http://b"},
        {"type": "pigeon", "name": "c", "loft": 7},
    ]);
    let params = json!({"cwd": "/w", "mcpServers": theirs, "_x": {"k": 1.5}, "_meta": {"gone": 1}});
    let got = down(&mut client, &mut agent, "session/new", &params).await;
    assert!(got.get("_meta").is_none(), "{got}");
    let servers = got["mcpServers"].as_array().unwrap();
    assert_eq!((servers.len(), &servers[0], &servers[3], &got["_x"]), (4, &mine, &theirs[2], &params["_x"]));
    assert_eq!((&servers[1]["type"], &servers[1]["_y"]), (&json!("stdio"), &json!(1)));
    assert_eq!((&servers[2]["type"], &servers[2]["url"]), (&json!("http"), &json!("http://b")));
}

/// A message that its handler sends on unchanged leaves as the bytes that came.
#[tokio::test]
async fn a_message_without_changes_is_the_one_that_came() {
    let proxy = Proxy::new("p")
        .new_session(async |request: NewSessionRequest, next: Next| next.run_with(&request).await)
        .update(async |update: SessionNotification, pass: Pass| pass.run_with(&update).unwrap());
    let (mut client, mut agent) = start(proxy).await;
    let line = r#"{"jsonrpc":"2.0","id":0,"method":"session/new","params":{ "mcpServers":[{"type":"stdio","command":"c","name":"n"}], "cwd":"/" }}"#;
    client.send(line.replace("\"id\":0", "\"id\":7").as_str()).await;
    let got = agent.line().await;
    let (_, params) = line.split_once("\"params\":").unwrap();
    assert!(got.ends_with(params), "{got}");
    for update in [
        r#"{"sessionUpdate":"state_update","state":"running","_n":1e3}"#,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","title":null,"content":[{"type":"diff","changes":[{"operation":"add","path":"/a"}]}]}"#,
        r#"{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}}"#,
        r#"{"sessionUpdate":"plan_update","plan":{"type":"poem","planId":"p"}}"#,
        r#"{"sessionUpdate":"agent_message","messageId":"m","content":[]}"#,
        r#"{"sessionUpdate":"config_option_update","configOptions":[{"configId":"c","name":"n","type":"dial","x":1}]}"#,
        r#"{"sessionUpdate":"never_heard_of"}"#,
        r#"{"sessionUpdate":"usage_update","used":1,"size":2,"_far":123456789012345678901234567890}"#,
    ] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s", "update":{update}}}}}"#
        );
        agent.send(line.as_str()).await;
        assert_eq!(client.line().await, line);
    }
}

/// A session that is resumed with its past is loaded, in the vocabulary.
#[tokio::test]
async fn loading_and_resuming_are_told_apart() {
    let calls = Arc::<Mutex<Vec<&str>>>::default();
    let (loads, resumes) = (Arc::clone(&calls), Arc::clone(&calls));
    let load = move |mut request: LoadSessionRequest, next: Next| {
        loads.lock().unwrap().push("load");
        request.cwd = "/loaded".into();
        async move { next.run_with(&request).await }
    };
    let resume = move |mut request: ResumeSessionRequest, next: Next| {
        resumes.lock().unwrap().push("resume");
        request.cwd = "/resumed".into();
        async move { next.run_with(&request).await }
    };
    let both = Proxy::new("p").load_session(load.clone()).resume_session(resume.clone());
    let cases = [
        (both, ["/loaded", "/resumed", "/resumed"]),
        (Proxy::new("p").load_session(load), ["/loaded", "/", "/"]),
        (Proxy::new("p").resume_session(resume), ["/", "/resumed", "/resumed"]),
    ];
    for (proxy, folders) in cases {
        let (mut client, mut agent) = start(proxy).await;
        for (replay, folder) in [json!({"type": "start"}), Value::Null, json!("absent")].iter().zip(folders) {
            let mut params = json!({"sessionId": "s", "cwd": "/", "replayFrom": replay});
            if replay == "absent" {
                params.as_object_mut().unwrap().remove("replayFrom");
            }
            let got = down(&mut client, &mut agent, "session/resume", &params).await;
            params["cwd"] = folder.into();
            if folder != "/" {
                // The list is the least that the type of version 1 has.
                params["mcpServers"] = json!([]);
            }
            assert_eq!(got["cwd"], params["cwd"]);
            assert_eq!(got.get("replayFrom"), params.get("replayFrom"));
        }
    }
    assert_eq!(*calls.lock().unwrap(), ["load", "resume", "resume", "load", "resume", "resume"]);
}

#[tokio::test]
async fn a_login_and_a_cancellation_have_their_handlers() {
    let calls = Arc::<Mutex<Vec<String>>>::default();
    let (logins, cancels) = (Arc::clone(&calls), Arc::clone(&calls));
    let proxy = Proxy::new("p")
        .authenticate(move |request: AuthenticateRequest, next: Next| {
            logins.lock().unwrap().push(request.method_id.to_string());
            async move { next.run_with(&AuthenticateRequest::new("other")).await }
        })
        .cancel(move |cancel: CancelNotification, pass: Pass| {
            cancels.lock().unwrap().push(cancel.session_id.to_string());
            async move { pass.run() }
        });
    let (mut client, mut agent) = start(proxy).await;
    let got = down(&mut client, &mut agent, "auth/login", &json!({"methodId": "key", "_x": 1})).await;
    assert_eq!(got, json!({"methodId": "other", "_x": 1}));
    client.notify("session/cancel", json!({"sessionId": "s"})).await;
    assert_eq!(agent.value().await["params"]["sessionId"], "s");
    assert_eq!(*calls.lock().unwrap(), ["key", "s"]);
}

/// A prompt keeps the members that only version 2 has.
#[tokio::test]
async fn a_prompt_is_changed() {
    let proxy = Proxy::new("p").prompt(async |mut request: PromptRequest, next: Next| {
        request.prompt.push("Briefly.".into());
        next.run_with(&request).await
    });
    let (mut client, mut agent) = start(proxy).await;
    let text = json!({"type": "text", "text": "Hello", "_y": 2});
    let got = down(
        &mut client,
        &mut agent,
        "session/prompt",
        &json!({"sessionId": "s", "prompt": [text], "_x": 1}),
    )
    .await;
    let more = json!({"type": "text", "text": "Briefly."});
    assert_eq!(got, json!({"sessionId": "s", "prompt": [text, more], "_x": 1}));
}

/// Modes are a config option of the category `mode`, whose id the answers that open sessions tell.
#[tokio::test]
async fn modes_and_config_options_are_told_apart() {
    let proxy = Proxy::new("p")
        .set_mode(async |mut request: SetSessionModeRequest, next: Next| {
            request.mode_id = format!("{}-mode", request.mode_id).into();
            next.run_with(&request).await
        })
        .set_config_option(async |mut request: SetSessionConfigOptionRequest, next: Next| {
            request.config_id = format!("{}-option", request.config_id).into();
            next.run_with(&request).await
        });
    let (mut client, mut agent) = start(proxy).await;
    client.ask(1, "session/new", json!({"cwd": "/"})).await;
    let (id, _) = agent.request("session/new").await;
    let options = json!([
        {"configId": "effort", "name": "Effort", "type": "boolean", "currentValue": true},
        {"configId": "how", "name": "Mode", "category": "mode", "type": "select", "currentValue": "ask", "options": []},
    ]);
    agent.answer(&id, json!({"sessionId": "s", "configOptions": options})).await;
    client.result(1).await;
    let set = |session: &str, option: &str, kind: &str, value: Value| json!({"sessionId": session, "configId": option, "type": kind, "value": value, "_x": 1});
    for (params, option, value) in [
        (set("s", "how", "id", json!("plan")), "how", json!("plan-mode")),
        (set("s", "effort", "boolean", json!(false)), "effort-option", json!(false)),
        (set("s", "effort", "id", json!("low")), "effort-option", json!("low")),
        // Of another session nobody knows the mode.
        (set("other", "how", "id", json!("plan")), "how-option", json!("plan")),
    ] {
        let got = down(&mut client, &mut agent, "session/set_config_option", &params).await;
        let mut expected = params.clone();
        (expected["configId"], expected["value"]) = (option.into(), value);
        assert_eq!(got, expected);
    }
    // A session that could not be closed keeps its mode.
    for (is_closed, option) in [(false, "how"), (true, "how-option")] {
        client.ask(2, "session/close", json!({"sessionId": "s"})).await;
        let (id, _) = agent.request("session/close").await;
        if is_closed {
            agent.answer(&id, json!({})).await;
        } else {
            agent.fail(&id, json!({"code": -32603, "message": "busy"})).await;
        }
        client.value().await;
        let params = set("s", "how", "id", json!("plan"));
        let got = down(&mut client, &mut agent, "session/set_config_option", &params).await;
        assert_eq!(got["configId"], option);
    }
}

/// A permission is about a tool call, a command or something newer. A handler sees a tool call.
#[tokio::test]
async fn a_permission_is_asked_with_changes() {
    let seen = Arc::<Mutex<Vec<Value>>>::default();
    let noted = Arc::clone(&seen);
    let proxy =
        Proxy::new("p").request_permission(move |mut request: RequestPermissionRequest, next: Next| {
            let call = serde_json::from_str(&acp_json::to_string(&request.tool_call)).unwrap();
            noted.lock().unwrap().push(call);
            request.options.truncate(1);
            request.tool_call.title = Some("Changed".to_owned());
            async move { next.run_with(&request).await }
        });
    let (mut client, mut agent) = start(proxy).await;
    let option = |id: &str| json!({"optionId": id, "name": id, "kind": "allow_once", "_y": id});
    let call =
        json!({"toolCallId": "t", "title": "Run", "_z": 1, "content": [{"type": "diff", "changes": []}]});
    for (subject, changed) in [
        (json!({"type": "tool_call", "toolCall": call, "_w": 2}), true),
        (json!({"type": "command", "command": "rm x", "cwd": "/w"}), false),
        (json!({"type": "weather"}), false),
        (Value::Null, false),
    ] {
        let params = json!({"sessionId": "s", "title": "May I?", "subject": subject, "options": [option("a"), option("b")]});
        agent.ask(1, "session/request_permission", params.clone()).await;
        let (id, got) = client.request("session/request_permission").await;
        let mut expected = params;
        expected["options"] = json!([option("a")]);
        if changed {
            expected["subject"]["toolCall"]["title"] = json!("Changed");
        }
        assert_eq!(got, expected);
        client.answer(&id, json!({"outcome": {"outcome": "selected", "optionId": "a"}})).await;
        assert_eq!(agent.result(1).await["outcome"]["optionId"], "a");
    }
    let seen = seen.lock().unwrap();
    assert_eq!(seen[0]["content"][0]["type"], "_changes");
    assert_eq!((&seen[1]["kind"], &seen[1]["rawInput"]["command"]), (&json!("execute"), &json!("rm x")));
    assert_eq!((&seen[2]["title"], &seen[3]["title"]), (&json!("May I?"), &json!("May I?")));
}

/// Updates are changed, and what only version 2 has stays.
#[tokio::test]
async fn updates_are_changed() {
    let proxy = Proxy::new("p").update(async |mut notification: SessionNotification, pass: Pass| {
        match &mut notification.update {
            SessionUpdate::AgentThoughtChunk(_) => return,
            SessionUpdate::AgentMessageChunk(chunk) => chunk.content = "changed".into(),
            SessionUpdate::Plan(plan) => plan.entries.truncate(1),
            SessionUpdate::ToolCallUpdate(call) => call.title = Some("changed".to_owned()),
            SessionUpdate::AvailableCommandsUpdate(update) => {
                update.available_commands.push(acp_types::v1::AvailableCommand::new("mine", "Mine"));
            }
            SessionUpdate::ConfigOptionUpdate(update) => update.config_options.truncate(1),
            _ => {}
        }
        pass.run_with(&notification).unwrap();
    });
    let (mut client, mut agent) = start(proxy).await;
    let entry =
        |content: &str| json!({"content": content, "priority": "high", "status": "pending", "_e": content});
    let option =
        |id: &str| json!({"configId": id, "name": id, "type": "boolean", "currentValue": true, "_o": id});
    let chunk = |kind: &str, text: &str| json!({"sessionUpdate": kind, "messageId": "m", "content": {"type": "text", "text": text}, "_c": 1});
    let diff = json!({"type": "diff", "changes": [{"operation": "add", "path": "/a"}], "patch": {"format": "git", "text": "x"}});
    // The first one is kept back.
    let thought = json!({"sessionId": "s", "update": chunk("agent_thought_chunk", "hm")});
    agent.notify("session/update", thought).await;
    for (update, expected) in [
        (chunk("agent_message_chunk", "x"), chunk("agent_message_chunk", "changed")),
        (
            json!({"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "p", "entries": [entry("a"), entry("b")], "_p": 1}}),
            json!({"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "p", "entries": [entry("a")], "_p": 1}}),
        ),
        (
            json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "content": [diff], "capabilities": {"cancel": {}}}),
            json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "title": "changed", "content": [diff], "capabilities": {"cancel": {}}}),
        ),
        (
            json!({"sessionUpdate": "available_commands_update", "availableCommands": [{"type": "command", "name": "a", "description": "A", "input": {"type": "text", "hint": "h"}}]}),
            json!({"sessionUpdate": "available_commands_update", "availableCommands": [{"type": "command", "name": "a", "description": "A", "input": {"type": "text", "hint": "h"}}, {"type": "command", "name": "mine", "description": "Mine"}]}),
        ),
        (
            json!({"sessionUpdate": "config_option_update", "configOptions": [option("a"), option("b")]}),
            json!({"sessionUpdate": "config_option_update", "configOptions": [option("a")]}),
        ),
    ] {
        assert_eq!(up(&mut client, &mut agent, &update).await, expected);
    }
}

/// Params that are not of the type are refused, and the error says where.
#[tokio::test]
async fn params_that_cannot_be_seen_are_refused() {
    let proxy = Proxy::new("p").new_session(async |_: NewSessionRequest, next: Next| next.run().await);
    let (mut client, mut agent) = start(proxy).await;
    client.ask(1, "session/new", json!({"cwd": 7})).await;
    let error = client.error(1).await;
    assert_eq!(error["code"], -32602);
    assert!(error["message"].as_str().unwrap().contains("cwd"), "{error}");
    // Nobody gets past a handler by a number that cannot be seen.
    client.send(r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/","_far":1e400}}"#).await;
    assert_eq!(client.error(2).await["code"], -32602);
    client.notify("_n", json!({})).await;
    assert_eq!(agent.value().await["method"], "_n");
}

/// A server of stdio is one for a handler, whatever version has said so.
#[tokio::test]
async fn a_handler_sees_the_kinds_of_version_1() {
    let seen = Arc::<Mutex<Vec<bool>>>::default();
    let noted = Arc::clone(&seen);
    let proxy = Proxy::new("p").new_session(move |request: NewSessionRequest, next: Next| {
        let is_stdio = |server: &McpServer| matches!(server, McpServer::Stdio(_));
        noted.lock().unwrap().extend(request.mcp_servers.iter().map(is_stdio));
        async move { next.run().await }
    });
    let (mut client, mut agent) = start(proxy).await;
    let servers = json!([{"type": "stdio", "name": "a", "command": "/a"}, {"type": "http", "name": "b", "url": "http://b"}]);
    down(&mut client, &mut agent, "session/new", &json!({"cwd": "/", "mcpServers": servers})).await;
    assert_eq!(*seen.lock().unwrap(), [true, false]);
}
