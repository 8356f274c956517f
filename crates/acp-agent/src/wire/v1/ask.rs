//! The requests to the client, and their methods.

#[cfg(feature = "v2")]
use acp_json::{At, Node, ReadError};
#[cfg(all(feature = "mcp", feature = "unstable"))]
use acp_types::v1::MessageMcpRequest;
use acp_types::v1::{
    CreateElicitationRequest, CreateTerminalRequest, KillTerminalRequest, ReadTextFileRequest,
    ReleaseTerminalRequest, RequestPermissionRequest, TerminalOutputRequest, WaitForTerminalExitRequest,
    WriteTextFileRequest, methods,
};

use super::fit;
#[cfg(feature = "v2")]
use crate::wire::ask::Answer;
use crate::wire::ask::Ask;
use crate::wire::loss::Losses;
#[cfg(feature = "v2")]
use crate::wire::v2;

macro_rules! asks {
    ($request:ident => $method:ident, $write:path, $read:path $(, $fit:path $(, $lost:path)?)?) => {
        impl Ask for $request {
            type V1 = methods::$method;

            $(
                fn fit_v1(&self) -> Result<Option<(Self, Losses)>, &'static str> {
                    $fit(self)
                }

                $(
                    #[cfg(feature = "v2")]
                    fn lost_in_v2(&self) -> Losses {
                        $lost(self)
                    }
                )?
            )?

            #[cfg(feature = "v2")]
            fn write_v2<S: serde_core::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $write(self, serializer)
            }

            #[cfg(feature = "v2")]
            fn read_v2(answer: Node<'_>, at: &At<'_>) -> Result<Answer<Self>, ReadError> {
                $read(answer, at)
            }
        }
    };
}

/// Requests that version 2 does not have, because its clients have no files and terminals.
macro_rules! asks_in_v1 {
    ($($request:ident => $method:ident),* $(,)?) => {$(
        asks! { $request => $method, v2::ask::nothing, v2::ask::no_answer }
    )*};
}

asks! {
    CreateElicitationRequest => ElicitationCreate, v2::ask::elicitation, v2::ask::elicited, fit::form
}
asks! {
    RequestPermissionRequest => SessionRequestPermission, v2::ask::permission, v2::ask::permitted,
    fit::question, v2::losses::of_question
}
asks_in_v1! {
    CreateTerminalRequest => TerminalCreate,
    KillTerminalRequest => TerminalKill,
    ReadTextFileRequest => FsReadTextFile,
    ReleaseTerminalRequest => TerminalRelease,
    TerminalOutputRequest => TerminalOutput,
    WaitForTerminalExitRequest => TerminalWaitForExit,
    WriteTextFileRequest => FsWriteTextFile,
}
#[cfg(all(feature = "mcp", feature = "unstable"))]
asks! { MessageMcpRequest => McpMessage, v2::as_is::whole, v2::as_is::read_at }
