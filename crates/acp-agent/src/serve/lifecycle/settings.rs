//! Modes and config options.

use std::sync::Arc;

use acp_handlers::{Admit, ServeRequest};
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

impl<S: Send + Sync + 'static> ServeRequest<op::SetMode> for Scope<S> {
    type Answer = SetSessionModeResponse;

    async fn finish(
        call: &Call<op::SetMode, S>,
        outcome: Result<SetSessionModeResponse>,
    ) -> Result<Reply, RpcError> {
        let response = outcome.map_err(Error::into_rpc)?;
        let updates = call.admission().updates();
        updates.keep_mode(&call.params().mode_id).await?;
        let (wire, meta) = (call.context().client.wire(), response.meta.clone());
        Ok(wire.changed_setting(response, meta, || updates.settings().known()))
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
        let hidden = retain_offered(&mut response.config_options, call.context().client.capabilities());
        let updates = call.admission().updates();
        updates.keep_options(&response.config_options, hidden).await?;
        let (wire, meta) = (call.context().client.wire(), response.meta.clone());
        Ok(wire.changed_setting(response, meta, || updates.settings().known()))
    }
}
