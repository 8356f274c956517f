use std::sync::Arc;

use acp_client::method::{Method, Request, Side};
use acp_client::v1::methods::FsWriteTextFile;
use acp_client::v1::{
    PlanEntry, ReadTextFileRequest, RequestPermissionRequest, SessionId, UsageUpdate, WriteTextFileRequest,
};
use acp_client::{Agent, Cancel, Error, Event, PermissionAnswer, RequestMeta};

#[derive(Debug)]
pub(crate) struct Editor<B>(pub(crate) Arc<B>);

#[derive(Debug)]
pub(crate) enum Count {}

impl Method for Count {
    const NAME: &'static str = "_acme.dev/count";
    const HANDLER: Side = Side::Client;
    type Params = PlanEntry;
}

impl Request for Count {
    type Response = UsageUpdate;
}

#[acp_client::client]
impl<B> Editor<B>
where
    B: AsRef<str> + Send + Sync + 'static,
{
    /// Is documented already.
    async fn update(&self, session: SessionId, event: Event) {
        let _ = (session, event);
    }

    async fn request_permission(self: Arc<Self>, _request: RequestPermissionRequest) -> Result<PermissionAnswer, Error> {
        Ok(PermissionAnswer::RejectOnce)
    }

    async fn read_text_file(&self, _file: ReadTextFileRequest, _meta: RequestMeta) -> std::io::Result<String> {
        Ok(self.0.as_ref().as_ref().to_owned())
    }

    #[on(FsWriteTextFile)]
    async fn save(&self, _file: WriteTextFileRequest, cancel: Cancel) -> acp_client::Result<()> {
        cancel.cancelled().await;
        Ok(())
    }

    #[on(Count)]
    async fn count(&self, entry: PlanEntry) -> acp_client::Result<UsageUpdate> {
        Ok(UsageUpdate::new(entry.content.len() as u64, 100_u64))
    }

    #[ext("_acme.dev/undo")]
    async fn undo(&self, steps: u32, _agent: Agent) -> acp_client::Result<u32> {
        Ok(steps)
    }

    #[ext("_acme.dev/seen")]
    async fn seen(&self) {}
}
