// The body of the crate whose build is measured: it decodes every message of both sides. Its
// surroundings define `types` and `from_str`.

macro_rules! messages {
    ($($name:ident),* $(,)?) => {
        /// The names of the messages.
        pub const MESSAGES: &[&str] = &[$(stringify!($name)),*];

        /// Returns true if the text is a message of this type.
        pub fn decodes(name: &str, json: &str) -> bool {
            match name {
                $(stringify!($name) => from_str::<types::$name>(json).is_ok(),)*
                _ => false,
            }
        }
    };
}

messages! {
    AuthenticateRequest,
    AuthenticateResponse,
    CancelNotification,
    CancelRequestNotification,
    CloseSessionRequest,
    CloseSessionResponse,
    CompleteElicitationNotification,
    CreateElicitationRequest,
    CreateElicitationResponse,
    CreateTerminalRequest,
    CreateTerminalResponse,
    DeleteSessionRequest,
    DeleteSessionResponse,
    InitializeRequest,
    InitializeResponse,
    KillTerminalRequest,
    KillTerminalResponse,
    ListSessionsRequest,
    ListSessionsResponse,
    LoadSessionRequest,
    LoadSessionResponse,
    LogoutRequest,
    LogoutResponse,
    NewSessionRequest,
    NewSessionResponse,
    PromptRequest,
    PromptResponse,
    ReadTextFileRequest,
    ReadTextFileResponse,
    ReleaseTerminalRequest,
    ReleaseTerminalResponse,
    RequestPermissionRequest,
    RequestPermissionResponse,
    ResumeSessionRequest,
    ResumeSessionResponse,
    SessionNotification,
    SetSessionConfigOptionRequest,
    SetSessionConfigOptionResponse,
    SetSessionModeRequest,
    SetSessionModeResponse,
    TerminalOutputRequest,
    TerminalOutputResponse,
    WaitForTerminalExitRequest,
    WaitForTerminalExitResponse,
    WriteTextFileRequest,
    WriteTextFileResponse,
}
