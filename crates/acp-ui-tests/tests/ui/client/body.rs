use acp_client::client;

struct Editor;

#[client]
impl Editor {
    async fn update(&self) {
        let text: u32 = "not a number";
        drop(text);
    }
}

fn main() {
    let _ = |transport| acp_client::connect(transport).client(Editor);
}
