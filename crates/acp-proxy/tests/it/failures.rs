//! Components that end at each step of a session, by the policy of each.

use acp_proxy::{ConductError, Conductor, Policy, Toward};
use acp_rpc::Command;
use serde_json::{Value, json};

use super::common::{End, serve, soon};
use super::programs::{STATUS, component, once};

/// The step of a session at which a request is lost, by the message at which a component dies.
const STEPS: [(&str, &str); 6] = [
    ("start", "initialize"),
    ("initialize", "initialize"),
    ("session/new", "session/new"),
    ("session/prompt", "session/prompt"),
    ("session/request_permission", "session/prompt"),
    ("_idle", "_ping"),
];

/// Runs a session until a request fails. Returns its method and the error.
async fn session(client: &mut End, name: &str) -> Option<(&'static str, Value)> {
    let requests = [
        ("initialize", json!({"protocolVersion": 1})),
        ("session/new", json!({"cwd": name, "mcpServers": []})),
        ("session/prompt", json!({"sessionId": name, "prompt": []})),
        ("_ping", json!({})),
    ];
    for (method, params) in requests {
        let outcome = if method == "_ping" {
            // Both in one piece, so that the request is under way when a component dies at the
            // first.
            let idle = json!({"jsonrpc": "2.0", "method": "_idle", "params": {}});
            let ping = json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params});
            client.send(format!("{idle}\n{ping}")).await;
            answer(client, method).await
        } else {
            ask(client, method, params).await
        };
        if let Err(error) = outcome {
            return Some((method, error));
        }
    }
    None
}

/// Asks, and waits for the answer.
async fn ask(client: &mut End, method: &str, params: Value) -> Result<Value, Value> {
    client.ask(method, method, params).await;
    answer(client, method).await
}

/// Waits for the answer, and allows whatever the agent wants meanwhile.
async fn answer(client: &mut End, method: &str) -> Result<Value, Value> {
    loop {
        let mut message = client.value().await;
        if message["method"] == "session/request_permission" {
            client.answer(&message["id"], json!({"outcome": {"outcome": "cancelled"}})).await;
        } else if message["id"] == method {
            return match message.get("error") {
                Some(error) => Err(error.clone()),
                None => Ok(message["result"].take()),
            };
        }
    }
}

fn assert_names(error: &Value, name: &str) {
    assert_eq!(error["code"], -32603, "{error}");
    assert_eq!(error["data"]["component"], name, "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains(&format!("status {STATUS}")), "{error}");
    assert!(message.contains("the last words"), "{error}");
}

/// Starts a chain of two proxies and an agent, of which one dies. No process is left once this
/// is served: the conductor waits for each.
fn with_one_that_dies(who: &str, at: &str, policy: Policy) -> Conductor {
    let of = |name: &str, role| component(role, (name == who).then_some(at));
    let policy_of = |name: &str| if name == who { policy } else { Policy::Required };
    Conductor::new()
        .process(of("first", "proxy"), policy_of("first"))
        .named("first")
        .process(of("second", "proxy"), policy_of("second"))
        .named("second")
        .agent(of("agent", "agent"))
        .named("agent")
}

/// px-life-01: whoever ends at whichever step, the request under way is answered with an error that
/// names it, and the chain ends.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_required_component_ends_the_chain() {
    for who in ["first", "second", "agent"] {
        for (at, lost) in STEPS {
            // The agent sends this one.
            if who == "agent" && at == "session/request_permission" {
                continue;
            }
            let (mut client, serving) = serve(with_one_that_dies(who, at, Policy::Required));
            let (method, error) = session(&mut client, "s").await.expect("a failure");
            assert_eq!(method, lost, "{who} at {at}");
            assert_names(&error, who);
            let is_initialized = lost != "initialize";
            if !is_initialized {
                // The same error answers whatever comes.
                assert_names(&ask(&mut client, "_ping", json!({})).await.unwrap_err(), who);
                client.close().await;
            } else {
                assert!(client.last().await.is_none());
            }
            let outcome = soon("the end", serving).await.unwrap();
            match outcome {
                Err(ConductError::Component(failure)) if is_initialized => assert_eq!(failure.name, who),
                outcome => assert!(outcome.is_ok() && !is_initialized, "{who} at {at}: {outcome:?}"),
            }
        }
    }
}

/// An optional proxy is left out: the request that it had fails, or waits for nothing at all if it
/// ends before it has initialized, and the session goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_optional_proxy_is_left_out() {
    for who in ["first", "second"] {
        for (at, lost) in STEPS {
            let (mut client, serving) = serve(with_one_that_dies(who, at, Policy::Optional));
            let failed = session(&mut client, "s").await;
            match failed {
                None => assert!(["start", "initialize", "_idle"].contains(&at), "{who} at {at}"),
                Some((method, error)) => {
                    assert_eq!(method, lost, "{who} at {at}");
                    assert_names(&error, who);
                }
            }
            // The session is still there, without the proxy.
            ask(&mut client, "session/new", json!({"cwd": "s", "mcpServers": []})).await.unwrap();
            ask(&mut client, "session/prompt", json!({"sessionId": "s", "prompt": []})).await.unwrap();
            assert_eq!(ask(&mut client, "_ping", json!({})).await.unwrap(), "pong");
            client.close().await;
            soon("the end", serving).await.unwrap().unwrap();
        }
    }
}

/// A proxy that may be started again is initialized as before. Its requests have failed, and
/// messages wait for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proxy_is_started_again() {
    for who in ["first", "second"] {
        for (at, lost) in STEPS.into_iter().skip(2) {
            let folder = tempfile::tempdir().unwrap();
            let dies_once = |command: Command| once(command, &folder.path().join("died"));
            let of = |name: &str| {
                let command = component("proxy", (name == who).then_some(at));
                if name == who { dies_once(command) } else { command }
            };
            let conductor = Conductor::new()
                .process(of("first"), Policy::Restart(1))
                .named("first")
                .process(of("second"), Policy::Restart(1))
                .named("second")
                .agent(component("agent", None));
            let (mut client, serving) = serve(conductor);
            match session(&mut client, "s").await {
                None => assert_eq!(at, "_idle"),
                Some((method, error)) => {
                    assert_eq!(method, lost);
                    assert_names(&error, who);
                }
            }
            ask(&mut client, "session/prompt", json!({"sessionId": "s", "prompt": []})).await.unwrap();
            assert_eq!(ask(&mut client, "_ping", json!({})).await.unwrap(), "pong");
            client.close().await;
            soon("the end", serving).await.unwrap().unwrap();
        }
    }
}

/// A proxy that ends once more than it may ends the chain.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proxy_that_ends_too_often_ends_the_chain() {
    let conductor = with_one_that_dies("second", "session/prompt", Policy::Restart(2));
    let (mut client, serving) = serve(conductor);
    session(&mut client, "s").await.expect("a failure");
    let prompt = json!({"sessionId": "s", "prompt": []});
    assert_names(&ask(&mut client, "session/prompt", prompt.clone()).await.unwrap_err(), "second");
    assert_names(&ask(&mut client, "session/prompt", prompt).await.unwrap_err(), "second");
    assert!(client.last().await.is_none());
    assert!(soon("the end", serving).await.unwrap().is_err());
}

/// px-life-01: processes end with the conductor, also when its future is dropped.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_process_is_left_when_the_conductor_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let script = r#"echo $$ > "$0"; while read -r line; do :; done; exec sleep 1000"#;
    let agent = Command::new("/bin/sh").args(["-c", script]).arg(pid.as_os_str());
    let proxy = acp_proxy::Proxy::new("p").raw_request(Toward::Agent, "initialize", async |_, next| {
        next.cancelled().await;
        next.run().await
    });
    let conductor = Conductor::new().proxy(proxy).agent(agent.grace(std::time::Duration::ZERO));
    let (mut client, serving) = serve(conductor);
    client.ask(1, "initialize", json!({"protocolVersion": 1})).await;
    let number = soon("the process", async {
        loop {
            match std::fs::read_to_string(&pid) {
                Ok(text) if text.ends_with('\n') => break text.trim().to_owned(),
                _ => tokio::task::yield_now().await,
            }
        }
    })
    .await;
    serving.abort();
    let _ = serving.await;
    let process = std::path::PathBuf::from(format!("/proc/{number}"));
    soon("the end of the process", async {
        while process.exists() {
            tokio::task::yield_now().await;
        }
    })
    .await;
}
