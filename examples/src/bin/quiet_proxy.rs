//! A proxy for people who only want the answer: it asks the agent for few words, and keeps the
//! agent's thoughts to itself. All other messages pass as the bytes that came.
//!
//! ```sh
//! acp prompt 'Who has written this file?' -- quiet_proxy -- any-agent --acp
//! acp conduct quiet_proxy -- any-agent --acp
//! ```

use acp_proxy::types::{PromptRequest, SessionNotification};
use acp_proxy::{ConductError, Next, Pass, Proxy, Reply, proxy};

struct Quiet {
    wish: String,
}

#[proxy(name = "quiet_proxy")]
impl Quiet {
    async fn prompt(&self, mut request: PromptRequest, next: Next) -> Reply {
        request.prompt.push(self.wish.as_str().into());
        next.run_with(&request).await
    }

    async fn update(&self, update: SessionNotification, pass: Pass) {
        if update.update.tag() != "agent_thought_chunk" {
            pass.run();
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), ConductError> {
    let quiet = Quiet { wish: "\nAnswer in one sentence.".to_owned() };
    // Behind `--` is an agent. Without one, a conductor has started this program.
    Proxy::from(quiet).run(std::env::args_os().skip(1)).await
}
