use acp_client::{Result, client};

struct Editor;

#[client]
impl Editor {
    #[command("edit", "Appends to a file")]
    async fn edit(&self) -> Result<()> {
        Ok(())
    }
}

fn main() {}
