//! Asking the user: by forms, and on web pages.

use std::sync::{Arc, Mutex};

use acp_agent::types::{
    AuthMethod, AuthMethodAgent, BooleanPropertySchema, EnumOption, IntegerPropertySchema,
    MultiSelectPropertySchema, NumberPropertySchema, SessionMode, SessionModeState, StringMultiSelectItems,
    StringPropertySchema,
};
use acp_agent::{Elicitation, ElicitationAnswer, Form, Opened, OpenedUrl, Result, StopReason, Turn, agent};
use serde_json::{Value, json};

use crate::support::{Wire, check_error};

#[derive(Default)]
struct Asker {
    page: Arc<Mutex<Option<OpenedUrl>>>,
}

fn form() -> Form {
    let colours = StringMultiSelectItems::new(["red".to_owned(), "blue".to_owned()]);
    let size = [EnumOption::new("s", "Small"), EnumOption::new("l", "Large")];
    Form::new("Who?")
        .title("Person")
        .description("As on the card")
        .required("name", StringPropertySchema::new().min_length(2).max_length(4))
        .optional("size", StringPropertySchema::new().one_of(size))
        .optional("age", IntegerPropertySchema::new().minimum(18).maximum(99))
        .optional("height", NumberPropertySchema::new().maximum(3.0))
        .optional("member", BooleanPropertySchema::new())
        .optional("colours", MultiSelectPropertySchema::new(colours).max_items(1))
        .tool_call("call-1")
}

#[agent]
impl Asker {
    async fn prompt(&self, turn: Turn) -> Result<StopReason> {
        let said = if turn.text() == "url" {
            match turn.elicit_url("Log in", "https://example.com/login").await? {
                ElicitationAnswer::Accept(page) => {
                    page.complete().await?;
                    let id = page.id().to_string();
                    *self.page.lock().unwrap() = Some(page);
                    id
                }
                refused => format!("{:?}", refused.accepted().is_some()),
            }
        } else {
            match turn.elicit(form()).await? {
                ElicitationAnswer::Accept(values) => format!(
                    "{:?} {:?} {:?} {:?} {:?} {:?} {}",
                    values.text("name"),
                    values.text("size"),
                    values.integer("age"),
                    values.number("height"),
                    values.boolean("member"),
                    values.strings("colours"),
                    values.get("other").is_some(),
                ),
                ElicitationAnswer::Decline => "declined".to_owned(),
                ElicitationAnswer::Cancel => "cancelled".to_owned(),
            }
        };
        turn.say(said).await?;
        Ok(StopReason::EndTurn)
    }
}

async fn asked(text: &str) -> (Wire, String, u64, Value) {
    let offered = json!({"elicitation": {"form": {}, "url": {}}});
    let (mut wire, session) = Wire::open(Asker::default(), offered).await;
    let prompt = wire.prompt(&session, text).await;
    let request = wire.asked("elicitation/create").await;
    (wire, session, prompt, request)
}

#[tokio::test]
async fn what_the_client_does_not_offer_is_not_asked() {
    let table = [
        (json!({}), "form", "elicitation.form"),
        (json!({"elicitation": {}}), "form", "elicitation.form"),
        (json!({"elicitation": {"url": {}}}), "form", "elicitation.form"),
        (json!({"elicitation": {"form": {}, "url": null}}), "url", "elicitation.url"),
    ];
    for (offered, text, capability) in table {
        let (mut wire, session) = Wire::open(Asker::default(), offered).await;
        let (updates, answer) = wire.turn(&session, text).await;
        assert_eq!(updates, Vec::<Value>::new());
        check_error(&answer, -32603, &[capability]);
    }
}

#[tokio::test]
async fn a_form_is_sent_as_it_was_built() {
    let (_, session, _, request) = asked("form").await;
    assert_eq!(
        request["params"],
        json!({"sessionId": session, "toolCallId": "call-1", "mode": "form", "message": "Who?", "requestedSchema": {
            "title": "Person",
            "description": "As on the card",
            "required": ["name"],
            "properties": {
                "name": {"type": "string", "minLength": 2, "maxLength": 4},
                "size": {"type": "string",
                         "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}]},
                "age": {"type": "integer", "minimum": 18, "maximum": 99},
                "height": {"type": "number", "maximum": 3.0},
                "member": {"type": "boolean"},
                "colours": {"type": "array", "maxItems": 1,
                            "items": {"type": "string", "enum": ["red", "blue"]}},
            },
        }})
    );
}

#[tokio::test]
async fn what_the_user_did_comes_back() {
    let all = json!({"name": "Ann", "size": "l", "age": 30.0, "height": 2, "member": false, "colours": ["red"],
                     "other": 1});
    let table = [
        (
            json!({"action": "accept", "content": all}),
            r#"Some("Ann") Some("l") Some(30) Some(2.0) Some(false) Some(["red"]) false"#,
        ),
        (
            json!({"action": "accept", "content": {"name": "Ann"}}),
            r#"Some("Ann") None None None None None false"#,
        ),
        (json!({"action": "decline"}), "declined"),
        (json!({"action": "cancel", "content": {"name": "Ann"}}), "cancelled"),
    ];
    for (answer, said) in table {
        let (mut wire, _, prompt, request) = asked("form").await;
        wire.answer(&request, answer).await;
        assert_eq!(wire.said().await, said);
        assert_eq!(wire.stopped(prompt).await, "end_turn");
    }
}

#[tokio::test]
async fn values_that_the_form_does_not_allow_are_no_answer() {
    let table = [
        (json!(null), "name"),
        (json!({}), "name"),
        (json!({"name": 7}), "name"),
        (json!({"name": "A"}), "name"),
        (json!({"name": "Annabel"}), "name"),
        (json!({"name": "Ann", "size": "m"}), "size"),
        (json!({"name": "Ann", "age": 17}), "age"),
        (json!({"name": "Ann", "age": 18.5}), "age"),
        (json!({"name": "Ann", "age": "18"}), "age"),
        (json!({"name": "Ann", "height": 3.5}), "height"),
        (json!({"name": "Ann", "member": "yes"}), "member"),
        (json!({"name": "Ann", "colours": ["red", "blue"]}), "colours"),
        (json!({"name": "Ann", "colours": ["green"]}), "colours"),
    ];
    for (content, field) in table {
        let (mut wire, _, prompt, request) = asked("form").await;
        wire.answer(&request, json!({"action": "accept", "content": content})).await;
        let answer = wire.answer_to(prompt).await;
        let error = check_error(&answer, -32603, &["elicitation/create", &format!("`{field}`")]);
        assert!(!error.to_string().contains("green") && !error.to_string().contains("Annabel"), "{error}");
    }
}

#[tokio::test]
async fn an_answer_that_is_none_is_an_error() {
    let table = [
        json!({"result": {"action": "perhaps", "content": {"name": "Ann"}}}),
        json!({"result": {}}),
        json!({"error": {"code": -32602, "message": "no forms today"}}),
    ];
    for mut answer in table {
        let (mut wire, _, prompt, request) = asked("form").await;
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = request["id"].clone();
        wire.send(answer).await;
        check_error(&wire.answer_to(prompt).await, -32603, &["elicitation/create"]);
    }
}

#[tokio::test]
async fn a_question_ends_with_its_turn() {
    for text in ["form", "url"] {
        let (mut wire, session, prompt, request) = asked(text).await;
        wire.cancel(&session).await;
        let cancel = wire.recv().await;
        assert_eq!(cancel["method"], "$/cancel_request");
        assert_eq!(cancel["params"]["requestId"], request["id"]);
        assert_eq!(wire.stopped(prompt).await, "cancelled");
    }
    // The client may also cancel the question by itself.
    let (mut wire, _, prompt, request) = asked("form").await;
    wire.send(
        json!({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32800, "message": "cancelled"}}),
    )
    .await;
    assert_eq!(wire.stopped(prompt).await, "cancelled");
}

#[tokio::test]
async fn a_page_is_opened_and_completed() {
    let (mut wire, session, prompt, request) = asked("url").await;
    let id = &request["params"]["elicitationId"];
    assert_eq!(
        request["params"],
        json!({"sessionId": session, "mode": "url", "message": "Log in", "url": "https://example.com/login",
               "elicitationId": id})
    );
    wire.answer(&request, json!({"action": "accept"})).await;
    let complete = wire.recv().await;
    assert_eq!(complete["method"], "elicitation/complete");
    assert_eq!(complete["params"], json!({"elicitationId": id}));
    assert_eq!(&json!(wire.said().await), id);
    assert_eq!(wire.stopped(prompt).await, "end_turn");

    // The next page has another id. A page that the user declines is not completed.
    for action in ["decline", "cancel"] {
        let prompt = wire.prompt(&session, "url").await;
        let request = wire.asked("elicitation/create").await;
        assert_ne!(&request["params"]["elicitationId"], id);
        wire.answer(&request, json!({"action": action})).await;
        assert_eq!(wire.said().await, "false");
        assert_eq!(wire.stopped(prompt).await, "end_turn");
    }
}

#[tokio::test]
async fn a_page_is_completed_also_after_the_turn() {
    let agent = Asker::default();
    let kept = Arc::clone(&agent.page);
    let (mut wire, session) = Wire::open(agent, json!({"elicitation": {"url": {}}})).await;
    let prompt = wire.prompt(&session, "url").await;
    let request = wire.asked("elicitation/create").await;
    wire.answer(&request, json!({"action": "accept"})).await;
    wire.recv().await;
    wire.said().await;
    wire.stopped(prompt).await;
    let page = kept.lock().unwrap().take().unwrap();
    page.complete().await.unwrap();
    assert_eq!(wire.recv().await["params"]["elicitationId"], page.id().as_str());
}

/// An agent that asks the user outside of a turn.
struct Gatekeeper;

impl Gatekeeper {
    async fn name(elicitation: &Elicitation) -> Result<String> {
        let form = Form::new("Who?").required("name", StringPropertySchema::new()).tool_call("call-1");
        let values = elicitation.elicit(form).await?.accepted().ok_or("nobody")?;
        Ok(values.text("name").unwrap_or_default().to_owned())
    }
}

#[agent]
impl Gatekeeper {
    async fn auth_methods(&self) -> Result<Vec<AuthMethod>> {
        Ok(vec![AuthMethodAgent::new("web", "Web").into()])
    }

    async fn authenticate(&self, elicitation: Elicitation) -> Result<()> {
        let page =
            elicitation.elicit_url("Log in", "https://example.com").await?.accepted().ok_or("no login")?;
        page.complete().await
    }

    async fn new_session(&self, elicitation: Elicitation) -> Result<Opened<()>> {
        let name = Self::name(&elicitation).await?;
        Ok(Opened::new(()).modes(SessionModeState::new("ask", [SessionMode::new("ask", name)])))
    }

    async fn set_mode(&self, elicitation: Elicitation) -> Result<()> {
        Self::name(&elicitation).await.map(drop)
    }

    async fn prompt(&self, _: Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }
}

#[tokio::test]
async fn a_request_outside_of_sessions_asks_for_itself() {
    let mut wire = Wire::connect(Gatekeeper, json!({"elicitation": {"form": {}, "url": {}}})).await;
    let id = wire.request("authenticate", json!({"methodId": "web"})).await;
    let request = wire.asked("elicitation/create").await;
    assert_eq!((&request["params"]["requestId"], &request["params"]["mode"]), (&json!(id), &json!("url")));
    wire.answer(&request, json!({"action": "accept"})).await;
    assert_eq!(wire.recv().await["method"], "elicitation/complete");
    wire.answer_to(id).await;

    let id = wire.request("session/new", json!({"cwd": "/work", "mcpServers": []})).await;
    let request = wire.asked("elicitation/create").await;
    assert_eq!(request["params"]["requestId"], id);
    assert_eq!(request["params"].get("toolCallId"), None);
    wire.answer(&request, json!({"action": "accept", "content": {"name": "Ann"}})).await;
    let answer = wire.answer_to(id).await;
    assert_eq!(answer["result"]["modes"]["availableModes"][0]["name"], "Ann");

    let session = &answer["result"]["sessionId"];
    let id = wire.request("session/set_mode", json!({"sessionId": session, "modeId": "ask"})).await;
    let request = wire.asked("elicitation/create").await;
    assert_eq!(&request["params"]["sessionId"], session);
    wire.notify("$/cancel_request", json!({"requestId": id})).await;
    assert_eq!(wire.recv().await["method"], "$/cancel_request");
    check_error(&wire.answer_to(id).await, -32800, &[]);
}

#[tokio::test]
async fn also_without_a_turn_nothing_is_asked_that_is_not_offered() {
    let mut wire = Wire::connect(Gatekeeper, json!({"elicitation": {"form": {}}})).await;
    wire.refused("authenticate", json!({"methodId": "web"}), -32603, &["elicitation.url"]).await;
}
