//! The choice of the version: the answers that agents have been seen to give.

use acp_client::v1::ReadTextFileRequest;
use acp_client::{Agent, Client, Connect, Error, ProtocolVersion, Result, client};
use serde_json::{Value, json};

use super::{BOTH, initialized};
use crate::common::{Wire, pipe};

const V1: ProtocolVersion = ProtocolVersion::V1;
const V2: ProtocolVersion = ProtocolVersion::V2;

/// Serves files, so that an agent of version 1 has to learn of it.
struct Files;

#[client]
impl Files {
    async fn read_text_file(&self, _: ReadTextFileRequest) -> Result<String> {
        Ok("text".to_owned())
    }
}

/// A row: the versions that the client speaks, whether it serves files, and the answers of the
/// agent, each to a request for this version.
struct Row {
    name: &'static str,
    speaks: &'static [ProtocolVersion],
    files: bool,
    answers: Vec<(u16, Result<Value, Value>)>,
    /// The version, or a part of the error.
    outcome: Result<u16, &'static str>,
    /// A part of a fault, if there is one.
    fault: Option<&'static str>,
}

fn first(version: u16) -> Value {
    json!({"protocolVersion": version, "agentInfo": {"name": "a", "version": "1"}, "agentCapabilities": {}})
}

fn second(version: u16) -> Value {
    let mut second = initialized(json!({"session": {}}));
    second["protocolVersion"] = json!(version);
    second
}

fn unsupported(requested: u16, supported: &[u16]) -> Value {
    let data = json!({"requested": requested, "supported": supported});
    json!({"code": -32022, "message": "Unsupported protocol version", "data": data})
}

fn invalid() -> Value {
    json!({"code": -32602, "message": "`clientInfo`: required, but missing"})
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn rows() -> Vec<Row> {
    let row = |name, speaks, files, answers: &[(u16, Result<Value, Value>)], outcome, fault| Row {
        name,
        speaks,
        files,
        answers: answers.to_vec(),
        outcome,
        fault,
    };
    let kept = Some("the connection is kept");
    let again = Some("`initialize` was sent again, for `fs.readTextFile`");
    let liar = Some("answered `initialize` with version 2, in the form of version 1");
    vec![
        row("2 in its form", &BOTH, true, &[(2, Ok(second(2)))], Ok(2), None),
        row(
            "2 with both forms",
            &BOTH,
            false,
            &[(
                2,
                Ok({
                    let mut both = second(2);
                    both["agentInfo"] = json!({"name": "a", "version": "1"});
                    both
                }),
            )],
            Ok(1),
            liar,
        ),
        row("2 without a form", &BOTH, false, &[(2, Ok(json!({"protocolVersion": 2})))], Ok(1), liar),
        row(
            "2 with info that cannot be read",
            &BOTH,
            false,
            &[(2, Ok(json!({"protocolVersion": 2, "info": 5})))],
            Ok(1),
            liar,
        ),
        row("a liar", &BOTH, false, &[(2, Ok(first(2)))], Ok(1), liar),
        row(
            "a liar that must know of files",
            &BOTH,
            true,
            &[(2, Ok(first(2))), (1, Ok(first(1)))],
            Ok(1),
            again,
        ),
        row(
            "a liar for a client of version 2",
            &[V2],
            false,
            &[(2, Ok(first(2)))],
            Err("version 1, this client version 2"),
            None,
        ),
        row("1, and nothing is lost", &BOTH, false, &[(2, Ok(first(1)))], Ok(1), kept),
        row("1 without anything", &BOTH, false, &[(2, Ok(json!({"protocolVersion": 1})))], Ok(1), kept),
        row("1, and files are lost", &BOTH, true, &[(2, Ok(first(1))), (1, Ok(first(1)))], Ok(1), again),
        row(
            "1, and no second request",
            &BOTH,
            true,
            &[(2, Ok(first(1))), (1, Err(json!({"code": -32600, "message": "initialized already"})))],
            Ok(1),
            Some("the agent does not know of `fs.readTextFile`: it refused a second `initialize`"),
        ),
        row(
            "1, then another",
            &BOTH,
            true,
            &[(2, Ok(first(1))), (1, Ok(json!({"protocolVersion": 7})))],
            Ok(1),
            Some("refused a second"),
        ),
        row(
            "1 for a client of version 2",
            &[V2],
            false,
            &[(2, Ok(first(1)))],
            Err("version 1, this client version 2"),
            None,
        ),
        row("params of 2 refused", &BOTH, true, &[(2, Err(invalid())), (1, Ok(first(1)))], Ok(1), None),
        row("params refused for good", &[V2], false, &[(2, Err(invalid()))], Err("-32602"), None),
        row("params of 1 refused", &[V1], false, &[(1, Err(invalid()))], Err("-32602"), None),
        row("2 unsupported", &BOTH, false, &[(2, Err(unsupported(2, &[1]))), (1, Ok(first(1)))], Ok(1), None),
        row(
            "neither supported",
            &BOTH,
            false,
            &[(2, Err(unsupported(2, &[0, 3])))],
            Err("versions 0, 3, this client speaks versions 2, 1"),
            None,
        ),
        row(
            "nothing supported",
            &BOTH,
            false,
            &[(2, Err(json!({"code": -32022, "message": "no"})))],
            Err("(none)"),
            None,
        ),
        row("3", &BOTH, false, &[(2, Ok(second(3)))], Err("version 3, this client version 2"), None),
        row("0", &BOTH, false, &[(2, Ok(first(0)))], Err("version 0, this client version 2"), None),
        row(
            "not a number",
            &BOTH,
            false,
            &[(2, Ok(json!({"protocolVersion": "2"})))],
            Err("protocolVersion"),
            None,
        ),
        row(
            "no version",
            &BOTH,
            false,
            &[(2, Ok(json!({"info": {"name": "a", "version": "1"}})))],
            Err("protocolVersion"),
            None,
        ),
        row("asked for 1", &[V1], true, &[(1, Ok(first(1)))], Ok(1), None),
        row("asked for 1 first", &[V1, V2], true, &[(1, Ok(first(1)))], Ok(1), None),
        row(
            "1 unsupported",
            &[V1, V2],
            true,
            &[(1, Err(unsupported(1, &[2]))), (2, Ok(second(2)))],
            Ok(2),
            None,
        ),
        row(
            "1 unsupported by all",
            &[V1],
            false,
            &[(1, Err(unsupported(1, &[2])))],
            Err("versions 2, this client speaks versions 1"),
            None,
        ),
        row(
            "back and forth",
            &BOTH,
            false,
            &[(2, Err(unsupported(2, &[1]))), (1, Err(unsupported(1, &[2])))],
            Err("this client speaks versions 2, 1"),
            None,
        ),
        row(
            "the latest for 1",
            &[V1],
            true,
            &[(1, Ok(first(3)))],
            Ok(1),
            Some("version 3, in the form of version 1"),
        ),
        row("2 for 1", &[V1, V2], true, &[(1, Ok(second(2)))], Err("version 2, this client version 1"), None),
        row("0 for 1", &[V1], true, &[(1, Ok(first(0)))], Err("version 0, this client version 1"), None),
        row(
            "another error",
            &BOTH,
            false,
            &[(2, Err(json!({"code": -32603, "message": "no disk"})))],
            Err("no disk"),
            None,
        ),
    ]
}

async fn play(wire: &mut Wire, answers: &[(u16, Result<Value, Value>)]) -> Vec<Value> {
    let mut requests = Vec::new();
    for (_, answer) in answers {
        let request = wire.expect("initialize").await;
        match answer {
            Ok(result) => wire.answer(&request, result.clone()).await,
            Err(error) => wire.fail(&request, error.clone()).await,
        }
        requests.push(request);
    }
    requests
}

fn connect(row: &Row, transport: acp_client::Transport) -> Connect {
    let connect = acp_client::connect(transport).versions(row.speaks.iter().copied());
    if row.files { connect.client(Files) } else { connect }
}

#[tokio::test]
async fn every_answer_has_its_meaning() {
    for row in rows() {
        let name = row.name;
        let (transport, mut wire) = pipe();
        let (agent, requests) =
            tokio::join!(connect(&row, transport).into_future(), play(&mut wire, &row.answers));
        for (request, (asked, _)) in requests.iter().zip(&row.answers) {
            let params = &request["params"];
            assert_eq!(params["protocolVersion"], *asked, "{name}");
            // Each version in its own form.
            assert_eq!(params["info"].is_object(), *asked == 2, "{name}: {params}");
            assert_eq!(params["clientCapabilities"].is_object(), *asked == 1, "{name}: {params}");
        }
        match (&agent, row.outcome) {
            (Ok(agent), Ok(version)) => {
                assert_eq!(agent.protocol_version(), ProtocolVersion(version), "{name}");
                speaks(agent, &mut wire, version).await;
                let faults = agent.faults();
                // Version 2 does not have the files.
                let unused = (row.files && version == 2).then_some("files of the client");
                for part in row.fault.into_iter().chain(unused) {
                    let told = faults.iter().filter(|fault| fault.contains(part));
                    assert_eq!(told.count(), 1, "{name}: {part} in {faults:?}");
                }
                let is_expected = row.fault.is_some() || unused.is_some();
                assert_eq!(faults.is_empty(), !is_expected, "{name}: {faults:?}");
            }
            (Err(error), Err(part)) => {
                let said = error.to_string();
                assert!(said.contains(part), "{name}: {said}");
                assert!(wire.next().await.is_none(), "{name}: the connection is closed");
            }
            (agent, outcome) => panic!("{name}: {agent:?} instead of {outcome:?}"),
        }
    }
}

/// Sees that the connection speaks this version.
async fn speaks(agent: &Agent, wire: &mut Wire, version: u16) {
    let (session, request) = tokio::join!(agent.new_session("/work").into_future(), async {
        let request = wire.expect("session/new").await;
        wire.answer(&request, json!({"sessionId": "s1"})).await;
        request
    });
    session.expect("opened");
    assert_eq!(request["params"]["mcpServers"].is_array(), version == 1, "{request}");
}

#[tokio::test]
async fn versions_that_are_not_spoken_start_nothing() {
    for versions in [&[][..], &[ProtocolVersion(3)], &[V1, ProtocolVersion(0)]] {
        let (transport, mut wire) = pipe();
        let refused = acp_client::connect(transport).versions(versions.iter().copied()).await;
        assert!(
            matches!(refused, Err(Error::Argument { method: "initialize", field: "protocolVersion", .. })),
            "{refused:?}"
        );
        assert!(wire.next().await.is_none());
    }
}

#[tokio::test]
async fn capabilities_have_the_form_of_each_version() {
    let (transport, mut wire) = pipe();
    let form = acp_client::Elicitation::new().form(|_| async { acp_client::ElicitationAnswer::Cancel });
    let connecting =
        acp_client::connect(transport).info("editor", "3").versions(BOTH).client(Files).elicitation(form);
    let answers = [(2, Ok(first(1))), (1, Ok(first(1)))];
    let (agent, requests) = tokio::join!(connecting.into_future(), play(&mut wire, &answers));
    agent.expect("connected");
    assert_eq!(
        requests[0]["params"],
        json!({
            "protocolVersion": 2,
            "info": {"name": "editor", "version": "3"},
            "capabilities": {"elicitation": {"form": {}}},
        })
    );
    let offered = &requests[1]["params"]["clientCapabilities"];
    assert_eq!(
        (&offered["fs"]["readTextFile"], &offered["elicitation"]),
        (&json!(true), &json!({"form": {}}))
    );
}

/// Keeps the trait in use where the macro does not name it.
const _: fn() = || {
    fn is_client<C: Client>() {}
    is_client::<Files>();
};
