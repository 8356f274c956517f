use acp_client::{Event, PermissionAnswer, Result, client};

struct Editor;

#[client]
impl Editor {
    async fn request_permission(&self) -> PermissionAnswer {
        PermissionAnswer::AllowOnce
    }

    async fn read_text_file(&self) -> String {
        String::new()
    }

    async fn write_text_file(&self) {}

    async fn update(&self, event: Event) -> Result<()> {
        drop(event);
        Ok(())
    }

    #[ext("_editor/x")]
    async fn x(&self) -> u32 {
        1
    }
}

struct Shell;

#[client]
impl Shell {
    async fn create_terminal(&self) -> u32 {
        1
    }

    async fn terminal_output(&self) -> u32 {
        1
    }

    async fn release_terminal(&self) -> u32 {
        1
    }

    async fn wait_for_terminal_exit(&self) -> u32 {
        1
    }

    async fn kill_terminal(&self) -> u32 {
        1
    }
}

fn main() {
    let _ = |wire: acp_client::Transport| acp_client::connect(wire).client(Editor).client(Shell);
}
