use acp_client::v1::{ReadTextFileRequest, SessionId, WriteTextFileRequest};
use acp_client::{Event, Result, client};

struct Editor;

#[client]
impl Editor {
    async fn update(&self, event: Event, number: u32) {
        drop((event, number));
    }

    async fn read_text_file(&self, file: WriteTextFileRequest) -> Result<String> {
        Ok(file.content)
    }

    async fn write_text_file(&self, file: WriteTextFileRequest, event: Event) -> Result<()> {
        drop((file, event));
        Ok(())
    }

    async fn elicit(&self, session: SessionId) -> Result<acp_client::v1::ElicitationAction> {
        drop(session);
        Ok(acp_client::v1::ElicitationAction::Cancel)
    }

    #[ext("_editor/x")]
    async fn x(&self, file: std::fs::File) {
        drop(file);
    }
}

fn main() {
    let _: Option<ReadTextFileRequest> = None;
}
