//! Questions of the agent to the user.

use acp_client::v1::{RequestPermissionRequest, ToolCall};
use acp_client::{
    Connect, Elicitation, ElicitationAnswer, Entry, PermissionAnswer, PermissionPolicy, PermissionQuestion,
    PermissionSubject, Transcript,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::connected;
use crate::common::{Wire, open};

fn option(kind: &str) -> Value {
    json!({"optionId": kind, "name": "Answer", "kind": kind})
}

fn request(subject: &Value) -> Value {
    json!({"sessionId": "s1", "title": "May I?", "subject": subject, "options": [option("allow_once")]})
}

/// Connects with these handlers, and opens the session `s1`.
async fn session(set_up: impl FnOnce(Connect) -> Connect) -> (acp_client::Session, Wire) {
    let (agent, mut wire) = connected(set_up, json!({"session": {}})).await;
    let session = open(&agent, &mut wire, json!({"sessionId": "s1"})).await;
    (session, wire)
}

/// Returns the request as handlers get it.
async fn asked(params: Value) -> RequestPermissionRequest {
    let (tell, mut asked) = mpsc::unbounded_channel();
    let policy = PermissionPolicy::ask(move |request| {
        tell.send(request).expect("the test listens");
        std::future::ready(PermissionAnswer::AllowOnce)
    });
    let (_session, mut wire) = session(|connect| connect.permissions(policy)).await;
    let answer = wire.call(json!(1), "session/request_permission", params).await;
    assert_eq!(answer["result"]["outcome"]["optionId"], "allow_once", "{answer}");
    asked.recv().await.expect("asked")
}

#[tokio::test]
async fn a_question_has_a_title_and_a_subject_of_its_own() {
    let tool_call = |call: Value| json!({"type": "tool_call", "toolCall": call});
    let own = json!({"type": "_trip", "to": "Rome"});
    for description in [None, Some("It is safe.")] {
        let table = [
            (tool_call(json!({"toolCallId": "c", "title": "Edit", "content": []})), "ToolCall"),
            (tool_call(json!({"toolCallId": "c"})), "ToolCall"),
            (
                json!({"type": "command", "command": "ls", "cwd": "/work", "toolCallId": "c"}),
                "Command { command: \"ls\", cwd: \"/work\" }",
            ),
            (Value::Null, "General"),
        ];
        for (subject, wanted) in table {
            let mut params = request(&subject);
            params["description"] = json!(description);
            let question = PermissionQuestion::of(&asked(params).await);
            assert_eq!(question.title, "May I?");
            assert_eq!(question.description.as_deref(), description);
            assert_eq!(format!("{:?}", question.subject), wanted);
        }
        let PermissionSubject::Unknown(trip) = PermissionQuestion::of(&asked(request(&own)).await).subject
        else {
            panic!("a subject")
        };
        assert_eq!(
            (trip.tag(), trip.members().get("to").and_then(|to| to.as_str())),
            ("_trip", Some("Rome"))
        );
    }
    // In version 1 it is about the tool call.
    let request = RequestPermissionRequest::new("s1", &ToolCall::new("c", "Edit"), []);
    let question = PermissionQuestion::of(&request);
    assert_eq!((question.title.as_str(), question.subject), ("Edit", PermissionSubject::ToolCall));
}

#[tokio::test]
async fn a_transcript_takes_in_the_tool_call_and_not_the_question() {
    let mut transcript = Transcript::new();
    transcript.fold(acp_client::Event::ToolCall(Box::new(ToolCall::new("c", "Edit"))));
    let call = json!({"type": "tool_call", "toolCall": {"toolCallId": "c", "status": "in_progress", "kind": "edit"}});
    let mut params = request(&call);
    params["description"] = json!("It is safe.");
    transcript.fold_permission(&asked(params).await);
    let commands = json!({"type": "command", "command": "ls", "cwd": "/work", "toolCallId": "c"});
    for subject in [commands, Value::Null, json!({"type": "_trip"})] {
        transcript.fold_permission(&asked(request(&subject)).await);
    }
    let entries: Vec<_> = transcript.entries().map(|(_, entry)| entry).collect();
    let [Entry::ToolCall(run)] = entries.as_slice() else { panic!("{entries:?}") };
    assert_eq!((run.call.title.as_str(), run.call.status.as_str()), ("Edit", "in_progress"));
    assert_eq!((run.call.kind.as_str(), run.call.content.len()), ("edit", 0));
}

#[tokio::test]
async fn options_of_unknown_kinds_are_left_out() {
    let mut params = request(&Value::Null);
    params["options"] = json!([option("_maybe"), option("allow_once"), option("reject_always")]);
    let kinds: Vec<_> =
        asked(params.clone()).await.options.iter().map(|option| option.kind.to_string()).collect();
    assert_eq!(kinds, ["allow_once", "reject_always"]);
    // Nobody can answer a question without one.
    let (_session, mut wire) = session(|connect| connect.permissions(PermissionPolicy::allow_once())).await;
    for options in [json!([]), json!([option("_maybe")]), json!([{"optionId": "a"}]), Value::Null] {
        params["options"] = options.clone();
        let answer = wire.call(json!(1), "session/request_permission", params.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{options}: {answer}");
    }
    // A known subject that is malformed makes the request malformed.
    for subject in [json!({"type": "tool_call"}), json!({"type": "command", "command": "ls"}), json!(5)] {
        let answer = wire.call(json!(2), "session/request_permission", request(&subject)).await;
        assert_eq!(answer["error"]["code"], -32602, "{subject}: {answer}");
    }
}

#[tokio::test]
async fn a_form_is_an_object_and_a_request_has_an_id() {
    let forms = Elicitation::new().form(|_| async { ElicitationAnswer::Cancel });
    let (_session, mut wire) = session(|connect| connect.elicitation(forms)).await;
    let ask =
        |schema: Value| json!({"sessionId": "s1", "mode": "form", "message": "?", "requestedSchema": schema});
    for kind in [json!("array"), json!("_own"), json!(5), Value::Null] {
        let form = ask(json!({"type": kind, "properties": {}}));
        let answer = wire.call(json!(1), "elicitation/create", form).await;
        assert_eq!(answer["error"]["code"], -32602, "{kind}: {answer}");
    }
    let form = ask(json!({"type": "object", "properties": {}}));
    let answer = wire.call(Value::Null, "elicitation/create", form.clone()).await;
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &Value::Null), "{answer}");
    let answer = wire.call(json!(2), "elicitation/create", form).await;
    assert_eq!(answer["result"]["action"], "cancel", "{answer}");
}

#[tokio::test]
async fn a_question_that_the_agent_takes_back_is_answered_cancelled() {
    let policy = PermissionPolicy::ask(|_| std::future::pending::<PermissionAnswer>());
    let (_session, mut wire) = session(|connect| connect.permissions(policy)).await;
    let params = request(&Value::Null);
    wire.send(json!({"jsonrpc": "2.0", "id": "q", "method": "session/request_permission", "params": params}))
        .await;
    wire.send(json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": "q"}})).await;
    let answer = wire.receive().await;
    let cancelled = json!({"outcome": {"outcome": "cancelled"}});
    assert_eq!((&answer["id"], &answer["result"]), (&json!("q"), &cancelled), "{answer}");
}

#[tokio::test]
async fn a_decision_for_one_question_is_none_for_another() {
    let (tell, mut asked) = mpsc::unbounded_channel();
    let policy = PermissionPolicy::ask(move |request| {
        tell.send(PermissionQuestion::of(&request).title).expect("the test listens");
        std::future::ready(PermissionAnswer::AllowAlways)
    });
    let (_session, mut wire) = session(|connect| connect.permissions(policy.remember())).await;
    let call = json!({"type": "tool_call", "toolCall": {"toolCallId": "c", "title": "Edit"}});
    for (title, is_new) in [("May I?", true), ("May I?", false), ("May I always?", true)] {
        let mut params = request(&call);
        params["title"] = json!(title);
        wire.call(json!(title), "session/request_permission", params).await;
        assert_eq!(asked.try_recv().ok().as_deref(), is_new.then_some(title), "{title}");
    }
}

#[tokio::test]
async fn forms_are_read_by_the_rules_of_version_2() {
    let forms = Elicitation::new().form(async |form| ElicitationAnswer::Accept(form.defaults()));
    let (_session, mut wire) = session(|connect| connect.elicitation(forms)).await;
    let schema = json!({"type": "object", "properties": {"name": {"type": "string", "default": "Ann"}}});
    let form = json!({"mode": "form", "sessionId": "s1", "message": "Who?", "requestedSchema": schema});
    let answer = wire.call(json!(1), "elicitation/create", form.clone()).await;
    assert_eq!(answer["result"], json!({"action": "accept", "content": {"name": "Ann"}}));
    for (member, value) in [
        ("message", Value::Null),
        ("requestedSchema", json!(5)),
        ("requestedSchema", json!({"type": "array"})),
    ] {
        let mut form = form.clone();
        form[member] = value;
        let answer = wire.call(json!(2), "elicitation/create", form).await;
        assert_eq!(answer["error"]["code"], -32602, "{member}: {answer}");
    }
}
