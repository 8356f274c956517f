//! Unions: every variant by its tag, and the treatment of later variants.

use acp_types::v1::{
    AuthMethod, AvailableCommandInput, ContentBlock, CreateElicitationRequest, CreateElicitationResponse,
    ElicitationContentValue, ElicitationPropertySchema, EmbeddedResourceResource, McpServer,
    MultiSelectItems, RequestId, RequestPermissionOutcome, SessionConfigOption, SessionConfigSelectOptions,
    SessionUpdate, SetSessionConfigOptionRequest, ToolCallContent,
};
use acp_types::{from_str, to_string};

/// Reads a text, and returns the variant in two words and the text that is written again.
fn read<T>(text: &str, describe: impl Fn(&T) -> String) -> (String, String)
where
    T: acp_types::FromNode + serde_core::Serialize,
{
    let value: T = from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    (describe(&value), to_string(&value))
}

/// Returns the variant's name, from `Debug`.
fn variant(value: &impl std::fmt::Debug) -> String {
    let text = format!("{value:?}");
    text.split(|char: char| !char.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

macro_rules! variants {
    ($name:ident: $type:ty { $($text:literal => $variant:literal,)* }) => {
        #[test]
        fn $name() {
            $(assert_eq!(read::<$type>($text, variant), ($variant.to_owned(), $text.to_owned()));)*
        }
    };
}

variants!(content_blocks: ContentBlock {
    r#"{"type":"text","text":"t"}"# => "Text",
    r#"{"type":"image","data":"","mimeType":"image/png"}"# => "Image",
    r#"{"type":"audio","data":"","mimeType":"audio/wav"}"# => "Audio",
    r#"{"type":"resource_link","name":"n","uri":"u"}"# => "ResourceLink",
    r#"{"type":"resource","resource":{"text":"t","uri":"u"}}"# => "Resource",
    r#"{"type":"video","z":[1],"a":{"b":null},"_meta":null}"# => "Unknown",
});

variants!(session_updates: SessionUpdate {
    r#"{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"t"}}"# => "UserMessageChunk",
    r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"t"}}"# => "AgentMessageChunk",
    r#"{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"t"}}"# => "AgentThoughtChunk",
    r#"{"sessionUpdate":"tool_call","toolCallId":"c","title":"T"}"# => "ToolCall",
    r#"{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}"# => "ToolCallUpdate",
    r#"{"sessionUpdate":"plan","entries":[]}"# => "Plan",
    r#"{"sessionUpdate":"available_commands_update","availableCommands":[]}"# => "AvailableCommandsUpdate",
    r#"{"sessionUpdate":"current_mode_update","currentModeId":"m"}"# => "CurrentModeUpdate",
    r#"{"sessionUpdate":"config_option_update","configOptions":[]}"# => "ConfigOptionUpdate",
    r#"{"sessionUpdate":"session_info_update","title":"T"}"# => "SessionInfoUpdate",
    r#"{"sessionUpdate":"usage_update","used":1,"size":2}"# => "UsageUpdate",
    r#"{"sessionUpdate":"notice","severity":"info","title":"T"}"# => "Notice",
    r#"{"sessionUpdate":"compaction_update","compactionId":"c","status":"in_progress"}"# => "CompactionUpdate",
    r#"{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"t"}}"#
        => "CompactionSummaryChunk",
    r#"{"sessionUpdate":"telepathy","content":7,"toolCallId":[]}"# => "Unknown",
});

variants!(tool_call_contents: ToolCallContent {
    r#"{"type":"content","content":{"type":"text","text":"t"}}"# => "Content",
    r#"{"type":"diff","path":"/p","newText":"n"}"# => "Diff",
    r#"{"type":"terminal","terminalId":"t"}"# => "Terminal",
    r#"{"type":"canvas","strokes":[]}"# => "Unknown",
});

variants!(permission_outcomes: RequestPermissionOutcome {
    r#"{"outcome":"cancelled"}"# => "Cancelled",
    r#"{"outcome":"selected","optionId":"o"}"# => "Selected",
    r#"{"outcome":"deferred","until":"later"}"# => "Unknown",
});

variants!(mcp_servers: McpServer {
    r#"{"type":"http","name":"n","url":"u","headers":[]}"# => "Http",
    r#"{"type":"sse","name":"n","url":"u","headers":[]}"# => "Sse",
    r#"{"name":"n","command":"/c","args":[],"env":[]}"# => "Stdio",
    r#"{"type":"pigeon","args":[],"command":"/c","env":[],"name":"n","coop":1}"# => "Unknown",
});

variants!(auth_methods: AuthMethod {
    r#"{"type":"terminal","id":"i","name":"n"}"# => "Terminal",
    r#"{"id":"i","name":"n"}"# => "Agent",
    r#"{"type":"env_var","id":"i","name":"n","vars":["KEY"]}"# => "Unknown",
});

variants!(property_schemas: ElicitationPropertySchema {
    r#"{"type":"string"}"# => "String",
    r#"{"type":"number","minimum":0.5}"# => "Number",
    r#"{"type":"integer","minimum":-1}"# => "Integer",
    r#"{"type":"boolean"}"# => "Boolean",
    r#"{"type":"array","items":{"type":"string","enum":["a"]}}"# => "Array",
    r#"{"type":"date","calendar":"julian"}"# => "Unknown",
});

variants!(multi_select_items: MultiSelectItems {
    r#"{"type":"string","enum":["a"]}"# => "String",
    r#"{"anyOf":[{"const":"a","title":"A"}]}"# => "Titled",
    r#"{"type":"colour","space":"oklch"}"# => "Unknown",
});

variants!(resources: EmbeddedResourceResource {
    r#"{"text":"t","uri":"u"}"# => "Text",
    r#"{"blob":"","uri":"u"}"# => "Blob",
});

variants!(command_inputs: AvailableCommandInput {
    r#"{"hint":"h"}"# => "Unstructured",
});

variants!(select_options: SessionConfigSelectOptions {
    r#"[{"value":"v","name":"n"}]"# => "Ungrouped",
    r#"[{"group":"g","name":"n","options":[]}]"# => "Grouped",
    "[]" => "Ungrouped",
});

variants!(request_ids: RequestId {
    "null" => "Null",
    "-9223372036854775808" => "Integer",
    r#""7""# => "String",
});

variants!(form_values: ElicitationContentValue {
    r#""text""# => "String",
    "7" => "Integer",
    "7.0" => "Number",
    "true" => "Boolean",
    r#"["a","b"]"# => "Strings",
});

#[test]
fn unions_inside_an_object_share_its_members() {
    let tags = |text: &str| read::<SessionConfigOption>(text, |option| option.kind.tag().to_owned());
    for text in [
        r#"{"type":"boolean","currentValue":true,"id":"i","name":"n"}"#,
        r#"{"type":"select","currentValue":"v","options":[],"id":"i","name":"n"}"#,
        r#"{"type":"slider","currentValue":0.5,"range":[0,1],"id":"i","name":"n"}"#,
    ] {
        let (tag, again) = tags(text);
        assert!(text.contains(&format!(r#""type":"{tag}""#)));
        assert_eq!(again, text);
    }
    let value = |text: &str| read::<SetSessionConfigOptionRequest>(text, |request| variant(&request.value));
    for (text, name) in [
        (r#"{"type":"boolean","value":true,"sessionId":"s","configId":"c"}"#, "Boolean"),
        (r#"{"value":"v","sessionId":"s","configId":"c"}"#, "Id"),
        (r#"{"type":"text","value":"v","more":1,"sessionId":"s","configId":"c"}"#, "Unknown"),
    ] {
        assert_eq!(value(text), (name.to_owned(), text.to_owned()));
    }
}

#[test]
fn elicitations_hold_mode_and_scope_in_one_object() {
    let mode = |text: &str| read::<CreateElicitationRequest>(text, |request| request.mode.tag().to_owned());
    for (text, tag) in [
        (r#"{"mode":"form","sessionId":"s","toolCallId":"t","requestedSchema":{},"message":"m"}"#, "form"),
        (r#"{"mode":"url","requestId":7,"elicitationId":"e","url":"u","message":"m"}"#, "url"),
        (r#"{"mode":"voice","sessionId":"s","language":"la","message":"m"}"#, "voice"),
    ] {
        assert_eq!(mode(text), (tag.to_owned(), text.to_owned()));
    }
    let action = |text: &str| read::<CreateElicitationResponse>(text, |response| variant(&response.action));
    for (text, name) in [
        (r#"{"action":"accept","content":{"z":1,"a":["x"]}}"#, "Accept"),
        (r#"{"action":"decline"}"#, "Decline"),
        (r#"{"action":"cancel"}"#, "Cancel"),
        (r#"{"action":"postpone","days":3}"#, "Unknown"),
    ] {
        assert_eq!(action(text), (name.to_owned(), text.to_owned()));
    }
}

#[test]
fn unknown_variants_can_be_looked_into() {
    let text = r#"{"type":"video","url":"u","frames":[1,2]}"#;
    let ContentBlock::Unknown(video) = from_str(text).unwrap() else { panic!("not unknown") };
    assert_eq!(video.tag(), "video");
    assert_eq!(video.members().keys().collect::<Vec<_>>(), ["url", "frames"]);
    assert_eq!(video.members().get("frames").unwrap().parse::<Vec<u8>>().unwrap(), [1, 2]);
}

#[test]
fn tags_may_come_last() {
    let block: ContentBlock = from_str(r#"{"text":"t","_meta":{},"type":"text"}"#).unwrap();
    assert_eq!(block.as_text(), Some("t"));
}
