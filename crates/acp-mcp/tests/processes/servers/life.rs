//! The cases of a server's life: restarts, lists that change, its environment, and its end.

use acp_mcp::{CallOptions, EnvPolicy, Event, McpError, StdioOptions, ToolsStatus, VersionPolicy};
use acp_types::v1::{EnvVariable, McpServer, McpServerStdio};
use serde_json::{Value, json};

use super::scene::{Scene, status, wait_for};

/// Polls a file that another process writes, because there is nothing to wait on.
pub async fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

pub async fn a_server_that_floods_keeps_nobody_else() {
    let scene = Scene::new();
    let session = scene.builder().connect_all(&[scene.server("flood"), scene.server("plain")]).await;
    session.tools().await;
    for name in ["plain__echo", "flood__echo", "plain__echo"] {
        let outcome = session.call_tool(name, json!({ "x": 1 }), CallOptions::new()).await.unwrap();
        assert_eq!(outcome.text(), r#"{"x":1}"#, "{name}");
    }
    session.shutdown().await;
}

pub async fn mcp_neg_37_a_server_that_crashes_is_started_again() {
    let scene = Scene::new();
    let session = scene.connect("plain").await;
    session.tools().await;
    let mut events = session.events();
    let error = session.call_tool("plain__crash", Value::Null, CallOptions::new()).await.unwrap_err();
    let crashed = "the server's process ended with status 7; its last words on stderr:\ncrashing as told";
    assert_eq!(error.to_string(), crashed);
    let outcome = session.call_tool("plain__echo", json!({}), CallOptions::new()).await.unwrap();
    assert_eq!(outcome.text(), "{}");
    let event = wait_for(&mut events, |event| matches!(event, Event::Restarting { .. })).await;
    assert!(matches!(event, Event::Restarting { error, .. } if error.to_string() == crashed));
    wait_for(&mut events, |event| matches!(event, Event::Restarted { .. })).await;
}

pub async fn a_server_that_crashes_again_and_again_is_given_up() {
    let scene = Scene::new();
    let session = scene.builder().restarts(1).connect_all(&[scene.server("plain")]).await;
    session.tools().await;
    let mut events = session.events();
    for _ in 0..2 {
        session.call_tool("plain__crash", Value::Null, CallOptions::new()).await.unwrap_err();
        session.connected().await;
    }
    wait_for(&mut events, |event| matches!(event, Event::Failed { .. })).await;
    assert!(status(&session).contains("status 7"), "{}", status(&session));
    assert_eq!(session.tools().await, []);
}

/// A server that starts once and then fails. A file counts its starts.
#[cfg(unix)]
pub async fn mcp_neg_37_a_restart_that_fails_is_one_of_three() {
    let scene = Scene::new();
    let count = scene.file("count");
    // It starts the first time, and again from the count in a file on.
    let script = format!(
        "echo >> '{count}'; n=$(wc -l < '{count}'); [ $n -eq 1 -o $n -ge $(cat '{count}.from') ] && exec \"$0\" \"$@\"; \
         echo \"start $n failed\" >&2; exit 9",
        count = count.display()
    );
    for (from, is_up) in [(4, true), (5, false)] {
        let _ = std::fs::remove_file(&count);
        std::fs::write(scene.file("count.from"), from.to_string()).unwrap();
        // A first start that fails is not repeated.
        let policy = VersionPolicy::LegacyOnly;
        let session = scene.builder().versions(policy).connect_all(&[scene.shell("plain", &script)]).await;
        session.tools().await;
        let mut events = session.events();
        session.call_tool("plain__crash", Value::Null, CallOptions::new()).await.unwrap_err();
        // The call waits for all restarts.
        let outcome = session.call_tool("plain__echo", json!({}), CallOptions::new()).await;
        if is_up {
            assert_eq!(outcome.unwrap().text(), "{}");
            wait_for(&mut events, |event| matches!(event, Event::Restarted { .. })).await;
        } else {
            let reason =
                "the server's process ended with status 9; its last words on stderr:\nstart 4 failed";
            assert_eq!(outcome.unwrap_err().to_string(), reason);
            for _ in 0..2 {
                let later =
                    session.call_tool("plain__echo", json!({}), CallOptions::new()).await.unwrap_err();
                assert_eq!(later.to_string(), reason, "a call that comes later has the reason");
            }
            assert_eq!(status(&session), format!("failed: {reason}"));
            assert_eq!(session.tools().await, []);
            wait_for(&mut events, |event| matches!(event, Event::Failed { .. })).await;
        }
        let starts = std::fs::read_to_string(&count).unwrap().lines().count();
        assert_eq!(starts, 4, "the first, and three in a row");
        session.shutdown().await;
    }
}

#[cfg(not(unix))]
pub async fn mcp_neg_37_a_restart_that_fails_is_one_of_three() {}

pub async fn a_list_that_fails_is_told() {
    let scene = Scene::new();
    let session = scene.connect("no-tools-today").await;
    assert_eq!(session.tools().await, []);
    let ToolsStatus::Failed(error) = session.servers()[0].tools_status() else { panic!("it has failed") };
    assert_eq!(error.to_string(), "the server answered `tools/list` with error -32603: scripted");
    wait_for(&mut session.events(), |event| matches!(event, Event::ToolsFailed { .. })).await;
}

pub async fn lists_are_asked_for_again_when_they_change() {
    let scene = Scene::new();
    let session = scene.connect("plain").await;
    session.tools().await;
    let mut events = session.events();
    let is_list = |event: &Event| matches!(event, Event::ToolsChanged { .. });
    wait_for(&mut events, is_list).await;
    let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let server = session.server("plain").unwrap();
    let guard = server.on_notification("notifications/tools/list_changed", move |notification| {
        told.send(notification.clone()).unwrap();
    });
    session.call_tool("plain__change", Value::Null, CallOptions::new()).await.unwrap();
    wait_for(&mut events, is_list).await;
    let notification = heard.recv().await.unwrap();
    assert_eq!((notification.server.as_str(), &notification.params), ("plain", &Value::Null));
    // A removed handler is not called any more: its channel is closed.
    drop(guard);
    session.call_tool("plain__change", Value::Null, CallOptions::new()).await.unwrap();
    wait_for(&mut events, is_list).await;
    assert_eq!(heard.recv().await, None);
}

pub async fn a_modern_server_is_listened_to() {
    let scene = Scene::new();
    let session = scene.connect("telling").await;
    session.tools().await;
    let mut events = session.events();
    let is_list = |event: &Event| matches!(event, Event::ToolsChanged { .. });
    wait_for(&mut events, is_list).await;
    until(|| scene.log("telling").iter().any(|method| method == "subscriptions/listen")).await;
    session.call_tool("telling__change", Value::Null, CallOptions::new()).await.unwrap();
    wait_for(&mut events, is_list).await;
}

pub async fn environment_and_folder_are_as_told() {
    let scene = Scene::new();
    let script = "pwd >&2; env | grep -v '^PWD=\\|^_=\\|^SHLVL=\\|^OLDPWD=' >&2; exit 1";
    let env = [EnvVariable::new("KEY", "secret")];
    let server: McpServer =
        McpServerStdio::new("sh", "/bin/sh", ["-c".to_owned(), script.to_owned()], env).into();
    let folder = scene.file("").canonicalize().unwrap();
    let options = StdioOptions::default().cwd(&folder).env(EnvPolicy::Empty);
    let session = scene.builder().stdio(options).connect_all(std::slice::from_ref(&server)).await;
    let expected = format!("{}\nKEY=secret", folder.display());
    let McpError::Exited { stderr_tail, .. } = session.servers()[0].status().failure().unwrap().clone()
    else {
        panic!("it has ended")
    };
    let lines = |text: &str| {
        text.lines().filter(|line| !line.starts_with("PATH=")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines(&stderr_tail), lines(&expected));
}

pub async fn a_listener_that_panics_closes_no_stderr() {
    let scene = Scene::new();
    let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let options = StdioOptions::default().on_stderr(move |_, line| {
        told.send(line.to_owned()).unwrap();
        panic!("as a listener may");
    });
    let session = scene.builder().stdio(options).connect_all(&[scene.server("talks")]).await;
    session.tools().await;
    assert_eq!(heard.recv().await.as_deref(), Some("line 0"));
    // More than a pipe holds.
    let outcome = session.call_tool("talks__talk", json!({}), CallOptions::new()).await.unwrap();
    assert_eq!(outcome.text(), "talked");
    assert!(heard.try_recv().is_err(), "it is not asked again");
    let error = session.call_tool("talks__crash", Value::Null, CallOptions::new()).await.unwrap_err();
    assert!(error.to_string().ends_with("line 49999\ncrashing as told"), "{error}");
}

#[cfg(not(target_os = "linux"))]
pub async fn a_server_has_a_session_of_its_own() {}

/// The server has no terminal to write to or to wait at.
#[cfg(target_os = "linux")]
pub async fn a_server_has_a_session_of_its_own() {
    let scene = Scene::new();
    let file = scene.file("session");
    let script = format!("cut -d' ' -f1,6,7 /proc/$$/stat > '{}'; exec \"$0\" \"$@\"", file.display());
    let session = scene.builder().connect_all(&[scene.shell("plain", &script)]).await;
    assert_eq!(status(&session), "legacy 2025-11-25");
    let stat = std::fs::read_to_string(file).unwrap();
    let [pid, leader, terminal] = stat.split_whitespace().collect::<Vec<_>>()[..] else { panic!("{stat}") };
    assert_eq!((leader, terminal), (pid, "0"));
    session.shutdown().await;
}

pub async fn credentials_are_not_printed() {
    let scene = Scene::new();
    let McpServer::Stdio(mut server) = scene.server("plain") else { unreachable!() };
    server.env = vec![EnvVariable::new("TOKEN", "very-secret")];
    let bad = McpServerStdio::new("bad", "/nowhere/server", ["very-secret".to_owned()], server.env.clone());
    let session = scene.builder().connect_all(&[McpServer::Stdio(server), bad.into()]).await;
    assert_eq!(status(&session), "legacy 2025-11-25");
    let statuses: Vec<_> = session.servers().iter().map(acp_mcp::Server::status).collect();
    let printed = format!("{session:?} {:?} {statuses:?} {:?}", session.servers(), session.current_tools());
    assert!(printed.contains("/nowhere/server") && !printed.contains("very-secret"), "{printed}");
}

pub async fn answers_are_not_longer_than_allowed() {
    let scene = Scene::new();
    let options = StdioOptions::default().line_limit(10_000);
    let session = scene.builder().stdio(options).connect_all(&[scene.server("plain")]).await;
    session.tools().await;
    let waiting = session.clone();
    let waiting = tokio::spawn(async move {
        waiting.call_tool("plain__hang", Value::Null, CallOptions::new()).await.map(drop)
    });
    until(|| scene.log("plain").iter().any(|method| method == "tools/call")).await;
    for arguments in [json!({ "is_hidden": true }), json!({})] {
        let error = session.call_tool("plain__big", &arguments, CallOptions::new()).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the server answered `tools/call` with error -32603: the answer is longer than 10000 bytes",
            "{arguments}"
        );
    }
    session.call_tool("plain__echo", Value::Null, CallOptions::new()).await.unwrap();
    assert!(!waiting.is_finished(), "the call whose id stands in the answer to another goes on");
    waiting.abort();
}

pub async fn an_answer_that_cannot_be_read_is_an_error_of_its_call() {
    let scene = Scene::new();
    let session = scene.connect("plain").await;
    session.tools().await;
    let error =
        session.call_tool("plain__odd", json!({ "is_broken": true }), CallOptions::new()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server answered `tools/call` with error -32603: the answer is not JSON"
    );
}

#[cfg(not(unix))]
pub async fn mcp_neg_36_a_stubborn_server_is_killed() {}

#[cfg(not(unix))]
pub async fn mcp_neg_36_what_a_server_started_goes_with_it() {}

#[cfg(unix)]
pub async fn mcp_neg_36_a_stubborn_server_is_killed() {
    let mut scene = Scene::new();
    scene.timeouts.shutdown = std::time::Duration::from_millis(50);
    let pid = scene.file("pid");
    let script = format!("trap '' TERM; echo $$ > '{}'; exec \"$0\" \"$@\"", pid.display());
    let session = scene.builder().connect_all(&[scene.shell("stubborn", &script)]).await;
    assert_eq!(status(&session), "legacy 2025-11-25");
    session.shutdown().await;
    until(|| is_gone(&pid)).await;
}

#[cfg(unix)]
pub async fn mcp_neg_36_what_a_server_started_goes_with_it() {
    let scene = Scene::new();
    let pid = scene.file("pid");
    let script = format!("sleep 1000 & echo $! > '{}'; exec \"$0\" \"$@\"", pid.display());
    for is_told in [true, false] {
        let session = scene.builder().connect_all(&[scene.shell("plain", &script)]).await;
        assert_eq!(status(&session), "legacy 2025-11-25");
        if is_told {
            session.shutdown().await;
        }
        drop(session);
        until(|| is_gone(&pid)).await;
    }
}

/// Returns true if the process whose id a file holds has ended.
#[cfg(unix)]
fn is_gone(file: &std::path::Path) -> bool {
    let pid = std::fs::read_to_string(file).unwrap();
    let alive =
        std::process::Command::new("/bin/kill").args(["-0", pid.trim()]).output().unwrap().status.success();
    // It may be a zombie, because its parent is gone.
    let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    !alive || state.contains(") Z ")
}
