struct Editor;

fn main() {
    let _ = |wire: acp_client::Transport| acp_client::connect(wire).client(Editor);
}
