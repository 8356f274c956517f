//! Unions: every variant by its tag, and the treatment of later variants.

use acp_types::v2::{
    AuthMethod, AvailableCommand, ContentBlock, CreateElicitationRequest, DiffChange,
    ElicitationContentValue, ErrorData, McpServer, MultiSelectItems, PlanUpdateContent, RequestId,
    RequestPermissionOutcome, RequestPermissionSubject, SessionConfigOption, SessionUpdate,
    SetSessionConfigOptionRequest, ToolCallContent,
};
use acp_types::{FromNode, from_str, to_string};
use serde_core::Serialize;

use super::{again, refusal, variant};

/// Checks that each text reads as the variant and is written again unchanged.
fn check<T: FromNode + Serialize + std::fmt::Debug>(rows: &[(&str, &str)]) {
    for (text, expected) in rows {
        let value: T = from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((variant(&value).as_str(), to_string(&value).as_str()), (*expected, *text));
    }
}

#[test]
fn session_updates() {
    check::<SessionUpdate>(&[
        (
            r#"{"sessionUpdate":"user_message_chunk","messageId":"m","content":{"type":"text","text":"t"}}"#,
            "UserMessageChunk",
        ),
        (r#"{"sessionUpdate":"user_message","messageId":"m","content":[]}"#, "UserMessage"),
        (
            r#"{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"t"}}"#,
            "AgentMessageChunk",
        ),
        (r#"{"sessionUpdate":"agent_message","messageId":"m"}"#, "AgentMessage"),
        (
            r#"{"sessionUpdate":"agent_thought_chunk","messageId":"m","content":{"type":"text","text":"t"}}"#,
            "AgentThoughtChunk",
        ),
        (r#"{"sessionUpdate":"agent_thought","messageId":"m","content":null}"#, "AgentThought"),
        (r#"{"sessionUpdate":"state_update","state":"running"}"#, "StateUpdate"),
        (
            r#"{"sessionUpdate":"tool_call_content_chunk","toolCallId":"c","content":{"type":"terminal","terminalId":"t"}}"#,
            "ToolCallContentChunk",
        ),
        (r#"{"sessionUpdate":"tool_call_update","toolCallId":"c"}"#, "ToolCallUpdate"),
        (r#"{"sessionUpdate":"terminal_update","terminalId":"t"}"#, "TerminalUpdate"),
        (r#"{"sessionUpdate":"terminal_output_chunk","terminalId":"t","data":""}"#, "TerminalOutputChunk"),
        (
            r#"{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[]}}"#,
            "PlanUpdate",
        ),
        (
            r#"{"sessionUpdate":"available_commands_update","availableCommands":[]}"#,
            "AvailableCommandsUpdate",
        ),
        (r#"{"sessionUpdate":"config_option_update","configOptions":[]}"#, "ConfigOptionUpdate"),
        (r#"{"sessionUpdate":"session_info_update","title":null}"#, "SessionInfoUpdate"),
        (r#"{"sessionUpdate":"usage_update","used":1,"size":2}"#, "UsageUpdate"),
        (r#"{"sessionUpdate":"notice","severity":"info","title":"T"}"#, "Notice"),
        (
            r#"{"sessionUpdate":"compaction_update","compactionId":"c","status":"in_progress"}"#,
            "CompactionUpdate",
        ),
        (
            r#"{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"t"}}"#,
            "CompactionSummaryChunk",
        ),
        (r#"{"sessionUpdate":"telepathy","content":7,"toolCallId":[],"_meta":null}"#, "Unknown"),
    ]);
}

/// Without the feature these are kept as unknown; with it they are read.
#[test]
fn unstable_session_updates() {
    let known = cfg!(feature = "unstable");
    check::<SessionUpdate>(&[
        (
            r#"{"sessionUpdate":"subagent_update","sessionId":"s","title":null}"#,
            if known { "SubagentUpdate" } else { "Unknown" },
        ),
        (
            r#"{"sessionUpdate":"session_message","messageId":"m","senderSessionId":null}"#,
            if known { "SessionMessage" } else { "Unknown" },
        ),
    ]);
}

#[test]
fn a_known_tag_with_a_malformed_payload_is_refused() {
    let text = r#"{"sessionUpdate":"usage_update","used":"all","size":2}"#;
    assert_eq!(refusal::<SessionUpdate>(text), "`used`: expected an unsigned 64-bit integer, found a string");
    assert_eq!(refusal::<ContentBlock>(r#"{"type":"text"}"#), "`text`: required, but missing");
    assert_eq!(refusal::<McpServer>(r#"{"name":"n","command":"/c"}"#), "`type`: required, but missing");
    let text = r#"{"sessionId":"s","configId":"c","type":"boolean","value":"yes"}"#;
    assert_eq!(refusal::<SetSessionConfigOptionRequest>(text), "`value`: expected a boolean, found a string");
}

#[test]
fn unknown_auth_methods_keep_what_every_one_has_typed() {
    let text = r#"{"type":"env_var","methodId":"m","name":"n","vars":["KEY"]}"#;
    let AuthMethod::Unknown { method_id, name, other } = from_str(text).unwrap() else {
        panic!("not unknown")
    };
    assert_eq!((method_id.as_str(), name.as_str(), other.tag()), ("m", "n", "env_var"));
    assert_eq!(other.members().keys().collect::<Vec<_>>(), ["vars"]);
    assert_eq!(again::<AuthMethod>(text), text);
    // Each member is written once, the typed ones first.
    let shuffled = r#"{"name":"n","vars":["KEY"],"methodId":"m","type":"env_var"}"#;
    assert_eq!(again::<AuthMethod>(shuffled), text);
    let nameless = r#"{"type":"env_var","methodId":"m"}"#;
    assert_eq!(refusal::<AuthMethod>(nameless), "`name`: required, but missing");
}

#[test]
fn other_unions_with_typed_members_of_unknown_variants() {
    check::<PlanUpdateContent>(&[
        (r#"{"type":"items","planId":"p","entries":[]}"#, "Items"),
        (r#"{"type":"gantt","planId":"p","bars":[]}"#, "Unknown"),
    ]);
    check::<AvailableCommand>(&[
        (r#"{"type":"command","name":"n","description":"d"}"#, "Command"),
        (r#"{"type":"macro","name":"n","description":"d","keys":"qa"}"#, "Unknown"),
    ]);
    assert_eq!(refusal::<PlanUpdateContent>(r#"{"type":"gantt"}"#), "`planId`: required, but missing");
}

#[test]
fn tagged_unions_keep_what_came_later() {
    check::<ContentBlock>(&[
        (r#"{"type":"text","text":"t"}"#, "Text"),
        (r#"{"type":"video","z":[1],"a":{"b":null},"_meta":null}"#, "Unknown"),
    ]);
    check::<ToolCallContent>(&[
        (r#"{"type":"content","content":{"type":"text","text":"t"}}"#, "Content"),
        (r#"{"type":"diff","changes":[{"operation":"move","oldPath":"/a","path":"/b"}]}"#, "Diff"),
        (r#"{"type":"terminal","terminalId":"t"}"#, "Terminal"),
        (r#"{"type":"canvas","strokes":[]}"#, "Unknown"),
    ]);
    check::<McpServer>(&[
        (r#"{"type":"http","name":"n","url":"https://x"}"#, "Http"),
        (r#"{"type":"stdio","name":"n","command":"/c"}"#, "Stdio"),
        (r#"{"type":"sse","name":"n","url":"u"}"#, "Unknown"),
    ]);
    check::<RequestPermissionOutcome>(&[
        (r#"{"outcome":"cancelled"}"#, "Cancelled"),
        (r#"{"outcome":"selected","optionId":"o"}"#, "Selected"),
        (r#"{"outcome":"deferred","until":"later"}"#, "Unknown"),
    ]);
    check::<RequestPermissionSubject>(&[
        (r#"{"type":"tool_call","toolCall":{"toolCallId":"c"}}"#, "ToolCall"),
        (r#"{"type":"command","command":"ls","cwd":"/w"}"#, "Command"),
        (r#"{"type":"payment","amount":1}"#, "Unknown"),
    ]);
    check::<MultiSelectItems>(&[
        (r#"{"type":"string","enum":["a"]}"#, "String"),
        (r#"{"anyOf":[{"const":"a","title":"A"}]}"#, "Titled"),
        (r#"{"type":"colour","space":"oklch"}"#, "Unknown"),
    ]);
}

#[test]
fn unions_inside_an_object_share_its_members() {
    for text in [
        r#"{"operation":"add","path":"/a","fileType":"text"}"#,
        r#"{"operation":"copy","oldPath":"/a","path":"/b"}"#,
        r#"{"operation":"chmod","bits":420,"path":"/a","mimeType":"text/plain"}"#,
    ] {
        assert_eq!(again::<DiffChange>(text), text);
    }
    for text in [
        r#"{"type":"boolean","currentValue":true,"configId":"c","name":"n"}"#,
        r#"{"type":"slider","currentValue":0.5,"range":[0,1],"configId":"c","name":"n"}"#,
    ] {
        assert_eq!(again::<SessionConfigOption>(text), text);
    }
    for text in [
        r#"{"type":"id","value":"v","sessionId":"s","configId":"c"}"#,
        r#"{"type":"boolean","value":true,"sessionId":"s","configId":"c"}"#,
        r#"{"type":"slider","value":{"x":null},"more":1,"sessionId":"s","configId":"c"}"#,
    ] {
        assert_eq!(again::<SetSessionConfigOptionRequest>(text), text);
    }
}

#[test]
fn an_elicitation_has_one_scope() {
    for text in [
        r#"{"mode":"url","sessionId":"s","elicitationId":"e","url":"u","message":"m"}"#,
        r#"{"mode":"url","requestId":7,"elicitationId":"e","url":"u","message":"m"}"#,
        r#"{"mode":"voice","sessionId":"s","language":"la","message":"m"}"#,
    ] {
        assert_eq!(again::<CreateElicitationRequest>(text), text);
    }
    for mode in [r#""mode":"url","elicitationId":"e","url":"u""#, r#""mode":"voice""#] {
        let text = format!(r#"{{{mode},"sessionId":"s","requestId":7,"message":"m"}}"#);
        assert_eq!(
            refusal::<CreateElicitationRequest>(&text),
            "only one of these members may be there: `sessionId`, `requestId`"
        );
        let text = format!(r#"{{{mode},"message":"m"}}"#);
        assert_eq!(refusal::<CreateElicitationRequest>(&text), "`requestId`: required, but missing");
    }
}

#[test]
fn unions_without_a_tag() {
    check::<RequestId>(&[("-1", "Integer"), (r#""7""#, "String")]);
    assert_eq!(refusal::<RequestId>("null"), "expected an integer or a string, found null");
    check::<ElicitationContentValue>(&[
        (r#""text""#, "String"),
        ("7", "Integer"),
        ("7.0", "Number"),
        ("true", "Boolean"),
        (r#"["a","b"]"#, "Strings"),
        (r#"["a",1]"#, "Other"),
        (r#"{"z":1,"a":null}"#, "Other"),
        ("null", "Other"),
    ]);
    check::<ErrorData>(&[
        (r#"{"requested":3,"supported":[1,2]}"#, "UnsupportedProtocolVersion"),
        (r#"{"sessionId":"s"}"#, "SessionNotFound"),
        // A value that only looks like one of them is kept as it came.
        (r#"{"sessionId":7,"more":[]}"#, "Other"),
        (r#""text""#, "Other"),
    ]);
}

#[cfg(feature = "unstable")]
#[test]
fn answers_of_mcp_servers_are_told_apart_by_member() {
    use acp_types::v2::MessageMcpResponse;

    check::<MessageMcpResponse>(&[
        (r#"{"result":null}"#, "Result"),
        (r#"{"result":{"z":1,"a":2}}"#, "Result"),
        (r#"{"error":{"code":-1,"message":"m","data":null}}"#, "Error"),
        (r#"{"error":{"code":-1,"message":"m"}}"#, "Error"),
        // The schema says that an error may have members of any name.
        (r#"{"error":{"code":-1,"message":"m","z":[1,{"b":null}],"a":0.5}}"#, "Error"),
    ]);
    assert_eq!(refusal::<MessageMcpResponse>("{}"), "`error`: required, but missing");
}
