use acp_client::{Result, client};

struct Editor;

#[client]
impl Editor {
    async fn read_text_file(&mut self) -> Result<String> {
        Ok(String::new())
    }

    async fn write_text_file(self) -> Result<()> {
        Ok(())
    }

    async fn request_permission() -> Result<()> {
        Ok(())
    }

    fn update(&self) {}
}

fn main() {
    let _ = |wire: acp_client::Transport| acp_client::connect(wire).client(Editor);
}
