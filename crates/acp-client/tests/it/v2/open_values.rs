//! Values of the agent's own in lists that version 2 leaves open and version 1 does not: the client
//! keeps them in both, but for options of questions.

use acp_client::{Connect, Elicitation, ElicitationAnswer, PermissionAnswer, PermissionPolicy};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{idle, initialized, state};
use crate::common::{Wire, open, pipe};
use crate::schema;

/// The message in which the agent says a value of its own.
enum Said {
    /// An update, in version 1 and in version 2.
    Update(fn() -> [Value; 2]),
    /// A question.
    Question,
    /// A form.
    Form,
    /// The end of the turn.
    End,
}

const ROWS: [(&str, Said); 8] = [
    ("PermissionOptionKind", Said::Question),
    (
        "PlanEntryPriority",
        Said::Update(|| plans(&json!({"content": "Brew", "priority": "_own", "status": "pending"}))),
    ),
    (
        "PlanEntryStatus",
        Said::Update(|| plans(&json!({"content": "Brew", "priority": "low", "status": "_own"}))),
    ),
    (
        "Role",
        Said::Update(|| {
            let content = json!({"type": "text", "text": "hi", "annotations": {"audience": ["_own"]}});
            let chunk = json!({"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": content});
            [chunk.clone(), chunk]
        }),
    ),
    ("StopReason", Said::End),
    ("StringFormat", Said::Form),
    ("ToolCallStatus", Said::Update(|| calls(json!({"status": "_own"})))),
    ("ToolKind", Said::Update(|| calls(json!({"kind": "_own"})))),
];

fn plans(entry: &Value) -> [Value; 2] {
    let plan = json!({"type": "items", "planId": "p", "entries": [entry]});
    [
        json!({"sessionUpdate": "plan", "entries": [entry]}),
        json!({"sessionUpdate": "plan_update", "plan": plan}),
    ]
}

fn calls(mut call: Value) -> [Value; 2] {
    call["toolCallId"] = json!("c");
    call["title"] = json!("Brew");
    ["tool_call", "tool_call_update"].map(|kind| {
        let mut update = call.clone();
        update["sessionUpdate"] = json!(kind);
        update
    })
}

/// Returns a question with two options, one of them of a kind of the agent's own.
fn question(version: u64) -> Value {
    let option = |kind: &str| json!({"optionId": kind, "name": kind, "kind": kind});
    let mut params = json!({"sessionId": "s1", "options": [option("_own"), option("allow_once")]});
    if version == 1 {
        params["toolCall"] = json!({"toolCallId": "c"});
    } else {
        params["title"] = json!("May I?");
    }
    params
}

fn form() -> Value {
    let field = json!({"type": "string", "format": "_own"});
    let schema = json!({"type": "object", "properties": {"a": field}});
    json!({"mode": "form", "sessionId": "s1", "message": "Which?", "requestedSchema": schema})
}

/// Connects in this version with these handlers, and begins a turn.
async fn prompted(version: u64, set_up: impl FnOnce(Connect) -> Connect) -> (acp_client::Turn, Wire, Value) {
    let (transport, mut wire) = pipe();
    let connecting = set_up(acp_client::connect(transport).versions(super::BOTH));
    let answer = if version == 1 {
        json!({"protocolVersion": 1, "agentInfo": {"name": "robot", "version": "1"}})
    } else {
        initialized(json!({"session": {}}))
    };
    let (agent, ()) = tokio::join!(connecting.into_future(), async {
        let request = wire.expect("initialize").await;
        wire.answer(&request, answer).await;
    });
    let session = open(&agent.expect("connected"), &mut wire, json!({"sessionId": "s1"})).await;
    let turn = session.prompt("hi").await.expect("sent");
    let prompt = wire.expect("session/prompt").await;
    if version == 2 {
        wire.answer(&prompt, json!({"messageId": "m1"})).await;
        wire.update("s1", state("running")).await;
    }
    (turn, wire, prompt)
}

/// Returns all that the client makes of the agent's value, as text.
async fn seen(version: u64, said: &Said) -> String {
    let (tell, mut told) = mpsc::unbounded_channel();
    let forms = tell.clone();
    let policy = PermissionPolicy::ask(move |request| {
        tell.send(format!("{:?}", request.options)).expect("the test listens");
        std::future::ready(PermissionAnswer::AllowOnce)
    });
    let elicitation = Elicitation::new().form(move |form| {
        forms.send(format!("{form:?}")).expect("the test listens");
        std::future::ready(ElicitationAnswer::Accept(form.defaults()))
    });
    let set_up = |connect: Connect| connect.permissions(policy).elicitation(elicitation);
    let (mut turn, mut wire, prompt) = prompted(version, set_up).await;
    let mut seen = String::new();
    let mut reason = "end_turn";
    match said {
        Said::Update(updates) => {
            let [one, two] = updates();
            wire.update("s1", if version == 1 { one } else { two }).await;
        }
        Said::Question => {
            let answer = wire.call(json!(1), "session/request_permission", question(version)).await;
            assert_eq!(answer["result"]["outcome"]["optionId"], "allow_once", "{answer}");
            seen += &told.recv().await.expect("asked");
        }
        Said::Form => {
            let answer = wire.call(json!(1), "elicitation/create", form()).await;
            assert_eq!(answer["result"]["action"], "accept", "{answer}");
            seen += &told.recv().await.expect("asked");
        }
        Said::End => reason = "_own",
    }
    if version == 1 {
        wire.answer(&prompt, json!({"stopReason": reason})).await;
    } else {
        wire.update("s1", idle(reason)).await;
    }
    while let Some(event) = turn.next().await {
        seen += &format!("{event:?}");
    }
    seen += &format!("{:?}", turn.finish().await.expect("it ended").stop_reason());
    seen
}

#[tokio::test]
async fn a_value_of_the_agents_own_is_kept() {
    for (list, said) in &ROWS {
        for version in [1, 2] {
            let seen = seen(version, said).await;
            // In version 2 nobody can tell whether an option of an unknown kind allows anything.
            let is_kept = version == 1 || *list != "PermissionOptionKind";
            assert_eq!(seen.contains("_own"), is_kept, "{list} {version}: {seen}");
        }
    }
}

#[test]
fn each_list_that_only_one_version_leaves_open_has_a_row() {
    let lists: Vec<_> = ROWS.iter().map(|(list, _)| *list).collect();
    assert_eq!(schema::closed_only_in(1, 2), lists);
    assert_eq!(schema::closed_only_in(2, 1), Vec::<String>::new());
}
