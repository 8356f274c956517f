use acp_client::{Result, client};

struct Editor;

#[client]
impl Editor {
    async fn read_text_file(&self) -> Result<String> {
        Ok(String::new())
    }

    #[on("fs/read_text_file")]
    async fn read(&self) -> Result<String> {
        Ok(String::new())
    }

    #[ext("_editor/a")]
    async fn a(&self) {}

    #[ext("_editor/a")]
    async fn b(&self) -> Result<()> {
        Ok(())
    }

    async fn read_text_file(&self) -> Result<String> {
        Ok(String::new())
    }
}

fn main() {
    let _ = |wire: acp_client::Transport| acp_client::connect(wire).client(Editor);
}
