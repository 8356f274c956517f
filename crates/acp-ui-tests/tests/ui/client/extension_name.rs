use acp_client::{Result, client};

struct Editor;

#[client]
impl Editor {
    #[ext("editor/a")]
    async fn a(&self) -> Result<()> {
        Ok(())
    }

    #[ext]
    async fn b(&self) -> Result<()> {
        Ok(())
    }

    #[ext("_editor/d")]
    #[ext("_editor/e")]
    async fn d(&self) {}
}

fn main() {}
