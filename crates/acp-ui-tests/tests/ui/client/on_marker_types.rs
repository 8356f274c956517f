use acp_client::method::{Method, Request, Side};
use acp_client::v1::{PlanEntry, UsageUpdate};
use acp_client::{Result, client};

enum Count {}

impl Method for Count {
    const NAME: &'static str = "_editor/count";
    const HANDLER: Side = Side::Client;
    type Params = PlanEntry;
}

impl Request for Count {
    type Response = UsageUpdate;
}

struct Editor;

#[client]
impl Editor {
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
    let _ = |wire: acp_client::Transport| acp_client::connect(wire).client(Editor);
}
