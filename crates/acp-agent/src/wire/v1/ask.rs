//! The requests to the client, and their methods.

#[cfg(all(feature = "mcp", feature = "unstable"))]
use acp_types::v1::MessageMcpRequest;
use acp_types::v1::{
    CreateElicitationRequest, CreateTerminalRequest, KillTerminalRequest, ReadTextFileRequest,
    ReleaseTerminalRequest, RequestPermissionRequest, TerminalOutputRequest, WaitForTerminalExitRequest,
    WriteTextFileRequest, methods,
};

use crate::wire::ask::Ask;

macro_rules! asks {
    ($($request:ident => $method:ident),* $(,)?) => {$(
        impl Ask for $request {
            type V1 = methods::$method;
        }
    )*};
}

asks! {
    CreateElicitationRequest => ElicitationCreate,
    CreateTerminalRequest => TerminalCreate,
    KillTerminalRequest => TerminalKill,
    ReadTextFileRequest => FsReadTextFile,
    ReleaseTerminalRequest => TerminalRelease,
    RequestPermissionRequest => SessionRequestPermission,
    TerminalOutputRequest => TerminalOutput,
    WaitForTerminalExitRequest => TerminalWaitForExit,
    WriteTextFileRequest => FsWriteTextFile,
}
#[cfg(all(feature = "mcp", feature = "unstable"))]
asks! { MessageMcpRequest => McpMessage }
