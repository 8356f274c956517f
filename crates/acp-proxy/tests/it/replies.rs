//! Replies of the vocabulary in version 2: they have the types of version 1, too.

use std::sync::{Arc, Mutex};

use acp_proxy::{Conductor, Next, Proxy, Reply};
use acp_types::v1::{
    LoadSessionRequest, LoadSessionResponse, NewSessionRequest, NewSessionResponse, SessionConfigBoolean,
    SessionConfigOption,
};
use serde_json::json;

use super::common::{end, serve};
use super::vocabulary::start;

/// Replies are seen and written like messages. One that came leaves as it came.
#[tokio::test]
async fn replies_have_the_types_of_version_1() {
    let seen = Arc::<Mutex<Vec<String>>>::default();
    let noted = Arc::clone(&seen);
    let proxy = Proxy::new("p").new_session(move |request: NewSessionRequest, next: Next| {
        let noted = Arc::clone(&noted);
        async move {
            let reply = next.run().await;
            let mut opened: NewSessionResponse = reply.read().unwrap().unwrap();
            noted.lock().unwrap().push(opened.config_options.as_ref().unwrap()[0].id.to_string());
            if request.cwd.as_str() == "/same" {
                return reply;
            }
            opened.session_id = "other".into();
            Reply::of(&opened).into()
        }
    });
    let (mut client, mut agent) = start(proxy).await;
    let option = json!({"configId": "c", "name": "n", "type": "boolean", "currentValue": true});
    for (folder, session) in [("/same", "s"), ("/changed", "other")] {
        client.ask(1, "session/new", json!({"cwd": folder})).await;
        let (id, _) = agent.request("session/new").await;
        agent.answer(&id, json!({"sessionId": "s", "configOptions": [option], "_x": 1})).await;
        let result = client.result(1).await;
        assert_eq!((&result["sessionId"], &result["configOptions"][0]), (&json!(session), &option));
        assert_eq!(result.get("_x").is_some(), folder == "/same");
    }
    assert_eq!(*seen.lock().unwrap(), ["c", "c"]);
}

/// A function that answers in place of the rest does so in both versions.
#[tokio::test]
async fn a_served_request_is_answered_in_both_versions() {
    struct Past;

    #[acp_proxy::proxy(name = "past")]
    impl Past {
        async fn load_session(
            &self,
            request: LoadSessionRequest,
        ) -> Result<LoadSessionResponse, acp_rpc::Error> {
            let option =
                SessionConfigOption::new(request.session_id.as_str(), "n", SessionConfigBoolean::new(true));
            Ok(LoadSessionResponse::new().config_options(vec![option]))
        }
    }

    let (mut client, _agent) = start(Past.into()).await;
    client
        .ask(1, "session/resume", json!({"sessionId": "s", "cwd": "/", "replayFrom": {"type": "start"}}))
        .await;
    assert_eq!(client.result(1).await["configOptions"][0]["configId"], "s");
    let (transport, mut agent) = end();
    let (mut client, _serving) = serve(Conductor::new().proxy(Past.into()).agent(transport));
    super::forwarding::initialized(&mut client, &mut agent).await;
    client.ask(1, "session/load", json!({"sessionId": "s", "cwd": "/", "mcpServers": []})).await;
    assert_eq!(client.result(1).await["configOptions"][0]["id"], "s");
}
