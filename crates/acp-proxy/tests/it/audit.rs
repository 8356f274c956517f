//! The audit: what it records, and what its check finds.

use std::path::Path;

use acp_proxy::{Audit, AuditError, Conductor, Proxy, Rule, Rules};
use acp_rpc::tap::Redaction;
use serde_json::{Value, json};

use super::common::{end, serve};
use super::forwarding::initialized;

/// Runs a chain with an audit, and returns the lines of its file.
async fn recorded(audit: Audit) -> Vec<Value> {
    let path = audit.path().to_owned();
    let (transport, mut agent) = end();
    let (mut client, serving) = serve(Conductor::new().proxy(audit.proxy()).agent(transport));
    drop(audit);
    initialized(&mut client, &mut agent).await;
    client
        .ask(1, "session/new", json!({"mcpServers": [{"env": [{"name": "A", "value": "hidden-1"}]}]}))
        .await;
    let (id, params) = agent.request("session/new").await;
    assert_eq!(params["mcpServers"][0]["env"][0]["value"], "hidden-1");
    agent.answer(&id, json!({"sessionId": "s", "apiKey": "hidden-2", "mine": "hidden-3"})).await;
    assert_eq!(client.result(1).await["apiKey"], "hidden-2");
    agent.notify("session/update", json!({"sessionId": "s"})).await;
    client.value().await;
    client.ask(2, "_x", Value::Null).await;
    let (id, _) = agent.request("_x").await;
    agent.fail(&id, json!({"code": 1.5, "message": "m"})).await;
    client.error(2).await;
    client.close().await;
    serving.await.unwrap().unwrap();
    lines(&path)
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// An audit has what people and agents said, so it is for its owner only.
#[cfg(unix)]
#[tokio::test]
async fn the_file_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let audit = Audit::in_folder(folder.path()).unwrap();
    let mode = std::fs::metadata(audit.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn every_message_is_recorded_without_its_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let audit =
        Audit::in_folder(&folder.path().join("new")).unwrap().redaction(Redaction::default().name("mine"));
    let path = audit.path().to_owned();
    let lines = recorded(audit).await;
    let seen: Vec<String> = lines
        .iter()
        .map(|line| {
            format!("{} {} {} {}", line["kind"], line["toward"], line["method"], line["request"])
                .replace('"', "")
        })
        .collect();
    let expected = [
        "start null null null",
        "request agent initialize 0",
        "result client initialize 0",
        "request agent session/new 1",
        "result client session/new 1",
        "notification client session/update null",
        "request agent _x 2",
        "error client _x 2",
        "end null null null",
    ];
    assert_eq!(seen, expected);
    assert_eq!(lines[7]["value"], json!({"code": 1.5, "message": "m"}));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("hidden"), "{text}");
    let verified = Audit::verify(&path).unwrap();
    assert_eq!((verified.records, verified.is_complete), (9, true));
    assert_eq!(verified.hash, lines[8]["hash"]);
}

/// A cancellation is in the record once, and before it goes on. That of an answered request is
/// none.
#[tokio::test]
async fn cancellations_are_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let audit = Audit::create(&folder.path().join("audit")).unwrap();
    let path = audit.path().to_owned();
    let cancellations = || -> Vec<u64> {
        let lines = lines(&path);
        let of_kind = lines.iter().filter(|line| line["kind"] == "cancellation");
        of_kind
            .map(|line| {
                assert_eq!((&line["toward"], &line["method"]), (&json!("agent"), &json!("_x")));
                line["request"].as_u64().unwrap()
            })
            .collect()
    };
    let (transport, mut agent) = end();
    let (mut client, serving) = serve(Conductor::new().proxy(audit.proxy()).agent(transport));
    initialized(&mut client, &mut agent).await;
    client.ask(1, "_x", json!({})).await;
    let (first, _) = agent.request("_x").await;
    client.ask(2, "_x", json!({})).await;
    agent.request("_x").await;
    assert!(cancellations().is_empty());
    for _ in 0..2 {
        client.notify("$/cancel_request", json!({"requestId": 1})).await;
    }
    assert_eq!(agent.value().await["method"], "$/cancel_request");
    assert_eq!(cancellations(), [1]);
    agent.answer(&first, json!({})).await;
    client.result(1).await;
    client.notify("$/cancel_request", json!({"requestId": 1})).await;
    // The client goes, and the other request with it.
    drop(client);
    assert_eq!(agent.value().await["method"], "$/cancel_request");
    serving.await.unwrap().unwrap();
    assert_eq!(cancellations(), [1, 2]);
}

/// A cancellation that a guard does not let pass has no effect. Guards see it in the order of the
/// chain, also where one of them sees the request only after it was cancelled.
#[tokio::test]
async fn a_guard_holds_a_cancellation_back() {
    use std::sync::{Arc, Mutex};

    use acp_proxy::{Observed, Toward};

    let seen = Arc::<Mutex<Vec<String>>>::default();
    let guard = |name: &'static str| {
        let seen = Arc::clone(&seen);
        Proxy::new(name).guard(move |message| {
            if let Observed::Cancellation { method, toward: Toward::Agent, .. } = message {
                seen.lock().unwrap().push(format!("{name} {method}"));
                if method == "_kept" && name == "second" {
                    return Err(acp_rpc::Error::internal("it goes on"));
                }
            }
            Ok(())
        })
    };
    let late = Proxy::new("late").raw_request(Toward::Agent, "_late", async |_, next| {
        next.cancelled().await;
        next.run().await
    });
    let conductor = Conductor::new().proxy(guard("first")).proxy(late).proxy(guard("second"));
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(conductor.agent(transport));
    initialized(&mut client, &mut agent).await;
    client.ask(1, "_kept", json!({})).await;
    let (kept, _) = agent.request("_kept").await;
    client.notify("$/cancel_request", json!({"requestId": 1})).await;
    client.ask(2, "_late", json!({})).await;
    client.notify("$/cancel_request", json!({"requestId": 2})).await;
    // Nothing came in between.
    let (late, _) = agent.request("_late").await;
    let cancel = agent.value().await;
    assert_eq!((&cancel["method"], &cancel["params"]["requestId"]), (&json!("$/cancel_request"), &late));
    agent.answer(&kept, json!({})).await;
    client.result(1).await;
    assert_eq!(*seen.lock().unwrap(), ["first _kept", "second _kept", "first _late", "second _late"]);
}

/// Whatever is done to a line, the check names the first line that is not as it was.
#[tokio::test]
async fn a_changed_file_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit");
    recorded(Audit::create(&path).unwrap()).await;
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let changed = |lines: &[&str]| {
        std::fs::write(&path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
        Audit::verify(&path)
    };
    let other = lines[3].replace("session/new", "session/old");
    let mut with = lines.clone();
    with[3] = &other;
    assert!(matches!(changed(&with), Err(AuditError::Changed { line: 4, .. })));
    let mut with = lines.clone();
    with.remove(3);
    assert!(matches!(changed(&with), Err(AuditError::Changed { line: 4, .. })));
    let mut with = lines.clone();
    with.insert(4, lines[3]);
    assert!(matches!(changed(&with), Err(AuditError::Changed { line: 5, .. })));
    let mut with = lines.clone();
    with.swap(3, 4);
    assert!(matches!(changed(&with), Err(AuditError::Changed { line: 4, .. })));
    let mut with = lines.clone();
    with.push("{}");
    assert!(matches!(changed(&with), Err(AuditError::Changed { line: 10, .. })));
    let verified = changed(&lines[..5]).unwrap();
    assert_eq!((verified.records, verified.is_complete), (5, false));
    std::fs::write(&path, &text[..text.len() - 5]).unwrap();
    assert!(matches!(Audit::verify(&path), Err(AuditError::Changed { line: 9, .. })));
    assert_eq!(changed(&lines).unwrap().records, 9);
}

#[test]
fn a_file_is_never_continued() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit");
    drop(Audit::create(&path).unwrap());
    assert!(Audit::create(&path).is_err());
    let paths = [(); 2].map(|()| Audit::in_folder(folder.path()).unwrap().path().to_owned());
    assert_ne!(paths[0], paths[1]);
}

/// If the file takes no more, nothing passes.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn nothing_passes_that_is_not_recorded() {
    let refused = Proxy::new("full").guard(|message| match message.method() {
        "initialize" => Ok(()),
        _ => Err(acp_rpc::Error::internal("no room")),
    });
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(Conductor::new().proxy(refused).agent(transport));
    initialized(&mut client, &mut agent).await;
    client.notify("_lost", json!({})).await;
    client.ask(1, "_refused", json!({})).await;
    assert_eq!(client.error(1).await["code"], -32603);
    assert!(Audit::create("/dev/full".as_ref()).is_err());
}

/// The reason of a decision stands in the record.
#[tokio::test]
async fn decisions_are_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let audit = Audit::create(&folder.path().join("audit")).unwrap();
    let rules = Rules::new().rule(Rule::deny("no way")).audit(&audit);
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(Conductor::new().proxy(rules.proxy()).agent(transport));
    initialized(&mut client, &mut agent).await;
    agent.ask(1, "fs/read_text_file", json!({"sessionId": "s", "path": "/x"})).await;
    assert!(agent.error(1).await["message"].as_str().unwrap().contains("no way"));
    let value = lines(audit.path()).last().unwrap()["value"].clone();
    let expected =
        json!({"method": "fs/read_text_file", "sessionId": "s", "verdict": "deny", "reason": "no way"});
    assert_eq!(value, expected);
}
