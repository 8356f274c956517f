//! The agent behind the bridge, and what it asks its client.

use std::sync::Arc;

use acp_agent::types::{
    ClientCapabilities, CreateElicitationRequest, CreateTerminalRequest, CreateTerminalResponse,
    ElicitationAction, ElicitationFormMode, ElicitationMode, ElicitationRequestScope, ElicitationScope,
    ElicitationUrlMode, Implementation, InitializeRequest, KillTerminalRequest, KillTerminalResponse,
    ReadTextFileRequest, ReadTextFileResponse, ReleaseTerminalRequest, ReleaseTerminalResponse,
    RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse, TerminalOutputRequest,
    TerminalOutputResponse, WaitForTerminalExitRequest, WaitForTerminalExitResponse, WriteTextFileRequest,
    WriteTextFileResponse,
};
use acp_client::{
    Agent, Cancel, Connect, Elicitation, ElicitationAnswer, FromNode, LocalFs, LocalTerminals, Op as _,
    Result, Router, RpcError, op,
};
use serde_core::Serialize;
use tokio::sync::oneshot;

use super::asking::{ask, is_cancelled};
use super::error::{of_call, of_client};
use super::session::{Bridged, Question};
use super::shared::Shared;

/// The parts of a client that the bridge serves itself, because the client does not.
pub(super) struct Served {
    files: Option<LocalFs>,
    terminals: Option<LocalTerminals>,
}

impl Served {
    pub(super) fn new(
        asked: &InitializeRequest,
        files: Option<LocalFs>,
        terminals: Option<LocalTerminals>,
    ) -> Self {
        let offered = &asked.client_capabilities;
        let has_files = offered.fs.read_text_file || offered.fs.write_text_file;
        Self { files: files.filter(|_| !has_files), terminals: terminals.filter(|_| !offered.terminal) }
    }

    /// Returns true if the bridge serves something itself.
    pub(super) const fn is_any(&self) -> bool {
        self.files.is_some() || self.terminals.is_some()
    }
}

/// Connects to the agent. It is offered what the client offers, and what the bridge serves itself.
pub(super) async fn connect(
    connect: Connect,
    shared: &Arc<Shared>,
    asked: &InitializeRequest,
    served: Served,
) -> Result<Agent> {
    let offered = &asked.client_capabilities;
    let name = name_of(asked);
    let mut router =
        Router::new(Forwards(Arc::clone(shared))).on::<op::RequestPermission, _>(Forwards::permission);
    if offered.fs.read_text_file {
        router = router.on::<op::ReadTextFile, _>(Forwards::read_text_file);
    }
    if offered.fs.write_text_file {
        router = router.on::<op::WriteTextFile, _>(Forwards::write_text_file);
    }
    if offered.terminal {
        router = router
            .on::<op::CreateTerminal, _>(Forwards::create_terminal)
            .on::<op::TerminalOutput, _>(Forwards::terminal_output)
            .on::<op::WaitForTerminalExit, _>(Forwards::wait_for_terminal_exit)
            .on::<op::KillTerminal, _>(Forwards::kill_terminal)
            .on::<op::ReleaseTerminal, _>(Forwards::release_terminal);
    }
    let mut connect = connect.info(name.name, name.version).client(router);
    if let Some(files) = served.files {
        connect = connect.fs(files);
    }
    if let Some(terminals) = served.terminals {
        connect = connect.terminals(terminals);
    }
    if let Some(elicitation) = elicitation(shared, offered) {
        connect = connect.elicitation(elicitation);
    }
    connect.await
}

/// Returns the modes in which the client can be asked, passed on to it.
fn elicitation(shared: &Arc<Shared>, offered: &ClientCapabilities) -> Option<Elicitation> {
    let offered = offered.elicitation.as_ref()?;
    let mut elicitation = Elicitation::new();
    if offered.form.is_some() {
        let shared = Arc::clone(shared);
        elicitation = elicitation.form(move |form| {
            let shared = Arc::clone(&shared);
            async move {
                let mut request = CreateElicitationRequest::new(
                    form.message,
                    ElicitationFormMode::new(form.schema, form.scope.clone()),
                );
                request.meta = form.meta;
                match elicit(&shared, request, &form.scope).await {
                    ElicitationAction::Accept(accepted) => {
                        ElicitationAnswer::Accept(accepted.content.unwrap_or_default())
                    }
                    ElicitationAction::Decline => ElicitationAnswer::Decline,
                    _ => ElicitationAnswer::Cancel,
                }
            }
        });
    }
    if offered.url.is_some() {
        let asking = Arc::clone(shared);
        elicitation = elicitation.url(move |page| {
            let shared = Arc::clone(&asking);
            async move {
                let mode = ElicitationUrlMode::new(page.id, page.url, page.scope.clone());
                let mut request = CreateElicitationRequest::new(page.message, mode);
                request.meta = page.meta;
                match elicit(&shared, request, &page.scope).await {
                    ElicitationAction::Accept(_) => ElicitationAnswer::Accept(()),
                    ElicitationAction::Decline => ElicitationAnswer::Decline,
                    _ => ElicitationAnswer::Cancel,
                }
            }
        });
        let shared = Arc::clone(shared);
        elicitation = elicitation.completed(move |id| {
            let shared = Arc::clone(&shared);
            async move {
                // A client that is gone shows no page.
                let _ = shared.client().await.complete_elicitation(&id).await;
            }
        });
    }
    Some(elicitation)
}

/// Asks the user. Whatever goes wrong is not an answer.
async fn elicit(
    shared: &Shared,
    mut request: CreateElicitationRequest,
    scope: &ElicitationScope,
) -> ElicitationAction {
    let answered = match scope {
        ElicitationScope::Session(scope) => {
            let session = shared.session(&scope.session_id);
            let (sender, answer) = oneshot::channel();
            put(shared, session.as_deref(), Question::Elicit(Box::new(request), sender)).await;
            answer.await.ok()
        }
        // It is about a request of an extension, which has passed.
        ElicitationScope::Request(about) if let Some(origin) = shared.passing.origin(&about.request_id) => {
            set_scope(&mut request.mode, &ElicitationRequestScope::new(origin).into());
            Some(shared.client().await.elicit_with(&request).await)
        }
        // It is about a request of the bridge, which stands for one of the client.
        _ => match shared.outside() {
            Some(outside) => {
                set_scope(&mut request.mode, outside.scope());
                Some(outside.elicit_with(&request).await)
            }
            None => None,
        },
    };
    match answered {
        Some(Ok(response)) => response.action,
        _ => ElicitationAction::Cancel,
    }
}

fn set_scope(mode: &mut ElicitationMode, scope: &ElicitationScope) {
    match mode {
        ElicitationMode::Form(form) => form.scope = scope.clone(),
        ElicitationMode::Url(page) => page.scope = scope.clone(),
        _ => {}
    }
}

/// Gives a question to the turn that runs, or asks it right away.
async fn put(shared: &Shared, session: Option<&Bridged>, question: Question) {
    let question = match session.and_then(Bridged::running) {
        Some(turn) => match turn.send(question).await {
            Ok(()) => return,
            // The turn has ended meanwhile.
            Err(unsent) => unsent.0,
        },
        None => question,
    };
    let client = shared.client().await;
    tokio::spawn(async move { ask(question, None, &client).await });
}

/// The requests of the agent, which go on to the client.
struct Forwards(Arc<Shared>);

impl Forwards {
    async fn permission(&self, request: RequestPermissionRequest) -> Result<RequestPermissionResponse> {
        let session = self.0.session(&request.session_id);
        let (sender, answer) = oneshot::channel();
        put(&self.0, session.as_deref(), Question::Permission(Box::new(request), sender)).await;
        match answer.await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) if !is_cancelled(&error) => Err(of_client(error)),
            // The turn has ended, or was cancelled.
            _ => Ok(RequestPermissionResponse::new(RequestPermissionOutcome::Cancelled)),
        }
    }

    /// Passes a request on to the client. Only clients of version 1 have these, so that their form
    /// does not change.
    async fn forward<R: FromNode + Send + 'static>(
        &self,
        method: &str,
        request: &(impl Serialize + Sync),
        cancel: &Cancel,
    ) -> Result<R> {
        let client = self.0.client().await;
        let peer = client.peer().timeout(None);
        tokio::select! {
            biased;
            answer = peer.request(method, request) => answer.map_err(of_call),
            () = cancel.cancelled() => Err(RpcError::cancelled().into()),
        }
    }
}

macro_rules! forwards {
    ($($name:ident: $marker:ident, $request:ty => $response:ty;)*) => {
        impl Forwards {$(
            async fn $name(&self, request: $request, cancel: Cancel) -> Result<$response> {
                self.forward(op::$marker::METHOD, &request, &cancel).await
            }
        )*}
    };
}

forwards! {
    read_text_file: ReadTextFile, ReadTextFileRequest => ReadTextFileResponse;
    write_text_file: WriteTextFile, WriteTextFileRequest => WriteTextFileResponse;
    create_terminal: CreateTerminal, CreateTerminalRequest => CreateTerminalResponse;
    terminal_output: TerminalOutput, TerminalOutputRequest => TerminalOutputResponse;
    wait_for_terminal_exit: WaitForTerminalExit, WaitForTerminalExitRequest => WaitForTerminalExitResponse;
    kill_terminal: KillTerminal, KillTerminalRequest => KillTerminalResponse;
    release_terminal: ReleaseTerminal, ReleaseTerminalRequest => ReleaseTerminalResponse;
}

/// Returns the name and the version of the client, for the agent.
fn name_of(asked: &InitializeRequest) -> Implementation {
    let info = asked.client_info.clone();
    info.unwrap_or_else(|| Implementation::new("acp-bridge", env!("CARGO_PKG_VERSION")))
}
