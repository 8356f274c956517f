//! Diffs of version 2 as a handler of the vocabulary sees them.

use std::sync::{Arc, Mutex};

use acp_proxy::{Pass, Proxy};
use acp_types::v1::{Diff, SessionNotification, SessionUpdate, ToolCallContent};
use serde_json::{Value, json};

use super::common::End;
use super::vocabulary::start;

fn diff(operation: &str, patch: &str) -> Value {
    json!({
        "type": "diff", "_d": 1,
        "changes": [{"operation": operation, "path": "/w/a", "_c": 2}],
        "patch": {"format": "git_patch", "text": patch, "_p": 3},
    })
}

fn added(hunk: &str) -> String {
    format!("diff --git /w/a /w/a\nnew file mode 100644\n--- /dev/null\n+++ /w/a\n{hunk}")
}

/// Sends a tool call with this content, and returns the one that the client gets.
async fn content(client: &mut End, agent: &mut End, content: &Value) -> Value {
    let update = json!({"sessionUpdate": "tool_call_update", "toolCallId": "t", "content": content});
    agent.notify("session/update", json!({"sessionId": "s", "update": update})).await;
    client.value().await["params"]["update"]["content"].take()
}

/// A file that is added or deleted has its texts in the patch. All other diffs are unknown content.
/// Each of them leaves as it came beside the changes of the handler.
#[tokio::test]
async fn diffs_with_their_texts_are_seen() {
    let seen = Arc::<Mutex<Option<Diff>>>::default();
    let noted = Arc::clone(&seen);
    let proxy = Proxy::new("p").update(move |mut notification: SessionNotification, pass: Pass| {
        if let SessionUpdate::ToolCallUpdate(call) = &mut notification.update {
            let content = call.content.as_mut().unwrap();
            let diff = content.iter().find_map(|content| match content {
                ToolCallContent::Diff(diff) => Some((**diff).clone()),
                _ => None,
            });
            *noted.lock().unwrap() = diff;
            content.push(ToolCallContent::from(Diff::new("/w/more", "more")));
        }
        async move { pass.run_with(&notification).unwrap() }
    });
    let (mut client, mut agent) = start(proxy).await;
    let twice = added("@@ -0,0 +1 @@\n+a\n@@ -0,0 +1 @@\n+b\n");
    let mut two_files = diff("add", &added("@@ -0,0 +1 @@\n+a\n"));
    two_files["changes"].as_array_mut().unwrap().push(json!({"operation": "add", "path": "/w/b"}));
    let mut odd = diff("add", &added("@@ -0,0 +1 @@\n+a\n"));
    odd["patch"]["format"] = "other".into();
    let mut binary = diff("add", &added("@@ -0,0 +1 @@\n+a\n"));
    binary["changes"][0]["fileType"] = "binary".into();
    for (diff, texts) in [
        (diff("add", &added("@@ -0,0 +1,2 @@\n+a\n++b\r\n")), Some((None, "a\n+b\r\n"))),
        (diff("add", &added("@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n")), Some((None, "a"))),
        (diff("delete", "--- /w/a\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n"), Some((Some("a\nb\n"), ""))),
        (diff("modify", "--- /w/a\n+++ /w/a\n@@ -1 +1 @@\n-a\n+b\n"), None),
        (diff("add", &added("@@ -0,0 +1,3 @@\n+a\n")), None),
        (diff("add", &added("@@ -0,0 +1 @@\n+a")), None),
        (diff("add", &added("@@ -0,0 +1,18446744073709551616 @@\n+a\n")), None),
        (diff("add", &twice), None),
        (diff("add", ""), None),
        (diff("delete", &added("@@ -0,0 +1 @@\n+a\n")), None),
        (two_files, None),
        (odd, None),
        (binary, None),
        (json!({"type": "diff", "changes": [], "patch": null}), None),
        (json!({"type": "diff", "changes": [{"operation": "add", "path": "/w/a"}]}), None),
    ] {
        let text = json!({"type": "content", "content": {"type": "text", "text": "x"}});
        let got = content(&mut client, &mut agent, &json!([text, diff])).await;
        assert_eq!((&got[0], &got[1]), (&text, &diff));
        assert_eq!(got[2], json!({"type": "diff", "changes": [{"operation": "add", "path": "/w/more"}]}));
        let seen = seen.lock().unwrap().take();
        let seen = seen.as_ref().map(|diff| {
            assert_eq!(diff.path.as_str(), "/w/a");
            (diff.old_text.as_deref(), diff.new_text.as_str())
        });
        assert_eq!(seen, texts, "{diff}");
    }
}

/// A diff whose text a handler changes has no patch any more, because that would be another text's.
#[tokio::test]
async fn a_diff_that_is_changed_has_no_patch() {
    let proxy = Proxy::new("p").update(async |mut notification: SessionNotification, pass: Pass| {
        if let SessionUpdate::ToolCallUpdate(call) = &mut notification.update
            && let Some([ToolCallContent::Diff(diff)]) = call.content.as_deref_mut()
        {
            diff.new_text = diff.new_text.replace("secret", "***");
        }
        pass.run_with(&notification).unwrap();
    });
    let (mut client, mut agent) = start(proxy).await;
    let kept = json!([diff("add", &added("@@ -0,0 +1 @@\n+open\n"))]);
    assert_eq!(content(&mut client, &mut agent, &kept).await, kept);
    let hidden = json!([diff("add", &added("@@ -0,0 +1 @@\n+secret\n"))]);
    let expected = json!([{"type": "diff", "_d": 1, "changes": [{"operation": "add", "path": "/w/a"}]}]);
    assert_eq!(content(&mut client, &mut agent, &hidden).await, expected);
}
