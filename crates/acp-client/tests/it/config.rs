//! Config options of a session: checked before they are sent, and followed as the agent changes
//! them.

use acp_client::Connect;
use acp_client::v1::SessionConfigOption;
use serde_json::{Value, json};

use crate::common::{connected, open, pipe};

fn plain(connect: Connect) -> Connect {
    connect
}

fn select(id: &str, values: &[&str]) -> Value {
    let options: Vec<Value> = values.iter().map(|value| json!({"value": value, "name": value})).collect();
    json!({"id": id, "name": id, "type": "select", "currentValue": values[0], "options": options})
}

fn boolean(id: &str, value: bool) -> Value {
    json!({"id": id, "name": id, "type": "boolean", "currentValue": value})
}

fn names(options: &[SessionConfigOption]) -> Vec<&str> {
    options.iter().map(|option| option.id.as_str()).collect()
}

#[tokio::test]
async fn config_options_are_checked_set_and_followed() {
    let (agent, mut wire) = connected(plain, json!({})).await;
    let grouped = json!({"id": "level", "name": "Level", "type": "select", "currentValue": "low", "options": [
        {"group": "g", "name": "G", "options": [{"value": "low", "name": "L"}, {"value": "high", "name": "H"}]},
    ]});
    let strange = json!({"id": "dial", "name": "Dial", "type": "dial", "currentValue": 5});
    let all = json!([select("model", &["a", "b"]), boolean("web", false), grouped, strange]);
    let session = open(&agent, &mut wire, json!({"sessionId": "s1", "configOptions": all})).await;
    assert_eq!(names(&session.config_options()), ["model", "web", "level", "dial"]);

    // All refusals: `checks::settings`.
    let error = session.set_config_option("speed", "x").await.expect_err("not allowed");
    assert!(matches!(error, acp_client::Error::Argument { field: "configId", .. }), "{error}");
    let sets = [
        ("level", json!({"configId": "level", "value": "high"})),
        ("web", json!({"configId": "web", "type": "boolean", "value": true})),
        ("dial", json!({"configId": "dial", "value": "7"})),
    ];
    for (option, expected) in sets {
        let set = async {
            match option {
                "level" => session.set_config_option("level", "high").await,
                "web" => session.set_config_option("web", true).await,
                other => session.set_config_option(other, "7".to_owned()).await,
            }
        };
        let (set, ()) = tokio::join!(set, async {
            let request = wire.expect("session/set_config_option").await;
            let mut expected = expected;
            expected["sessionId"] = json!("s1");
            assert_eq!(request["params"], expected);
            wire.answer(&request, json!({"configOptions": all})).await;
        });
        assert_eq!(set.expect("set").len(), 4);
    }

    // The agent changes them by itself, and its last word counts.
    let mut set = std::pin::pin!(session.set_config_option("model", "b"));
    let request = tokio::select! {
        _ = &mut set => panic!("nobody has answered"),
        request = wire.expect("session/set_config_option") => request,
    };
    wire.answer(&request, json!({"configOptions": [select("model", &["b"])]})).await;
    let newer = json!({"sessionUpdate": "config_option_update", "configOptions": [select("model", &["z"])]});
    wire.update("s1", newer).await;
    // The answer shows that the client has taken in the update, before anybody looks at the one
    // above.
    wire.call(json!(1), "_unknown", json!(null)).await;
    set.await.expect("set");
    let error = tokio::select! {
        set = session.set_config_option("model", "b") => set.expect_err("no more"),
        message = wire.receive() => panic!("it was sent: {message}"),
    };
    assert!(error.to_string().contains("its values are `z`"), "{error}");
}

#[tokio::test]
async fn a_client_says_that_it_takes_options_that_are_on_or_off() {
    let (transport, mut wire) = pipe();
    let (agent, request) =
        tokio::join!(acp_client::connect(transport).into_future(), wire.initialize(json!({})));
    agent.expect("connected");
    let session = &request["params"]["clientCapabilities"]["session"];
    assert_eq!(session["configOptions"], json!({"boolean": {}}));
}
