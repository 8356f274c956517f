//! Results of handlers.

use acp_rpc::Reply;
use acp_types::method;
#[cfg(feature = "unstable")]
use acp_types::v1::{
    ArchiveSessionResponse, AuthStatusResponse, DisableProviderResponse, ListProvidersResponse, ProviderInfo,
    SessionStatusResponse, SetProviderResponse, SetSessionTitleResponse, UnarchiveSessionResponse,
};
use acp_types::v1::{
    AuthMethod, AuthenticateResponse, CloseSessionResponse, DeleteSessionResponse, ListSessionsResponse,
    LogoutResponse, PromptResponse, SessionConfigOption, SessionInfo, SetSessionConfigOptionResponse,
    SetSessionModeResponse, StopReason,
};
use serde_core::Serialize;

use crate::handler::operation::ServeOperation;
use crate::op;
use crate::open::opened::Opened;

/// A type that the handler of operation `O` can return in its `Result`; `S` is what a session
/// holds.
///
/// | operation | result |
/// |---|---|
/// | `prompt` | `StopReason`, `PromptResponse` |
/// | `new_session`, `load_session`, `resume_session` | `S`, [`Opened<S>`](Opened) |
/// | `set_mode`, `authenticate`, `logout`, `close_session`, `delete_session` | `()`, the response |
/// | `list_sessions` | `Vec<SessionInfo>`, `ListSessionsResponse` |
/// | `set_config_option` | `Vec<SessionConfigOption>`, `SetSessionConfigOptionResponse` |
/// | `auth_methods` | `Vec<AuthMethod>` |
/// | `#[ext]` | anything that is `Serialize` |
/// | `#[on]` with a marker of one's own | the response that it names |
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a result of the operation `{O}`",
    label = "the operation cannot be answered with this",
    note = "`prompt` returns `Result<StopReason>`; operations that open a session return `Result<Opened<T>>` \
            with the `T` of `new_session`; `#[ext]` requests return anything that can be serialized; \
            most others return `Result<()>`"
)]
pub trait IntoReply<O: ServeOperation, S: Send + Sync + 'static> {
    /// Makes the answer.
    fn into_reply(self) -> O::Answer<S>;
}

impl<S: Send + Sync + 'static> IntoReply<op::Prompt, S> for StopReason {
    fn into_reply(self) -> PromptResponse {
        PromptResponse::new(self)
    }
}

impl<S: Send + Sync + 'static> IntoReply<op::ListSessions, S> for Vec<SessionInfo> {
    fn into_reply(self) -> ListSessionsResponse {
        ListSessionsResponse::new(self)
    }
}

impl<S: Send + Sync + 'static> IntoReply<op::SetConfigOption, S> for Vec<SessionConfigOption> {
    fn into_reply(self) -> SetSessionConfigOptionResponse {
        SetSessionConfigOptionResponse::new(self)
    }
}

impl<S: Send + Sync + 'static> IntoReply<op::Initialize, S> for Vec<AuthMethod> {
    fn into_reply(self) -> Vec<AuthMethod> {
        self
    }
}

impl<S: Send + Sync + 'static, T: Serialize + Send + 'static> IntoReply<op::Extension, S> for T {
    fn into_reply(self) -> Reply {
        Reply::new(self)
    }
}

impl<M, S, T> IntoReply<op::Request<M>, S> for T
where
    M: method::Request<Params: Clone + Sync, Response = T> + 'static,
    S: Send + Sync + 'static,
    T: Serialize + Send + 'static,
{
    fn into_reply(self) -> T {
        self
    }
}

/// Takes the response itself as a result.
macro_rules! response {
    ($($marker:ident => $response:ident),* $(,)?) => {
        $(impl<S: Send + Sync + 'static> IntoReply<op::$marker, S> for $response {
            fn into_reply(self) -> $response {
                self
            }
        })*
    };
}

response! {
    Prompt => PromptResponse,
    Authenticate => AuthenticateResponse,
    Logout => LogoutResponse,
    ListSessions => ListSessionsResponse,
    CloseSession => CloseSessionResponse,
    DeleteSession => DeleteSessionResponse,
    SetMode => SetSessionModeResponse,
    SetConfigOption => SetSessionConfigOptionResponse,
}

/// Takes `()` as a result, where the response only says that the operation was done.
macro_rules! empty_response {
    ($($marker:ident => $response:ident),* $(,)?) => {
        $(impl<S: Send + Sync + 'static> IntoReply<op::$marker, S> for () {
            fn into_reply(self) -> $response {
                $response::new()
            }
        })*
    };
}

empty_response! {
    Authenticate => AuthenticateResponse,
    Logout => LogoutResponse,
    CloseSession => CloseSessionResponse,
    DeleteSession => DeleteSessionResponse,
    SetMode => SetSessionModeResponse,
}

macro_rules! opened {
    ($($marker:ident),*) => {
        $(
            impl<S: Send + Sync + 'static> IntoReply<op::$marker, S> for S {
                fn into_reply(self) -> Opened<S> {
                    Opened::new(self)
                }
            }

            impl<S: Send + Sync + 'static> IntoReply<op::$marker, S> for Opened<S> {
                fn into_reply(self) -> Opened<S> {
                    self
                }
            }
        )*
    };
}

opened!(NewSession, LoadSession, ResumeSession);
#[cfg(feature = "unstable")]
opened!(ForkSession);

/// Takes these values as results, and makes the response of them.
#[cfg(feature = "unstable")]
macro_rules! replies {
    ($($marker:ident: $value:ty => |$name:pat_param| $response:expr;)*) => {
        $(impl<S: Send + Sync + 'static> IntoReply<op::$marker, S> for $value {
            fn into_reply(self) -> <op::$marker as op::Op>::Response {
                let $name = self;
                $response
            }
        })*
    };
}

#[cfg(feature = "unstable")]
replies! {
    ArchiveSession: () => |()| ArchiveSessionResponse::new();
    ArchiveSession: ArchiveSessionResponse => |response| response;
    AuthStatus: AuthStatusResponse => |response| response;
    DisableProvider: () => |()| DisableProviderResponse::new();
    DisableProvider: DisableProviderResponse => |response| response;
    ListProviders: Vec<ProviderInfo> => |providers| ListProvidersResponse::new(providers);
    ListProviders: ListProvidersResponse => |response| response;
    SessionStatus: SessionStatusResponse => |response| response;
    SetProvider: () => |()| SetProviderResponse::new();
    SetProvider: SetProviderResponse => |response| response;
    SetTitle: String => |title| SetSessionTitleResponse::new(title);
    SetTitle: SetSessionTitleResponse => |response| response;
    UnarchiveSession: () => |()| UnarchiveSessionResponse::new();
    UnarchiveSession: UnarchiveSessionResponse => |response| response;
}
