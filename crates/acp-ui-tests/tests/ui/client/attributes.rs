use acp_client::client;

struct Editor;

#[client(name = "editor", crat = acp_client, crate = acp_client)]
impl Editor {
    async fn update(&self) {}
}

struct Twice;

#[client(crate = acp_client, crate = acp_client)]
impl Twice {
    async fn update(&self) {}
}

fn main() {
    let _ = |wire: acp_client::Transport| acp_client::connect(wire).client(Editor).client(Twice);
}
