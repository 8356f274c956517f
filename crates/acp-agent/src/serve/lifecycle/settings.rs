//! Modes and config options.

use std::sync::Arc;

use acp_rpc::{Error as RpcError, Reply};
use acp_types::v1::{
    SessionModeId, SetSessionConfigOptionRequest, SetSessionConfigOptionResponse, SetSessionModeRequest,
    SetSessionModeResponse,
};

use crate::error::{Error, Result};
use crate::handler::call::Scope;
use crate::handler::operation::ServeOperation;
use crate::op;
use crate::serve::lifecycle::answer::answer;
use crate::serve::lifecycle::rows::HasSession;
use crate::session::Session;
use crate::updates::settings::retain_offered;

/// The session, and the mode that it switches to.
impl<S> HasSession<S> for (Session<S>, SessionModeId) {
    fn session(&self) -> &Session<S> {
        &self.0
    }
}

impl ServeOperation for op::SetMode {
    type Admission<S: Send + Sync + 'static> = (Session<S>, SessionModeId);
    type Answer<S: Send + Sync + 'static> = SetSessionModeResponse;

    fn admit<S: Send + Sync + 'static>(
        scope: &Scope<S>,
        params: &Arc<SetSessionModeRequest>,
    ) -> Result<Self::Admission<S>, RpcError> {
        let session = scope.connection.sessions.find(&params.session_id)?;
        session.updates().settings().check_mode(&params.session_id, &params.mode_id)?;
        Ok((session, params.mode_id.clone()))
    }

    async fn finish<S: Send + Sync + 'static>(
        _: &Scope<S>,
        (session, mode): &(Session<S>, SessionModeId),
        outcome: Result<SetSessionModeResponse>,
    ) -> Result<Reply, RpcError> {
        if outcome.is_ok() {
            session.updates().keep_mode(mode).await?;
        }
        answer(outcome)
    }
}

impl ServeOperation for op::SetConfigOption {
    type Admission<S: Send + Sync + 'static> = Session<S>;
    type Answer<S: Send + Sync + 'static> = SetSessionConfigOptionResponse;

    fn admit<S: Send + Sync + 'static>(
        scope: &Scope<S>,
        params: &Arc<SetSessionConfigOptionRequest>,
    ) -> Result<Self::Admission<S>, RpcError> {
        let session = scope.connection.sessions.find(&params.session_id)?;
        session.updates().settings().check_option(params)?;
        Ok(session)
    }

    async fn finish<S: Send + Sync + 'static>(
        scope: &Scope<S>,
        session: &Session<S>,
        outcome: Result<SetSessionConfigOptionResponse>,
    ) -> Result<Reply, RpcError> {
        let mut response = outcome.map_err(Error::into_rpc)?;
        let hidden = retain_offered(&mut response.config_options, scope.client.capabilities());
        session.updates().keep_options(&response.config_options, hidden).await?;
        Ok(Reply::new(response))
    }
}
