//! A client offers to the agent exactly what it serves, however it is made.

use acp_client::v1::{
    CreateElicitationRequest, CreateTerminalRequest, ElicitationAction, KillTerminalRequest,
    ReadTextFileRequest, ReleaseTerminalRequest, RequestPermissionRequest, TerminalExitStatus, TerminalId,
    TerminalOutputRequest, TerminalOutputResponse, WaitForTerminalExitRequest, WriteTextFileRequest,
};
use acp_client::{
    Client, Connect, Elicitation, ElicitationAnswer, Error, LocalFs, Operation, PermissionAnswer,
    PermissionPolicy, Result, Router, client, op,
};
use serde_json::{Value, json};

use crate::common::pipe;

struct Whole;

#[client]
impl Whole {
    async fn request_permission(&self, _request: RequestPermissionRequest) -> Result<PermissionAnswer> {
        Ok(PermissionAnswer::Cancelled)
    }

    async fn read_text_file(&self, _file: ReadTextFileRequest) -> Result<String> {
        Ok(String::new())
    }

    async fn write_text_file(&self, _file: WriteTextFileRequest) -> Result<()> {
        Ok(())
    }

    async fn create_terminal(&self, _request: CreateTerminalRequest) -> Result<TerminalId> {
        Ok("t".into())
    }

    async fn terminal_output(&self, _request: TerminalOutputRequest) -> Result<TerminalOutputResponse> {
        Ok(TerminalOutputResponse::new("", false))
    }

    async fn release_terminal(&self, _request: ReleaseTerminalRequest) -> Result<()> {
        Ok(())
    }

    async fn wait_for_terminal_exit(
        &self,
        _request: WaitForTerminalExitRequest,
    ) -> Result<TerminalExitStatus> {
        Ok(TerminalExitStatus::new())
    }

    async fn kill_terminal(&self, _request: KillTerminalRequest) -> Result<()> {
        Ok(())
    }

    async fn elicit(&self, _request: CreateElicitationRequest) -> Result<ElicitationAction> {
        Ok(ElicitationAction::Cancel)
    }
}

/// The requests of the protocol, each with its registration at a router.
type Add = fn(Router<Whole>) -> Router<Whole>;
const REQUESTS: [(Operation, Add); 9] = [
    (Operation::RequestPermission, |router| router.on::<op::RequestPermission, _>(Whole::request_permission)),
    (Operation::ReadTextFile, |router| router.on::<op::ReadTextFile, _>(Whole::read_text_file)),
    (Operation::WriteTextFile, |router| router.on::<op::WriteTextFile, _>(Whole::write_text_file)),
    (Operation::CreateTerminal, |router| router.on::<op::CreateTerminal, _>(Whole::create_terminal)),
    (Operation::TerminalOutput, |router| router.on::<op::TerminalOutput, _>(Whole::terminal_output)),
    (Operation::ReleaseTerminal, |router| router.on::<op::ReleaseTerminal, _>(Whole::release_terminal)),
    (Operation::WaitForTerminalExit, |router| {
        router.on::<op::WaitForTerminalExit, _>(Whole::wait_for_terminal_exit)
    }),
    (Operation::KillTerminal, |router| router.on::<op::KillTerminal, _>(Whole::kill_terminal)),
    (Operation::Elicit, |router| router.on::<op::Elicit, _>(Whole::elicit)),
];

/// Connects, and compares the capabilities with the answers.
async fn check(client: impl Client, served: &[Operation]) -> Result<()> {
    let (transport, mut wire) = pipe();
    let connecting = tokio::spawn(acp_client::connect(transport).client(client).into_future());
    let Some(request) = wire.next().await else {
        return Err(connecting.await.expect("no panic").expect_err("nothing was sent"));
    };
    wire.answer(&request, json!({"protocolVersion": 1, "agentCapabilities": {}})).await;
    let _agent = connecting.await.expect("no panic")?;
    let offered = &request["params"]["clientCapabilities"];
    for (operation, _) in REQUESTS {
        // Without params no handler runs. They are refused, or the handler does not read them.
        let answer = wire.call(json!(1), operation.method(), json!({})).await;
        let is_served = answer["error"]["code"] == -32602;
        assert_eq!(is_served, answer["error"]["code"] != -32601, "{operation:?}: {answer}");
        // Every client is asked for permission, so every client answers.
        let expected = served.contains(&operation) || operation == Operation::RequestPermission;
        assert_eq!(is_served, expected, "{operation:?}");
        if let Some(capability) = operation.capability() {
            let pointer = format!("/{}", capability.replace('.', "/"));
            let offer = offered.pointer(&pointer).unwrap_or(&Value::Null);
            let is_offered = !matches!(offer, Value::Null | Value::Bool(false));
            assert_eq!(is_offered, is_served, "{operation:?}: {offered}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn every_subset_of_the_requests_is_offered_as_it_is_served() {
    let of_terminals = |operation: &Operation| operation.capability() == Some("terminal");
    for subset in 0_u32..1 << REQUESTS.len() {
        let chosen: Vec<_> = (0..).zip(REQUESTS).filter(|(bit, _)| subset >> bit & 1 == 1).collect();
        let router = chosen.iter().fold(Router::new(Whole), |router, (_, (_, add))| add(router));
        let served: Vec<_> = chosen.iter().map(|(_, (operation, _))| *operation).collect();
        let checked = check(router, &served).await;
        match served.iter().filter(|operation| of_terminals(operation)).count() {
            0 | 5 => checked.expect("a client of these"),
            some => match checked {
                Err(Error::Incomplete { capability: "terminal", missing }) => {
                    assert_eq!(missing.len(), 5 - some, "{served:?}");
                    assert!(!served.iter().any(|operation| missing.contains(&operation.method())));
                }
                other => panic!("{served:?}: {other:?}"),
            },
        }
    }
}

struct Nothing;

#[client]
impl Nothing {}

struct Files;

#[client]
impl Files {
    async fn read_text_file(&self) -> Result<String> {
        Ok(String::new())
    }

    async fn write_text_file(&self) -> Result<()> {
        Ok(())
    }
}

struct Terminals;

#[client]
impl Terminals {
    async fn create_terminal(&self) -> Result<TerminalId> {
        Ok("t".into())
    }

    async fn terminal_output(&self) -> Result<TerminalOutputResponse> {
        Ok(TerminalOutputResponse::new("", false))
    }

    async fn release_terminal(&self) -> Result<()> {
        Ok(())
    }

    async fn wait_for_terminal_exit(&self) -> Result<TerminalExitStatus> {
        Ok(TerminalExitStatus::new())
    }

    async fn kill_terminal(&self) -> Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_block_offers_the_functions_that_it_has() {
    use Operation::{
        CreateTerminal, KillTerminal, ReadTextFile, ReleaseTerminal, TerminalOutput, WaitForTerminalExit,
        WriteTextFile,
    };
    check(Nothing, &[]).await.expect("a client of nothing");
    check(Files, &[ReadTextFile, WriteTextFile]).await.expect("a client of files");
    let all = [CreateTerminal, TerminalOutput, ReleaseTerminal, WaitForTerminalExit, KillTerminal];
    check(Terminals, &all).await.expect("a client of terminals");
    check(Whole, &REQUESTS.map(|(operation, _)| operation)).await.expect("a client of everything");
}

#[tokio::test]
async fn clients_add_up_but_each_method_has_one() {
    type SetUp = fn(Connect) -> Connect;
    let cases: [(SetUp, Option<&str>); 8] = [
        (|connect| connect.client(Files).client(Terminals).permissions(PermissionPolicy::allow_once()), None),
        (|connect| connect.client(Files).client(Nothing).on_update(async |_| ()), None),
        (
            |connect| {
                connect
                    .elicitation(Elicitation::new().form(async |_| ElicitationAnswer::Decline))
                    .elicitation(Elicitation::new().url(async |_| ElicitationAnswer::Decline))
            },
            None,
        ),
        (
            |connect| {
                connect.client(Files).fs(LocalFs::rooted(std::env::temp_dir()).expect("there is a folder"))
            },
            Some("`fs/read_text_file` is served by two clients of one connection, `Files` and `LocalFs`"),
        ),
        (
            |connect| connect.permissions(PermissionPolicy::reject()).client(Whole),
            Some(
                "`session/request_permission` is served by two clients of one connection, `PermissionPolicy` and",
            ),
        ),
        (
            |connect| connect.client(Whole).client(std::sync::Arc::new(Terminals)),
            Some(
                "`terminal/create` is served by two clients of one connection, `Whole` and `Arc<Terminals>`",
            ),
        ),
        (
            |connect| {
                connect
                    .client(Whole)
                    .elicitation(Elicitation::new().form(async |_| ElicitationAnswer::Decline))
            },
            Some("`elicitation/create, form` is served by two clients of one connection, `Whole` and"),
        ),
        (
            |connect| connect.client(Router::new(Whole).on::<op::Elicit, _>(Whole::elicit)).client(Whole),
            Some(
                "`elicitation/create` is served by two clients of one connection, `Router<Whole>` and `Whole`",
            ),
        ),
    ];
    for (set_up, expected) in cases {
        let (transport, mut wire) = pipe();
        let connecting = set_up(acp_client::connect(transport)).into_future();
        match expected {
            None => {
                let (agent, _) = tokio::join!(connecting, wire.initialize(json!({})));
                agent.expect("connected");
            }
            Some(expected) => {
                let error = connecting.await.expect_err(expected).to_string();
                assert!(error.starts_with(expected), "{error}");
                assert!(error.ends_with("leave one of them out"), "{error}");
                assert!(wire.next().await.is_none(), "nothing was sent");
            }
        }
    }
}
