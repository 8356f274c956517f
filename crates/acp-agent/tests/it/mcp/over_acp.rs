//! Servers that the client provides: MCP over the connection, rules `acp-mcp-20` to `-26`.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use acp_agent::types::MessageMcpNotification;
use acp_agent::{Client, Mcp, Options, Result, Router, StopReason, ToolCall, Turn, op};
use acp_mcp::CallOptions;
use serde_json::{Value, json};

use crate::mcp::reopening::{WAYS, agent};
use crate::mcp::{options, prompt};
use crate::support::Wire;

const SERVER: &str = "far-1";

/// Returns the client's answer to a request `mcp/message`. `None` means a call of `flood`, which is
/// not answered here.
fn answer(request: &Value) -> Option<Value> {
    let params = &request["params"];
    if params["serverId"] != SERVER {
        return Some(json!({"error": {"code": -33001, "message": "no such server"}}));
    }
    let result = match params["method"].as_str().unwrap() {
        "server/discover" => json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
            "ttlMs": 0, "cacheScope": "private",
        }),
        "tools/list" => {
            let tools =
                ["echo", "flood"].map(|name| json!({"name": name, "inputSchema": {"type": "object"}}));
            json!({"resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private"})
        }
        _ if params["params"]["name"] == "flood" => return None,
        _ => {
            let arguments = params["params"]["arguments"].to_string();
            json!({"resultType": "complete", "content": [{"type": "text", "text": arguments}]})
        }
    };
    Some(json!({"result": {"result": result}}))
}

/// Answers the agent's requests to the server until a message matches `is_it`. Returns this message
/// and the other messages before it.
async fn serve(wire: &mut Wire, is_it: impl Fn(&Value) -> bool) -> (Value, Vec<Value>) {
    let mut others = Vec::new();
    loop {
        let message = wire.recv().await;
        if is_it(&message) {
            return (message, others);
        }
        if message["method"] != "mcp/message" {
            others.push(message);
            continue;
        }
        let mut reply = answer(&message).unwrap_or_else(|| panic!("{message}"));
        reply["jsonrpc"] = json!("2.0");
        reply["id"] = message["id"].clone();
        wire.send(reply).await;
    }
}

/// Returns the text that the agent says in a turn with this prompt.
async fn said(wire: &mut Wire, session: &str, text: &str) -> String {
    let id = wire.prompt(session, text).await;
    let (answer, others) = serve(wire, |message| message["id"] == id && message["method"].is_null()).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
    texts(&others)
}

fn texts(messages: &[Value]) -> String {
    let updates = messages.iter().map(|message| &message["params"]["update"]);
    let said = updates.filter(|update| update["sessionUpdate"] == "agent_message_chunk");
    said.map(|update| update["content"]["text"].as_str().unwrap()).collect()
}

/// Opens a session with the server by this method.
async fn open(wire: &mut Wire, way: &str, session: Option<&str>) -> String {
    let mut params = json!({"cwd": "/", "mcpServers": [{"type": "acp", "name": "far", "serverId": SERVER}]});
    if let Some(session) = session {
        params["sessionId"] = json!(session);
    }
    let id = wire.request(way, params).await;
    let (answer, _) = serve(wire, |message| message["id"] == id && message["method"].is_null()).await;
    assert!(answer["result"].is_object(), "{way}: {answer}");
    answer["result"]["sessionId"].as_str().or(session).unwrap().to_owned()
}

/// Rule `acp-mcp-01`, for servers that are not processes.
#[tokio::test]
async fn every_way_to_open_a_session_connects_servers_of_the_client() {
    let mut wire = Wire::connect(agent(), json!({})).await;
    let first = open(&mut wire, "session/new", None).await;
    assert_eq!(said(&mut wire, &first, "servers").await, "far connected 2026-07-28");
    for way in WAYS {
        let session = open(&mut wire, way, Some(&first)).await;
        assert_eq!(said(&mut wire, &session, "servers").await, "far connected 2026-07-28", "{way}");
        assert_eq!(said(&mut wire, &session, r#"call far__echo {"a":1}"#).await, r#"false {"a":1}"#, "{way}");
    }
}

/// The agent's own requests to the server, beside those of the library.
#[tokio::test]
async fn an_agent_may_have_a_handler_of_its_own_beside_the_library() {
    async fn own(_: &(), told: MessageMcpNotification, client: Client) {
        let _ = client.ext_notify("_client/told", &told).await;
    }

    let agent = Router::new("both", "1", ())
        .mcp(options())
        .on::<op::Prompt, _>(prompt)
        .on_notification::<op::McpMessage, _>(own);
    let mut wire = Wire::connect(agent, json!({})).await;
    let session = open(&mut wire, "session/new", None).await;
    assert_eq!(said(&mut wire, &session, "tools").await, "far__echo far__flood");
    let prompt = wire.prompt(&session, "call far__flood").await;
    let is_call = |message: &Value| message["params"]["params"]["name"] == "flood";
    let (call, _) = serve(&mut wire, is_call).await;
    let library = call["params"]["requestId"].as_str().unwrap().to_owned();
    for (request, number) in [("own-1", 1), (&library, 2), ("acp-mcp-0", 3), ("own-1", 4)] {
        wire.notify("mcp/message", progress(&call, request, number, "")).await;
    }
    // Progress of the library's request reaches the tool call. Progress of the agent's own requests
    // reaches the handler. Progress of a request that has ended reaches nobody.
    let (mut own, mut shown) = (Vec::new(), false);
    while own.len() < 2 || !shown {
        let message = wire.recv().await;
        if message["method"] == "_client/told" {
            own.push(message["params"]["params"]["progress"].clone());
        }
        shown |= message.to_string().contains("2 of 40000");
    }
    assert_eq!(own, [1, 4]);
    let done = json!({"result": {"resultType": "complete", "content": []}});
    wire.send(json!({"jsonrpc": "2.0", "id": call["id"], "result": done})).await;
    let (answer, _) = serve(&mut wire, |message| message["id"] == prompt).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
}

/// Builds the server's notification about the progress of a call.
fn progress(call: &Value, request: &str, number: usize, text: &str) -> Value {
    json!({
        "serverId": SERVER, "requestId": request, "method": "notifications/progress",
        "params": {
            "progressToken": call["params"]["params"]["_meta"]["progressToken"],
            "progress": number, "total": 40_000, "message": text,
        },
    })
}

/// An agent that calls `flood`, and notes its progress. The handler of progress blocks until the
/// test releases it.
struct Noting {
    told: Arc<Mutex<Vec<usize>>>,
    gate: Arc<Mutex<mpsc::Receiver<()>>>,
}

impl Noting {
    fn new() -> (Self, mpsc::Sender<()>) {
        let (let_go, gate) = mpsc::channel();
        (Noting { told: Arc::default(), gate: Arc::new(Mutex::new(gate)) }, let_go)
    }

    async fn flood(&self, mcp: &Mcp) -> String {
        let (told, gate) = (Arc::clone(&self.told), Arc::clone(&self.gate));
        let options = CallOptions::new().on_progress(move |progress| {
            // This blocks until the test drops the other end.
            let _ = gate.lock().unwrap_or_else(PoisonError::into_inner).recv();
            told.lock().unwrap().push(progress.progress.round() as usize);
        });
        match mcp.connections().call_tool("far__flood", (), options).await {
            Ok(outcome) => outcome.text(),
            Err(error) => error.to_string(),
        }
    }

    async fn prompt(&self, turn: Turn, mcp: Mcp) -> Result<StopReason> {
        match turn.text().as_str() {
            "flood" => turn.say(self.flood(&mcp).await).await?,
            "flood and ask" => {
                let edit = ToolCall::edit("Write /a.txt");
                let (flood, asked) = tokio::join!(self.flood(&mcp), turn.ask(&edit));
                turn.say(format!("{flood}; {:?}", asked?)).await?;
            }
            _ => turn.say(mcp.call_tool(&turn, "far__echo", json_of("{}")).await?.text()).await?,
        }
        Ok(StopReason::EndTurn)
    }

    fn serve(self) -> Wire {
        // The reader pauses at 1 MiB, and the request fails at 3 MiB.
        const MIB: usize = 1024 * 1024;
        let options = Options::default().incoming_budget(MIB).incoming_ceiling(5 * MIB);
        let agent =
            Router::new("noting", "1", self).mcp(crate::mcp::options()).on::<op::Prompt, _>(Self::prompt);
        Wire::serve_with(agent, options)
    }
}

fn json_of(text: &str) -> acp_agent::Value {
    acp_json::from_str(text).unwrap()
}

/// The client has to wait, however much the server sends. With messages of 200 KB, at most 4 MB are
/// on the way.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_server_that_floods_waits_for_who_takes_it_in() {
    for (count, size, most) in [(300, 200_000, 20), (40_000, 0, 20_000)] {
        let (noting, let_go) = Noting::new();
        let told = Arc::clone(&noting.told);
        let mut wire = noting.serve();
        wire.initialize(json!({})).await;
        let session = open(&mut wire, "session/new", None).await;
        let prompt = wire.prompt(&session, "flood").await;
        let (call, _) = serve(&mut wire, |message| message["params"]["params"]["name"] == "flood").await;
        let request = call["params"]["requestId"].as_str().unwrap();
        let (text, on_the_way) = ("x".repeat(size), AtomicUsize::new(0));
        let mut let_go = Some(let_go);
        for number in 1..=count {
            wire.notify("mcp/message", progress(&call, request, number, &text)).await;
            on_the_way.fetch_max(number - told.lock().unwrap().len(), Ordering::Relaxed);
            // Some messages wait by now.
            if number == 4 {
                let_go.take();
            }
        }
        let done = json!({"resultType": "complete", "content": [{"type": "text", "text": "done"}]});
        wire.send(json!({"jsonrpc": "2.0", "id": call["id"], "result": {"result": done}})).await;
        let (answer, others) = serve(&mut wire, |message| message["id"] == prompt).await;
        assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
        assert_eq!(texts(&others), "done");
        assert!(*told.lock().unwrap() == (1..=count).collect::<Vec<_>>(), "{count}: lost, or out of order");
        let on_the_way = on_the_way.into_inner();
        assert!(on_the_way <= most, "{on_the_way} of {size} bytes were on the way");
        assert_eq!(said(&mut wire, &session, "and now?").await, "{}");
    }
}

/// An agent that waits for the client has to read on. The request that floods fails, and the
/// request that waits does not.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_flood_that_nobody_takes_in_ends_with_its_request() {
    let (noting, let_go) = Noting::new();
    let told = Arc::clone(&noting.told);
    let mut wire = noting.serve();
    wire.initialize(json!({})).await;
    let session = open(&mut wire, "session/new", None).await;
    assert_eq!(said(&mut wire, &session, "hello").await, "{}");
    let prompt = wire.prompt(&session, "flood and ask").await;
    let mut asked = Vec::new();
    while asked.len() < 2 {
        let is_one = |message: &Value| {
            message["method"] == "session/request_permission"
                || message["params"]["params"]["name"] == "flood"
        };
        asked.push(serve(&mut wire, is_one).await.0);
    }
    asked.sort_by_key(|message| message["method"].as_str().unwrap().to_owned());
    let [call, permission] = asked.as_slice() else { unreachable!() };
    let (request, text) = (call["params"]["requestId"].as_str().unwrap(), "x".repeat(200_000));
    for number in 1..=50 {
        wire.notify("mcp/message", progress(call, request, number, &text)).await;
    }
    let (cancelled, _) = serve(&mut wire, |message| message["method"] == "$/cancel_request").await;
    assert_eq!(cancelled["params"]["requestId"], call["id"]);
    let error = json!({"code": -32800, "message": "cancelled"});
    wire.send(json!({"jsonrpc": "2.0", "id": call["id"], "error": error})).await;
    let chosen = permission["params"]["options"][0]["optionId"].clone();
    wire.answer(permission, json!({"outcome": {"outcome": "selected", "optionId": chosen}})).await;
    let (answer, others) = serve(&mut wire, |message| message["id"] == prompt).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
    let said_then = texts(&others);
    assert!(said_then.contains("3145728 bytes") && said_then.ends_with("; AllowOnce"), "{said_then}");
    assert_eq!(*told.lock().unwrap(), Vec::<usize>::new());
    drop(let_go);
    assert_eq!(said(&mut wire, &session, "and now?").await, "{}");
}
