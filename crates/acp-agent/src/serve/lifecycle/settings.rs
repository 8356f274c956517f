//! Modes and config options.

use std::sync::Arc;

use acp_rpc::{Error as RpcError, Reply};
use acp_types::v1::{
    SetSessionConfigOptionRequest, SetSessionConfigOptionResponse, SetSessionModeRequest,
    SetSessionModeResponse,
};

use crate::error::Result;
use crate::handler::call::Scope;
use crate::handler::operation::ServeOperation;
use crate::op;
use crate::serve::lifecycle::answer::{answer, answered};
use crate::session::Session;
use crate::updates::settings::retain_offered;

impl ServeOperation for op::SetMode {
    type Admission<S: Send + Sync + 'static> = Session<S>;
    answered!(SetSessionModeResponse);

    fn admit<S: Send + Sync + 'static>(
        scope: &Scope<S>,
        params: &Arc<SetSessionModeRequest>,
    ) -> Result<Self::Admission<S>, RpcError> {
        let session = scope.connection.sessions.find(&params.session_id)?;
        session.updates().settings().check_mode(&params.session_id, &params.mode_id)?;
        Ok(session)
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
        answer(outcome.map(|mut response| {
            retain_offered(&mut response.config_options, scope.client.capabilities());
            session.updates().settings().set_options(&response.config_options);
            response
        }))
    }
}
