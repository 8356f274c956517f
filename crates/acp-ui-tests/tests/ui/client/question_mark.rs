use acp_client::v1::ReadTextFileRequest;
use acp_client::{Result, client};

struct Editor;

#[client]
impl Editor {
    async fn read_text_file(&self, file: ReadTextFileRequest) -> Result<String> {
        let number: u32 = file.path.parse()?;
        Ok(number.to_string())
    }
}

fn main() {}
