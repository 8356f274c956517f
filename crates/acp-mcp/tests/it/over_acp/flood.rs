//! Servers that send more than is handled at once: nothing is lost, and little waits.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use acp_mcp::rmcp::handler::server::ServerHandler;
use acp_mcp::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig, Tool,
};
use acp_mcp::rmcp::service::{RequestContext, RoleServer};
use acp_mcp::{AcpCallError, AcpLink, Answering, CallOptions, McpError, McpProvider};
use acp_types::v1::{McpServerAcp, MessageMcpNotification, MessageMcpRequest};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use super::scene::{LONG, Scripted, answer, connect, connection, discovered, listed};

/// A server with a tool that reports progress, as often and with as long a text as it is asked to.
#[derive(Clone, Default)]
struct Flooding {
    /// The number of reports that were sent.
    sent: Arc<AtomicUsize>,
}

impl ServerHandler for Flooding {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({ "type": "object" }).as_object().unwrap().clone();
        Ok(ListToolsResult::with_all_items(vec![Tool::new("flood", "", Arc::new(schema))]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let [count, size] = ["count", "size"].map(|name| arguments[name].as_u64().unwrap());
        let token = context.meta.get_progress_token().unwrap();
        let text = "x".repeat(usize::try_from(size).unwrap());
        for number in 1..=u32::try_from(count).unwrap() {
            let report =
                ProgressNotificationParam::new(token.clone(), f64::from(number)).with_message(&*text);
            context.peer.notify_progress(report).await.unwrap();
            self.sent.fetch_add(1, Ordering::SeqCst);
        }
        Ok(CallToolResult::success(vec![ContentBlock::text("done")]).into())
    }
}

/// The number of messages that may be on the way: rmcp queues 16 messages of a server for one
/// request.
const ON_THE_WAY: usize = 32;

/// Several threads, on which tasks overtake each other.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn all_of_a_flood_arrives_in_order_and_little_is_on_the_way() {
    let (provider, server) = (McpProvider::new(), Flooding::default());
    let sent = Arc::clone(&server.sent);
    let (link, _connection) = connection(&provider);
    let session = connect(link, provider.add("far", server)).await;
    let is_full = std::env::var_os("ACP_TESTS").is_some_and(|tests| tests == "full");
    let small = if is_full { 100_000 } else { 10_000 };
    for (count, size) in [(small, 0), (300, 200_000), (1, 1)] {
        sent.store(0, Ordering::SeqCst);
        let (told, most) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
        let (here, left, on_the_way) = (Arc::clone(&told), Arc::clone(&sent), Arc::clone(&most));
        let options = CallOptions::new().on_progress(move |progress| {
            let mut told = here.lock().unwrap();
            on_the_way.fetch_max(left.load(Ordering::SeqCst).saturating_sub(told.len()), Ordering::SeqCst);
            told.push((progress.progress, progress.message.map_or(0, |text| text.len())));
        });
        let arguments = json!({ "count": count, "size": size });
        let outcome = session.call_tool("far__flood", arguments, options).await.unwrap();
        assert_eq!(outcome.text(), "done");
        // All reports have arrived before the answer.
        let all: Vec<_> = (1..=count).map(|number| (f64::from(number), size)).collect();
        assert!(*told.lock().unwrap() == all, "{count} of {size} bytes: {}", told.lock().unwrap().len());
        let most = most.load(Ordering::SeqCst);
        assert!(most <= ON_THE_WAY, "{count} of {size} bytes: {most} were on the way");
    }
    session.shutdown().await;
}

fn told(request: &MessageMcpRequest, number: usize, text: &str) -> MessageMcpNotification {
    let token = request.params.as_ref().unwrap().get("_meta").unwrap().get("progressToken").unwrap();
    let told = json!({
        "serverId": request.server_id.as_str(), "requestId": request.request_id.as_str(),
        "method": "notifications/progress",
        "params": { "progressToken": token, "progress": number, "message": text },
    });
    acp_json::from_str(&told.to_string()).unwrap()
}

/// A server that sends 200 KB `count` times during a call, without waiting. The notifications are
/// handled one after the other. Then the call waits for `done`.
fn deaf(count: usize, most_waiting: usize) -> (AcpLink, mpsc::UnboundedReceiver<&'static str>) {
    let link: Arc<OnceLock<AcpLink>> = Arc::default();
    let (tell, told_of) = mpsc::unbounded_channel();
    let here = Arc::clone(&link);
    let caller = Scripted(move |request: MessageMcpRequest| -> Answering {
        let (link, tell) = (here.get().unwrap().clone(), tell.clone());
        match &*request.method {
            "server/discover" => Box::pin(async { Ok(discovered()) }),
            "tools/list" => Box::pin(async { Ok(listed(&["flood", "echo"])) }),
            _ => Box::pin(async move {
                let complete = json!({ "result": {
                    "resultType": "complete", "content": [{ "type": "text", "text": "fine" }],
                } });
                if request.params.as_ref().unwrap().get("name").unwrap().as_str() == Some("echo") {
                    return Ok(answer(&complete));
                }
                let _withdrawn = Told(tell.clone(), "over");
                let (all_in, taken) = oneshot::channel::<()>();
                let text = "x".repeat(200_000);
                let tellings: Vec<_> =
                    (1..=count).map(|number| link.notified(told(&request, number, &text))).collect();
                tokio::spawn(async move {
                    for telling in tellings {
                        telling.await;
                    }
                    drop(all_in);
                });
                tell.send("told").unwrap();
                let _ = taken.await;
                Ok(answer(&complete))
            }),
        }
    });
    let built = AcpLink::with_most_waiting(caller, most_waiting);
    assert!(link.set(built.clone()).is_ok());
    (built, told_of)
}

/// Sends a message when it is dropped.
struct Told(mpsc::UnboundedSender<&'static str>, &'static str);

impl Drop for Told {
    fn drop(&mut self) {
        // The receiver is gone once the test is over.
        let _ = self.0.send(self.1);
    }
}

/// A handler that blocks until it is released, and notes each notification.
fn blocked() -> (CallOptions, std::sync::mpsc::Sender<()>, Arc<Mutex<Vec<f64>>>) {
    let (let_go, gate) = std::sync::mpsc::channel::<()>();
    let (gate, told): (_, Arc<Mutex<Vec<f64>>>) = (Mutex::new(gate), Arc::default());
    let here = Arc::clone(&told);
    let options = CallOptions::new().on_progress(move |progress| {
        // This blocks until the other end is dropped.
        let _ = gate.lock().unwrap().recv();
        here.lock().unwrap().push(progress.progress);
    });
    (options, let_go, told)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_not_taken_in_waits_and_arrives_later() {
    let (link, mut told_of) = deaf(50, 50 * 1024 * 1024);
    let session = connect(link.clone(), McpServerAcp::new("far", "x")).await;
    let (options, let_go, told) = blocked();
    let calling = session.clone();
    let call = tokio::spawn(async move { calling.call_tool("far__flood", (), options).await });
    assert_eq!(told_of.recv().await, Some("told"));
    // One notification is being handled, and one is queued. All others wait.
    assert!(link.waiting() > 48 * 200_000, "{link:?}");
    // The server does not answer after them, but calls of other servers go on.
    drop(let_go);
    assert_eq!(call.await.unwrap().unwrap().text(), "fine");
    assert_eq!(*told.lock().unwrap(), (1..=50).map(f64::from).collect::<Vec<_>>());
    assert_eq!(link.waiting(), 0);
    session.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn at_the_limit_the_request_fails_and_is_withdrawn() {
    const LIMIT: usize = 1024 * 1024;
    let (link, mut told_of) = deaf(50, LIMIT);
    let session = connect(link.clone(), McpServerAcp::new("far", "x")).await;
    let (options, let_go, _told) = blocked();
    let error = session.call_tool("far__flood", (), options).await.unwrap_err();
    let overloaded = AcpCallError::Overloaded { limit: LIMIT };
    assert_eq!(error, McpError::Acp { method: "tools/call", error: overloaded });
    assert_eq!((told_of.recv().await, told_of.recv().await), (Some("told"), Some("over")));
    assert_eq!(link.waiting(), 0);
    // The server still exists, and answers once the handler does not block any more.
    drop(let_go);
    let answered = session.call_tool("far__echo", (), CallOptions::new()).await.unwrap();
    assert_eq!(answered.text(), "fine");
    session.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_end_of_a_call_ends_what_waits_for_it() {
    let (link, mut told_of) = deaf(50, 50 * 1024 * 1024);
    let session = connect(link.clone(), McpServerAcp::new("far", "x")).await;
    let (options, let_go, told) = blocked();
    let calling = session.clone();
    let call = tokio::spawn(async move { calling.call_tool("far__flood", (), options).await });
    assert_eq!(told_of.recv().await, Some("told"));
    call.abort();
    assert_eq!(tokio::time::timeout(LONG, told_of.recv()).await.unwrap(), Some("over"));
    assert_eq!(link.waiting(), 0);
    drop(let_go);
    let answered = session.call_tool("far__echo", (), CallOptions::new()).await.unwrap();
    assert_eq!(answered.text(), "fine");
    assert!(told.lock().unwrap().len() <= 2, "what was on its way");
    session.shutdown().await;
}
