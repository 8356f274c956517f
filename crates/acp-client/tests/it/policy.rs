//! Permission policies made of others: by the kind of tool, by asking, and remembered.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use acp_client::v1::ToolKind;
use acp_client::{PermissionAnswer, PermissionPolicy};
use serde_json::{Value, json};

use crate::common::{Wire, connected, open, with_session};

const ALL: &[&str] = &["reject_always", "allow_always", "reject_once", "allow_once"];

/// Options of these kinds; each has its kind as id.
fn options(kinds: &[&str]) -> Value {
    kinds.iter().map(|kind| json!({"optionId": kind, "name": "Yes", "kind": kind})).collect()
}

async fn ask_in(wire: &mut Wire, session: &str, call: Value, kinds: &[&str]) -> String {
    let mut call = call;
    call["toolCallId"] = call.get("toolCallId").cloned().unwrap_or(json!("c"));
    let params = json!({"sessionId": session, "toolCall": call, "options": options(kinds)});
    let answer = wire.call(json!("p"), "session/request_permission", params).await;
    let outcome = &answer["result"]["outcome"];
    outcome["optionId"].as_str().or(outcome["outcome"].as_str()).expect("an outcome").to_owned()
}

async fn ask(wire: &mut Wire, call: Value, kinds: &[&str]) -> String {
    ask_in(wire, "s1", call, kinds).await
}

/// A user who gives these answers one after another, and no more. The titles of the questions are
/// noted.
#[derive(Clone, Default)]
struct User {
    answers: Arc<Mutex<VecDeque<PermissionAnswer>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl User {
    fn saying(answers: impl IntoIterator<Item = PermissionAnswer>) -> Self {
        Self { answers: Arc::new(Mutex::new(answers.into_iter().collect())), asked: Arc::default() }
    }

    fn policy(&self) -> PermissionPolicy {
        let user = self.clone();
        PermissionPolicy::ask(move |request| {
            let title = request.tool_call.title.unwrap_or_default();
            user.asked.lock().expect("nobody panics").push(title);
            std::future::ready(user.answers.lock().expect("nobody panics").pop_front().expect("one more"))
        })
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().expect("nobody panics"))
    }
}

#[tokio::test]
async fn a_rule_for_a_kind_of_tool_holds_for_that_kind_only() {
    let policy = PermissionPolicy::by_kind([
        (ToolKind::Read, PermissionPolicy::allow_always()),
        (ToolKind::Edit, PermissionPolicy::allow_once()),
        (ToolKind::Edit, PermissionPolicy::allow_always()),
        (ToolKind::Fetch, PermissionPolicy::reject_always()),
        (ToolKind::Other, PermissionPolicy::allow_once()),
    ]);
    let (_session, mut wire) = with_session(|connect| connect.permissions(policy)).await;
    for (kind, offered, expected) in [
        (json!("read"), ALL, "allow_always"),
        (json!("read"), &["allow_once"], "allow_once"),
        (json!("edit"), ALL, "allow_once"),
        (json!("edit"), &["allow_always", "reject_once"], "cancelled"),
        (json!("fetch"), ALL, "reject_always"),
        (json!("other"), ALL, "allow_once"),
        // No rule.
        (json!("execute"), ALL, "reject_once"),
        (json!("execute"), &["allow_once", "allow_always"], "cancelled"),
        // Unknown kinds, and a missing one. None of them is `other`.
        (Value::Null, ALL, "reject_once"),
        (json!("something_new"), ALL, "reject_once"),
        (json!("read"), &["allow_everything", "grant"], "cancelled"),
    ] {
        assert_eq!(ask(&mut wire, json!({"kind": kind}), offered).await, expected, "{kind} {offered:?}");
    }
}

#[tokio::test]
async fn what_no_rule_decides_is_asked() {
    let user = User::saying([
        PermissionAnswer::AllowOnce,
        PermissionAnswer::Cancelled,
        PermissionAnswer::RejectAlways,
        PermissionAnswer::AllowOnce,
    ]);
    let policy = PermissionPolicy::by_kind([
        (ToolKind::Read, PermissionPolicy::allow_once()),
        (ToolKind::Delete, PermissionPolicy::reject()),
    ]);
    let policy = policy.or(user.policy()).or(PermissionPolicy::reject());
    let (_session, mut wire) = with_session(|connect| connect.permissions(policy)).await;
    for (kind, offered, expected, is_asked) in [
        ("read", ALL, "allow_once", false),
        ("delete", ALL, "reject_once", false),
        ("execute", ALL, "allow_once", true),
        // Closing the question is an answer.
        ("execute", ALL, "cancelled", true),
        // No offered option fits the rule.
        ("read", &["allow_always", "reject_always"], "reject_always", true),
        // No offered option fits the user's answer either. The next policy decides, and rejects.
        ("execute", &["reject_once", "allow_always"], "reject_once", true),
    ] {
        let call = json!({"kind": kind, "title": "Do it"});
        assert_eq!(ask(&mut wire, call, offered).await, expected, "{kind} {offered:?}");
        assert_eq!(!user.asked().is_empty(), is_asked, "{kind} {offered:?}");
    }
}

#[tokio::test]
async fn an_option_of_an_unknown_kind_is_chosen_by_its_id_only() {
    let user = User::saying([PermissionAnswer::Option("allow_more".into())]);
    let (_session, mut wire) = with_session(|connect| connect.permissions(user.policy())).await;
    assert_eq!(ask(&mut wire, json!({}), &["allow_more"]).await, "allow_more");
    for policy in
        [PermissionPolicy::allow_always(), PermissionPolicy::allow_once(), PermissionPolicy::reject()]
    {
        let (_session, mut wire) = with_session(|connect| connect.permissions(policy)).await;
        assert_eq!(ask(&mut wire, json!({}), &["allow_more", "allow", "reject"]).await, "cancelled");
    }
}

#[tokio::test]
async fn what_was_decided_for_good_is_not_asked_again() {
    let user = User::saying([
        PermissionAnswer::AllowAlways,
        PermissionAnswer::RejectAlways,
        PermissionAnswer::AllowOnce,
        PermissionAnswer::Option("allow_always".into()),
        PermissionAnswer::RejectOnce,
    ]);
    let policy = user.policy().remember();
    let (_session, mut wire) = with_session(|connect| connect.permissions(policy)).await;
    let call = |title: &str| json!({"title": title, "kind": "execute", "rawInput": {"command": title}});
    for (title, offered, expected, is_asked) in [
        // The agent offers no lasting option, so it goes on asking.
        ("cargo test", &["allow_once", "reject_once"][..], "allow_once", true),
        ("cargo test", &["allow_once", "reject_once"], "allow_once", false),
        ("cargo test", ALL, "allow_always", false),
        ("rm -rf", &["allow_once", "reject_once"], "reject_once", true),
        ("rm -rf", ALL, "reject_always", false),
        // A decision for once counts once.
        ("ls", ALL, "allow_once", true),
        ("ls", ALL, "allow_always", true),
        ("ls", ALL, "allow_always", false),
        // The remembered decision does not fit the offered options.
        ("ls", &["reject_once"], "reject_once", true),
    ] {
        assert_eq!(ask(&mut wire, call(title), offered).await, expected, "{title} {offered:?}");
        assert_eq!(!user.asked().is_empty(), is_asked, "{title} {offered:?}");
    }
}

#[tokio::test]
async fn a_run_is_the_same_only_when_everything_is() {
    let run = json!({
        "title": "Edit a", "kind": "edit", "locations": [{"path": "/a"}], "rawInput": {"text": "x"},
        "content": [{"type": "diff", "path": "/a", "oldText": null, "newText": "x"}],
    });
    let others = [
        ("title", json!("Edit b")),
        ("kind", json!("delete")),
        ("kind", Value::Null),
        ("locations", json!([{"path": "/b"}])),
        ("locations", json!([{"path": "/a"}, {"path": "/b"}])),
        ("rawInput", json!({"text": "y"})),
        ("rawInput", Value::Null),
        ("content", json!([{"type": "diff", "path": "/a", "oldText": null, "newText": "y"}])),
        ("content", json!([])),
    ];
    let user = User::saying(
        std::iter::once(PermissionAnswer::AllowAlways)
            .chain(others.iter().map(|_| PermissionAnswer::RejectOnce)),
    );
    let policy = user.policy().remember();
    let (_session, mut wire) = with_session(|connect| connect.permissions(policy)).await;
    assert_eq!(ask(&mut wire, run.clone(), ALL).await, "allow_always");
    for (member, other) in others {
        let mut call = run.clone();
        call[member] = other.clone();
        assert_eq!(ask(&mut wire, call, ALL).await, "reject_once", "{member} {other}");
    }
    // Neither the id of a run nor its status says what it does.
    let mut again = run;
    (again["toolCallId"], again["status"]) = (json!("another"), json!("pending"));
    assert_eq!(ask(&mut wire, again, ALL).await, "allow_always");
}

#[tokio::test]
async fn too_little_is_not_remembered() {
    let user = User::saying([PermissionAnswer::AllowAlways, PermissionAnswer::RejectOnce]);
    let policy = user.policy().remember();
    let (_session, mut wire) = with_session(|connect| connect.permissions(policy)).await;
    assert_eq!(ask(&mut wire, json!({"kind": "execute"}), ALL).await, "allow_always");
    assert_eq!(ask(&mut wire, json!({"kind": "execute"}), ALL).await, "reject_once");
}

#[tokio::test]
async fn runs_are_the_same_by_a_key_of_ones_own() {
    let user = User::saying([PermissionAnswer::AllowAlways, PermissionAnswer::RejectOnce]);
    let policy = user
        .policy()
        .remember_by(|request| Some(request.tool_call.locations.as_ref()?.first()?.path.clone()));
    let (_session, mut wire) = with_session(|connect| connect.permissions(policy)).await;
    let edit = |title: &str, path: &str| json!({"title": title, "locations": [{"path": path}]});
    assert_eq!(ask(&mut wire, edit("one", "/a"), ALL).await, "allow_always");
    assert_eq!(ask(&mut wire, edit("two", "/a"), ALL).await, "allow_always");
    assert_eq!(ask(&mut wire, edit("two", "/b"), ALL).await, "reject_once");
}

#[tokio::test]
async fn decisions_belong_to_their_session() {
    let user = User::saying([
        PermissionAnswer::AllowAlways,
        PermissionAnswer::RejectOnce,
        PermissionAnswer::RejectOnce,
        PermissionAnswer::RejectOnce,
    ]);
    let policy = user.policy().remember();
    let offers = json!({"loadSession": true, "sessionCapabilities": {"close": {}}});
    let both = policy.clone();
    let (agent, mut wire) = connected(|connect| connect.permissions(policy), offers).await;
    let one = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    let _two = open(&agent, &mut wire, json!({"sessionId": "s2"})).await;
    let run = json!({"title": "cargo test"});
    assert_eq!(ask_in(&mut wire, "s1", run.clone(), ALL).await, "allow_always");
    assert_eq!(ask_in(&mut wire, "s1", run.clone(), ALL).await, "allow_always");
    assert_eq!(ask_in(&mut wire, "s2", run.clone(), ALL).await, "reject_once", "another session");
    // The same id on another connection.
    let (_session, mut other) = with_session(|connect| connect.permissions(both)).await;
    assert_eq!(ask_in(&mut other, "s1", run.clone(), ALL).await, "reject_once", "another connection");
    // The same id, opened again.
    let (closed, ()) = tokio::join!(one.close(), async {
        let request = wire.expect("session/close").await;
        wire.answer(&request, json!({})).await;
    });
    closed.expect("closed");
    let (loaded, ()) = tokio::join!(agent.load_session("s1", "/work").into_future(), async {
        let request = wire.expect("session/load").await;
        wire.answer(&request, json!({})).await;
    });
    let _loaded = loaded.expect("loaded");
    assert_eq!(ask_in(&mut wire, "s1", run, ALL).await, "reject_once", "after a close");
}

#[tokio::test]
async fn what_is_remembered_is_bounded() {
    let user = User::saying(std::iter::repeat_n(PermissionAnswer::AllowAlways, 400));
    let policy = user.policy().remember();
    let (_session, mut wire) = with_session(|connect| connect.permissions(policy)).await;
    for number in 0..300 {
        ask(&mut wire, json!({"title": format!("run {number}")}), ALL).await;
    }
    assert_eq!(user.asked().len(), 300);
    ask(&mut wire, json!({"title": "run 299"}), ALL).await;
    assert!(user.asked().is_empty(), "the newest is known");
    ask(&mut wire, json!({"title": "run 0"}), ALL).await;
    assert_eq!(user.asked().len(), 1, "the oldest is forgotten");
    // One key that would fill the whole memory is not kept.
    for _ in 0..2 {
        ask(&mut wire, json!({"title": "x".repeat(2 * 1024 * 1024)}), ALL).await;
        assert_eq!(user.asked().len(), 1);
    }
    ask(&mut wire, json!({"title": "run 299"}), ALL).await;
    assert!(user.asked().is_empty(), "and costs the others nothing");
}
