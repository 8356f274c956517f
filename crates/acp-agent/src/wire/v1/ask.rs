//! The requests to the client, and their methods.

#[cfg(all(feature = "mcp", feature = "unstable"))]
use acp_types::v1::MessageMcpRequest;
use acp_types::v1::{
    CreateElicitationRequest, CreateTerminalRequest, KillTerminalRequest, ReadTextFileRequest,
    ReleaseTerminalRequest, RequestPermissionRequest, TerminalOutputRequest, WaitForTerminalExitRequest,
    WriteTextFileRequest, methods,
};

use crate::wire::ask::Ask;
#[cfg(feature = "v2")]
use crate::wire::v2;

macro_rules! asks {
    ($($request:ident => $method:ident),* $(,)?) => {$(
        asks! { $request => $method, serde_core::Serialize::serialize }
    )*};
    // With the writer for version 2.
    ($request:ident => $method:ident, $write:path) => {
        impl Ask for $request {
            type V1 = methods::$method;

            #[cfg(feature = "v2")]
            fn write_v2<S: serde_core::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $write(self, serializer)
            }
        }
    };
}

asks! { CreateElicitationRequest => ElicitationCreate, v2::ask::elicitation }
asks! { RequestPermissionRequest => SessionRequestPermission, v2::ask::permission }
asks! {
    CreateTerminalRequest => TerminalCreate,
    KillTerminalRequest => TerminalKill,
    ReadTextFileRequest => FsReadTextFile,
    ReleaseTerminalRequest => TerminalRelease,
    TerminalOutputRequest => TerminalOutput,
    WaitForTerminalExitRequest => TerminalWaitForExit,
    WriteTextFileRequest => FsWriteTextFile,
}
#[cfg(all(feature = "mcp", feature = "unstable"))]
asks! { MessageMcpRequest => McpMessage }
