use std::cell::RefCell;
use std::rc::Rc;

use acp_agent::{Result, StopReason, Turn, agent};

struct Bot {
    said: RefCell<String>,
}

#[agent]
impl Bot {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say(self.said.take()).await?;
        Ok(StopReason::EndTurn)
    }

    async fn authenticate(&self) -> Result<()> {
        Ok(())
    }

    async fn auth_methods(&self) -> Result<Vec<acp_agent::types::AuthMethod>> {
        Ok(Vec::new())
    }

    #[ext("_bot/clear")]
    async fn clear(&self) {
        self.said.take();
    }
}

struct Counted {
    text: Rc<str>,
}

#[agent]
impl Counted {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say(&*self.text).await?;
        Ok(StopReason::EndTurn)
    }

    #[ext("_bot/clear")]
    async fn clear(&self) {}
}

fn main() {
    let _ = acp_agent::serve_stdio(Bot { said: RefCell::default() });
}
