//! Questions of the agent to the user, and the user's answers.

use std::sync::{Arc, Mutex};

use acp_client::v1::methods::ElicitationCreate;
use acp_client::v1::{
    CreateElicitationRequest, CreateElicitationResponse, ElicitationAcceptAction, ElicitationAction,
    ElicitationContentValue,
};
use acp_client::{Client, Connect, Elicitation, ElicitationAnswer, FormElicitation, Handlers, Map};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::common::{Wire, connected, pipe, with_session};

type Values = Map<ElicitationContentValue>;

struct Raw;

impl Client for Raw {
    fn register(self: Arc<Self>, handlers: &mut Handlers) {
        handlers.request::<ElicitationCreate, _, _>(&self, |_, _, _| async {
            Ok(CreateElicitationResponse::new(ElicitationAction::Decline))
        });
    }
}

fn forms() -> Elicitation {
    Elicitation::new().form(async |form| ElicitationAnswer::Accept(form.defaults()))
}

fn pages() -> Elicitation {
    Elicitation::new().url(async |_| ElicitationAnswer::Accept(()))
}

#[tokio::test]
async fn a_client_offers_what_it_can_ask() {
    type SetUp = Box<dyn FnOnce(Connect) -> Connect>;
    let cases: Vec<(SetUp, Value)> = vec![
        (Box::new(|connect| connect), Value::Null),
        (Box::new(|connect| connect.elicitation(Elicitation::new())), Value::Null),
        (Box::new(|connect| connect.elicitation(forms())), json!({"form": {}})),
        (Box::new(|connect| connect.elicitation(pages())), json!({"url": {}})),
        (
            Box::new(|connect| connect.elicitation(forms()).elicitation(pages())),
            json!({"form": {}, "url": {}}),
        ),
        (Box::new(|connect| connect.client(Raw)), json!({"form": {}, "url": {}})),
    ];
    for (set_up, expected) in cases {
        let (transport, mut wire) = pipe();
        let connecting = set_up(acp_client::connect(transport));
        let (agent, request) = tokio::join!(connecting.into_future(), wire.initialize(json!({})));
        agent.expect("connected");
        let offered = request["params"]["clientCapabilities"].get("elicitation").cloned().unwrap_or_default();
        assert_eq!(offered, expected);
    }
}

fn form(schema: &Value) -> Value {
    json!({"sessionId": "s1", "mode": "form", "message": "?", "requestedSchema": schema})
}

fn page(id: &str) -> Value {
    json!({"sessionId": "s1", "mode": "url", "message": "?", "url": "https://x/y", "elicitationId": id})
}

async fn create(wire: &mut Wire, params: Value) -> Value {
    wire.call(json!("e-1"), "elicitation/create", params).await
}

#[tokio::test]
async fn modes_that_were_not_offered_are_refused_by_name() {
    let strange = json!({"sessionId": "s1", "mode": "_hologram", "message": "?"});
    let empty = form(&json!({"type": "object", "properties": {}}));
    for (elicitation, asked, mode) in
        [(forms(), page("p"), "url"), (pages(), empty, "form"), (forms(), strange, "_hologram")]
    {
        let (_session, mut wire) = with_session(|connect| connect.elicitation(elicitation)).await;
        let answer = create(&mut wire, asked).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        assert!(
            answer["error"]["message"].as_str().expect("text").contains(&format!("`{mode}`")),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn answers_are_sent_as_the_protocol_has_them() {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string", "default": "Ada"}}});
    let accepted = |content: Value| json!({"action": "accept", "content": content});
    let filled: Values = [("name", ElicitationContentValue::String("Bob".into()))].into_iter().collect();
    let cases: Vec<(ElicitationAnswer<Values>, Value)> = vec![
        (ElicitationAnswer::Accept(filled), accepted(json!({"name": "Bob"}))),
        (ElicitationAnswer::Accept(Map::default()), accepted(json!({}))),
        (ElicitationAnswer::Decline, json!({"action": "decline"})),
        (ElicitationAnswer::Cancel, json!({"action": "cancel"})),
    ];
    for (answer, expected) in cases {
        let asks = Elicitation::new().form(move |form: FormElicitation| {
            assert_eq!(form.message, "?");
            std::future::ready(answer.clone())
        });
        let (_session, mut wire) = with_session(|connect| connect.elicitation(asks)).await;
        assert_eq!(create(&mut wire, form(&schema)).await["result"], expected);
    }
    let (_session, mut wire) = with_session(|connect| connect.elicitation(forms())).await;
    assert_eq!(create(&mut wire, form(&schema)).await["result"], accepted(json!({"name": "Ada"})));
}

#[tokio::test]
async fn values_that_the_form_does_not_allow_are_not_sent() {
    let schema = json!({"type": "object", "required": ["text"], "properties": {
        "text": {"type": "string", "minLength": 2, "maxLength": 3},
        "one": {"type": "string", "enum": ["a", "b"]},
        "titled": {"type": "string", "oneOf": [{"const": "a", "title": "A"}]},
        "count": {"type": "integer", "minimum": 1, "maximum": 9},
        "ratio": {"type": "number", "maximum": 0.5},
        "on": {"type": "boolean"},
        "many": {"type": "array", "maxItems": 2, "items": {"type": "string", "enum": ["a", "b"]}},
    }});
    let text = |value: &str| ElicitationContentValue::String(value.to_owned());
    let list =
        |values: &[&str]| ElicitationContentValue::Strings(values.iter().map(|v| (*v).to_owned()).collect());
    let integer = ElicitationContentValue::Integer;
    let number = ElicitationContentValue::Number;
    let on = ElicitationContentValue::Boolean(true);
    // One field beside a valid `text`, and the error, or `None` if the value is allowed.
    let cases = [
        ("text", text("é"), Some("shorter or longer")),
        ("text", text("éé"), None),
        ("text", integer(5), Some("has to be a text")),
        ("one", text("b"), None),
        ("one", text("c"), Some("not one of the choices")),
        ("titled", text("A"), Some("not one of the choices")),
        ("count", integer(9), None),
        ("count", integer(10), Some("bounds")),
        ("count", number(1.5), Some("a whole number")),
        ("ratio", integer(0), None),
        ("ratio", number(0.75), Some("bounds")),
        ("on", on.clone(), None),
        ("on", text("on"), Some("on or off")),
        ("many", list(&["a", "b"]), None),
        ("many", list(&["a", "b", "a"]), Some("fewer or more")),
        ("many", list(&["c"]), Some("not offered")),
        ("other", on, Some("is not a field")),
    ];
    for (field, value, problem) in cases {
        let mut values: Values = [("text", text("ok"))].into_iter().collect();
        values.insert(field, value);
        let asks = Elicitation::new().form(move |form: FormElicitation| {
            let said = form.check(&values).err().map(|error| error.to_string());
            assert_eq!(said.is_some(), problem.is_some(), "{field}: {said:?}");
            let said = said.unwrap_or_default();
            assert!(said.contains(problem.unwrap_or_default()), "{field}: {said}");
            std::future::ready(ElicitationAnswer::Accept(values.clone()))
        });
        let (session, mut wire) = with_session(|connect| connect.elicitation(asks)).await;
        let action = create(&mut wire, form(&schema)).await["result"]["action"].clone();
        assert_eq!(action, if problem.is_some() { "cancel" } else { "accept" }, "{field}");
        assert_eq!(session.agent().faults().len(), usize::from(problem.is_some()));
    }
    let asks = Elicitation::new().form(|_| std::future::ready(ElicitationAnswer::Accept(Map::default())));
    let (session, mut wire) = with_session(|connect| connect.elicitation(asks)).await;
    assert_eq!(create(&mut wire, form(&schema)).await["result"]["action"], "cancel");
    assert!(session.agent().faults()[0].contains("`text` has to be filled in"));
}

#[tokio::test]
async fn only_pages_that_were_agreed_to_are_reported_done_and_once() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let answers = Arc::new(Mutex::new(vec![
        ElicitationAnswer::Cancel,
        ElicitationAnswer::Decline,
        ElicitationAnswer::Accept(()),
    ]));
    let asks = Elicitation::new()
        .url(move |_| std::future::ready(answers.lock().expect("free").pop().expect("one for each")))
        .completed(move |id| {
            let _ = tell.send(id.to_string());
            std::future::ready(())
        });
    let (_session, mut wire) = with_session(|connect| connect.elicitation(asks)).await;
    for (id, action) in [("agreed", "accept"), ("declined", "decline"), ("closed", "cancel")] {
        assert_eq!(create(&mut wire, page(id)).await["result"], json!({"action": action}));
    }
    for id in ["declined", "closed", "never heard of", "agreed", "agreed"] {
        let params = json!({"elicitationId": id});
        wire.send(json!({"jsonrpc": "2.0", "method": "elicitation/complete", "params": params})).await;
    }
    assert_eq!(told.recv().await.as_deref(), Some("agreed"));
    wire.call(json!(1), "_unknown", json!(null)).await;
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert!(told.try_recv().is_err(), "nothing else was agreed to");
}

#[tokio::test]
async fn a_question_of_a_cancelled_turn_is_closed() {
    let (tell, mut asked) = mpsc::unbounded_channel();
    let asks = Elicitation::new().form(move |form| {
        let _ = tell.send(form);
        std::future::pending()
    });
    let (session, mut wire) = with_session(|connect| connect.elicitation(asks)).await;
    let (turn, prompt) = tokio::join!(session.prompt("go"), wire.expect("session/prompt"));
    let params = form(&json!({"type": "object", "properties": {}}));
    wire.send(json!({"jsonrpc": "2.0", "id": 7, "method": "elicitation/create", "params": params})).await;
    asked.recv().await.expect("the user is asked");
    turn.expect("sent").cancel().expect("connected");
    wire.expect("session/cancel").await;
    let answer = wire.receive().await;
    assert_eq!((&answer["id"], &answer["result"]), (&json!(7), &json!({"action": "cancel"})));
    wire.answer(&prompt, json!({"stopReason": "cancelled"})).await;
}

#[tokio::test]
async fn a_question_of_a_request_is_withdrawn_with_it() {
    let (tell, mut asked) = mpsc::unbounded_channel();
    let asks = Elicitation::new().form(move |form| {
        let _ = tell.send(form);
        std::future::pending()
    });
    let (agent, mut wire) = connected(|connect| connect.elicitation(asks), json!({})).await;
    let mut params = form(&json!({"type": "object", "properties": {}}));
    let members = params.as_object_mut().expect("an object");
    members.remove("sessionId");
    members.insert("requestId".into(), json!(1));
    wire.send(json!({"jsonrpc": "2.0", "id": 7, "method": "elicitation/create", "params": params})).await;
    asked.recv().await.expect("the user is asked");
    let withdrawn = json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 7}});
    wire.send(withdrawn.clone()).await;
    let answer = wire.receive().await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(7), &json!(-32800)));
    wire.send(withdrawn).await;
    let unknown = wire.call(json!(8), "_unknown", json!(null)).await;
    assert_eq!(unknown["error"]["code"], -32601, "nothing else was answered: {unknown}");
    drop(agent);
}

#[tokio::test]
async fn a_page_that_the_user_still_decides_about_is_not_done() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let (decide, decided) = tokio::sync::oneshot::channel();
    let decided = Arc::new(Mutex::new(Some(decided)));
    let asks = Elicitation::new()
        .url(move |_| {
            let decided = decided.lock().expect("free").take().expect("asked once");
            async move {
                decided.await.expect("the user decides");
                ElicitationAnswer::Decline
            }
        })
        .completed(move |id| {
            let _ = tell.send(id.to_string());
            std::future::ready(())
        });
    let (_session, mut wire) = with_session(|connect| connect.elicitation(asks)).await;
    wire.send(json!({"jsonrpc": "2.0", "id": 7, "method": "elicitation/create", "params": page("p")})).await;
    wire.send(json!({"jsonrpc": "2.0", "method": "elicitation/complete", "params": {"elicitationId": "p"}}))
        .await;
    wire.call(json!(8), "_unknown", json!(null)).await;
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    decide.send(()).expect("still asked");
    assert_eq!(wire.receive().await["result"], json!({"action": "decline"}));
    assert!(told.try_recv().is_err(), "the user has not agreed");
}

#[tokio::test]
async fn a_handler_that_gives_no_content_sends_none() {
    struct Plain;

    #[acp_client::client]
    impl Plain {
        async fn elicit(&self, _request: CreateElicitationRequest) -> acp_client::Result<ElicitationAction> {
            Ok(ElicitationAcceptAction::new().into())
        }
    }

    let asked = form(&json!({"type": "object", "properties": {"name": {"type": "string"}}}));
    let (_session, mut wire) = with_session(|connect| connect.client(Plain)).await;
    assert_eq!(create(&mut wire, asked).await["result"], json!({"action": "accept"}));
}
