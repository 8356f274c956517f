//! Scripts as files: their forms, their steps, and the faults that they give.

mod recorded;

use std::time::Duration;

use acp_testkit::mock::{Form, Mock, MockError, Reason, ScriptError, Side};
use acp_testkit::{FaultKind, ScriptedPeer};
use serde_json::{Value, json};
use tokio::io::duplex;

fn read(text: &str) -> Mock {
    Mock::parse(text, Form::Toml, Side::Agent).unwrap()
}

/// Plays an agent against what this does as its client.
async fn play<T>(agent: Mock, client: impl AsyncFnOnce(&mut ScriptedPeer) -> T) -> (T, Option<MockError>) {
    let (here, there) = duplex(64 * 1024);
    let agent = tokio::spawn(agent.play(ScriptedPeer::from_stream(there)));
    let mut here = ScriptedPeer::from_stream(here);
    let done = client(&mut here).await;
    here.close().await;
    (done, agent.await.unwrap().err())
}

/// Plays a script against a client that sends these messages and closes.
async fn after(script: &str, sent: &[Value]) -> Option<MockError> {
    let client = async |client: &mut ScriptedPeer| {
        for message in sent {
            client.send(message).await.unwrap();
        }
    };
    play(read(script), client).await.1
}

fn call(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

const AGENT: &str = r#"
[[step]]
expect = "initialize"
params = { protocolVersion = 1, "clientInfo?" = { name = "${client}" }, "title?" = "x" }

[[step]]
answer = '{"protocolVersion": 1, "agentInfo": null}'

[[step]]
standing = "_acme/*"

[[step]]
standing = "session/list"
answer = { sessions = [{ sessionId = "${session}" }] }

[[step]]
expect = "session/new"
params = { cwd = "/${_}/src", mcpServers = ["..."] }

[[step]]
answer = { sessionId = "s-1" }

[[step]]
expect = "session/set_mode"
optional = true

[[step]]
expect = "session/prompt"
as = "turn"
[step.params]
sessionId = "${session}"
prompt = [{ type = "text", text = "${text}" }, "..."]

[[step]]
notify = "session/update"
[step.params]
sessionId = "${session}"
update = { sessionUpdate = "agent_message_chunk", content = { type = "text", text = "$${you} say ${text} in ${turn}" } }

[[step]]
request = "session/request_permission"
params = { sessionId = "${session}" }
as = "first"

[[step]]
request = "fs/read_text_file"
params = { path = "/a" }
as = "read"

[[step]]
error = -32601
of = "read"

[[step]]
result = { outcome = { outcome = "selected", optionId = "${option}" } }
of = "first"

[[step]]
wait = "session/cancel"
params = { sessionId = "${session}" }

[[step]]
answer = { stopReason = "${option}" }
to = "turn"
"#;

#[tokio::test]
async fn a_script_plays_an_agent() {
    let (_, failed) = play(read(AGENT), async |client| {
        let info = json!({"protocolVersion": 1, "clientInfo": {"name": "ed"}, "title": null});
        let answer = client.call("initialize", info).await.unwrap();
        assert_eq!(answer["result"], json!({"protocolVersion": 1, "agentInfo": null}));
        client.notify("_acme/anything", json!([])).await.unwrap();
        assert_eq!(client.call("_acme/asked", json!([])).await.unwrap().code(), Some(-32601));
        let params = json!({"cwd": "/home/me/src", "mcpServers": [1, 2]});
        assert_eq!(client.call("session/new", params).await.unwrap()["result"]["sessionId"], "s-1");
        let blocks = json!([{"type": "text", "text": "go", "_meta": {}}, {"type": "text", "text": "on"}]);
        let prompt = json!({"sessionId": "s-1", "prompt": blocks});
        let turn = client.request("session/prompt", prompt).await.unwrap();
        let update = client.expect("session/update").await.unwrap();
        let said = format!("${{you}} say go in {turn}");
        assert_eq!(update["params"]["update"]["content"]["text"], said);
        let ask = client.expect("session/request_permission").await.unwrap();
        let read = client.expect("fs/read_text_file").await.unwrap();
        // The answers come in the other order, with a standing question between them.
        let chosen = json!({"outcome": {"outcome": "selected", "optionId": "cancelled"}});
        client.answer(&ask, chosen).await.unwrap();
        let listed = client.request("session/list", json!({})).await.unwrap();
        client.fail(&read, -32601, "no files").await.unwrap();
        let listed = client.answer_to(&listed).await.unwrap();
        assert_eq!(listed["result"]["sessions"][0]["sessionId"], "s-1");
        client.notify("_other", json!({})).await.unwrap();
        client.notify("session/cancel", json!({"sessionId": "s-1"})).await.unwrap();
        let answer = client.answer_to(&turn).await.unwrap();
        assert_eq!(answer["result"]["stopReason"], "cancelled");
    })
    .await;
    assert!(failed.is_none(), "{failed:?}");
}

#[tokio::test]
async fn both_forms_are_the_same_and_a_client_closes_at_its_end() {
    let agent = "{\"expect\": \"initialize\", \"params\": {\"protocolVersion\": \"${v}\"}}\n\n\
                 {\"answer\": null}\n{\"end\": true}\n";
    let agent = Mock::parse(agent, Form::Ndjson, Side::Agent).unwrap();
    let client = "[[step]]\nrequest = 'initialize'\nparams = { protocolVersion = 1 }\n\
                  [[step]]\nresult = 'null'\n";
    let client = Mock::parse(client, Form::Toml, Side::Client).unwrap();
    let (here, there) = duplex(4096);
    let agent = tokio::spawn(agent.play(ScriptedPeer::from_stream(there)));
    let client = client.play(ScriptedPeer::from_stream(here)).await.unwrap();
    let agent = agent.await.unwrap().unwrap();
    assert_eq!((client.lines().len(), agent.lines().len()), (2, 2));
    for (file, form) in [("a.toml", Form::Toml), ("a.ndjson", Form::Ndjson), ("a.jsonl", Form::Ndjson)] {
        assert_eq!(Form::of_file(file.as_ref()), form);
    }
}

#[tokio::test]
async fn a_difference_names_the_step_its_line_and_the_member() {
    let script = "# a comment\n\n[[step]]\nexpect = \"_a\"\n\n[[step]]\nexpect = \"_b\"\nparams = { a = [1, { b = \"x\" }] }\n";
    let sent = [call("_a", &json!({})), call("_b", &json!({"a": [1, {"b": "y"}]}))];
    let error = after(script, &sent).await.unwrap();
    assert_eq!((error.step, error.line), (Some(2), Some(6)));
    let shown = error.to_string();
    assert!(shown.starts_with("line 6, step 2: a message differs\n  expected: `_b` with {"), "{shown}");
    assert!(shown.contains("differs:  `a[1].b`: expected \"x\", seen \"y\"\n"), "{shown}");
    assert!(shown.contains("    ← {") && shown.contains("\"method\":\"_a\""), "{shown}");
}

#[tokio::test]
async fn each_way_to_differ_is_found() {
    let expects = |params: &str| format!("[[step]]\nexpect = '_x'\nparams = '{params}'\n");
    for (expected, sent, differs) in [
        (r#"{"a": "${v}", "b": "${v}"}"#, json!({"a": 1, "b": 2}), "`b`: expected 1, seen 2"),
        (r#"{"a": "${_}"}"#, json!({}), "`a`: expected \"${_}\", but it is missing"),
        (r#"{"a?": 1}"#, json!({"a": 2}), "`a`: expected 1, seen 2"),
        (r#"{"a": [1, "..."]}"#, json!({"a": []}), "`a`: expected [1,\"...\"], seen []"),
        (r#"{"a": [1]}"#, json!({"a": [1, 2]}), "`a`: expected [1], seen [1,2]"),
        (r#"{"a": "x${_}y${_}z"}"#, json!({"a": "x1z"}), "seen \"x1z\""),
        (r#"{"a": "$${v}"}"#, json!({"a": 5}), "expected \"${v}\", seen 5"),
        (r#"{"a": "in ${none}"}"#, json!({"a": "in 1"}), "expected \"in ${none}\""),
        (r#"{"a": null}"#, json!({"a": 0}), "expected null, seen 0"),
    ] {
        let error = after(&expects(expected), &[call("_x", &sent)]).await;
        let shown = error.unwrap_or_else(|| panic!("{expected} is fulfilled by {sent}")).to_string();
        assert!(shown.contains(differs), "{expected}: {shown}");
    }
    let script =
        "[[step]]\nexpect = '_x'\nparams = { 'a?' = 1 }\n[[step]]\nexpect = '_y'\nparams = { a = 1 }\n";
    let sent = ["_x", "_y"].map(|method| json!({"jsonrpc": "2.0", "method": method}));
    let left_out = after(script, &sent).await.unwrap().to_string();
    assert!(
        left_out.contains("step 2") && left_out.contains("`a`: expected 1, but it is missing"),
        "{left_out}"
    );
    for (expected, sent) in [
        (r#"{"a": "${v}", "b": "${v}"}"#, json!({"a": [1], "b": [1]})),
        (r#"{"a?": 1, "b?": {"c?": 2}}"#, json!({"b": {}})),
        (r#"{"a": [1, "..."]}"#, json!({"a": [1]})),
        (r#"{"a": "x${_}y${_}z"}"#, json!({"a": "x-y-y-z"})),
        (r#"{"a": "$${v} ${1 $"}"#, json!({"a": "${v} ${1 $"})),
        (r#"{"v": "${v}", "w": "<${v}>"}"#, json!({"v": 7, "w": "<7>"})),
    ] {
        let error = after(&expects(expected), &[call("_x", &sent)]).await;
        assert!(error.is_none(), "{expected}: {error:?}");
    }
}

#[tokio::test]
async fn what_does_not_come_and_what_comes_too_much_are_faults() {
    let fault = |error: Option<MockError>| match error.expect("it is not fulfilled").reason {
        Reason::Fault(fault) => fault.kind,
        reason => panic!("{reason:?}"),
    };
    let script = "[[step]]\nexpect = '_x'\n";
    assert!(matches!(fault(after(script, &[]).await), FaultKind::Closed { .. }));
    let two = [call("_x", &json!({})), call("_y", &json!({}))];
    let behind = after(script, &two).await.unwrap();
    assert!(behind.to_string().starts_with("behind the last step: a message differs"), "{behind}");
    // An answer that nobody has asked for, and a request that nobody waits for.
    let stray = json!({"jsonrpc": "2.0", "id": 9, "result": 1});
    assert!(matches!(fault(after(script, &[stray]).await), FaultKind::Unexpected { .. }));
    let asks = json!({"jsonrpc": "2.0", "id": 9, "method": "_z"});
    let waits = "[[step]]\nwait = '_x'\n";
    assert!(matches!(fault(after(waits, &[asks]).await), FaultKind::Unexpected { .. }));
    for script in ["[[step]]\nanswer = {}\n", "[[step]]\nresult = {}\nof = 'x'\n", "[[step]]\nerror = 1\n"] {
        let error = after(script, &[]).await.unwrap();
        assert!(matches!(error.reason, Reason::Script(_)), "{error}");
    }
    let unset = after("[[step]]\nnotify = '_x'\nparams = ['${x}']\n", &[]).await.unwrap();
    assert!(unset.to_string().contains("`${x}` has no value yet"), "{unset}");
}

#[tokio::test(start_paused = true)]
async fn patience_and_delays_are_on_the_clock_of_the_runtime() {
    let script = "[[step]]\npatience = 0.5\n[[step]]\nexpect = '_x'\n";
    let (client, agent) = duplex(4096);
    let error = read(script).play(ScriptedPeer::from_stream(agent)).await.unwrap_err();
    drop(client);
    assert!(
        error.to_string().contains("it did not happen within 500ms\n  expected: a call of `_x`"),
        "{error}"
    );
    // Messages that are passed over do not prolong it.
    for takes in
        ["wait = '_x'", "request = '_y'\n[[step]]\nresult = {}", "standing = '_talk'\n[[step]]\nend = true"]
    {
        let script = format!("[[step]]\npatience = 60\n[[step]]\n{takes}\n");
        let (client, agent) = duplex(4096);
        let mut client = ScriptedPeer::from_stream(client);
        let talks = tokio::spawn(async move {
            while client.notify("_talk", json!({})).await.is_ok() {
                tokio::time::sleep(Duration::from_secs(10)).await;
            }
        });
        let error = read(&script).play(ScriptedPeer::from_stream(agent)).await.unwrap_err();
        assert!(error.to_string().contains("it did not happen within 60s"), "{error}");
        talks.await.unwrap();
    }
    let script = "[[step]]\ndelay = 86400\n[[step]]\nnotify = '_x'\n[[step]]\nclose = true\n";
    let (_, failed) = play(read(script), async |client| {
        client.set_patience(Duration::from_secs(2 * 86400));
        client.expect("_x").await.unwrap();
        client.expect_end().await.unwrap();
    })
    .await;
    assert!(failed.is_none(), "{failed:?}");
}

#[tokio::test]
async fn broken_lines_are_sent_as_they_are_made() {
    let script = "[[step]]\nraw = \"one\\n${two}\"\n[[step]]\nraw = \"\\n\"\n\
                  [[step]]\nnotify = '_x'\ngarble = 'carriage-return'\n\
                  [[step]]\nnotify = '_x'\ngarble = { deep = 3 }\n[[step]]\nclose = true\n";
    let (lines, failed) = play(read(script), async |client| {
        let mut lines = Vec::new();
        while let Some(line) = client.next_line().await.unwrap() {
            lines.push(line.text().into_owned());
        }
        lines
    })
    .await;
    assert!(failed.is_none(), "{failed:?}");
    assert_eq!((lines.len(), lines[0].as_str(), lines[1].as_str()), (4, "one", "${two}"));
    assert!(lines[2].ends_with('\r') && lines[3].contains("[[[0]]]"), "{lines:?}");
}

#[test]
fn a_script_that_cannot_be_read_names_the_line() {
    for (text, line, problem) in [
        ("", None, "the script has no steps"),
        ("[[step]]\n", Some(1), "a step needs one of expect, wait"),
        ("\n[[step]]\nexpect = 'a'\nnotify = 'b'\n", Some(2), "a step does one thing: `expect` or `notify`"),
        ("[[step]]\nexpect = 'a'\nto = 'b'\n", Some(1), "`to` belongs to `answer`, `fail`, not to `expect`"),
        ("[[step]]\nanswer = 1\nfail = {}\n", Some(1), "a step does one thing: `answer` or `fail`"),
        ("[[step]]\nstanding = 'a'\nanswer = 1\nfail = {}\n", Some(1), "`answer` or `fail`"),
        ("[[step]]\nanswer = '{'\n", Some(1), "`answer` is a text that stands for JSON: EOF"),
        ("[[step]]\ndelay = -1\n", Some(1), "the time must be a number of seconds"),
        ("[[step]]\nexpekt = 'a'\n", None, "unknown field `expekt`"),
        ("[[step]]\nnotify = 'a'\ngarble = 'b'\n", None, "unknown variant `b`"),
        ("steps = 1\n", None, "unknown field `steps`"),
    ] {
        let error: ScriptError = Mock::parse(text, Form::Toml, Side::Agent).unwrap_err();
        assert_eq!(error.line, line, "{text}: {error}");
        assert!(error.to_string().contains(problem), "{text}: {error}");
    }
    let error = Mock::parse("{\"close\":true}\n{\"a\":1}\n", Form::Ndjson, Side::Agent).unwrap_err();
    assert!(error.to_string().starts_with("line 2: unknown field `a`"), "{error}");
}
