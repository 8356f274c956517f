//! Messages, and blocks of content.

use serde_json::{Value, json};

use super::{check_table, said, update};

#[tokio::test]
async fn messages_are_replaced_as_a_whole() {
    let rows = ["user_message", "agent_message", "agent_thought"].into_iter().flat_map(|kind| {
        let replaced = |members: Value, content: Value, meta: &str| {
            let mut sent = update(kind, members);
            sent["messageId"] = json!("m");
            (kind, vec![sent], vec![json!({"MessageReplaced": [kind, "m", content, meta]})])
        };
        [
            replaced(json!({"content": [said("a"), said("b")]}), json!([said("a"), said("b")]), "Absent"),
            replaced(json!({"content": [], "_meta": null}), json!([]), "Null"),
            replaced(json!({"content": null, "_meta": {"k": 1}}), json!([]), "Value"),
            replaced(json!({"_own": 1}), Value::Null, "Absent"),
        ]
    });
    check_table(rows.collect(), true).await;
    let malformed = json!([said("a"), {"type": "text"}, 5, {"type": "_own", "x": 1}, {}]);
    let sent = update("agent_message", json!({"messageId": "m", "content": malformed}));
    let kept = json!([said("a"), {"type": "_own", "x": 1}]);
    let wanted = json!({"MessageReplaced": ["agent_message", "m", kept, "Absent"]});
    check_table(vec![("one by one", vec![sent], vec![wanted])], false).await;
}

#[tokio::test]
async fn blocks_keep_their_members() {
    let note = json!({"audience": ["user", "_x"], "priority": 0.5, "lastModified": "2026-01-01T00:00:00Z", "_meta": {"a": 1}});
    let blocks = [
        json!({"type": "text", "text": "a", "annotations": note, "_meta": {"b": 1}}),
        json!({"type": "image", "data": "AA==", "mimeType": "image/png", "uri": "file:///a", "annotations": note}),
        json!({"type": "audio", "data": "AA==", "mimeType": "audio/wav", "_meta": {"b": 1}}),
        json!({"type": "resource_link", "name": "a", "uri": "file:///a", "title": "A", "description": "d", "mimeType": "text/plain", "size": 3, "annotations": note}),
        json!({"type": "resource", "resource": {"text": "t", "uri": "file:///a", "mimeType": "text/plain", "_meta": {"c": 1}}, "_meta": {"d": 1}}),
        json!({"type": "resource", "resource": {"blob": "AA==", "uri": "file:///a"}, "annotations": note}),
        json!({"type": "_own", "x": [1]}),
    ];
    let sent = update("agent_message", json!({"messageId": "m", "content": blocks}));
    let wanted = json!({"MessageReplaced": ["agent_message", "m", blocks, "Absent"]});
    check_table(vec![("blocks", vec![sent], vec![wanted])], true).await;
    let icon = json!({"type": "resource_link", "name": "a", "uri": "file:///a", "icons": [{"src": "https://a.test/i.png"}]});
    let sent = update("agent_message", json!({"messageId": "m", "content": [icon]}));
    let link = json!({"type": "resource_link", "name": "a", "uri": "file:///a"});
    let wanted = json!({"MessageReplaced": ["agent_message", "m", [link], "Absent"]});
    check_table(vec![("icons", vec![sent], vec![wanted])], true).await;
}
