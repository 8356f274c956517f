use acp_client::{Result, client};

struct Editor;

#[client]
impl Editor {
    #[on("fs/read_textfile")]
    async fn misspelt(&self) -> Result<()> {
        Ok(())
    }

    #[on("shutdown")]
    async fn unknown(&self) -> Result<()> {
        Ok(())
    }

    #[on("_editor/a")]
    async fn own(&self) -> Result<()> {
        Ok(())
    }

    #[on("$/cancel_request")]
    async fn cancel_request(&self) {}

    #[on(acp_client::v1::methods::SessionPrompt)]
    async fn prompt(&self) -> Result<()> {
        Ok(())
    }

    #[on("proxy/initialize")]
    async fn proxy(&self) -> Result<()> {
        Ok(())
    }

    #[on(5)]
    async fn nothing(&self) -> Result<()> {
        Ok(())
    }

    #[on("session/update")]
    #[ext("_editor/update")]
    async fn both(&self) {}
}

fn main() {
    let _ = |wire: acp_client::Transport| acp_client::connect(wire).client(Editor);
}
