use acp_client::{Result, client};

struct Editor;

#[client]
impl Editor {
    async fn request_permission(&self) -> Result<bool> {
        Ok(true)
    }

    async fn read_text_file(&self) -> Result<()> {
        Ok(())
    }

    #[ext("_editor/x")]
    async fn x(&self) -> Result<std::fs::File> {
        Err("no file".into())
    }
}

fn main() {}
