//! Modes and config options.

use std::sync::Arc;

use acp_handlers::{Admit, Answered, ServeRequest};
use acp_rpc::{Error as RpcError, Reply};
use acp_types::v1::{
    SetSessionConfigOptionRequest, SetSessionConfigOptionResponse, SetSessionModeRequest,
    SetSessionModeResponse,
};

use crate::error::{Error, Result};
use crate::handler::scope::{Call, Scope};
use crate::op;
use crate::session::Session;
use crate::updates::settings::retain_offered;

impl<S: Send + Sync + 'static> Admit<op::SetMode> for Scope<S> {
    type Admission = Session<S>;

    fn admit(&self, params: &Arc<SetSessionModeRequest>) -> Result<Session<S>, RpcError> {
        let session = self.connection.sessions.find(&params.session_id)?;
        session.updates().settings().check_mode(&params.session_id, &params.mode_id)?;
        Ok(session)
    }
}

impl Answered for op::SetMode {
    type Answer = SetSessionModeResponse;

    fn reply(answer: SetSessionModeResponse, write: impl FnOnce(SetSessionModeResponse) -> Reply) -> Reply {
        write(answer)
    }
}

impl<S: Send + Sync + 'static> Admit<op::SetConfigOption> for Scope<S> {
    type Admission = Session<S>;

    fn admit(&self, params: &Arc<SetSessionConfigOptionRequest>) -> Result<Session<S>, RpcError> {
        let session = self.connection.sessions.find(&params.session_id)?;
        session.updates().settings().check_option(params)?;
        Ok(session)
    }
}

impl<S: Send + Sync + 'static> ServeRequest<op::SetConfigOption> for Scope<S> {
    type Answer = SetSessionConfigOptionResponse;

    async fn finish(
        call: &Call<op::SetConfigOption, S>,
        outcome: Result<SetSessionConfigOptionResponse>,
    ) -> Result<Reply, RpcError> {
        let mut response = outcome.map_err(Error::into_rpc)?;
        let client = &call.context().client;
        retain_offered(&mut response.config_options, client.capabilities());
        call.admission().updates().settings().set_options(&response.config_options);
        Ok(client.wire().answer(response))
    }
}
