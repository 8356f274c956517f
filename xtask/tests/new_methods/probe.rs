//! Calls every made-up method, of either side, over the wire.

use std::sync::Arc;

use acp_agent::types::{
    BlinkNotification, BranchRequest, BranchResponse, DiscardRequest, DiscardResponse, ElicitationScope,
    ListModelsRequest, ListModelsResponse, NudgeNotification, RevealRequest, RevealResponse, ReviewRequest,
    ReviewResponse,
};
use acp_agent::{
    Branch, Client, Elicitation, Opened, Result, Session, SessionUpdates, StopReason, Transport, agent,
};
use acp_client::v1::SessionId;
use acp_client::client;
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
        let shown: RevealResponse = client.peer().request("editor/reveal", &reveal).await.expect("it is shown");
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

    async fn list_models(&self, _request: ListModelsRequest, _elicitation: Elicitation) -> Result<Vec<String>> {
        Ok(vec!["small".to_owned()])
    }

    async fn nudge(&self, nudge: NudgeNotification, session: Session<u32>) {
        assert_eq!(nudge.session_id, *session.id());
        self.nudged.notify_one();
    }
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
    println!("every method was called");
}
