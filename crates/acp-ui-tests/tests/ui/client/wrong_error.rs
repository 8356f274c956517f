use acp_client::{Result, client};

struct Editor;

#[client]
impl Editor {
    async fn read_text_file(&self) -> Result<String, std::num::ParseIntError> {
        Ok("5".parse::<u32>()?.to_string())
    }
}

fn main() {}
