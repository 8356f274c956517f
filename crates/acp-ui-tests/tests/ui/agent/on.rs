use acp_agent::{Result, StopReason, Turn, agent};

struct Bot;

#[agent]
impl Bot {
    #[on(acp_agent::types::methods::SessionPrompt)]
    async fn run(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    #[on("session/modes")]
    async fn misspelt(&self) -> Result<()> {
        Ok(())
    }

    #[on("shutdown")]
    async fn unknown(&self) -> Result<()> {
        Ok(())
    }

    #[on("_bot/a")]
    async fn own(&self) -> Result<()> {
        Ok(())
    }

    #[on("initialize")]
    async fn initialize(&self) -> Result<()> {
        Ok(())
    }

    #[on(acp_agent::types::methods::SessionCancel)]
    async fn cancel(&self) {}

    #[on("$/cancel_request")]
    async fn cancel_request(&self) {}

    #[on(acp_agent::types::methods::SessionUpdate)]
    async fn update(&self) {}

    #[on("proxy/initialize")]
    async fn proxy(&self) -> Result<()> {
        Ok(())
    }

    #[on]
    async fn nothing(&self) -> Result<()> {
        Ok(())
    }

    #[on("logout")]
    #[ext("_bot/logout")]
    async fn both(&self) -> Result<()> {
        Ok(())
    }
}

fn main() {
    let _ = acp_agent::serve_stdio(Bot);
}
