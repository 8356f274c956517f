use acp_agent::method::{Method, Request, Side};
use acp_agent::types::{PlanEntry, UsageUpdate};
use acp_agent::{Result, StopReason, agent};

enum Count {}

impl Method for Count {
    const NAME: &'static str = "acme/count";
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

    #[on(Count)]
    async fn count(&self, entry: PlanEntry) -> Result<UsageUpdate> {
        Ok(UsageUpdate::new(entry.content.len() as u64, 1_u64))
    }
}

fn main() {
    let _ = acp_agent::serve_stdio(Bot);
}
