use acp_agent::types::{
    AuthMethod, AuthMethodAgent, DeleteSessionRequest, ListSessionsRequest, SessionConfigOption, SessionInfo,
    SetSessionConfigOptionRequest, SetSessionModeRequest,
};
use acp_agent::{LoadSession, NewSession, ResumeSession, Result, Session, StopReason, Transport, Turn, agent};

struct Every;

#[agent(name = "every")]
impl Every {
    async fn new_session(&self, _: NewSession) -> Result<()> {
        Ok(())
    }

    async fn load_session(&self, _: LoadSession) -> Result<()> {
        Ok(())
    }

    async fn resume_session(&self, _: ResumeSession) -> Result<()> {
        Ok(())
    }

    async fn list_sessions(&self, _: ListSessionsRequest) -> Result<Vec<SessionInfo>> {
        Ok(Vec::new())
    }

    async fn close_session(&self, _: Session<()>) -> Result<()> {
        Ok(())
    }

    async fn delete_session(&self, _: DeleteSessionRequest) -> Result<()> {
        Ok(())
    }

    async fn set_mode(&self, _: SetSessionModeRequest) -> Result<()> {
        Ok(())
    }

    async fn set_config_option(&self, _: SetSessionConfigOptionRequest) -> Result<Vec<SessionConfigOption>> {
        Ok(Vec::new())
    }

    async fn auth_methods(&self) -> Result<Vec<AuthMethod>> {
        Ok(vec![AuthMethodAgent::new("key", "Key").into()])
    }

    async fn authenticate(&self) -> Result<()> {
        Ok(())
    }

    async fn logout(&self) -> Result<()> {
        Ok(())
    }

    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        turn.say("hello").await?;
        Ok(StopReason::EndTurn)
    }
}

async fn serve(stream: tokio::io::DuplexStream) -> Result<()> {
    acp_agent::serve(Every, Transport::from_stream(stream)).await
}
