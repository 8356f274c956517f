use acp_client::{Result, client};

struct Editor;

#[client]
impl Editor {
    async fn read_file(&self) -> Result<String> {
        Ok(String::new())
    }

    async fn requestPermission(&self) -> Result<()> {
        Ok(())
    }

    async fn prompt(&self) -> Result<()> {
        Ok(())
    }

    async fn session_update(&self) {}

    fn helper(&self) {}
}

fn main() {
    let _ = |wire: acp_client::Transport| acp_client::connect(wire).client(Editor);
}
