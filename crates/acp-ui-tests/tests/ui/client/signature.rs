use acp_client::{Result, client};

struct Editor;

#[client]
impl Editor {
    const LIMIT: usize = 5;

    async fn update<T: Send>(&self) {}

    #[ext("_editor/a")]
    async fn a(&self, _text: impl Into<String>) -> Result<()> {
        Ok(())
    }

    #[ext("_editor/b")]
    async fn b<'a>(&'a self, _text: &'a str) -> Result<()> {
        Ok(())
    }

    #[cfg(unix)]
    async fn read_text_file(&self) -> Result<String> {
        Ok(String::new())
    }
}

fn main() {}
