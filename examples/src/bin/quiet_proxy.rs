//! A proxy for people who only want the answer: it asks the agent for few words, and keeps the
//! agent's thoughts to itself. All other messages pass as the bytes that came.
//!
//! ```sh
//! acp prompt 'Who has written this file?' -- quiet_proxy -- any-agent --acp
//! acp conduct quiet_proxy -- any-agent --acp
//! ```

use acp_proxy::{ConductError, Json, Next, Pass, Proxy, Reply, proxy, types::PromptRequest};

struct Quiet {
    wish: String,
}

#[proxy(name = "quiet_proxy")]
impl Quiet {
    async fn prompt(&self, mut request: PromptRequest, next: Next) -> Reply {
        request.prompt.push(self.wish.as_str().into());
        next.run_with(&request).await
    }

    /// The text of the message has the kind of an update at one place in both versions of the
    /// protocol, so it is not read as a value of one of them.
    #[raw("session/update", toward = client)]
    async fn update(&self, params: Json, pass: Pass) {
        if params.text_at(&["update", "sessionUpdate"]).as_deref() != Some("agent_thought_chunk") {
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
