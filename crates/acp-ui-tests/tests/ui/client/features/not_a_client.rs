struct Editor;

fn main() {
    let _ = |transport| acp_client::connect(transport).client(Editor);
}
