//! Connecting: `initialize`, versions, noise, and the methods that the agent may call.

mod options;

use std::sync::Arc;
use std::time::Duration;

use acp_client::v1::methods::{
    FsReadTextFile, TerminalCreate, TerminalKill, TerminalOutput, TerminalRelease, TerminalWaitForExit,
};
use acp_client::v1::{AuthMethod, ReadTextFileRequest, ReadTextFileResponse};
use acp_client::{Client, Connect, Context, Error, Handlers, LocalFs, RpcError};
use serde_json::{Value, json};

use crate::common::{Wire, connected, open, pipe, with_session};

fn plain(connect: Connect) -> Connect {
    connect
}

/// Returns the `initialize` request of a client with this setup.
async fn introduction(set_up: impl FnOnce(Connect) -> Connect) -> Value {
    let (transport, mut wire) = pipe();
    let (_agent, request) =
        tokio::join!(set_up(acp_client::connect(transport)).into_future(), wire.initialize(json!({})));
    request["params"].clone()
}

#[tokio::test]
async fn the_client_says_who_it_is_and_what_it_serves() {
    let nothing = introduction(plain).await;
    assert_eq!(nothing["protocolVersion"], 1);
    assert_eq!(nothing["clientInfo"]["name"], "acp-client");
    let fs = |params: &Value| {
        let fs = &params["clientCapabilities"]["fs"];
        let flag = |name: &str| fs[name].as_bool().unwrap_or(false);
        (flag("readTextFile"), flag("writeTextFile"))
    };
    let terminal = |params: &Value| params["clientCapabilities"]["terminal"].as_bool().unwrap_or(false);
    assert_eq!((fs(&nothing), terminal(&nothing)), ((false, false), false));

    let folder = tempfile::tempdir().expect("a folder");
    let files = LocalFs::rooted(folder.path()).expect("it can be opened");
    let named = introduction(|connect| connect.info("my-editor", "2.0").fs(files.clone())).await;
    assert_eq!(named["clientInfo"], json!({"name": "my-editor", "version": "2.0"}));
    assert_eq!(fs(&named), (true, true));
    assert_eq!(fs(&introduction(|connect| connect.fs(files.read_only())).await), (true, false));
    assert!(terminal(&introduction(|connect| connect.client(Terminals { complete: true })).await));
    let (transport, _wire) = pipe();
    let error =
        acp_client::connect(transport).client(Terminals { complete: false }).await.expect_err("too few");
    assert!(
        matches!(&error, Error::Incomplete { missing, .. } if *missing == ["terminal/release"]),
        "a terminal is offered whole: {error}"
    );
}

#[tokio::test]
async fn the_capabilities_have_data_of_extensions() {
    let meta = || acp_client::Meta::new().with("example.com/undo", true);
    let wanted = json!({"example.com/undo": true});
    let first = introduction(|connect| connect.capability_meta(meta())).await;
    assert_eq!(first["clientCapabilities"]["_meta"], wanted);
    assert_eq!(introduction(plain).await["clientCapabilities"].get("_meta"), None);
    #[cfg(feature = "v2")]
    {
        let versions = [acp_client::ProtocolVersion::V2];
        let second = introduction(|connect| connect.versions(versions).capability_meta(meta())).await;
        assert_eq!(second["capabilities"]["_meta"], wanted);
        let second = introduction(|connect| connect.versions(versions)).await;
        assert_eq!(second["capabilities"].get("_meta"), None);
    }
}

struct Terminals {
    complete: bool,
}

impl Client for Terminals {
    fn register(self: Arc<Self>, handlers: &mut Handlers) {
        let no = "no terminal today";
        handlers
            .request::<TerminalCreate, _, _>(&self, move |_, _, _| async move { Err(RpcError::internal(no)) })
            .request::<TerminalOutput, _, _>(&self, move |_, _, _| async move { Err(RpcError::internal(no)) })
            .request::<TerminalWaitForExit, _, _>(
                &self,
                move |_, _, _| async move { Err(RpcError::internal(no)) },
            )
            .request::<TerminalKill, _, _>(&self, move |_, _, _| async move { Err(RpcError::internal(no)) });
        if self.complete {
            handlers.request::<TerminalRelease, _, _>(&self, move |_, _, _| async move {
                Err(RpcError::internal(no))
            });
        }
    }
}

#[tokio::test]
async fn another_version_closes_the_connection_and_names_both() {
    for answered in [0, 2, 99] {
        let (transport, mut wire) = pipe();
        let (agent, ()) = tokio::join!(acp_client::connect(transport).into_future(), async {
            let request = wire.expect("initialize").await;
            wire.answer(&request, json!({"protocolVersion": answered})).await;
        });
        let error = agent.expect_err("not ours");
        assert!(matches!(error, Error::Version { .. }));
        let said = error.to_string();
        assert!(
            said.contains(&format!("speaks protocol version {answered}, this client version 1")),
            "{said}"
        );
        assert!(wire.next().await.is_none(), "the connection is closed");
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_never_answers_is_given_up() {
    let (transport, mut wire) = pipe();
    let connecting = acp_client::connect(transport).initialize_timeout(Duration::from_secs(5));
    let (agent, _) = tokio::join!(connecting.into_future(), wire.expect("initialize"));
    let error = agent.expect_err("no answer");
    assert_eq!(error.to_string(), "the agent did not answer `initialize` within 5s");
    // The call is withdrawn, and then the connection is closed.
    wire.expect("$/cancel_request").await;
    assert!(wire.next().await.is_none());
}

#[tokio::test]
async fn what_the_agent_says_of_itself_can_be_read() {
    let (transport, mut wire) = pipe();
    let (agent, ()) = tokio::join!(acp_client::connect(transport).into_future(), async {
        let request = wire.expect("initialize").await;
        let result = json!({
            "protocolVersion": 1,
            "agentInfo": {"name": "robot", "version": "3"},
            "agentCapabilities": {"loadSession": true, "unheardOf": {"x": 1}, "mcpCapabilities": 5},
            "authMethods": [
                {"id": "key", "name": "API key"},
                {"id": "tty", "name": "In a terminal", "type": "terminal"},
                {"id": "env", "name": "Variable", "type": "env_var"},
                {"name": "without an id"},
            ],
        });
        wire.answer(&request, result).await;
    });
    let agent = agent.expect("connected");
    assert_eq!(agent.info().map(|info| info.name.as_str()), Some("robot"));
    assert_eq!(agent.protocol_version().0, 1);
    assert!(agent.capabilities().load_session && !agent.capabilities().mcp_capabilities.http);
    let ids: Vec<_> = agent.auth_methods().iter().filter_map(AuthMethod::id).collect();
    assert_eq!(ids.iter().map(|id| id.as_str()).collect::<Vec<_>>(), ["key", "tty", "env"]);

    let refused = agent.authenticate("tty").await.expect_err("that is not for us to call");
    assert!(refused.to_string().contains("in a terminal"), "{refused}");
    for id in ["key", "env"] {
        let (done, ()) = tokio::join!(agent.authenticate(id), async {
            let request = wire.expect("authenticate").await;
            assert_eq!(request["params"], json!({"methodId": id}));
            wire.answer(&request, Value::Null).await;
        });
        done.expect("logged in");
    }
}

#[tokio::test]
async fn a_login_that_is_due_can_be_told_from_other_errors() {
    let (agent, mut wire) = connected(plain, json!({})).await;
    let (session, ()) = tokio::join!(agent.new_session("/work").into_future(), async {
        let request = wire.expect("session/new").await;
        wire.fail(&request, json!({"code": -32000, "message": "log in first"})).await;
    });
    assert!(session.expect_err("not logged in").is_auth_required());
}

#[tokio::test]
async fn noise_on_the_wire_is_skipped_and_noted() {
    let (transport, mut wire) = pipe();
    let (agent, ()) = tokio::join!(acp_client::connect(transport).into_future(), async {
        wire.raw("Welcome to Agent 3000!\n\n\u{feff}\r\n").await;
        wire.initialize(json!({})).await;
    });
    let agent = agent.expect("connected");
    wire.raw("loading model… 50%\n").await;
    // Errors without an id, and answers to no request.
    wire.send(json!({"jsonrpc": "2.0", "error": {"code": -32700, "message": "secret"}})).await;
    wire.send(json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "?"}})).await;
    wire.send(json!({"jsonrpc": "2.0", "id": "nobody", "result": {}})).await;
    wire.send(json!({"jsonrpc": "2.0", "method": "qwen/notify/session/x", "params": []})).await;
    wire.send(json!({"jsonrpc": "2.0", "method": "$/unknown"})).await;
    wire.send(json!({"jsonrpc": "2.0", "id": "é".repeat(100_000), "result": {}})).await;
    let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    assert_eq!(session.id().as_str(), "s1");
    let faults = agent.faults();
    for wanted in ["is not JSON", "without an id (code -32700)", "(code -32600)", "nobody waits for"] {
        assert!(faults.iter().any(|fault| fault.contains(wanted)), "{wanted:?} in {faults:?}");
    }
    assert!(
        faults.iter().all(|fault| fault.chars().count() < 1100),
        "an id as long as the agent likes is cut"
    );
    assert!(!faults.concat().contains("secret") && !faults.concat().contains("Welcome"), "{faults:?}");
    agent.close().await;
    assert!(wire.next().await.is_none(), "noise is never answered by a client");
}

#[tokio::test]
async fn what_was_not_offered_or_is_not_known_does_not_exist() {
    let (_session, mut wire) = with_session(plain).await;
    let path = json!({"sessionId": "s1", "path": "/etc/passwd", "content": "x"});
    for (id, method) in [
        "fs/read_text_file",
        "fs/write_text_file",
        "terminal/create",
        "elicitation/create",
        "craft/drainMidTurnQueue",
        "_vendor/thing",
        "session/prompt",
    ]
    .into_iter()
    .enumerate()
    {
        let answer = wire.call(json!(id), method, path.clone()).await;
        assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
    }
}

struct Buffers;

impl Buffers {
    async fn read(
        self: Arc<Self>,
        file: ReadTextFileRequest,
        _: Context,
    ) -> Result<ReadTextFileResponse, RpcError> {
        Ok(ReadTextFileResponse::new(format!("{} from {}", file.path, file.line.unwrap_or(1))))
    }

    async fn add(
        self: Arc<Self>,
        numbers: acp_client::Value,
        _: Context,
    ) -> Result<acp_client::Value, RpcError> {
        let numbers: Vec<i64> =
            numbers.parse().map_err(|error| RpcError::invalid_params(error.to_string()))?;
        Ok(numbers.iter().sum::<i64>().into())
    }
}

impl Client for Buffers {
    fn register(self: Arc<Self>, handlers: &mut Handlers) {
        handlers.request::<FsReadTextFile, _, _>(&self, Self::read).ext_request("_sum", &self, Self::add);
        handlers.ext_request("_panic", &self, |_, _, _| async { panic!("a bug of the client's user") });
        handlers.ext_request(
            "_panic_early",
            &self,
            |_, _, _| -> std::future::Ready<Result<acp_client::Value, RpcError>> {
                panic!("before there is a future")
            },
        );
        handlers.ext_request("_ask_back", &self, |_, question, context: Context| async move {
            let answer: acp_client::Value =
                context.peer().request("_answer", &question).await.expect("answered");
            Ok(answer)
        });
    }
}

#[tokio::test]
async fn a_client_serves_what_it_registers() {
    let (_session, mut wire) = with_session(|connect| connect.client(Buffers)).await;
    let read = json!({"sessionId": "s1", "path": "/a", "line": 3});
    assert_eq!(
        wire.call(json!(1), "fs/read_text_file", read).await["result"],
        json!({"content": "/a from 3"})
    );
    assert_eq!(wire.call(json!(2), "_sum", json!([1, 2, 3])).await["result"], 6);
    assert_eq!(wire.call(json!(3), "_sum", json!({"a": 1})).await["error"]["code"], -32602);
    let bad =
        wire.call(json!(4), "fs/read_text_file", json!({"sessionId": "s1", "path": "/a", "line": "1"})).await;
    assert_eq!(bad["error"]["code"], -32602);
    assert!(bad["error"]["message"].as_str().expect("text").contains("line"), "{bad}");
    // The failure of one handler does not concern the others.
    assert_eq!(wire.call(json!(5), "_panic", json!(null)).await["error"]["code"], -32603);
    assert_eq!(wire.call(json!(5), "_panic_early", json!(null)).await["error"]["code"], -32603);
    assert_eq!(wire.call(json!(6), "_sum", json!([4])).await["result"], 4);
}

#[tokio::test]
async fn a_handler_may_call_the_agent_while_the_agent_waits_for_it() {
    async fn nested(wire: &mut Wire) -> Value {
        wire.send(json!({"jsonrpc": "2.0", "id": "q", "method": "_ask_back", "params": {"deep": true}}))
            .await;
        let question = wire.expect("_answer").await;
        assert_eq!(question["params"], json!({"deep": true}));
        wire.answer(&question, json!(42)).await;
        wire.receive().await
    }
    let (_session, mut wire) = with_session(|connect| connect.client(Buffers)).await;
    assert_eq!(nested(&mut wire).await["result"], 42);
}

#[tokio::test]
async fn extensions_go_both_ways() {
    let (agent, mut wire) = connected(plain, json!({})).await;
    let (answer, ()) = tokio::join!(agent.ext_request::<Vec<u64>>("_acme/count", &3), async {
        let request = wire.expect("_acme/count").await;
        wire.answer(&request, json!([1, 2, 3])).await;
    });
    assert_eq!(answer.expect("answered"), [1, 2, 3]);
    agent.ext_notify("_acme/tick", &"now").await.expect("connected");
    assert_eq!(wire.expect("_acme/tick").await["params"], "now");
}

#[tokio::test]
async fn dropping_every_handle_closes_the_connection() {
    let (session, mut wire) = with_session(plain).await;
    let updates = session.updates();
    drop(session);
    drop(updates);
    assert!(wire.next().await.is_none());
}

#[tokio::test]
async fn a_connection_that_ends_fails_what_is_open() {
    let (session, mut wire) = with_session(plain).await;
    let mut turn = session.prompt("hi").await.expect("sent");
    wire.expect("session/prompt").await;
    wire.text("s1", "last words").await;
    drop(wire);
    assert_eq!(turn.next().await.expect("still delivered").text(), Some("last words"));
    assert!(turn.next().await.is_none());
    let error = turn.finish().await.expect_err("no answer came");
    assert_eq!(error.to_string(), "`session/prompt` (session `s1`) has no answer: the peer closed it");
    assert!(matches!(session.prompt("more").await, Err(Error::Closed { .. })));
}
