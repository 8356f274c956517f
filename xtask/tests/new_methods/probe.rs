//! Calls every made-up method, of either side, over the wire.

use std::sync::Arc;

use acp_agent::types::{
    AuthMethod, AuthMethodAgent, BlinkNotification, BranchRequest, BranchResponse, DiscardRequest,
    DiscardResponse, ElicitationScope, ListModelsRequest, ListModelsResponse, NudgeNotification,
    RevealRequest, RevealResponse, ReviewRequest, ReviewResponse,
};
use acp_agent::{
    Branch, Client, Elicitation, Opened, Result, Session, SessionUpdates, StopReason, Transport, agent,
};
use acp_client::client;
use acp_client::v1::SessionId;
use tokio::sync::Notify;

#[derive(Default)]
struct Reviewer {
    nudged: Arc<Notify>,
}

#[agent(name = "reviewer")]
impl Reviewer {
    async fn new_session(&self) -> Result<Opened<u32>> {
        Ok(Opened::new(1))
    }

    async fn prompt(&self) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    async fn review(
        &self,
        request: ReviewRequest,
        session: Session<u32>,
        _updates: SessionUpdates,
        elicitation: Elicitation,
        client: Client,
    ) -> Result<bool> {
        assert!(matches!(elicitation.scope(), ElicitationScope::Session(_)));
        assert_eq!(*session, 1);
        self.nudged.notified().await;
        let reveal = RevealRequest::new(request.session_id.clone(), &*request.path);
        let shown: RevealResponse =
            client.peer().request("editor/reveal", &reveal).await.expect("it is shown");
        assert_eq!(shown, RevealResponse::new());
        let blink = BlinkNotification::new(request.session_id);
        client.peer().notify("editor/blink", &blink).await.expect("it is sent");
        Ok(true)
    }

    async fn branch(&self, branch: Branch, elicitation: Elicitation) -> Result<Opened<u32>> {
        assert!(matches!(elicitation.scope(), ElicitationScope::Request(_)));
        assert_eq!(branch.request().cwd, "/");
        Ok(Opened::new(2).session_id("branch"))
    }

    async fn discard(&self, elicitation: Elicitation) -> Result<()> {
        assert!(matches!(elicitation.scope(), ElicitationScope::Request(_)));
        Ok(())
    }

    async fn list_models(
        &self,
        _request: ListModelsRequest,
        _elicitation: Elicitation,
    ) -> Result<Vec<String>> {
        Ok(vec!["small".to_owned()])
    }

    async fn nudge(&self, nudge: NudgeNotification, session: Session<u32>) {
        assert_eq!(nudge.session_id, *session.id());
        self.nudged.notify_one();
    }
}

/// Wants a login, which nobody makes.
struct Locked;

#[agent(auth(required))]
impl Locked {
    async fn auth_methods(&self) -> Result<Vec<AuthMethod>> {
        Ok(vec![AuthMethodAgent::new("key", "Key").into()])
    }

    async fn authenticate(&self) -> Result<()> {
        Ok(())
    }

    async fn prompt(&self) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    async fn list_models(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    async fn discard(&self) -> Result<()> {
        Ok(())
    }
}

/// The overlay says which of the methods wait for the login.
async fn before_the_login() {
    let (ours, theirs) = Transport::duplex();
    let served = tokio::spawn(acp_agent::serve(Locked, theirs));
    let agent = acp_client::connect(ours).await.expect("the agent answers");
    let _: ListModelsResponse =
        agent.peer().request("models/list", &ListModelsRequest::new()).await.expect("it needs no login");
    let refused: std::result::Result<DiscardResponse, _> =
        agent.peer().request("session/discard", &DiscardRequest::new("s")).await;
    assert_eq!(refused.expect_err("it needs a login").remote().map(|error| error.code), Some(-32000));
    agent.close().await;
    served.await.expect("no panic").expect("a good end");
}

#[derive(Default)]
struct Editor {
    revealed: Notify,
    blinked: Arc<Notify>,
}

#[client]
impl Editor {
    async fn reveal(&self, request: RevealRequest, session: SessionId) -> acp_client::Result<()> {
        assert_eq!((request.session_id, &*request.path), (session, "/main.rs"));
        self.revealed.notify_one();
        Ok(())
    }

    async fn blink(&self, _session: SessionId) {
        self.revealed.notified().await;
        self.blinked.notify_one();
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (ours, theirs) = Transport::duplex();
    let served = tokio::spawn(acp_agent::serve(Reviewer::default(), theirs));
    let blinked = Arc::new(Notify::new());
    let editor = Editor { blinked: Arc::clone(&blinked), ..Editor::default() };
    let agent = acp_client::connect(ours).client(editor).await.expect("the agent answers");
    assert!(agent.capabilities().session_capabilities.review.is_some());

    let session = agent.new_session("/").await.expect("a session");
    let (id, peer) = (session.id().clone(), agent.peer());
    peer.notify("session/nudge", &NudgeNotification::new(id.clone())).await.expect("it is sent");
    let review = ReviewRequest::new(id.clone(), "/main.rs");
    let reviewed: ReviewResponse = peer.request("session/review", &review).await.expect("a review");
    assert!(reviewed.approved);
    blinked.notified().await;

    let branch = BranchRequest::new(id.clone(), "/");
    let branch: BranchResponse = peer.request("session/branch", &branch).await.expect("a branch");
    assert_eq!(branch.session_id, SessionId::from("branch"));
    let models: ListModelsResponse =
        peer.request("models/list", &ListModelsRequest::new()).await.expect("models");
    assert_eq!(models.models, ["small"]);
    let _: DiscardResponse =
        peer.request("session/discard", &DiscardRequest::new(id.clone())).await.expect("it is gone");
    let again: std::result::Result<ReviewResponse, _> = peer.request("session/review", &review).await;
    again.expect_err("the session is not open");

    agent.close().await;
    served.await.expect("no panic").expect("a good end");
    before_the_login().await;
    println!("every method was called");
}
