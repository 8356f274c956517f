use acp_agent::{NewSession, Result, StopReason, Turn, agent};

struct Bot;

#[agent]
impl Bot {
    #[command("a", "Takes a number")]
    async fn a(&self, _input: u32) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    #[command("b", "Takes another request")]
    async fn b(&self, _open: NewSession) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    #[command("c", "Returns a text")]
    async fn c(&self, _turn: Turn) -> Result<String> {
        Ok(String::new())
    }
}

fn main() {}
