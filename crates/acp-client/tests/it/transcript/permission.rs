//! The tool calls of permission requests.

use acp_client::v1::{PermissionOption, PermissionOptionKind, RequestPermissionRequest, ToolCallUpdate};
use acp_client::{Change, Transcript};
use serde_json::{Value, json};

use super::{entries, said, tool, update};

/// Returns a request about a call with these members.
fn request(id: &str, members: Value) -> RequestPermissionRequest {
    let mut call = tool(id, members);
    call.as_object_mut().expect("an object").remove("sessionUpdate");
    let call: ToolCallUpdate = serde_json::from_value(call).expect("a call");
    let options = [PermissionOption::new("yes", "Yes", PermissionOptionKind::AllowOnce)];
    RequestPermissionRequest::new("s1", call, options)
}

/// Returns everything that is known of a call.
fn known(transcript: &Transcript, id: &str) -> Value {
    let run = transcript.tool_call(&id.into()).expect("it is there");
    serde_json::to_value(&run.call).expect("JSON")
}

#[test]
fn a_request_about_a_call_that_nobody_reported_makes_it_known() {
    let mut transcript = Transcript::new();
    transcript.fold(update(said("I ask.")));
    assert_eq!(transcript.fold_permission(&request("bare", json!({}))), Change::Added(1));
    let diff = json!([{"type": "diff", "path": "/a", "newText": "x"}]);
    let members = json!({"title": "Edit", "kind": "edit", "content": diff, "rawInput": {"n": 1}});
    assert_eq!(transcript.fold_permission(&request("full", members)), Change::Added(2));
    assert_eq!(
        entries(&transcript),
        ["agent_message ['I ask.']", "tool 'bare' '' 'pending'", "tool 'full' 'Edit' 'pending'"]
    );
    assert_eq!(
        known(&transcript, "full"),
        json!({"toolCallId": "full", "title": "Edit", "kind": "edit", "content": diff, "rawInput": {"n": 1}})
    );
    // The report afterwards and the second question are about the same call.
    transcript.fold(update(tool("bare", json!({"title": "Look", "status": "in_progress"}))));
    assert_eq!(transcript.fold_permission(&request("bare", json!({}))), Change::Updated(1));
    assert_eq!(entries(&transcript)[1], "tool 'bare' 'Look' 'in_progress'");
}

#[test]
fn what_a_request_leaves_out_is_known_from_before() {
    let mut transcript = Transcript::new();
    let diff = json!([{"type": "diff", "path": "/a", "newText": "x"}]);
    let full = json!({"title": "Edit /a", "name": "edit", "kind": "edit", "status": "in_progress", "content": diff,
        "locations": [{"path": "/a", "line": 3}], "rawInput": {"n": 1}, "_meta": {"a": 1}});
    transcript.fold(update(tool("t", full)));
    let before = known(&transcript, "t");
    for nothing in [json!({}), json!({"title": null, "kind": null, "content": null, "rawInput": null})] {
        assert_eq!(transcript.fold_permission(&request("t", nothing)), Change::Updated(0));
        assert_eq!(known(&transcript, "t"), before);
    }
    // Members that it adds or replaces are kept, and the rest stays.
    let more = json!({"title": "Edit /a again", "rawInput": {"n": 2}, "_meta": {"b": 2}});
    transcript.fold_permission(&request("t", more));
    let mut after = before;
    after["title"] = json!("Edit /a again");
    after["rawInput"] = json!({"n": 2});
    after["_meta"] = json!({"a": 1, "b": 2});
    assert_eq!(known(&transcript, "t"), after);
}

#[test]
fn a_request_does_not_take_a_status_back() {
    let table = [
        ("pending", "pending", "pending"),
        ("pending", "in_progress", "in_progress"),
        ("pending", "completed", "completed"),
        ("in_progress", "pending", "in_progress"),
        ("in_progress", "in_progress", "in_progress"),
        ("in_progress", "failed", "failed"),
        ("completed", "pending", "completed"),
        ("completed", "in_progress", "completed"),
        ("failed", "pending", "failed"),
        ("failed", "in_progress", "failed"),
        // Their order is not known.
        ("waiting", "pending", "pending"),
        ("in_progress", "waiting", "waiting"),
    ];
    for (before, asked, after) in table {
        let mut transcript = Transcript::new();
        transcript.fold(update(tool("t", json!({"title": "T", "status": before}))));
        transcript.fold_permission(&request("t", json!({"status": asked})));
        assert_eq!(entries(&transcript), [format!("tool 't' 'T' '{after}'")], "{before}, {asked}");
    }
    // An update always counts, even if the call goes back with it.
    let mut transcript = Transcript::new();
    for status in ["completed", "in_progress"] {
        transcript.fold(update(tool("t", json!({"status": status}))));
    }
    assert_eq!(entries(&transcript), ["tool 't' '' 'in_progress'"]);
}

#[test]
fn a_request_about_a_call_that_a_limit_has_put_out_adds_it_again() {
    let mut transcript = Transcript::new().with_limit(1);
    for id in ["a", "b"] {
        transcript.fold(update(tool(id, json!({"title": id, "status": "completed"}))));
    }
    assert_eq!(transcript.fold_permission(&request("a", json!({"status": "pending"}))), Change::Added(2));
    assert_eq!(entries(&transcript), ["tool 'a' '' 'pending'"]);
}
