use acp_agent::{LoadSession, Result, agent};

struct Bot;

#[agent]
impl Bot {
    async fn load_session(&self, open: LoadSession) -> Result<()> {
        let _ = open.session_id();
        Ok(())
    }
}

fn main() {
    let _ = acp_agent::serve_stdio(Bot);
}
