//! Updates in their form on the wire.

use acp_types::v1::SessionId;

use crate::script::{CHUNK, Script};

/// The length of the params of a tool call update.
const TOOL_CALL: usize = 613;

/// The lines of a turn's updates.
pub(super) fn updates(script: Script, session: &SessionId) -> Vec<u8> {
    let (count, params) = match script {
        Script::ToolCalls(count) => (count, tool_call(session)),
        Script::Long(bytes) => (1, chunk(session, &"x".repeat(bytes))),
        _ => (script.updates(), chunk(session, CHUNK)),
    };
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{params}}}\n")
        .repeat(count)
        .into_bytes()
}

fn chunk(session: &SessionId, text: &str) -> String {
    format!(
        r#"{{"sessionId":"{session}","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{text}"}}}}}}"#
    )
}

/// Returns a tool call with every kind of member, filled up to the length with text.
fn tool_call(session: &SessionId) -> String {
    let with = |text: &str| {
        let content = format!(
            concat!(
                r#"[{{"type":"diff","path":"/home/ada/project/src/paths.rs","oldText":"a == b","#,
                r#""newText":"a.canonicalize()? == b.canonicalize()?"}},"#,
                r#"{{"type":"content","content":{{"type":"text","text":"{}"}}}}]"#,
            ),
            text
        );
        format!(
            concat!(
                r#"{{"sessionId":"{}","update":{{"sessionUpdate":"tool_call_update","toolCallId":"call_0017","#,
                r#""kind":"edit","status":"completed","title":"Edit src/paths.rs","content":{},"#,
                r#""locations":[{{"path":"/home/ada/project/src/paths.rs","line":42}}],"#,
                r#""rawInput":{{"file":"src/paths.rs","line":42,"replace_all":false}}}}}}"#,
            ),
            session, content
        )
    };
    let short = with("").len();
    with(&"x".repeat(TOOL_CALL.saturating_sub(short)))
}
