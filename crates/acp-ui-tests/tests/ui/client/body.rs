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
    let _ = |wire: acp_client::Transport| acp_client::connect(wire).client(Editor);
}
