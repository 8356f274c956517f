//! Malformed values: some refuse the whole message, others read as absent.

use acp_types::v1::{
    AuthMethod, CreateTerminalRequest, InitializeResponse, ListSessionsRequest, McpServer, NewSessionRequest,
    Plan, PromptRequest, PromptResponse, ReadTextFileRequest, RequestPermissionRequest, SessionNotification,
    SetSessionConfigOptionRequest, ToolCall, ToolCallUpdate,
};
use acp_types::{FromNode, from_str, from_str_reporting, to_string};

fn error<T: FromNode>(text: &str) -> String {
    match from_str::<T>(text) {
        Ok(_) => panic!("{text} was read"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn strict_members_refuse_the_message_and_name_the_path() {
    for (found, expected) in [
        (error::<PromptRequest>("{}"), "`sessionId`: required, but missing"),
        (
            error::<PromptRequest>(
                r#"{"sessionId":"s","prompt":[{"type":"text","text":"t"},{"type":"text","text":5}]}"#,
            ),
            "`prompt[1].text`: expected a string, found a number",
        ),
        (
            error::<PromptRequest>(r#"{"sessionId":"s","prompt":[{"text":"no tag"}]}"#),
            "`prompt[0].type`: required, but missing",
        ),
        (error::<PromptResponse>("{}"), "`stopReason`: required, but missing"),
        (
            error::<CreateTerminalRequest>(r#"{"sessionId":"s","command":"c","args":[1]}"#),
            "`args[0]`: expected a string, found a number",
        ),
        (
            error::<CreateTerminalRequest>(r#"{"sessionId":"s","command":"c","env":[{"name":"N"}]}"#),
            "`env[0].value`: required, but missing",
        ),
        (
            error::<CreateTerminalRequest>(r#"{"sessionId":"s","command":"c","outputByteLimit":-1}"#),
            "`outputByteLimit`: the number does not fit an unsigned 64-bit integer",
        ),
        (
            error::<ReadTextFileRequest>(r#"{"sessionId":"s","path":"/p","line":"3"}"#),
            "`line`: expected an unsigned 32-bit integer, found a string",
        ),
        (
            error::<NewSessionRequest>(r#"{"cwd":"/w","mcpServers":[{"type":"http","name":"n","url":"u"}]}"#),
            "`mcpServers[0].headers`: required, but missing",
        ),
        (error::<ListSessionsRequest>(r#"{"cursor":5}"#), "`cursor`: expected a string, found a number"),
        (
            error::<SessionNotification>(r#"{"sessionId":"s","update":{"sessionUpdate":"plan"}}"#),
            "`update.entries`: required, but missing",
        ),
        (
            error::<RequestPermissionRequest>(
                r#"{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"o","name":"n"}]}"#,
            ),
            "`options[0].kind`: required, but missing",
        ),
    ] {
        assert_eq!(found, expected);
    }
}

#[test]
fn lenient_members_read_as_absent() {
    let update: ToolCallUpdate =
        from_str(r#"{"toolCallId":"c","title":5,"status":[],"kind":{},"content":"x","_meta":7}"#).unwrap();
    assert_eq!(to_string(&update), r#"{"toolCallId":"c"}"#);
    let call: ToolCall = from_str(
        r#"{"toolCallId":"c","title":"T","content":[5,{"type":"terminal","terminalId":"t"},{"type":"diff"}],"locations":[{"path":"/p","line":-1}]}"#,
    )
    .unwrap();
    assert_eq!((call.content.len(), call.locations.len()), (1, 1));
    assert_eq!(call.locations[0].line, None);
    let plan: Plan = from_str(r#"{"entries":{"no":"list"}}"#).unwrap();
    assert!(plan.entries.is_empty());
    assert_eq!(error::<Plan>("{}"), "`entries`: required, but missing");
    assert_eq!(
        error::<ToolCallUpdate>(r#"{"toolCallId":5}"#),
        "`toolCallId`: expected a string, found a number"
    );
}

#[test]
fn a_malformed_kind_never_becomes_another_kind() {
    for (text, expected) in [
        (
            r#"{"type":"terminal","id":"i","name":"n","args":"no list"}"#,
            "`args`: expected an array, found a string",
        ),
        (r#"{"type":"terminal","id":"i"}"#, "`name`: required, but missing"),
        (r#"{"type":7,"id":"i","name":"n"}"#, "`type`: expected a string, found a number"),
        (r#"{"type":"later","name":"n"}"#, "`id`: required, but missing"),
    ] {
        assert_eq!(error::<AuthMethod>(text), expected);
    }
    let stdio = r#""name":"n","command":"/c","args":[],"env":[]"#;
    for (tag, expected) in [
        (r#""http""#, "`url`: required, but missing"),
        (r#""sse""#, "`url`: required, but missing"),
        ("7", "`type`: expected a string, found a number"),
    ] {
        let found = error::<McpServer>(&format!("{{{stdio},\"headers\":[],\"type\":{tag}}}"));
        assert_eq!(found, expected);
    }
    assert!(matches!(from_str(&format!("{{{stdio}}}")), Ok(McpServer::Stdio(_))));
    assert!(matches!(from_str(&format!("{{{stdio},\"type\":null}}")), Ok(McpServer::Stdio(_))));
    // Version 2 and configuration files have the tag. Version 1 does not name the member.
    let tagged: McpServer = from_str(&format!("{{{stdio},\"type\":\"stdio\"}}")).unwrap();
    assert!(matches!(tagged, McpServer::Stdio(_)));
    assert_eq!(to_string(&tagged), format!("{{{stdio}}}"));
    assert!(matches!(from_str(&format!("{{{stdio},\"type\":\"later\"}}")), Ok(McpServer::Unknown(_))));
    assert_eq!(
        error::<SetSessionConfigOptionRequest>(
            r#"{"sessionId":"s","configId":"c","type":"boolean","value":"on"}"#
        ),
        "`value`: expected a boolean, found a string"
    );
}

#[test]
fn a_malformed_login_is_left_out_of_the_list() {
    let text = r#"{"protocolVersion":1,"authMethods":[{"type":"terminal","id":"i"},{"id":"j","name":"n"}]}"#;
    let (response, report) = from_str_reporting::<InitializeResponse>(text).unwrap();
    assert_eq!(response.auth_methods.len(), 1);
    assert!(matches!(&response.auth_methods[0], AuthMethod::Agent(method) if method.id == "j"));
    assert_eq!(
        report.notes()[0].to_string(),
        "`authMethods[0]`: left out: `authMethods[0].name`: required, but missing"
    );
}

#[test]
fn unknown_kinds_of_login_count_as_the_agents_own() {
    let method: AuthMethod = from_str(r#"{"type":"env_var","id":"i","name":"n","vars":[]}"#).unwrap();
    assert_eq!(method.id(), Some("i".into()));
    assert_eq!(method.as_agent().unwrap().name, "n");
    let terminal: AuthMethod = from_str(r#"{"type":"terminal","id":"i","name":"n"}"#).unwrap();
    assert_eq!((terminal.id(), terminal.as_agent()), (Some("i".into()), None));
}

#[test]
fn errors_never_repeat_the_payload() {
    for text in [
        r#"{"sessionId":{"secret":"secret"},"prompt":[]}"#,
        r#"{"sessionId":"secret","prompt":"secret"}"#,
        r#"{"sessionId":"secret","prompt":[{"type":"image","data":"secret","mimeType":5}]}"#,
        r#"{"sessionId":"secret","prompt":["secret"]}"#,
        r#"{"sessionId":"secret""#,
        r#"secret"#,
    ] {
        let error = error::<PromptRequest>(text);
        assert!(!error.contains("secret"), "{error}");
    }
}
