//! The messages: the params of a method or the result of a request, as JSON.

use acp_types::v1 as ours;
use agent_client_protocol_schema::v1 as theirs;

use crate::compare::Case;

/// All messages, with the bars against the official crate.
pub(crate) fn all() -> Vec<Case> {
    vec![
        Case::new::<ours::SessionNotification, theirs::SessionNotification>(
            "agent_message_chunk",
            agent_message_chunk(),
        )
        .faster(1.2)
        .allocations(10),
        Case::new::<ours::RequestPermissionRequest, theirs::RequestPermissionRequest>(
            "permission request",
            PERMISSION_REQUEST.to_owned(),
        )
        .faster(1.5),
        Case::new::<ours::SessionNotification, theirs::SessionNotification>(
            "tool_call_update, 20 KB diff",
            tool_call_update(),
        ),
        Case::new::<ours::PromptRequest, theirs::PromptRequest>("prompt, 100 KB of text", prompt()),
        Case::new::<ours::SessionNotification, theirs::SessionNotification>(
            "config_option_update",
            CONFIG_OPTION_UPDATE.to_owned(),
        )
        .faster(2.3),
        Case::new::<ours::InitializeResponse, theirs::InitializeResponse>(
            "initialize response",
            INITIALIZE_RESPONSE.to_owned(),
        )
        .faster(2.3),
    ]
}

/// 221 bytes.
fn agent_message_chunk() -> String {
    let text = "The failing test compares two paths that differ only by a symlink, so I will canonicalize both of these.";
    let id = "sess_01jd8x3k9qz";
    let update =
        format!(r#"{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{text}"}}}}"#);
    format!(r#"{{"sessionId":"{id}","update":{update}}}"#)
}

const PERMISSION_REQUEST: &str = concat!(
    r#"{"sessionId":"sess_01jd8x3k9q","toolCall":{"toolCallId":"call_0017","kind":"edit","status":"pending","#,
    r#""title":"Edit src/paths.rs","content":[{"type":"diff","path":"/home/ada/project/src/paths.rs","#,
    r#""oldText":"a == b","newText":"a.canonicalize()? == b.canonicalize()?"}],"#,
    r#""locations":[{"path":"/home/ada/project/src/paths.rs","line":42}],"#,
    r#""rawInput":{"file":"src/paths.rs","line":42,"replace_all":false}},"options":["#,
    r#"{"optionId":"allow-once","name":"Allow once","kind":"allow_once"},"#,
    r#"{"optionId":"allow-always","name":"Always allow edits","kind":"allow_always"},"#,
    r#"{"optionId":"reject-once","name":"Reject","kind":"reject_once"}]}"#,
);

const CONFIG_OPTION_UPDATE: &str = concat!(
    r#"{"sessionId":"sess_01jd8x3k9q","update":{"sessionUpdate":"config_option_update","configOptions":["#,
    r#"{"type":"select","currentValue":"code","options":["#,
    r#"{"value":"ask","name":"Ask","description":"Answers, but changes nothing"},"#,
    r#"{"value":"code","name":"Code","description":"Edits files and runs commands"},"#,
    r#"{"value":"plan","name":"Plan","description":"Writes a plan for review"}],"#,
    r#""id":"mode","name":"Mode","description":"How far the agent goes by itself","category":"mode"},"#,
    r#"{"type":"select","currentValue":"large","options":["#,
    r#"{"group":"fast","name":"Fast","options":[{"value":"small","name":"Small"},{"value":"medium","name":"Medium"}]},"#,
    r#"{"group":"thorough","name":"Thorough","options":[{"value":"large","name":"Large"}]}],"#,
    r#""id":"model","name":"Model","category":"model"},"#,
    r#"{"type":"boolean","currentValue":true,"id":"web","name":"Web search"}]}}"#,
);

const INITIALIZE_RESPONSE: &str = concat!(
    r#"{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"#,
    r#""promptCapabilities":{"image":true,"audio":true,"embeddedContext":true},"#,
    r#""mcpCapabilities":{"http":true,"sse":true},"#,
    r#""sessionCapabilities":{"list":{},"resume":{},"close":{}}},"authMethods":["#,
    r#"{"id":"browser","name":"Sign in","description":"Opens the browser"},"#,
    r#"{"id":"api-key","name":"API key","description":"Reads EXAMPLE_API_KEY"}],"#,
    r#""agentInfo":{"name":"example-agent","title":"Example Agent","version":"2.14.1"}}"#,
);

/// Both sides of a diff, 10 KB each: code, with the line breaks and quotes that JSON escapes.
fn tool_call_update() -> String {
    let code = |word: &str| {
        let line = format!("    let {word} = read(\"{word}.toml\")?;\n");
        json_string(&line.repeat(10_000 / line.len()))
    };
    let diff = format!(
        r#"{{"type":"diff","path":"/home/ada/project/src/settings.rs","oldText":{},"newText":{}}}"#,
        code("settings"),
        code("options"),
    );
    let update = format!(
        r#"{{"sessionUpdate":"tool_call_update","toolCallId":"call_0017","status":"completed","content":[{diff}]}}"#
    );
    format!(r#"{{"sessionId":"sess_01jd8x3k9q","update":{update}}}"#)
}

/// One block of prose with a line break every 95 bytes.
fn prompt() -> String {
    let line =
        "A log line of the kind people paste into a prompt: 12:04:51 INFO worker 7 took job 1138 at once";
    let text = json_string(&format!("{line}\n").repeat(100_000 / line.len()));
    format!(r#"{{"sessionId":"sess_01jd8x3k9q","prompt":[{{"type":"text","text":{text}}}]}}"#)
}

fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
