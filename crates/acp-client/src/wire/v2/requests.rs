//! The requests and notifications to the agent.

use acp_json::{At, Node, ReadError};
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
    PromptRequest, ResumeSessionRequest, SessionConfigValue, SessionInfo, SetSessionConfigOptionRequest,
    SetSessionConfigOptionResponse, SetSessionModeRequest,
};
use acp_types::v2::from_v1::Blocks;
use acp_types::v2::{self, methods};
use serde_core::ser::{Error as _, SerializeMap};

use super::as_is::{member, members, meta, read_at};
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
                members(params, self)
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
                read_at(result, at)
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
    SetProviderRequest => SetProviderResponse,
    SetSessionTitleRequest => SetSessionTitleResponse,
    UnarchiveSessionRequest => UnarchiveSessionResponse,
}

/// The state of the session has no place in the vocabulary: updates tell it.
#[cfg(feature = "unstable")]
impl AnswerOfV2 for SessionStatusRequest {
    type Answer = acp_types::v1::SessionStatusResponse;

    fn read(result: Node<'_>, at: &At<'_>) -> Result<Self::Answer, ReadError> {
        let response: v2::SessionStatusResponse = read_at(result, at)?;
        let mut read = Self::Answer::new(response.status.as_str());
        read.meta = response.meta;
        Ok(read)
    }
}

impl MethodOfV2 for NewSessionRequest {
    const METHOD: &'static str = methods::SessionNew::NAME;
}

impl MessageOfV2 for NewSessionRequest {
    fn write<M: SerializeMap>(&self, params: &mut M) -> Result<(), M::Error> {
        encode::place(params, &self.cwd, &self.additional_directories, &self.mcp_servers)?;
        #[cfg(feature = "unstable")]
        encode::system_prompt(params, self.system_prompt.as_ref())?;
        meta(params, self.meta.as_ref())
    }
}

/// Version 2 has one method for both: a load is a resume that replays the conversation.
impl MethodOfV2 for LoadSessionRequest {
    const METHOD: &'static str = methods::SessionResume::NAME;
}

impl MessageOfV2 for LoadSessionRequest {
    fn write<M: SerializeMap>(&self, params: &mut M) -> Result<(), M::Error> {
        member(params, "sessionId", &self.session_id)?;
        encode::place(params, &self.cwd, &self.additional_directories, &self.mcp_servers)?;
        member(params, "replayFrom", &v2::ReplayFrom::from(v2::ReplayFromStart::new()))?;
        #[cfg(feature = "unstable")]
        encode::system_prompt(params, self.system_prompt.as_ref())?;
        meta(params, self.meta.as_ref())
    }
}

impl MethodOfV2 for ResumeSessionRequest {
    const METHOD: &'static str = methods::SessionResume::NAME;
}

impl MessageOfV2 for ResumeSessionRequest {
    fn write<M: SerializeMap>(&self, params: &mut M) -> Result<(), M::Error> {
        member(params, "sessionId", &self.session_id)?;
        encode::place(params, &self.cwd, &self.additional_directories, &self.mcp_servers)?;
        #[cfg(feature = "unstable")]
        encode::system_prompt(params, self.system_prompt.as_ref())?;
        meta(params, self.meta.as_ref())
    }
}

#[cfg(feature = "unstable")]
impl MethodOfV2 for ForkSessionRequest {
    const METHOD: &'static str = methods::SessionFork::NAME;
}

#[cfg(feature = "unstable")]
impl MessageOfV2 for ForkSessionRequest {
    fn write<M: SerializeMap>(&self, params: &mut M) -> Result<(), M::Error> {
        member(params, "sessionId", &self.session_id)?;
        encode::place(params, &self.cwd, &self.additional_directories, &self.mcp_servers)?;
        encode::system_prompt(params, self.system_prompt.as_ref())?;
        meta(params, self.meta.as_ref())
    }
}

impl MethodOfV2 for PromptRequest {
    const METHOD: &'static str = methods::SessionPrompt::NAME;
}

impl MessageOfV2 for PromptRequest {
    fn write<M: SerializeMap>(&self, params: &mut M) -> Result<(), M::Error> {
        member(params, "sessionId", &self.session_id)?;
        member(params, "prompt", &Blocks(&self.prompt))?;
        meta(params, self.meta.as_ref())
    }
}

impl MethodOfV2 for SetSessionConfigOptionRequest {
    const METHOD: &'static str = methods::SessionSetConfigOption::NAME;
}

impl MessageOfV2 for SetSessionConfigOptionRequest {
    fn write<M: SerializeMap>(&self, params: &mut M) -> Result<(), M::Error> {
        member(params, "sessionId", &self.session_id)?;
        member(params, "configId", &self.config_id)?;
        match &self.value {
            SessionConfigValue::Id { value } => {
                member(params, "type", "id")?;
                member(params, "value", value)?;
            }
            SessionConfigValue::Boolean { value } => {
                member(params, "type", "boolean")?;
                member(params, "value", value)?;
            }
            SessionConfigValue::Unknown(value) => value.write("type", params)?,
            _ => return Err(M::Error::custom("version 2 has no values of this kind")),
        }
        meta(params, self.meta.as_ref())
    }
}

impl AnswerOfV2 for SetSessionConfigOptionRequest {
    type Answer = SetSessionConfigOptionResponse;

    fn read(result: Node<'_>, at: &At<'_>) -> Result<Self::Answer, ReadError> {
        let response: v2::SetSessionConfigOptionResponse = read_at(result, at)?;
        let mut read = SetSessionConfigOptionResponse::new(config::options(response.config_options));
        read.meta = response.meta;
        Ok(read)
    }
}

/// Version 2 is stricter: a malformed cursor would end the list too early.
impl AnswerOfV2 for ListSessionsRequest {
    type Answer = ListSessionsResponse;

    fn read(result: Node<'_>, at: &At<'_>) -> Result<Self::Answer, ReadError> {
        let response: v2::ListSessionsResponse = read_at(result, at)?;
        let sessions: Vec<_> = response.sessions.into_iter().map(session).collect();
        let mut read = ListSessionsResponse::new(sessions);
        read.next_cursor = response.next_cursor.map(|cursor| cursor.to_string());
        read.meta = response.meta;
        Ok(read)
    }
}

fn session(session: v2::SessionInfo) -> SessionInfo {
    let directories = session.additional_directories.iter().map(ToString::to_string);
    let mut read = SessionInfo::new(session.session_id, session.cwd.as_str());
    read.additional_directories = directories.collect();
    read.title = session.title;
    read.updated_at = session.updated_at;
    #[cfg(feature = "unstable")]
    {
        read.archived = session.archived;
    }
    read.meta = session.meta;
    read
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
