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
    let _ = |transport| acp_client::connect(transport).client(Editor).client(Twice);
}
