use acp_agent::{Result, StopReason, Turn, agent};

struct Bot;

#[agent(nam = "bot", prompt(images, audio), mcp(http, stdio), threads = 4, name = 5)]
impl Bot {
    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

struct Twice;

#[agent(name = "a", version = "1", name = "b")]
impl Twice {
    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

struct Meta;

#[agent(meta(undo = true), name = "meta")]
impl Meta {
    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

struct Loud;

#[agent(auth(required), additional_directorys, prompt(queued))]
impl Loud {
    async fn prompt(&self, _turn: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

fn main() {
    let _ = acp_agent::serve_stdio(Bot);
}
