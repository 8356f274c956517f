//! Operations of the unstable schema.

use acp_agent::types::{
    AuthState, AuthStatusResponse, DisableProviderRequest, MessageMcpNotification, ProviderInfo,
    SessionStatus, SessionStatusRequest, SessionStatusResponse, SetProviderRequest, SetSessionTitleRequest,
    methods,
};
use acp_agent::{Conflict, Error, ForkSession};

use super::*;

struct Unstable;

#[agent(name = "unstable", version = "1")]
impl Unstable {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say(turn.session_id().as_str()).await?;
        Ok(StopReason::EndTurn)
    }

    async fn new_session(&self) -> Result<Opened<()>> {
        Ok(Opened::new(()).session_id("first"))
    }

    async fn fork_session(&self, fork: ForkSession) -> Result<Opened<()>> {
        Ok(Opened::new(()).session_id(format!("{}-fork", fork.request().session_id)))
    }

    async fn list_sessions(&self) -> Result<Vec<SessionInfo>> {
        Ok(Vec::new())
    }

    async fn archive_session(&self) -> Result<()> {
        Ok(())
    }

    async fn unarchive_session(&self) -> Result<()> {
        Ok(())
    }

    async fn session_status(&self, request: SessionStatusRequest) -> Result<SessionStatusResponse> {
        if request.session_id.as_str() == "nope" {
            return Err(Error::unknown_session(&request.session_id));
        }
        Ok(SessionStatusResponse::new(SessionStatus::Open))
    }

    #[on(methods::SessionSetTitle)]
    async fn set_name(&self, request: SetSessionTitleRequest) -> Result<String> {
        Ok(request.title.trim().to_owned())
    }

    #[on("auth/status")]
    async fn login(&self) -> Result<AuthStatusResponse> {
        Ok(AuthStatusResponse::new(AuthState::NotRequired))
    }

    async fn list_providers(&self) -> Result<Vec<ProviderInfo>> {
        Ok(Vec::new())
    }

    async fn set_provider(&self, _request: SetProviderRequest) -> Result<()> {
        Ok(())
    }

    async fn disable_provider(&self, _request: DisableProviderRequest) -> Result<()> {
        Ok(())
    }

    async fn mcp_message(&self, message: MessageMcpNotification, client: Client) {
        let _ = client.ext_notify("_client/mcp", &message.method).await;
    }
}

fn router() -> impl Agent {
    Router::with_sessions("unstable", "1", Unstable, Unstable::new_session)
        .on::<op::Prompt, _>(Unstable::prompt)
        .on::<op::ForkSession, _>(Unstable::fork_session)
        .on::<op::ListSessions, _>(Unstable::list_sessions)
        .on::<op::ArchiveSession, _>(Unstable::archive_session)
        .on::<op::UnarchiveSession, _>(Unstable::unarchive_session)
        .on::<op::SessionStatus, _>(Unstable::session_status)
        .on::<op::SetTitle, _>(Unstable::set_name)
        .on::<op::AuthStatus, _>(Unstable::login)
        .on::<op::ListProviders, _>(Unstable::list_providers)
        .on::<op::SetProvider, _>(Unstable::set_provider)
        .on::<op::DisableProvider, _>(Unstable::disable_provider)
        .on_notification::<op::McpMessage, _>(Unstable::mcp_message)
}

fn script() -> Vec<Line> {
    let on = |id: &str| json!({"sessionId": id});
    let prompt = |id: &str| json!({"sessionId": id, "prompt": [{"type": "text", "text": "hi"}]});
    vec![
        Ask("initialize", json!({"protocolVersion": 1})),
        Ask("session/new", json!({"cwd": "/", "mcpServers": []})),
        Ask("session/fork", json!({"sessionId": "first", "cwd": "/"})),
        Ask("session/fork", json!({"sessionId": "first", "cwd": "."})),
        Ask("session/prompt", prompt("first-fork")),
        Ask("session/list", json!({})),
        Ask("session/status", on("first")),
        Ask("session/status", on("nope")),
        Ask("session/set_title", json!({"sessionId": "first", "title": " Title "})),
        Ask("session/archive", on("first-fork")),
        Ask("session/unarchive", on("first-fork")),
        // It was closed.
        Ask("session/prompt", prompt("first-fork")),
        Ask("auth/status", json!(null)),
        Ask("providers/list", json!({})),
        Ask("providers/set", json!({"providerId": "p", "apiType": "openai", "baseUrl": "http://p"})),
        Ask("providers/disable", json!({"providerId": "p"})),
        Notify("mcp/message", json!({"serverId": "s", "requestId": "1", "method": "progress"})),
        Ask("mcp/message", json!({"serverId": "s", "requestId": "1", "method": "progress"})),
    ]
}

#[tokio::test]
async fn unstable_operations_are_the_same_in_a_block_and_a_router() {
    let said = compare(Unstable, router(), script()).await;
    let served = [served(&Arc::new(Unstable)), served(&Arc::new(Stable))].concat();
    let unserved: Vec<_> = Operation::ALL.iter().filter(|operation| !served.contains(operation)).collect();
    assert!(unserved.is_empty(), "no agent here has {unserved:?}");
    let initialized: Value = serde_json::from_str(&said[0]).unwrap();
    let advertised = &initialized["result"]["agentCapabilities"];
    assert_eq!(
        advertised["sessionCapabilities"],
        json!({"list": {}, "fork": {}, "archive": {}, "status": {}, "title": {}}),
    );
    assert_eq!(advertised["auth"], json!({"status": {}}));
    assert_eq!(advertised["mcpCapabilities"], json!({"acp": true}));
    assert_eq!(advertised["providers"], json!({}));
    assert_eq!(codes(&said), [-32602, -32002, -32002, -32601]);
}

#[tokio::test]
async fn an_incomplete_capability_is_a_mistake() {
    let router = Router::new("half", "1", Unstable)
        .on::<op::Prompt, _>(Unstable::prompt)
        .on::<op::SetProvider, _>(Unstable::set_provider)
        .on::<op::ListProviders, _>(Unstable::list_providers);
    let (_, transport) = acp_agent::Transport::duplex();
    let error = acp_agent::serve(router, transport).await.unwrap_err();
    let acp_agent::Error::Conflict(Conflict::Incomplete { capability, missing }) = &error else {
        panic!("{error}")
    };
    assert_eq!((*capability, missing.as_slice()), ("providers", ["providers/disable"].as_slice()));
    assert!(error.to_string().contains("`providers/disable`"), "{error}");
}
