//! Reports of a lenient reader on the parts that it passed over.

use acp_types::v1::{McpServer, NewSessionResponse, SessionNotification};
use acp_types::{FromNode, from_str_reporting};

fn notes<T: FromNode>(text: &str) -> Vec<String> {
    let (_, report) = from_str_reporting::<T>(text).unwrap();
    report.notes().iter().map(ToString::to_string).collect()
}

#[test]
fn every_loss_has_a_note_with_its_path() {
    let text = r#"{"sessionId":"s","trace":1,"update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"T",
        "timestamp":7,"status":5,"locations":[{"path":"/p","line":"x","column":3},{}],
        "content":[{"type":"content","content":{"type":"text","text":"t","annotations":{"audience":["user",5]}}}]}}"#;
    assert_eq!(
        notes::<SessionNotification>(text),
        [
            "`update.status`: read as absent: expected a string, found a number",
            "`update.content[0].content.annotations.audience[1]`: left out: expected a string, found a number",
            "`update.locations[0].line`: read as absent: expected an unsigned 32-bit integer, found a string",
            "`update.locations[0].column`: unknown member, not kept",
            "`update.locations[1]`: left out: `update.locations[1].path`: required, but missing",
            "`update.timestamp`: unknown member, not kept",
            "`trace`: unknown member, not kept",
        ]
    );
}

#[test]
fn the_old_surface_shows_as_unknown_members() {
    let text = r#"{"sessionId":"s","models":{"currentModelId":"m"}}"#;
    assert_eq!(notes::<NewSessionResponse>(text), ["`models`: unknown member, not kept"]);
}

#[test]
fn what_is_kept_has_no_note() {
    for text in [
        r#"{"sessionId":"s","update":{"sessionUpdate":"telepathy","mind":{"open":true}}}"#,
        r#"{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"later","x":1}}}"#,
        r#"{"sessionId":"s","_meta":{"anything":[1]},"update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"T","kind":"later","rawInput":{"x":1}}}"#,
        r#"{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","title":null}}"#,
    ] {
        assert!(notes::<SessionNotification>(text).is_empty(), "{text}");
    }
    let text = r#"{"type":"later","name":"n","command":"/c","args":[],"env":[{"name":"N","value":"v","more":1}],"_meta":7}"#;
    assert_eq!(notes::<McpServer>(text), Vec::<String>::new());
}
