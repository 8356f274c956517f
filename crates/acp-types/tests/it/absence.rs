//! The meanings of absence, `null` and defaults.

use acp_types::v1::{
    AuthenticateResponse, CloseSessionResponse, CompactionUpdate, CreateTerminalResponse,
    DeleteSessionResponse, InitializeRequest, InitializeResponse, KillTerminalResponse, ListSessionsRequest,
    LoadSessionResponse, LogoutRequest, LogoutResponse, NewSessionRequest, NewSessionResponse,
    PromptResponse, ReadTextFileRequest, ReadTextFileResponse, ReleaseTerminalResponse,
    RequestPermissionResponse, ResumeSessionResponse, SessionInfoUpdate, SetSessionModeResponse,
    TerminalOutputResponse, ToolCall, ToolCallStatus, ToolCallUpdate, ToolKind, WaitForTerminalExitResponse,
    WriteTextFileResponse,
};
use acp_types::{FromNode, Maybe, from_str, to_string};
use serde_core::Serialize;

fn again<T: FromNode + Serialize>(text: &str) -> String {
    to_string(&from_str::<T>(text).unwrap_or_else(|error| panic!("{text}: {error}")))
}

#[test]
fn null_for_an_optional_member_is_absence() {
    let text = r#"{"sessionId":"s","path":"/f","line":null,"limit":null,"_meta":null}"#;
    assert_eq!(again::<ReadTextFileRequest>(text), r#"{"sessionId":"s","path":"/f"}"#);
    let text = r#"{"toolCallId":"c","kind":null,"status":null,"title":null,"content":null,"rawInput":null}"#;
    assert_eq!(again::<ToolCallUpdate>(text), r#"{"toolCallId":"c"}"#);
}

#[test]
fn an_empty_list_is_not_absence_where_the_two_differ() {
    let text = r#"{"toolCallId":"c","content":[]}"#;
    assert_eq!(again::<ToolCallUpdate>(text), text);
    assert_eq!(
        again::<ToolCall>(r#"{"toolCallId":"c","title":"T","content":[]}"#),
        r#"{"toolCallId":"c","title":"T"}"#
    );
}

#[test]
fn defaults_are_those_of_the_schema() {
    let call: ToolCall = from_str(r#"{"toolCallId":"c","title":"T"}"#).unwrap();
    assert_eq!((call.kind, call.status), (ToolKind::Other, ToolCallStatus::Pending));
    let response: InitializeResponse = from_str(r#"{"protocolVersion":1}"#).unwrap();
    assert!(!response.agent_capabilities.load_session);
    assert!(!response.agent_capabilities.prompt_capabilities.image);
    assert!(response.auth_methods.is_empty());
    let text =
        r#"{"protocolVersion":1,"agentCapabilities":{"loadSession":false,"mcpCapabilities":{"http":false}}}"#;
    assert_eq!(again::<InitializeResponse>(text), r#"{"protocolVersion":1}"#);
    let text =
        r#"{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":false}}}"#;
    assert_eq!(
        again::<InitializeRequest>(text),
        r#"{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true}}}"#
    );
}

#[test]
fn three_states_are_kept_apart() {
    let read = |text: &str| from_str::<SessionInfoUpdate>(text).unwrap();
    assert_eq!(read("{}").title, Maybe::Absent);
    assert_eq!(read(r#"{"title":null}"#).title, Maybe::Null);
    assert_eq!(read(r#"{"title":"T"}"#).title, Maybe::Value("T".to_owned()));
    // Malformed means absent: it must not clear the field.
    assert_eq!(read(r#"{"title":5}"#).title, Maybe::Absent);
    for text in
        ["{}", r#"{"title":null,"updatedAt":null}"#, r#"{"title":"T","updatedAt":"2026-01-01T00:00:00Z"}"#]
    {
        assert_eq!(again::<SessionInfoUpdate>(text), text);
    }
    let text = r#"{"compactionId":"c","status":"completed","summary":null,"error":null,"_meta":null}"#;
    assert_eq!(again::<CompactionUpdate>(text), text);
}

#[test]
fn a_patch_changes_what_it_names() {
    let mut title = Some("old".to_owned());
    Maybe::Absent.apply(&mut title);
    assert_eq!(title.as_deref(), Some("old"));
    Maybe::from("new").apply(&mut title);
    assert_eq!(title.as_deref(), Some("new"));
    Maybe::Null.apply(&mut title);
    assert_eq!(title, None);
}

#[test]
fn payloads_without_required_members_may_be_null() {
    for empty in [
        again::<AuthenticateResponse>("null"),
        again::<CloseSessionResponse>("null"),
        again::<DeleteSessionResponse>("null"),
        again::<KillTerminalResponse>("null"),
        again::<ListSessionsRequest>("null"),
        again::<LoadSessionResponse>("null"),
        again::<LogoutRequest>("null"),
        again::<LogoutResponse>("null"),
        again::<ReleaseTerminalResponse>("null"),
        again::<ResumeSessionResponse>("null"),
        again::<SetSessionModeResponse>("null"),
        again::<WaitForTerminalExitResponse>("null"),
        again::<WriteTextFileResponse>("null"),
    ] {
        assert_eq!(empty, "{}");
    }
    assert!(from_str::<WriteTextFileResponse>("false").is_err());
    assert!(from_str::<WriteTextFileResponse>("[]").is_err());
}

#[test]
fn payloads_with_required_members_may_not() {
    fn read<T: FromNode>() -> Result<(), String> {
        from_str::<T>("null").map(drop).map_err(|error| error.to_string())
    }
    for result in [
        read::<ReadTextFileResponse>(),
        read::<RequestPermissionResponse>(),
        read::<NewSessionResponse>(),
        read::<PromptResponse>(),
        read::<InitializeResponse>(),
        read::<CreateTerminalResponse>(),
        read::<TerminalOutputResponse>(),
    ] {
        assert_eq!(result.unwrap_err(), "expected an object, found null");
    }
}

#[test]
fn null_reads_as_an_empty_list_where_the_schema_says_so() {
    let request: NewSessionRequest = from_str(r#"{"cwd":"/w","mcpServers":null}"#).unwrap();
    assert!(request.mcp_servers.is_empty());
    assert_eq!(to_string(&request), r#"{"cwd":"/w","mcpServers":[]}"#);
    let missing = from_str::<NewSessionRequest>(r#"{"cwd":"/w"}"#).unwrap_err();
    assert_eq!(missing.to_string(), "`mcpServers`: required, but missing");
}
