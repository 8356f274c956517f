//! A server made with rmcp that speaks chosen versions.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ElicitRequestParams, ErrorData,
    Implementation, InputRequest, InputRequests, InputRequiredResult, JsonObject, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ProtocolVersion, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

/// The extension that the server has.
pub const EXTENSION: &str = "com.example/x";

#[derive(Clone)]
pub struct Real {
    versions: Vec<ProtocolVersion>,
}

impl Real {
    /// Creates a server: `modern`, `legacy` or `dual`.
    pub fn new(era: &str) -> Self {
        let all = ProtocolVersion::KNOWN_VERSIONS.iter().cloned();
        let versions = match era {
            "modern" => all.filter(|version| !version.has_initialize()).collect(),
            "legacy" => all.filter(ProtocolVersion::has_initialize).collect(),
            _ => all.collect(),
        };
        Self { versions }
    }
}

/// Serves on stdin and stdout until they are closed.
pub fn serve_stdio(era: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let server = Real::new(era);
    runtime.block_on(async {
        // It ends with an error when a modern server is opened with `initialize`.
        if let Ok(running) = rmcp::serve_server(server, rmcp::transport::stdio()).await {
            let _ = running.waiting().await;
        }
    });
    // A blocking read of stdin must not keep the process.
    std::process::exit(0);
}

fn tool(name: &'static str) -> Tool {
    let schema: JsonObject = json!({ "type": "object" }).as_object().unwrap().clone();
    Tool::new(name, "a tool of the tests", Arc::new(schema))
}

impl ServerHandler for Real {
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Owned(self.versions.clone())
    }

    fn get_info(&self) -> ServerConfig {
        let settings: JsonObject = json!({ "size": 7 }).as_object().unwrap().clone();
        let extensions = [(EXTENSION.to_owned(), settings)].into_iter().collect();
        let capabilities =
            ServerCapabilities::builder().enable_extensions_with(extensions).enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("real", "1.0"))
            .with_instructions("Use it well.")
            .with_protocol_version(
                self.versions
                    .iter()
                    .rev()
                    .find(|version| version.has_initialize())
                    .cloned()
                    .unwrap_or_default(),
            )
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![
            tool("echo"),
            tool("fail"),
            tool("count"),
            tool("wait"),
            tool("ask"),
        ]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.clone().unwrap_or_default());
        let text = |text: String| Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into());
        match request.name.as_ref() {
            "echo" => Ok(CallToolResult::structured(arguments).into()),
            "fail" => Ok(CallToolResult::error(vec![ContentBlock::text("it did not work")]).into()),
            "count" => {
                let token = context.meta.get_progress_token().unwrap();
                for at in 1..=3 {
                    let report = ProgressNotificationParam::new(token.clone(), f64::from(at)).with_total(3.0);
                    let _ = context.peer.notify_progress(report.with_message("counting")).await;
                }
                text("3".to_owned())
            }
            "wait" => {
                context.ct.cancelled().await;
                text("cancelled".to_owned())
            }
            "ask" => ask(request, context).await,
            name => Err(ErrorData::invalid_params(format!("no tool {name}"), None)),
        }
    }
}

/// Asks the user: a modern server by its answer, a legacy one by a request.
async fn ask(
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let question = json!({ "mode": "form", "message": "Your name?", "requestedSchema":
        { "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] } });
    let params: ElicitRequestParams = serde_json::from_value(question).unwrap();
    let is_modern = context.protocol_version().is_some_and(|version| !version.has_initialize());
    let answer = if !is_modern {
        let asked = rmcp::model::ServerRequest::ElicitRequest(rmcp::model::ElicitRequest::new(params));
        let answer = context.peer.send_request(asked).await;
        serde_json::to_value(answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))?)
            .unwrap()
    } else if let Some(answer) = request.input_responses.as_ref().and_then(|answers| answers.get("name")) {
        answer.clone()
    } else {
        let request = InputRequest::Elicitation(rmcp::model::ElicitRequest::new(params));
        let requests: InputRequests = [("name".to_owned(), request)].into_iter().collect();
        return Ok(CallToolResponse::InputRequired(InputRequiredResult::from_input_requests(requests)));
    };
    Ok(CallToolResult::success(vec![ContentBlock::text(answer.to_string())]).into())
}
