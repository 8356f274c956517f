use acp_agent::method::{Method, Request, Side};
use acp_agent::types::{PlanEntry, UsageUpdate};
use acp_agent::{Result, StopReason, agent};

enum Count {}

impl Method for Count {
    const NAME: &'static str = "_acme/count";
    const HANDLER: Side = Side::Agent;
    type Params = PlanEntry;
}

impl Request for Count {
    type Response = UsageUpdate;
}

struct Bot;

#[agent]
impl Bot {
    async fn prompt(&self) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    #[on(Missing)]
    async fn missing(&self) -> Result<()> {
        Ok(())
    }

    #[on(Count)]
    async fn count(&self, entry: UsageUpdate) -> Result<String> {
        Ok(entry.used.to_string())
    }
}

fn main() {
    let _ = acp_agent::serve_stdio(Bot);
}
