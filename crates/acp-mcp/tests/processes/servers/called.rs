//! The cases of calls: progress, cancellation, questions to the user, and odd answers.

use acp_mcp::{
    CallOptions, CancellationToken, ElicitMode, ElicitRequest, Elicitation, ElicitationModes, Era, McpError,
    ToolsStatus,
};
use acp_types::v1::{ElicitationAcceptAction, ElicitationAction, ElicitationContentValue};
use serde_json::{Value, json};

use super::life::until;
use super::scene::Scene;

pub async fn tools_are_called() {
    let scene = Scene::new();
    let session = scene.connect("real-dual").await;
    let names: Vec<String> = session.tools().await.into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["echo", "fail", "count", "wait", "ask"].map(|tool| format!("real-dual__{tool}")));
    assert_eq!(session.servers()[0].tools_status(), ToolsStatus::Listed(5));
    let info = session.servers()[0].info().unwrap();
    assert_eq!(info.instructions.as_deref(), Some("Use it well."));
    assert_eq!(info.implementation.as_ref().unwrap().name, "real");

    let outcome = session.call_tool("real-dual__fail", Value::Null, CallOptions::new()).await.unwrap();
    assert!(outcome.is_error);
    let update = serde_json::to_value(outcome.to_update("call_1")).unwrap();
    assert_eq!(
        (&update["status"], &update["content"][0]["content"]["text"]),
        (&json!("failed"), &json!("it did not work"))
    );

    let unknown = session.call_tool("real-dual__none", Value::Null, CallOptions::new()).await.unwrap_err();
    assert_eq!(unknown.to_string(), "no connected MCP server has a tool `real-dual__none`");
    let wrong = session.call_tool("real-dual__echo", json!([1]), CallOptions::new()).await.unwrap_err();
    assert_eq!(wrong.to_string(), "the arguments of `real-dual__echo` must be a JSON object");
    session.shutdown().await;
    let closed = session.call_tool("real-dual__echo", Value::Null, CallOptions::new()).await.unwrap_err();
    assert!(matches!(closed, McpError::UnknownTool { .. }), "{closed}");
}

pub async fn progress_arrives() {
    for era in ["real-modern", "real-legacy"] {
        let scene = Scene::new();
        let session = scene.connect(era).await;
        let (told, mut reports) = tokio::sync::mpsc::unbounded_channel();
        let options = CallOptions::new().on_progress(move |progress| told.send(progress).unwrap());
        session.call_tool(&format!("{era}__count"), Value::Null, options.clone()).await.unwrap();
        let first = reports.recv().await.unwrap();
        assert_eq!((first.total, first.message.as_deref()), (Some(3.0), Some("counting")), "{era}");
        drop(options);
    }
}

pub async fn a_cancelled_call_is_cancelled_at_the_server() {
    for mode in ["plain", "modern"] {
        let scene = Scene::new();
        let session = scene.connect(mode).await;
        session.tools().await;
        let cancel = CancellationToken::new();
        let options = CallOptions::new().cancel(cancel.clone());
        let (calling, name) = (session.clone(), format!("{mode}__hang"));
        let call = tokio::spawn(async move { calling.call_tool(&name, Value::Null, options).await });
        until(|| scene.log(mode).iter().any(|method| method == "tools/call")).await;
        cancel.cancel();
        assert_eq!(call.await.unwrap(), Err(McpError::Cancelled));
        until(|| scene.log(mode).iter().any(|method| method == "notifications/cancelled")).await;
        let messages = scene.messages(mode);
        let of = |method: &str| messages.iter().find(|message| message["method"] == method).unwrap();
        assert_eq!(of("tools/call")["id"], of("notifications/cancelled")["params"]["requestId"], "{mode}");
    }
}

struct Answers;

impl Elicitation for Answers {
    fn modes(&self) -> ElicitationModes {
        ElicitationModes::new(true, false)
    }

    fn elicit(&self, request: ElicitRequest) -> futures_util::future::BoxFuture<'_, ElicitationAction> {
        Box::pin(async move {
            let ElicitMode::Form(schema) = &request.mode else { return ElicitationAction::Cancel };
            assert_eq!(schema.required.as_deref(), Some(&["name".to_owned()][..]));
            assert_eq!(request.message, "Your name?");
            let said = format!(
                "{} for {}",
                request.server,
                request.tool_call.map_or("?".into(), |id| id.to_string())
            );
            let content: acp_json::Map<ElicitationContentValue> =
                acp_json::from_str(&json!({ "name": said }).to_string()).unwrap();
            ElicitationAction::Accept(ElicitationAcceptAction::new().content(content))
        })
    }
}

pub async fn a_server_asks_the_user() {
    for (era, whom) in [("real-modern", "call_9"), ("real-legacy", "?")] {
        let scene = Scene::new();
        let session = scene.builder().elicitation(Answers).connect_all(&[scene.server(era)]).await;
        session.tools().await;
        let options = CallOptions::new().tool_call("call_9");
        let outcome = session.call_tool(&format!("{era}__ask"), Value::Null, options).await.unwrap();
        let answer: Value = serde_json::from_str(&outcome.text()).unwrap();
        assert_eq!(
            answer,
            json!({ "action": "accept", "content": { "name": format!("{era} for {whom}") } }),
            "{era}"
        );
    }
    // A session that cannot ask the user.
    let scene = Scene::new();
    let session = scene.connect("real-modern").await;
    session.tools().await;
    let error = session.call_tool("real-modern__ask", Value::Null, CallOptions::new()).await.unwrap_err();
    assert!(matches!(error, McpError::MissingClientCapability { .. }), "{error}");
}

pub async fn d15_and_mcp_neg_42_a_call_is_tried_once_more() {
    let scene = Scene::new();
    let session = scene.connect("modern").await;
    session.tools().await;
    for tool in ["modern__mismatch", "modern__moved"] {
        let outcome = session.call_tool(tool, json!({}), CallOptions::new()).await.unwrap();
        assert_eq!(outcome.text(), "{}", "{tool}");
    }
    session.shutdown().await;
    let log = scene.log("modern").join(" ");
    let first = "server/discover tools/list tools/call tools/list tools/call tools/call";
    assert!(log.starts_with(&format!("{first} server/discover ")), "{log}");
    assert_eq!(log.matches("tools/call").count(), 4, "{log}");
}

pub async fn mcp_neg_62_a_call_has_its_time() {
    let scene = Scene::new();
    let session = scene.connect("plain").await;
    session.tools().await;
    let options = CallOptions::new().timeout(std::time::Duration::from_millis(20));
    let error = session.call_tool("plain__hang", Value::Null, options).await.unwrap_err();
    assert_eq!(error.to_string(), "the server did not answer `tools/call` within 20ms");
    until(|| scene.log("plain").iter().any(|method| method == "notifications/cancelled")).await;
}

pub async fn mcp_neg_12_a_result_of_another_type_is_none() {
    let scene = Scene::new();
    let session = scene.connect("modern").await;
    session.tools().await;
    let error = session.call_tool("modern__odd", Value::Null, CallOptions::new()).await.unwrap_err();
    assert!(matches!(error, McpError::InvalidResult { method: "tools/call", .. }), "{error}");
    assert_eq!(session.servers()[0].info().unwrap().era, Era::Modern);
}
