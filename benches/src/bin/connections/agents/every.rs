//! The agent on `acp-agent` that has a handler for every operation.

use acp_agent::types::{
    AuthMethod, DeleteSessionRequest, ListSessionsRequest, SessionConfigOption, SessionInfo,
    SetSessionConfigOptionRequest, SetSessionModeRequest,
};
use acp_agent::{LoadSession, NewSession, Result, ResumeSession, Session, StopReason, Turn, agent};

pub(super) struct Every;

#[agent(name = "bench")]
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
        Ok(Vec::new())
    }

    async fn authenticate(&self) -> Result<()> {
        Ok(())
    }

    async fn logout(&self) -> Result<()> {
        Ok(())
    }

    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        super::ours::turn(&turn).await
    }
}
