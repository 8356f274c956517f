use acp_client::{Result, client};

struct Editor;

#[client]
impl Editor {
    async fn mcp_message(&self) -> Result<()> {
        Ok(())
    }

    #[on("auth/status_update")]
    async fn logged_in(&self) {}
}

fn main() {
    let _ = |wire: acp_client::Transport| acp_client::connect(wire).client(Editor);
}
