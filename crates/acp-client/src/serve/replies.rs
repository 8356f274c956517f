//! The results of handlers.

use acp_rpc::Reply;
use acp_types::method;
#[cfg(feature = "unstable")]
use acp_types::v1::MessageMcpResponse;
use acp_types::v1::{
    CreateElicitationResponse, CreateTerminalResponse, ElicitationAction, KillTerminalResponse,
    ReadTextFileResponse, ReleaseTerminalResponse, RequestPermissionOutcome, RequestPermissionResponse,
    TerminalExitStatus, TerminalId, TerminalOutputResponse, WaitForTerminalExitResponse,
    WriteTextFileResponse,
};
use serde_core::Serialize;

use crate::serve::serve_op::{PermissionAnswer, Served};
use crate::{Choice, op};

/// A type that the handler of operation `O` can return in its `Result`.
///
/// | operation | result |
/// |---|---|
/// | `request_permission` | [`Choice`], `RequestPermissionOutcome` |
/// | `read_text_file` | `String` |
/// | `create_terminal` | `TerminalId` |
/// | `wait_for_terminal_exit` | `TerminalExitStatus` |
/// | `elicit` | `ElicitationAction` |
/// | `write_text_file`, `kill_terminal`, `release_terminal` | `()` |
/// | all of them | the response |
/// | `#[ext]` | anything that is `Serialize` |
/// | `#[on]` with a marker of one's own | the response that it names |
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a result of the operation `{O}`",
    label = "the operation cannot be answered with this",
    note = "every operation takes its response; `request_permission` also `Result<Choice>`, `read_text_file` \
            `Result<String>`; `#[ext]` requests return anything that can be serialized"
)]
pub trait IntoReply<O: Served> {
    /// Converts to the answer.
    fn into_reply(self) -> O::Answer;
}

impl IntoReply<op::RequestPermission> for Choice {
    fn into_reply(self) -> PermissionAnswer {
        PermissionAnswer::Choice(self)
    }
}

impl IntoReply<op::RequestPermission> for RequestPermissionOutcome {
    fn into_reply(self) -> PermissionAnswer {
        PermissionAnswer::Response(RequestPermissionResponse::new(self))
    }
}

impl IntoReply<op::RequestPermission> for RequestPermissionResponse {
    fn into_reply(self) -> PermissionAnswer {
        PermissionAnswer::Response(self)
    }
}

impl IntoReply<op::ReadTextFile> for String {
    fn into_reply(self) -> ReadTextFileResponse {
        ReadTextFileResponse::new(self)
    }
}

impl IntoReply<op::CreateTerminal> for TerminalId {
    fn into_reply(self) -> CreateTerminalResponse {
        CreateTerminalResponse::new(self)
    }
}

impl IntoReply<op::WaitForTerminalExit> for TerminalExitStatus {
    fn into_reply(self) -> WaitForTerminalExitResponse {
        let mut response = WaitForTerminalExitResponse::new();
        (response.exit_code, response.signal, response.meta) = (self.exit_code, self.signal, self.meta);
        response
    }
}

impl IntoReply<op::Elicit> for ElicitationAction {
    fn into_reply(self) -> CreateElicitationResponse {
        CreateElicitationResponse::new(self)
    }
}

impl<T: Serialize + Send + 'static> IntoReply<op::Extension> for T {
    fn into_reply(self) -> Reply {
        Reply::new(self)
    }
}

impl<M, T> IntoReply<op::Request<M>> for T
where
    M: method::Request<Params: Clone + Sync, Response = T> + 'static,
    T: Serialize + Send + 'static,
{
    fn into_reply(self) -> T {
        self
    }
}

/// Lets handlers return the response itself.
macro_rules! response {
    ($($marker:ident => $response:ident),* $(,)?) => {
        $(impl IntoReply<op::$marker> for $response {
            fn into_reply(self) -> $response {
                self
            }
        })*
    };
}

response! {
    CreateTerminal => CreateTerminalResponse,
    Elicit => CreateElicitationResponse,
    KillTerminal => KillTerminalResponse,
    ReadTextFile => ReadTextFileResponse,
    ReleaseTerminal => ReleaseTerminalResponse,
    TerminalOutput => TerminalOutputResponse,
    WaitForTerminalExit => WaitForTerminalExitResponse,
    WriteTextFile => WriteTextFileResponse,
}

#[cfg(feature = "unstable")]
response! {
    McpMessage => MessageMcpResponse,
}

/// Lets handlers return `()` if the response has no content.
macro_rules! empty_response {
    ($($marker:ident => $response:ident),* $(,)?) => {
        $(impl IntoReply<op::$marker> for () {
            fn into_reply(self) -> $response {
                $response::new()
            }
        })*
    };
}

empty_response! {
    KillTerminal => KillTerminalResponse,
    ReleaseTerminal => ReleaseTerminalResponse,
    WriteTextFile => WriteTextFileResponse,
}
