use acp_client::v1::{TerminalId, TerminalOutputResponse};
use acp_client::{Result, client};

struct Editor;

#[client]
impl Editor {
    async fn create_terminal(&self) -> Result<TerminalId> {
        Ok("t".into())
    }

    async fn terminal_output(&self) -> Result<TerminalOutputResponse> {
        Ok(TerminalOutputResponse::new("", false))
    }
}

struct Almost;

#[client]
impl Almost {
    async fn kill_terminal(&self) -> Result<()> {
        Ok(())
    }

    async fn create_terminal(&self) -> Result<TerminalId> {
        Ok("t".into())
    }

    #[on("terminal/output")]
    async fn output(&self) -> Result<TerminalOutputResponse> {
        Ok(TerminalOutputResponse::new("", false))
    }

    async fn release_terminal(&self) -> Result<()> {
        Ok(())
    }
}

fn main() {
    let _ = |wire: acp_client::Transport| acp_client::connect(wire).client(Editor).client(Almost);
}
