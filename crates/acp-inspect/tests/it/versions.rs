//! The version of a page that drives an agent.

use acp_types::v1::ProtocolVersion;
use serde_json::{Value, json};

use crate::driven::{Driven, first, second};

const V1: ProtocolVersion = ProtocolVersion::V1;
const V2: ProtocolVersion = ProtocolVersion::V2;
const OPEN: &str = "open";

fn error(asked: &Value, code: i32, data: &Value) -> Value {
    json!({"jsonrpc":"2.0","id":asked["id"],"error":{"code":code,"message":"no","data":data}})
}

/// Checks that a session is opened.
async fn opens(driven: &mut Driven) {
    driven.does(&json!({"act":OPEN})).await;
    assert_eq!(driven.next().await["method"], "session/new");
}

async fn refuses(driven: &Driven, says: &str) {
    driven.refuses(409, &json!({"act":OPEN}), says).await;
    driven.refuses(409, &json!({"act":"prompt","session":"s","text":"x"}), says).await;
}

#[tokio::test]
async fn each_version_is_asked_for_in_its_form_and_offers_nothing() {
    let mut one = Driven::offer(&[]).await;
    let asked = one.next().await;
    assert_eq!(asked["params"]["protocolVersion"], 1);
    assert_eq!(asked["params"]["clientCapabilities"], json!({}));
    let mut two = Driven::offer(&[V2, V1]).await;
    let asked = two.next().await["params"].take();
    assert_eq!(json!([asked["protocolVersion"], asked["capabilities"]]), json!([2, {}]));
    assert_eq!(asked["info"]["name"], "acp-inspect");
    assert!(asked["info"]["version"].is_string());
}

#[tokio::test]
async fn an_answer_settles_the_version() {
    let liar = json!({"protocolVersion":2,"agentInfo":{"name":"a","version":"1"}});
    let bare = json!({"protocolVersion":2});
    for (spoken, answer) in [
        (&[V1][..], first()),
        (&[V2], second()),
        (&[V2, V1], second()),
        (&[V2, V1], first()),
        (&[V2, V1], liar.clone()),
        (&[V2, V1], bare),
        (&[V1], liar),
        (&[V1], json!({"protocolVersion":1,"unknown":1})),
        (&[V1], json!({"protocolVersion":99,"agentCapabilities":{}})),
    ] {
        let mut driven = Driven::offer(spoken).await;
        let asked = driven.next().await;
        refuses(&driven, "has not answered `initialize` yet").await;
        driven.answer(&asked, &answer).await;
        opens(&mut driven).await;
    }
}

#[tokio::test]
async fn an_answer_of_a_version_that_is_not_spoken_opens_no_session() {
    for (spoken, answer, says) in [
        (&[V2][..], first(), "speaks version 1, and this page 2: "),
        (&[V1], second(), "speaks version 2, and this page 1: "),
        (&[V2, V1], json!({"protocolVersion":3,"info":{}}), "speaks version 3, and this page 2 and 1: "),
        (&[V1], json!({"protocolVersion":0}), "speaks version 0"),
        (&[V1], json!({"protocolVersion":"1"}), "has no `protocolVersion`"),
        (&[V1], json!({"protocolVersion":65537}), "has no `protocolVersion`"),
        (&[V1], Value::Null, "has no `protocolVersion`"),
    ] {
        let mut driven = Driven::offer(spoken).await;
        let asked = driven.next().await;
        driven.answer(&asked, &answer).await;
        refuses(&driven, says).await;
        // Messages of a person go out all the same.
        driven.does(&json!({"act":"send","text":"{\"method\":\"_x\"}"})).await;
        assert_eq!(driven.next().await["method"], "_x");
    }
}

#[tokio::test]
async fn an_agent_that_refuses_one_version_is_asked_for_the_other() {
    for (spoken, code, data, other, answer) in [
        (&[V2, V1], -32602, Value::Null, 1, first()),
        (&[V2, V1], -32022, json!({"requested":2,"supported":[1]}), 1, first()),
        (&[V1, V2], -32022, json!({"requested":1,"supported":["x",2]}), 2, second()),
    ] {
        let mut driven = Driven::offer(spoken).await;
        let asked = driven.next().await;
        driven.say(&error(&asked, code, &data)).await;
        let again = driven.next().await;
        assert_eq!(json!([again["method"], again["id"]]), json!(["initialize", 1]));
        assert_eq!(again["params"]["protocolVersion"], other);
        driven.answer(&again, &answer).await;
        opens(&mut driven).await;
        // The page shows the version and the capabilities that were settled.
        let shown = driven.page.get("/api/capabilities").await.json();
        assert_eq!(json!([shown["version"], shown["agent"]]), json!([other, answer]));
        assert_eq!(shown["client"]["protocolVersion"], other);
    }
}

#[tokio::test]
async fn an_agent_that_refuses_all_versions_is_not_asked_for_ever() {
    let supported = |version: u16| json!({"supported":[version]});
    for (spoken, answers) in [
        (&[V1][..], &[(-32602, Value::Null)][..]),
        (&[V2], &[(-32602, Value::Null)]),
        (&[V2, V1], &[(-32603, Value::Null)]),
        (&[V2, V1], &[(-32022, Value::Null)]),
        (&[V2, V1], &[(-32602, Value::Null), (-32602, Value::Null)]),
        (&[V2, V1], &[(-32022, supported(1)), (-32022, supported(2))]),
    ] {
        let mut driven = Driven::offer(spoken).await;
        let (last, before) = answers.split_last().expect("one");
        for (code, data) in before {
            let asked = driven.next().await;
            driven.say(&error(&asked, *code, data)).await;
        }
        let asked = driven.next().await;
        driven.tell(&error(&asked, last.0, &last.1)).await;
        refuses(&driven, "has refused `initialize`").await;
    }
}

#[tokio::test]
async fn a_person_initializes_again() {
    let mut driven = Driven::offer(&[V1]).await;
    let asked = driven.next().await;
    driven.tell(&error(&asked, -32602, &Value::Null)).await;
    refuses(&driven, "has refused `initialize`").await;
    let send = |version: u64| {
        let message = json!({"id":0,"method":"initialize","params":{"protocolVersion":version}});
        json!({"act":"send","text":message.to_string()})
    };
    driven.does(&send(2)).await;
    let asked = driven.next().await;
    assert_eq!(asked["params"], json!({"protocolVersion":2}), "it is sent as it was written");
    driven.answer(&asked, &second()).await;
    opens(&mut driven).await;
    assert_eq!(driven.page.get("/api/state").await.json()["version"], 2);
    // A repeat that is refused leaves what was settled.
    driven.does(&send(1)).await;
    let asked = driven.next().await;
    driven.tell(&error(&asked, -32600, &Value::Null)).await;
    opens(&mut driven).await;
    assert_eq!(driven.page.get("/api/state").await.json()["version"], 2);
}

#[tokio::test]
async fn a_question_that_the_agent_withdraws_is_answered_as_cancelled() {
    for version in [V1, V2] {
        let mut driven = Driven::start(version).await;
        let options = json!([{"optionId":"yes","name":"Yes","kind":"allow_once"}]);
        let params = json!({"sessionId":"s","title":"Edit","toolCall":{"toolCallId":"t"},"options":options});
        let (first, second) = (driven.ask("a", &params).await, driven.ask("b", &params).await);
        let withdraw = |params: Value| json!({"jsonrpc":"2.0","method":"$/cancel_request","params":params});
        // None of these names a question.
        for params in [json!({}), json!({"requestId":"c"}), json!([]), Value::Null] {
            driven.say(&withdraw(params)).await;
        }
        driven.say(&withdraw(json!({"requestId":"a"}))).await;
        let cancelled = json!({"outcome":{"outcome":"cancelled"}});
        assert_eq!(driven.next().await, json!({"jsonrpc":"2.0","id":"a","result":cancelled}));
        let late = json!({"act":"answer","seq":first,"option":"yes"});
        driven.refuses(409, &late, "not a question that waits").await;
        driven.does(&json!({"act":"answer","seq":second,"option":"yes"})).await;
        assert_eq!(driven.next().await["result"]["outcome"]["optionId"], "yes");
    }
}

#[tokio::test]
async fn more_questions_than_a_person_can_answer_are_refused() {
    let mut driven = Driven::start(V2).await;
    let ask = |id: &Value, session: &str| {
        let params = json!({"sessionId":session,"title":"x","options":[]});
        json!({"jsonrpc":"2.0","id":id,"method":"session/request_permission","params":params})
    };
    let long = "x".repeat(5000);
    for refused in [ask(&json!(long), "s"), ask(&json!("short"), &long)] {
        driven.say(&refused).await;
        assert_eq!(driven.next().await["error"]["code"], -32603);
    }
    for id in 0..1001 {
        driven.say(&ask(&json!(id), "s")).await;
    }
    let answer = driven.next().await;
    assert_eq!(json!([answer["id"], answer["error"]["code"]]), json!([1000, -32603]));
}
