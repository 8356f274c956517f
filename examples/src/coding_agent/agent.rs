//! The protocol side of the agent: sessions, and the loop of a prompt turn.

use acp_agent::types::StopReason;
use acp_agent::{Mcp, NewSession, Opened, Result, Session, Turn, agent};

use super::chat::Chat;
use super::planner::{Next, Planner, Round};
use super::tools::Tools;

/// The most rounds of a planner in one turn.
const MAX_ROUNDS: usize = 50;

/// An agent that carries out its planner's decisions.
#[derive(Debug)]
pub struct CodingAgent<P> {
    planner: P,
}

impl<P: Planner> CodingAgent<P> {
    /// Makes an agent with this planner.
    pub const fn new(planner: P) -> Self {
        CodingAgent { planner }
    }
}

#[agent(name = "coding-agent", title = "Coding agent", prompt(embedded_context), mcp)]
impl<P: Planner> CodingAgent<P> {
    async fn new_session(&self, open: NewSession) -> Result<Opened<Chat>> {
        Ok(Opened::new(Chat::new(open.cwd())))
    }

    async fn prompt(&self, turn: Turn, chat: Session<Chat>, mcp: Mcp) -> Result<StopReason> {
        chat.begin(turn.prompt());
        let tools = Tools::new(&turn, &chat, &mcp);
        for _ in 0..MAX_ROUNDS {
            let step = self.planner.next(&chat.conversation(), &turn, &mcp.tools().await).await?;
            let calls = match step.next {
                Next::Act(calls) => calls,
                Next::Stop(reason) => {
                    chat.finish(step.said, &reason);
                    return Ok(reason);
                }
            };
            let mut done = Vec::new();
            for call in calls {
                let outcome = tools.carry_out(&call.action).await?;
                done.push((call, outcome));
            }
            chat.add(Round { said: step.said, done });
        }
        Ok(StopReason::MaxTurnRequests)
    }

    #[command("clear", "Forgets the conversation so far")]
    async fn clear(&self, turn: Turn, chat: Session<Chat>) -> Result<StopReason> {
        chat.clear();
        turn.say("The conversation starts again.").await?;
        Ok(StopReason::EndTurn)
    }

    #[command("tools", "Lists the tools of the MCP servers", hint = "PART OF A NAME")]
    async fn list_tools(&self, turn: Turn, mcp: Mcp, input: &str) -> Result<StopReason> {
        let tools = mcp.tools().await;
        let names: Vec<_> =
            tools.iter().map(|tool| &*tool.name).filter(|name| name.contains(input)).collect();
        turn.say(if names.is_empty() { "There are none.".to_owned() } else { names.join("\n") }).await?;
        Ok(StopReason::EndTurn)
    }
}
