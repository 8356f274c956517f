use acp_agent::{LoadSession, NewSession, Opened, Result, Turn, agent};

struct Bot;
struct Chat;

#[agent]
impl Bot {
    async fn prompt(&self, _turn: Turn) -> Result<String> {
        Ok("done".to_owned())
    }

    async fn new_session(&self, _open: NewSession) -> Result<Chat> {
        Ok(Chat)
    }

    async fn load_session(&self, _open: LoadSession) -> Result<Opened<u8>> {
        Ok(Opened::new(1))
    }
}

fn main() {}
