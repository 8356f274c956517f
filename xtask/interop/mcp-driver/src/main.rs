//! Program that connects one MCP server by acp-mcp, tries all it offers, and prints a line of JSON.
//!
//! It is called as `mcp-driver [--legacy | --modern] [--sse] <url>` or
//! `… -- <command> <argument>…`.
//!
//! It calls every tool with arguments made up from its schema, gets every prompt and reads every
//! resource. Questions are answered with the defaults of their fields. It fails if it cannot
//! connect the server or does not understand it.

mod answers;
mod arguments;
mod browser;

use std::process::ExitCode;

use acp_mcp::rmcp::model::GetPromptRequestParams;
use acp_mcp::{
    AuthorizationPage, AuthorizerAnswer, CallOptions, Implementation, McpError, McpSession, OAuth,
    OAuthClient, ProtocolVersion, QualifiedTool, Server, ServerStatus, VersionPolicy,
};
use acp_types::v1::{McpServer, McpServerHttp, McpServerSse, McpServerStdio};
use serde_json::{Value, json};

use crate::answers::Defaults;
use crate::arguments::Arguments;

/// No part of a name of a tool.
const NAME: &str = "peer";

#[tokio::main]
async fn main() -> ExitCode {
    let Some((policy, server)) = command_line() else {
        eprintln!("mcp-driver [--legacy | --modern] [--sse] <url>, or … -- <command> <argument>…");
        return ExitCode::FAILURE;
    };
    let session = McpSession::builder(Implementation::new("mcp-driver", "0.0.0"))
        .versions(policy)
        .elicitation(Defaults)
        .authorization(authorization())
        .connect_all(&[server])
        .await;
    session.authorized().await;
    let mut report = Report::default();
    for server in session.servers() {
        report.server(&session, &server).await;
    }
    session.shutdown().await;
    println!("{}", report.line());
    if report.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The user agrees to everything, and the client is known where the conformance tool says so.
fn authorization() -> OAuth {
    let oauth = OAuth::new(|page: AuthorizationPage| async move {
        match browser::visit(&page.url).await {
            Ok(()) => AuthorizerAnswer::Opened,
            Err(_) => AuthorizerAnswer::Unavailable,
        }
    })
    .client_metadata_url("https://conformance-test.local/client-metadata.json");
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = serde_json::from_str(&context).unwrap_or_default();
    let known = |name: &str| context[name].as_str();
    match (known("issuer"), known("client_id"), known("client_secret")) {
        (Some(issuer), Some(id), Some(secret)) => oauth.client(issuer, OAuthClient::new(id).secret(secret)),
        _ => oauth,
    }
}

fn command_line() -> Option<(VersionPolicy, McpServer)> {
    let (mut policy, mut is_sse) = (VersionPolicy::Auto, false);
    let mut args = std::env::args().skip(1);
    loop {
        let arg = args.next()?;
        match arg.as_str() {
            "--legacy" => policy = VersionPolicy::LegacyOnly,
            "--modern" => policy = VersionPolicy::Only(ProtocolVersion::V_2026_07_28),
            "--sse" => is_sse = true,
            "--" => {
                let command = args.next()?;
                return Some((
                    policy,
                    McpServerStdio::new(NAME, command, args.collect::<Vec<_>>(), []).into(),
                ));
            }
            url if is_sse => return Some((policy, McpServerSse::new(NAME, url, []).into())),
            url => return Some((policy, McpServerHttp::new(NAME, url, []).into())),
        }
    }
}

#[derive(Default)]
struct Report {
    spoken: Option<String>,
    called: Vec<String>,
    got: Vec<String>,
    read: Vec<String>,
    /// The things that the server answered with an error. The driver does not know if it should.
    refused: Vec<String>,
    failures: Vec<String>,
}

impl Report {
    async fn server(&mut self, session: &McpSession, server: &Server) {
        match server.status() {
            ServerStatus::Connected(info) => self.spoken = Some(format!("{} {}", info.era, info.version)),
            ServerStatus::Failed(error) => return self.failures.push(format!("connect: {error}")),
            other => return self.failures.push(format!("connect: {other:?}")),
        }
        let tools = session.tools().await;
        let arguments = Arguments::new(&tools);
        for (tool, arguments) in tools.iter().flat_map(|tool| arguments.calls(tool)) {
            self.call(session, tool, arguments).await;
        }
        let info = server.info();
        if info.as_ref().is_some_and(|info| info.supports_prompts()) {
            self.prompts(server).await;
        }
        if info.as_ref().is_some_and(|info| info.supports_resources()) {
            self.resources(server).await;
        }
    }

    async fn call(&mut self, session: &McpSession, tool: &QualifiedTool, arguments: Value) {
        let name = tool.tool.name.to_string();
        match session.call_tool(&tool.name, arguments, CallOptions::new()).await {
            Ok(_) => self.called.push(name),
            Err(error) => self.failed(&name, &error),
        }
    }

    async fn prompts(&mut self, server: &Server) {
        let prompts = match server.list_prompts().await {
            Ok(prompts) => prompts,
            Err(error) => return self.failed("prompts/list", &error),
        };
        for prompt in prompts {
            let required =
                prompt.arguments.iter().flatten().filter(|argument| argument.required == Some(true));
            let arguments = required.map(|argument| (argument.name.clone(), json!("1"))).collect();
            let params = GetPromptRequestParams::new(&prompt.name).with_arguments(arguments);
            match server.get_prompt(params).await {
                Ok(_) => self.got.push(prompt.name),
                Err(error) => self.failed(&prompt.name, &error),
            }
        }
    }

    async fn resources(&mut self, server: &Server) {
        let resources = match server.list_resources().await {
            Ok(resources) => resources,
            Err(error) => return self.failed("resources/list", &error),
        };
        for resource in resources {
            match server.read_resource(&resource.uri).await {
                Ok(_) => self.read.push(resource.uri),
                Err(error) => self.failed(&resource.uri, &error),
            }
        }
    }

    fn failed(&mut self, what: &str, error: &McpError) {
        let list = if matches!(error, McpError::Rpc { .. }) { &mut self.refused } else { &mut self.failures };
        list.push(format!("{what}: {error}"));
    }

    fn line(&self) -> String {
        json!({
            "spoken": self.spoken,
            "called": self.called,
            "got": self.got,
            "read": self.read,
            "refused": self.refused,
            "failures": self.failures,
        })
        .to_string()
    }
}
