//! Acts of a person: what they send to an agent, and what is refused.

use std::time::Duration;

use acp_types::v1::ProtocolVersion;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

use crate::driven::Driven;
use crate::support::{Page, turn};

const BOTH: [ProtocolVersion; 2] = [ProtocolVersion::V1, ProtocolVersion::V2];

/// Returns a question for permission, in the form of a version.
fn question(version: ProtocolVersion, session: &str) -> Value {
    let options = json!([{"optionId":"yes","name":"Yes","kind":"allow_once"}]);
    match version {
        ProtocolVersion::V1 => json!({"sessionId":session,"toolCall":{"toolCallId":"t"},"options":options}),
        _ => json!({"sessionId":session,"title":"Edit","options":options}),
    }
}

#[tokio::test]
async fn each_act_is_a_message_to_the_agent() {
    for version in BOTH {
        let mut driven = Driven::start(version).await;
        assert_eq!(driven.page.get("/api/state").await.json()["acts"], true);
        driven.does(&json!({"act":"open"})).await;
        let opened = driven.next().await;
        assert_eq!(
            opened,
            json!({"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}})
        );
        driven.does(&json!({"act":"prompt","session":"s","text":"two\nlines"})).await;
        let prompted = driven.next().await;
        let blocks = json!([{"type":"text","text":"two\nlines"}]);
        assert_eq!(prompted["params"], json!({"sessionId":"s","prompt":blocks}));
        // A request gets an id of its own, a notification gets none, and an answer keeps its id.
        for (text, sent) in [
            (
                r#"{"id":0,"method":"_m","params":[1]}"#,
                json!({"jsonrpc":"2.0","id":3,"method":"_m","params":[1]}),
            ),
            (r#"{"jsonrpc":"9","method":"_n"}"#, json!({"jsonrpc":"2.0","method":"_n"})),
            (r#"{"id":7,"result":null}"#, json!({"jsonrpc":"2.0","id":7,"result":null})),
        ] {
            driven.does(&json!({"act":"send","text":text})).await;
            assert_eq!(driven.next().await, sent);
        }
    }
}

#[tokio::test]
async fn a_question_is_answered_once_with_one_of_its_options() {
    for version in BOTH {
        let mut driven = Driven::start(version).await;
        let seq = driven.ask("q", &question(version, "s")).await;
        driven.refuses(409, &json!({"act":"answer","seq":seq,"option":"other"}), "has no such option").await;
        driven.refuses(409, &json!({"act":"answer","seq":1,"option":"yes"}), "not a question").await;
        driven.refuses(409, &json!({"act":"answer","seq":u64::MAX,"option":"yes"}), "not a question").await;
        driven.does(&json!({"act":"answer","seq":seq,"option":"yes"})).await;
        let outcome = json!({"outcome":"selected","optionId":"yes"});
        assert_eq!(driven.next().await, json!({"jsonrpc":"2.0","id":"q","result":{"outcome":outcome}}));
        driven.refuses(409, &json!({"act":"answer","seq":seq,"option":"yes"}), "not a question").await;
    }
}

#[tokio::test]
async fn a_cancelled_turn_withdraws_the_questions_of_its_session_alone() {
    for version in BOTH {
        let mut driven = Driven::start(version).await;
        driven.ask("other", &question(version, "other")).await;
        driven.ask("q", &question(version, "s")).await;
        driven.does(&json!({"act":"cancel","session":"s"})).await;
        assert_eq!(
            driven.next().await,
            json!({"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}})
        );
        let cancelled = driven.next().await;
        assert_eq!(cancelled["result"]["outcome"], json!({"outcome":"cancelled"}));
        driven.does(&json!({"act":"open"})).await;
        assert_eq!(driven.next().await["method"], "session/new", "the other question still waits");
    }
}

#[tokio::test]
async fn a_method_that_the_page_does_not_offer_is_answered_by_an_error() {
    let mut driven = Driven::start(ProtocolVersion::V1).await;
    driven.say(&json!({"jsonrpc":"2.0","id":null,"method":"fs/read_text_file","params":{}})).await;
    let answer = driven.next().await;
    assert_eq!(json!([answer["id"], answer["error"]["code"]]), json!([null, -32601]));
    // Lines that are not requests are only shown.
    for line in ["not JSON", "[]", "{}", "", r#"{"id":1,"result":{}}"#, r#"{"method":"_x"}"#] {
        driven.writer.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }
    driven.say(&json!({"jsonrpc":"2.0","id":"last","method":"_y"})).await;
    assert_eq!(driven.next().await["id"], "last");
}

#[tokio::test]
async fn an_act_that_says_too_little_is_refused() {
    let driven = Driven::start(ProtocolVersion::V1).await;
    for (act, says) in [
        (json!({}), "no `act`"),
        (json!({"act":"dance"}), "must be open, prompt"),
        (json!({"act":"prompt","text":"x"}), "no `session`"),
        (json!({"act":"prompt","session":"s","text":""}), "no `text`"),
        (json!({"act":"answer","option":"x"}), "no `seq`"),
        (json!({"act":"answer","seq":-1}), "no `seq`"),
        (json!([1]), "no `act`"),
    ] {
        driven.refuses(400, &act, says).await;
    }
    driven.refuses(409, &json!({"act":"send","text":"[]"}), "not an object").await;
    driven.refuses(409, &json!({"act":"send","text":"{"}), "not JSON").await;
    driven.refuses(413, &json!({"act":"send","text":"x".repeat(1 << 20)}), "longer than 1 MiB").await;
    assert_eq!(driven.page.get("/api/act").await.status, 405);
}

#[tokio::test]
async fn a_stranger_acts_nowhere() {
    let driven = Driven::start(ProtocolVersion::V1).await;
    let host = &driven.page.host;
    let body = r#"{"act":"open"}"#;
    let length = format!("Content-Length: {}\r\n", body.len());
    let cookie = format!("Cookie: {}\r\n", driven.page.cookie);
    for (head, status) in [
        (format!("Host: {host}\r\nOrigin: http://{host}\r\n"), 401),
        (format!("Host: {host}\r\n{cookie}"), 403),
        (format!("Host: {host}\r\nOrigin: http://example.org\r\n{cookie}"), 403),
        (format!("Host: example.org\r\nOrigin: http://{host}\r\n{cookie}"), 403),
    ] {
        let answer = driven.page.send(&format!("POST /api/act HTTP/1.1\r\n{head}{length}"), body).await;
        assert_eq!(answer.status, status, "{head}");
    }
    // A page that only looks on does not act for its owner either.
    let page = Page::open(turn(1)).await;
    assert_eq!(page.post("/api/act", body).await.status, 404);
}

#[tokio::test]
async fn an_agent_that_ended_gets_no_more_messages() {
    let mut driven = Driven::start(ProtocolVersion::V1).await;
    driven.writer.shutdown().await.unwrap();
    driven.run.await.unwrap().expect("an end is not a failure");
    let answer = driven.page.post("/api/act", r#"{"act":"open"}"#).await;
    assert!(answer.status == 409 && answer.text().contains("the agent has ended"), "{}", answer.text());
}

#[tokio::test]
async fn an_agent_that_asks_and_never_reads_is_given_up() {
    let mut driven = Driven::start(ProtocolVersion::V1).await;
    let question = json!({"jsonrpc":"2.0","id":"x".repeat(1000),"method":"_x"});
    let writer = async {
        // It ends when the other side has given up.
        while driven.writer.write_all(format!("{question}\n").as_bytes()).await.is_ok() {}
    };
    let (ended, ()) = tokio::join!(driven.run, writer);
    let error = ended.unwrap().expect_err("it is given up");
    assert!(error.to_string().contains("does not read"), "{error}");
}

#[tokio::test]
async fn an_answer_that_has_no_room_is_not_lost() {
    for version in BOTH {
        let mut driven = Driven::start(version).await;
        let seq = driven.ask("q", &question(version, "s")).await;
        // The agent reads nothing, until no more fits.
        let filler =
            json!({"act":"send","text":json!({"method":"_n","params":["x".repeat(500)]}).to_string()});
        let mut lines = 0;
        while driven.act(&filler).await.status == 200 {
            lines += 1;
        }
        let answer = json!({"act":"answer","seq":seq,"option":"yes"});
        driven.refuses(409, &answer, "does not read its messages").await;
        for _ in 0..lines {
            assert_eq!(driven.next().await["method"], "_n");
        }
        driven.does(&answer).await;
        assert_eq!(driven.next().await["result"]["outcome"]["optionId"], "yes");
        driven.refuses(409, &answer, "not a question").await;
    }
}

#[tokio::test]
async fn a_cancel_that_has_no_room_for_all_answers_is_done_again() {
    const QUESTIONS: usize = 600;
    for version in BOTH {
        let mut driven = Driven::start(version).await;
        for at in 1..QUESTIONS {
            let params = question(version, "s");
            let asked =
                json!({"jsonrpc":"2.0","id":at,"method":"session/request_permission","params":params});
            driven.say(&asked).await;
        }
        driven.ask("last", &question(version, "s")).await;
        let cancel = json!({"act":"cancel","session":"s"});
        driven.refuses(409, &cancel, "does not read its messages").await;
        let mut ids = Vec::new();
        let mut is_done = false;
        while ids.len() < QUESTIONS {
            is_done = is_done || driven.act(&cancel).await.status == 200;
            let message = timeout(Duration::from_secs(30), driven.next()).await.expect("all are answered");
            if message["result"]["outcome"]["outcome"] == "cancelled" {
                ids.push(message["id"].to_string());
            }
        }
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), QUESTIONS, "each is answered once");
    }
}
