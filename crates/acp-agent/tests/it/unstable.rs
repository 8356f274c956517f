//! Updates that only the unstable schema has.

use std::sync::{Arc, Mutex};

use acp_agent::types::{
    AuthMethod, AuthMethodAgent, AuthState, AuthStatusResponse, PlanEntry, PlanEntryStatus, PlanItems,
    PlanMarkdown, PlanUpdate, ProviderInfo, SessionInfo, SessionMessage, SessionMessageChunk,
    SetProviderRequest, SubagentUpdate,
};
use acp_agent::{
    Client, Elicitation, Error, Opened, Result, Router, Serve, SessionUpdates, StopReason, Turn, agent, op,
};
use serde_json::{Value, json};

use crate::support::{Wire, check_error};

macro_rules! tell {
    ($to:expr, $what:expr) => {
        match $what {
            "plan" => $to.named_plan(PlanUpdate::new(PlanItems::new("p", ["look".into()]))).await,
            "gone" => $to.remove_plan("p").await,
            "subagent" => $to.subagent(SubagentUpdate::new("child").title("Child".to_owned())).await,
            "message" => $to.session_message(SessionMessage::new("m")).await,
            "chunk" => $to.session_message_chunk(SessionMessageChunk::new("m", "hi")).await,
            other => panic!("{other}"),
        }
    };
}

struct Teller;

#[agent]
impl Teller {
    async fn prompt(&self, turn: Turn, updates: SessionUpdates) -> Result<StopReason> {
        let text = turn.text();
        match text.strip_prefix("task ") {
            None => tell!(turn, &*text)?,
            Some(verb) => {
                let verb = verb.to_owned();
                tokio::spawn(async move { tell!(updates, &*verb) }).await.map_err(Error::other)??;
            }
        }
        Ok(StopReason::EndTurn)
    }
}

/// Ends with entries in progress in some of its plans.
async fn planning(_: &(), turn: Turn) -> Result<StopReason> {
    let running = |text: &str| {
        let mut entry = PlanEntry::from(text);
        entry.status = PlanEntryStatus::InProgress;
        entry
    };
    for id in ["a", "b", "c", "d"] {
        turn.named_plan(PlanUpdate::new(PlanItems::new(id, [running("x"), "y".into()]))).await?;
    }
    turn.plan([running("plain")]).await?;
    // Its second form has nothing in progress, another is gone, and a third is not a list any more.
    turn.named_plan(PlanUpdate::new(PlanItems::new("b", ["x".into()]))).await?;
    turn.remove_plan("c").await?;
    turn.named_plan(PlanUpdate::new(PlanMarkdown::new("d", "# y"))).await?;
    match turn.text().as_str() {
        "end" => Ok(StopReason::EndTurn),
        _ => Err("failed".into()),
    }
}

#[tokio::test]
async fn the_entries_that_run_are_closed_in_every_plan() {
    let agent = Router::new("planner", "1", ()).on::<op::Prompt, _>(planning);
    let (mut wire, session) = Wire::open(agent, json!({"plan": {}})).await;
    let entry = |content, status| json!({"content": content, "priority": "medium", "status": status});
    for (text, status) in [("end", "completed"), ("fail", "pending")] {
        let (updates, _) = wire.turn(&session, text).await;
        let entries = [entry("x", status), entry("y", "pending")];
        let expected = [
            json!({"sessionUpdate": "plan", "entries": [entry("plain", status)]}),
            json!({"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "a", "entries": entries}}),
        ];
        assert_eq!(updates[8..], expected, "{text}");
    }
}

/// The updates of version 1 for a client that shows one plan: the last, and of the others nothing
/// once they are hidden.
#[tokio::test]
async fn a_client_without_several_plans_shows_the_last_one() {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&reports);
    let agent = Router::new("planner", "1", ()).on::<op::Prompt, _>(|_: &(), turn: Turn| async move {
        let plan = |id: &str, text: &str| {
            let mut entry = PlanEntry::from(text);
            entry.status = PlanEntryStatus::InProgress;
            PlanUpdate::new(PlanItems::new(id, [entry]))
        };
        turn.named_plan(plan("a", "one")).await?;
        turn.named_plan(plan("a", "two")).await?;
        turn.remove_plan("a").await?;
        turn.named_plan(plan("b", "three")).await?;
        turn.named_plan(plan("c", "four")).await?;
        // Both are hidden.
        turn.remove_plan("b").await?;
        turn.named_plan(PlanUpdate::new(PlanItems::new("d", []))).await?;
        turn.plan(["five"]).await?;
        turn.named_plan(plan("c", "six")).await?;
        let refused = turn.named_plan(PlanUpdate::new(PlanMarkdown::new("d", "# y"))).await;
        assert!(matches!(refused, Err(Error::NotOffered { .. })), "{refused:?}");
        Ok::<_, Error>(StopReason::EndTurn)
    });
    let serve = Serve::new(agent).on_fault(move |fault| told.lock().unwrap().push(fault.to_string()));
    let mut wire = Wire::serve_as(serve);
    wire.initialize(json!({})).await;
    let session = wire.new_session().await;
    let plan = |text: &str, status: &str| {
        let entry = json!({"content": text, "priority": "medium", "status": status});
        json!({"sessionUpdate": "plan", "entries": [entry]})
    };
    for _ in 0..2 {
        let (updates, answer) = wire.turn(&session, "go").await;
        assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
        let expected = [
            plan("one", "in_progress"),
            plan("two", "in_progress"),
            json!({"sessionUpdate": "plan", "entries": []}),
            plan("three", "in_progress"),
            plan("four", "in_progress"),
            plan("five", "pending"),
            plan("six", "in_progress"),
            // The end of the turn closes the plan that is shown, and no other.
            plan("six", "completed"),
        ];
        assert_eq!(updates, expected);
    }
    let reports = reports.lock().unwrap();
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert!(reports[0].contains("a plan beside another") && reports[0].contains(&session), "{reports:?}");
}

fn verbs() -> [(&'static str, Value, &'static str); 5] {
    let entry = json!({"content": "look", "priority": "medium", "status": "pending"});
    let text = json!({"type": "text", "text": "hi"});
    [
        (
            "plan",
            json!({"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "p", "entries": [entry]}}),
            "plan",
        ),
        ("gone", json!({"sessionUpdate": "plan_removed", "planId": "p"}), "plan"),
        (
            "subagent",
            json!({"sessionUpdate": "subagent_update", "sessionId": "child", "title": "Child"}),
            "subagents",
        ),
        ("message", json!({"sessionUpdate": "session_message", "messageId": "m"}), "subagents"),
        (
            "chunk",
            json!({"sessionUpdate": "session_message_chunk", "messageId": "m", "content": text}),
            "subagents",
        ),
    ]
}

/// The update of a verb for a client that shows one plan.
fn only_plan(verb: &str) -> Option<Value> {
    let entry = json!({"content": "look", "priority": "medium", "status": "pending"});
    let entries = match verb {
        "plan" => json!([entry]),
        "gone" => json!([]),
        _ => return None,
    };
    Some(json!({"sessionUpdate": "plan", "entries": entries}))
}

#[tokio::test]
async fn each_verb_sends_its_update_if_the_client_offers_it() {
    for (verb, update, capability) in verbs() {
        for text in [verb.to_owned(), format!("task {verb}")] {
            let (mut wire, session) = Wire::open(Teller, json!({"plan": {}, "subagents": {}})).await;
            let (updates, answer) = wire.turn(&session, &text).await;
            assert_eq!(updates, std::slice::from_ref(&update), "{answer}");

            let (mut wire, session) = Wire::open(Teller, json!({})).await;
            let (updates, answer) = wire.turn(&session, &text).await;
            match only_plan(verb) {
                Some(plan) => assert_eq!(updates, [plan], "{answer}"),
                None => {
                    assert_eq!(updates, Vec::<Value>::new());
                    check_error(&answer, -32603, &[capability]);
                }
            }
        }
    }
}

/// Methods that need no login. A client may have to say where models are, and with which key,
/// before anything works (rule `v1-u-prov-01`). `auth/status` is never answered with `-32000`
/// (rule `v1-u-auth-01`).
#[tokio::test]
async fn providers_and_the_status_of_the_login_need_no_login() {
    struct Locked;

    #[agent(auth(required))]
    impl Locked {
        async fn auth_methods(&self) -> Result<Vec<AuthMethod>> {
            Ok(vec![AuthMethodAgent::new("key", "Key").into()])
        }

        async fn authenticate(&self) -> Result<()> {
            Ok(())
        }

        async fn auth_status(&self) -> Result<AuthStatusResponse> {
            Ok(AuthStatusResponse::new(AuthState::Unauthenticated))
        }

        async fn list_providers(&self) -> Result<Vec<ProviderInfo>> {
            Ok(Vec::new())
        }

        async fn set_provider(&self, client: Client, _request: SetProviderRequest) -> Result<()> {
            client.set_logged_in(true);
            Ok(())
        }

        async fn disable_provider(&self, client: Client) -> Result<()> {
            client.set_logged_in(false);
            Ok(())
        }

        async fn list_sessions(&self) -> Result<Vec<SessionInfo>> {
            Ok(Vec::new())
        }

        async fn prompt(&self) -> Result<StopReason> {
            Ok(StopReason::EndTurn)
        }
    }

    let mut wire = Wire::connect(Locked, json!({})).await;
    wire.refused("session/list", json!({}), -32000, &["`authenticate`"]).await;
    for (method, params) in [
        ("auth/status", json!({})),
        ("providers/list", json!({})),
        ("providers/set", json!({"providerId": "p", "apiType": "openai", "baseUrl": "http://p"})),
    ] {
        let answer = wire.call(method, params).await;
        assert!(answer["result"].is_object(), "{method}: {answer}");
    }
    // The agent decides about the effect. Here a key counts as a login.
    assert_eq!(wire.call("session/list", json!({})).await["result"]["sessions"], json!([]));
    wire.call("providers/disable", json!({"providerId": "p"})).await;
    wire.refused("session/list", json!({}), -32000, &[]).await;
}

/// Every request but `prompt` can ask the user with an `Elicitation`. Where no session is open, the
/// question belongs to the request.
#[tokio::test]
async fn requests_outside_of_sessions_ask_for_themselves() {
    struct Curious;

    async fn ask(elicitation: &Elicitation) -> Result<()> {
        elicitation.elicit_url("Really?", "https://example.com").await?.accepted().ok_or("no")?;
        Ok(())
    }

    #[agent]
    impl Curious {
        async fn prompt(&self) -> Result<StopReason> {
            Ok(StopReason::EndTurn)
        }

        async fn close_session(&self, elicitation: Elicitation) -> Result<()> {
            ask(&elicitation).await
        }

        async fn list_sessions(&self) -> Result<Vec<SessionInfo>> {
            Ok(Vec::new())
        }

        async fn archive_session(&self, elicitation: Elicitation) -> Result<()> {
            ask(&elicitation).await
        }

        async fn unarchive_session(&self, elicitation: Elicitation) -> Result<()> {
            ask(&elicitation).await
        }

        async fn fork_session(&self, elicitation: Elicitation) -> Result<Opened<()>> {
            ask(&elicitation).await.map(Opened::new)
        }

        async fn set_title(&self, elicitation: Elicitation) -> Result<String> {
            ask(&elicitation).await.map(|()| "Title".to_owned())
        }
    }

    let (mut wire, session) = Wire::open(Curious, json!({"elicitation": {"url": {}}})).await;
    for (method, params) in [
        ("session/fork", json!({"sessionId": session, "cwd": "/work"})),
        ("session/set_title", json!({"sessionId": session, "title": "title"})),
        ("session/close", json!({"sessionId": session})),
        ("session/archive", json!({"sessionId": session})),
        ("session/unarchive", json!({"sessionId": session})),
    ] {
        let id = wire.request(method, params).await;
        let question = wire.asked("elicitation/create").await;
        assert_eq!(question["params"]["requestId"], id, "{method}");
        assert_eq!(question["params"].get("sessionId"), None, "{method}");
        wire.answer(&question, json!({"action": "accept"})).await;
        let answer = wire.answer_to(id).await;
        assert!(answer["result"].is_object(), "{method}: {answer}");
    }
}
