//! The requests and notifications to the agent.

use acp_json::{At, FromNode as _, Node, ReadError, Record as _};
use acp_types::method::Method as _;
#[cfg(feature = "unstable")]
use acp_types::v1::{
    ArchiveSessionRequest, AuthStatusRequest, DisableProviderRequest, ForkSessionRequest,
    ListProvidersRequest, MessageMcpNotification, SessionStatusRequest, SetProviderRequest,
    SetSessionTitleRequest, UnarchiveSessionRequest,
};
use acp_types::v1::{
    AuthenticateRequest, CancelNotification, CloseSessionRequest, DeleteSessionRequest, InitializeRequest,
    ListSessionsRequest, ListSessionsResponse, LoadSessionRequest, LogoutRequest, NewSessionRequest,
    PromptRequest, ResumeSessionRequest, SessionConfigValue, SetSessionConfigOptionRequest,
    SetSessionConfigOptionResponse, SetSessionModeRequest,
};
use acp_types::v2::{self, methods};
use serde_core::ser::SerializeMap;

use super::content::Blocks;
use super::message::{AnswerOfV2, MessageOfV2, MethodOfV2};
use super::{config, encode};

/// Messages whose params version 2 has as version 1 has.
macro_rules! equal_params {
    ($($message:ident => $method:ident),* $(,)?) => {$(
        impl MethodOfV2 for $message {
            const METHOD: &'static str = methods::$method::NAME;
        }

        impl MessageOfV2 for $message {
            fn write<M: SerializeMap>(&self, params: &mut M) -> Result<(), M::Error> {
                acp_json::Record::write(self, params)
            }
        }
    )*};
}

/// Requests whose result version 2 has as version 1 has.
macro_rules! equal_results {
    ($($message:ident => $response:ident),* $(,)?) => {$(
        impl AnswerOfV2 for $message {
            type Answer = acp_types::v1::$response;

            fn read(result: Node<'_>, at: &At<'_>) -> Result<Self::Answer, ReadError> {
                Self::Answer::from_node(result, at)
            }
        }
    )*};
}

equal_params! {
    AuthenticateRequest => AuthLogin,
    CancelNotification => SessionCancel,
    CloseSessionRequest => SessionClose,
    DeleteSessionRequest => SessionDelete,
    ListSessionsRequest => SessionList,
    LogoutRequest => AuthLogout,
}
equal_results! {
    AuthenticateRequest => AuthenticateResponse,
    CloseSessionRequest => CloseSessionResponse,
    DeleteSessionRequest => DeleteSessionResponse,
    LogoutRequest => LogoutResponse,
}
#[cfg(feature = "unstable")]
equal_params! {
    ArchiveSessionRequest => SessionArchive,
    AuthStatusRequest => AuthStatus,
    DisableProviderRequest => ProvidersDisable,
    ListProvidersRequest => ProvidersList,
    MessageMcpNotification => McpMessageNotify,
    SessionStatusRequest => SessionStatus,
    SetProviderRequest => ProvidersSet,
    SetSessionTitleRequest => SessionSetTitle,
    UnarchiveSessionRequest => SessionUnarchive,
}
#[cfg(feature = "unstable")]
equal_results! {
    ArchiveSessionRequest => ArchiveSessionResponse,
    AuthStatusRequest => AuthStatusResponse,
    DisableProviderRequest => DisableProviderResponse,
    ListProvidersRequest => ListProvidersResponse,
    SessionStatusRequest => SessionStatusResponse,
    SetProviderRequest => SetProviderResponse,
    SetSessionTitleRequest => SetSessionTitleResponse,
    UnarchiveSessionRequest => UnarchiveSessionResponse,
}

impl MethodOfV2 for NewSessionRequest {
    const METHOD: &'static str = methods::SessionNew::NAME;
}

impl MessageOfV2 for NewSessionRequest {
    fn write<M: SerializeMap>(&self, params: &mut M) -> Result<(), M::Error> {
        encode::place(params, &self.cwd, &self.additional_directories, &self.mcp_servers)?;
        #[cfg(feature = "unstable")]
        encode::system_prompt(params, self.system_prompt.as_ref())?;
        encode::meta(params, self.meta.as_ref())
    }
}

/// Version 2 has one method for both: a load is a resume that replays the conversation.
impl MethodOfV2 for LoadSessionRequest {
    const METHOD: &'static str = methods::SessionResume::NAME;
}

impl MessageOfV2 for LoadSessionRequest {
    fn write<M: SerializeMap>(&self, params: &mut M) -> Result<(), M::Error> {
        params.serialize_entry("sessionId", &self.session_id)?;
        encode::place(params, &self.cwd, &self.additional_directories, &self.mcp_servers)?;
        params.serialize_entry("replayFrom", &v2::ReplayFrom::from(v2::ReplayFromStart::new()))?;
        #[cfg(feature = "unstable")]
        encode::system_prompt(params, self.system_prompt.as_ref())?;
        encode::meta(params, self.meta.as_ref())
    }
}

impl MethodOfV2 for ResumeSessionRequest {
    const METHOD: &'static str = methods::SessionResume::NAME;
}

impl MessageOfV2 for ResumeSessionRequest {
    fn write<M: SerializeMap>(&self, params: &mut M) -> Result<(), M::Error> {
        params.serialize_entry("sessionId", &self.session_id)?;
        encode::place(params, &self.cwd, &self.additional_directories, &self.mcp_servers)?;
        #[cfg(feature = "unstable")]
        encode::system_prompt(params, self.system_prompt.as_ref())?;
        encode::meta(params, self.meta.as_ref())
    }
}

#[cfg(feature = "unstable")]
impl MethodOfV2 for ForkSessionRequest {
    const METHOD: &'static str = methods::SessionFork::NAME;
}

#[cfg(feature = "unstable")]
impl MessageOfV2 for ForkSessionRequest {
    fn write<M: SerializeMap>(&self, params: &mut M) -> Result<(), M::Error> {
        params.serialize_entry("sessionId", &self.session_id)?;
        encode::place(params, &self.cwd, &self.additional_directories, &self.mcp_servers)?;
        encode::system_prompt(params, self.system_prompt.as_ref())?;
        encode::meta(params, self.meta.as_ref())
    }
}

impl MethodOfV2 for PromptRequest {
    const METHOD: &'static str = methods::SessionPrompt::NAME;
}

impl MessageOfV2 for PromptRequest {
    fn write<M: SerializeMap>(&self, params: &mut M) -> Result<(), M::Error> {
        params.serialize_entry("sessionId", &self.session_id)?;
        params.serialize_entry("prompt", &Blocks(&self.prompt))?;
        encode::meta(params, self.meta.as_ref())
    }
}

impl MethodOfV2 for SetSessionConfigOptionRequest {
    const METHOD: &'static str = methods::SessionSetConfigOption::NAME;
}

impl MessageOfV2 for SetSessionConfigOptionRequest {
    fn write<M: SerializeMap>(&self, params: &mut M) -> Result<(), M::Error> {
        params.serialize_entry("sessionId", &self.session_id)?;
        params.serialize_entry("configId", &self.config_id)?;
        if let SessionConfigValue::Id { .. } = self.value {
            params.serialize_entry("type", "id")?;
        }
        self.value.write(params)?;
        encode::meta(params, self.meta.as_ref())
    }
}

impl AnswerOfV2 for SetSessionConfigOptionRequest {
    type Answer = SetSessionConfigOptionResponse;

    fn read(result: Node<'_>, at: &At<'_>) -> Result<Self::Answer, ReadError> {
        let response = v2::SetSessionConfigOptionResponse::from_node(result, at)?;
        let mut read = SetSessionConfigOptionResponse::new(config::options(response.config_options));
        read.meta = response.meta;
        Ok(read)
    }
}

/// Version 2 has the same result and is stricter about the cursor: a malformed one would end the
/// list too early.
impl AnswerOfV2 for ListSessionsRequest {
    type Answer = ListSessionsResponse;

    fn read(result: Node<'_>, at: &At<'_>) -> Result<Self::Answer, ReadError> {
        v2::ListSessionsResponse::from_node(result.clone(), at)?;
        Self::Answer::from_node(result, at)
    }
}

/// Version 2 has no modes. Callers set the option of category `mode` instead.
impl MethodOfV2 for SetSessionModeRequest {
    const METHOD: &'static str = methods::SessionSetConfigOption::NAME;
}

/// The negotiation writes the request itself.
impl MethodOfV2 for InitializeRequest {
    const METHOD: &'static str = methods::Initialize::NAME;
}

impl MessageOfV2 for InitializeRequest {
    fn write<M: SerializeMap>(&self, params: &mut M) -> Result<(), M::Error> {
        super::initialize::write(self, params)
    }
}
