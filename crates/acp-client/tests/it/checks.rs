//! The checks that a client shares with agents: the table of acp-types, through a client. The
//! agent's tests send it through an agent.

use std::sync::{Arc, Mutex};

use acp_client::v1::{ContentBlock, ElicitationContentValue, McpServer, SetSessionConfigOptionRequest};
use acp_client::{Connect, Elicitation, ElicitationAnswer, Error, Map};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::common::{connected, open, pipe, with_session};

fn table() -> Value {
    serde_json::from_str(include_str!("../../../acp-types/tests/it/checks/table.json")).expect("JSON")
}

fn rows(section: &Value, name: &str) -> Vec<Value> {
    let rows = section[name].as_array().expect("a list").clone();
    assert!(!rows.is_empty());
    rows
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn read<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).expect("the type")
}

fn plain(connect: Connect) -> Connect {
    connect
}

#[track_caller]
fn assert_refused<T>(result: Result<T, Error>, problem: &str) {
    let Err(error) = result else { panic!("refused by {problem}") };
    assert!(error.to_string().contains(problem), "{error}, not {problem}");
}

#[tokio::test]
async fn values_of_forms() {
    let table = table();
    let forms = &table["forms"];
    let values: Arc<Mutex<Map<ElicitationContentValue>>> = Arc::default();
    let answers = Arc::clone(&values);
    let asks = Elicitation::new()
        .form(move |_| std::future::ready(ElicitationAnswer::Accept(answers.lock().expect("free").clone())));
    let (session, mut wire) = with_session(|connect| connect.elicitation(asks)).await;
    let refused = rows(forms, "refused").into_iter().map(|row| (row[0].clone(), Err(row[1].clone())));
    let taken = rows(forms, "taken").into_iter().map(|row| (row[0].clone(), Ok(row[1].clone())));
    // A client sends nothing that nobody asked for.
    let unasked = (forms["unasked"][0].clone(), Err(forms["unasked"][1].clone()));
    for (content, expected) in refused.chain(taken).chain([unasked]) {
        *values.lock().expect("free") = read(&content);
        let params =
            json!({"sessionId": "s1", "mode": "form", "message": "?", "requestedSchema": forms["schema"]});
        let answer = wire.call(json!("e"), "elicitation/create", params).await;
        match expected {
            Ok(sent) => assert_eq!(answer["result"], json!({"action": "accept", "content": sent})),
            Err(problem) => {
                assert_eq!(answer["result"], json!({"action": "cancel"}), "{content}");
                let faults = session.agent().faults();
                assert!(faults.iter().any(|fault| fault.contains(text(&problem))), "{content}: {faults:?}");
            }
        }
    }
}

#[tokio::test]
async fn settings() {
    let table = table();
    let (config, modes) = (&table["config_options"], &table["modes"]);
    let (agent, mut wire) = connected(plain, json!({})).await;
    let opened = json!({"sessionId": "s1", "configOptions": config["options"], "modes": modes["state"]});
    let session = open(&agent, &mut wire, opened).await;
    let request = |set: &Value| -> SetSessionConfigOptionRequest {
        let mut set = set.clone();
        set["sessionId"] = json!("s1");
        read(&set)
    };
    for row in rows(config, "refused") {
        let set = request(&row[0]);
        assert_refused(session.set_config_option(set.config_id, set.value).await, text(&row[1]));
    }
    for row in rows(modes, "refused") {
        assert_refused(session.set_mode(text(&row[0])).await, text(&row[1]));
    }
    for mut row in rows(config, "taken") {
        let set = request(&row);
        let (set, ()) = tokio::join!(session.set_config_option(set.config_id, set.value), async {
            let request = wire.expect("session/set_config_option").await;
            row["sessionId"] = json!("s1");
            assert_eq!(request["params"], row);
            wire.answer(&request, json!({"configOptions": config["options"]})).await;
        });
        set.expect("set");
    }
    for mode in rows(modes, "taken") {
        let (set, ()) = tokio::join!(session.set_mode(text(&mode)), async {
            let request = wire.expect("session/set_mode").await;
            assert_eq!(request["params"]["modeId"], mode);
            wire.answer(&request, json!({})).await;
        });
        set.expect("set");
    }
}

#[tokio::test]
async fn logins() {
    let methods = &table()["auth_methods"];
    let (transport, mut wire) = pipe();
    let connecting = acp_client::connect(transport).terminal_logins();
    let (agent, ()) = tokio::join!(connecting.into_future(), async {
        let request = wire.expect("initialize").await;
        wire.answer(&request, json!({"protocolVersion": 1, "authMethods": methods["methods"]})).await;
    });
    let agent = agent.expect("connected");
    for row in rows(methods, "refused") {
        assert_refused(agent.authenticate(text(&row[0])).await, text(&row[1]));
    }
    for method in rows(methods, "taken") {
        let (done, ()) = tokio::join!(agent.authenticate(text(&method)), async {
            let request = wire.expect("authenticate").await;
            assert_eq!(request["params"]["methodId"], method);
            wire.answer(&request, json!({})).await;
        });
        done.expect("logged in");
    }
}

#[tokio::test]
async fn prompts_and_servers() {
    let table = table();
    let (prompts, servers) = (&table["prompts"], &table["mcp_servers"]);
    let offered =
        json!({"promptCapabilities": prompts["capabilities"], "mcpCapabilities": servers["capabilities"]});
    let (agent, mut wire) = connected(plain, offered).await;
    let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    for row in rows(prompts, "refused") {
        let prompt: Vec<ContentBlock> = read(&row[0]);
        let error = session.prompt(prompt).await.expect_err("refused");
        assert!(error.to_string().contains(text(&row[2]).trim_matches('`')), "{error}");
        match error {
            Error::Content { block, .. } => assert_eq!(json!(block), row[1]),
            Error::Argument { field, .. } => assert_eq!((field, &row[1]), ("prompt", &Value::Null)),
            other => panic!("{other}"),
        }
    }
    for row in rows(servers, "refused") {
        let server: McpServer = read(&row[0]);
        assert_refused(agent.new_session("/work").mcp_server(server).await, text(&row[1]));
    }
    let taken: Vec<McpServer> = rows(servers, "taken").iter().map(read).collect();
    let opening = taken.into_iter().fold(agent.new_session("/work"), |open, server| open.mcp_server(server));
    let (opened, ()) = tokio::join!(opening.into_future(), async {
        let request = wire.expect("session/new").await;
        assert_eq!(request["params"]["mcpServers"], servers["taken"]);
        wire.answer(&request, json!({"sessionId": "s2"})).await;
    });
    opened.expect("opened");
}

#[tokio::test]
async fn paths_and_extensions() {
    let table = table();
    let (paths, extensions) = (&table["paths"], &table["extensions"]);
    let (agent, mut wire) = connected(plain, json!({"sessionCapabilities": {"list": {}}})).await;
    for path in rows(paths, "refused") {
        let problem = "`cwd` must be an absolute path";
        assert_refused(agent.new_session(text(&path)).await, problem);
        let listed = agent.list_sessions().cwd(text(&path)).next().await.expect("an error");
        assert_refused(listed, problem);
    }
    for path in rows(paths, "taken") {
        let (session, ()) = tokio::join!(agent.new_session(text(&path)).into_future(), async {
            let request = wire.expect("session/new").await;
            assert_eq!(request["params"]["cwd"], path);
            wire.answer(&request, json!({"sessionId": path})).await;
        });
        session.expect("opened");
    }
    for name in rows(extensions, "refused") {
        assert_refused(agent.ext_notify(text(&name), &()).await, "`method` must start with `_`");
    }
    for name in rows(extensions, "taken") {
        agent.ext_notify(text(&name), &()).await.expect("sent");
        wire.expect(text(&name)).await;
    }
}
