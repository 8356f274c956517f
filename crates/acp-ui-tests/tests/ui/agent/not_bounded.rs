use acp_agent::{Result, StopReason, Turn, agent};

trait Model {
    fn answer(&self, prompt: &str) -> impl Future<Output = String> + Send;
}

struct Bot<M> {
    model: M,
}

#[agent]
impl<M: Model> Bot<M> {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let answer = self.model.answer(&turn.text()).await;
        turn.say(answer).await?;
        Ok(StopReason::EndTurn)
    }

    async fn logout(&self) -> Result<()> {
        self.model.answer("bye").await;
        Ok(())
    }

    #[ext("_bot/x")]
    async fn x(&self) {
        self.model.answer("x").await;
    }
}

fn main() {}
