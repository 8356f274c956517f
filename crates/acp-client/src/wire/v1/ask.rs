//! The messages to the agent, and their methods.

#[cfg(feature = "unstable")]
use acp_types::v1::{
    ArchiveSessionRequest, AuthStatusRequest, DisableProviderRequest, ForkSessionRequest,
    ListProvidersRequest, MessageMcpNotification, SessionStatusRequest, SetProviderRequest,
    SetSessionTitleRequest, UnarchiveSessionRequest,
};
use acp_types::v1::{
    AuthenticateRequest, CancelNotification, CloseSessionRequest, DeleteSessionRequest, InitializeRequest,
    ListSessionsRequest, LoadSessionRequest, LogoutRequest, NewSessionRequest, PromptRequest,
    ResumeSessionRequest, SetSessionConfigOptionRequest, SetSessionModeRequest, methods,
};

use crate::wire::ask::Message;

macro_rules! messages {
    ($($message:ident => $method:ident),* $(,)?) => {$(
        impl Message for $message {
            type V1 = methods::$method;
        }
    )*};
}

messages! {
    AuthenticateRequest => Authenticate,
    CancelNotification => SessionCancel,
    CloseSessionRequest => SessionClose,
    DeleteSessionRequest => SessionDelete,
    InitializeRequest => Initialize,
    ListSessionsRequest => SessionList,
    LoadSessionRequest => SessionLoad,
    LogoutRequest => Logout,
    NewSessionRequest => SessionNew,
    PromptRequest => SessionPrompt,
    ResumeSessionRequest => SessionResume,
    SetSessionConfigOptionRequest => SessionSetConfigOption,
    SetSessionModeRequest => SessionSetMode,
}
#[cfg(feature = "unstable")]
messages! {
    ArchiveSessionRequest => SessionArchive,
    AuthStatusRequest => AuthStatus,
    DisableProviderRequest => ProvidersDisable,
    ForkSessionRequest => SessionFork,
    ListProvidersRequest => ProvidersList,
    MessageMcpNotification => McpMessageNotify,
    SessionStatusRequest => SessionStatus,
    SetProviderRequest => ProvidersSet,
    SetSessionTitleRequest => SessionSetTitle,
    UnarchiveSessionRequest => SessionUnarchive,
}
