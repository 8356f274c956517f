//! Legacy servers that answer only after the user has visited web pages: -32042.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use acp_mcp::{
    CallOptions, ElicitMode, ElicitRequest, Elicitation, ElicitationModes, McpError, McpSession, NotVisited,
};
use acp_types::v1::{ElicitationAcceptAction, ElicitationAction};
use serde_json::{Value, json};

use super::lists::{contents, prompt, words};
use super::place::{Binding, Place};

super::cases! {
    a_call_is_made_again_once_the_user_agreed
    prompts_and_resources_depend_on_the_user_as_well
    whoever_is_not_asked_or_declines_is_told_what_was_wanted
    a_server_that_is_never_content_is_given_up
    mcp_neg_15_the_code_means_nothing_from_a_modern_server
}

/// Agrees or declines, and remembers the questions.
#[derive(Clone)]
struct User {
    agrees: bool,
    modes: ElicitationModes,
    asked: Arc<Mutex<Vec<ElicitRequest>>>,
}

impl User {
    fn new(agrees: bool, modes: ElicitationModes) -> Self {
        Self { agrees, modes, asked: Arc::default() }
    }

    fn asked(&self) -> Vec<ElicitRequest> {
        self.asked.lock().unwrap().clone()
    }
}

impl Elicitation for User {
    fn modes(&self) -> ElicitationModes {
        self.modes
    }

    fn elicit(&self, request: ElicitRequest) -> futures_util::future::BoxFuture<'_, ElicitationAction> {
        self.asked.lock().unwrap().push(request);
        let accept = ElicitationAction::Accept(ElicitationAcceptAction::new());
        Box::pin(async { if self.agrees { accept } else { ElicitationAction::Decline } })
    }
}

const URLS: ElicitationModes = ElicitationModes::new(false, true);

async fn connect(place: &Place, user: &User) -> McpSession {
    let session = place.builder().elicitation(user.clone()).connect_all(&[place.entry()]).await;
    session.tools().await;
    session
}

async fn login(session: &McpSession) -> Result<String, McpError> {
    let options = CallOptions::new().tool_call("call_1");
    session.call_tool("fake__login", Value::Null, options).await.map(|outcome| outcome.text())
}

async fn a_call_is_made_again_once_the_user_agreed(binding: Binding) {
    // The session waits until the server reports that it is done. Without a report it waits for the
    // time limit.
    for (done, consent) in [(true, Duration::from_secs(600)), (false, Duration::from_millis(10))] {
        for times in 1..=3 {
            let config = json!({ "era": "legacy", "login": { "times": times, "done": done } });
            let mut place = Place::new(binding, config).await;
            place.timeouts = place.timeouts.clone().consent(consent);
            let user = User::new(true, URLS);
            let session = connect(&place, &user).await;
            assert_eq!(login(&session).await.unwrap(), "logged in", "{done} {times}");
            let asked = user.asked();
            assert_eq!((asked.len(), place.count("tools/call")), (times, times + 1), "{done}");
            let last = asked.last().unwrap();
            assert_eq!(
                (last.server.as_str(), last.message.as_str(), last.tool_call.clone().unwrap().to_string()),
                ("fake", "Log in", "call_1".to_owned())
            );
            let url = format!("https://login.example/{times}?token=secret");
            assert_eq!(last.mode, ElicitMode::Url { url, id: times.to_string() });
            session.shutdown().await;
        }
    }
}

async fn prompts_and_resources_depend_on_the_user_as_well(binding: Binding) {
    let place = Place::new(binding, json!({ "era": "legacy", "login": { "times": 1, "done": true } })).await;
    let session = connect(&place, &User::new(true, URLS)).await;
    let server = session.server("fake").unwrap();
    assert_eq!(words(&server.get_prompt(prompt("login")).await.unwrap()), "world");
    session.shutdown().await;
    let place = Place::new(binding, json!({ "era": "legacy", "login": { "times": 1, "done": true } })).await;
    let session = connect(&place, &User::new(true, URLS)).await;
    let server = session.server("fake").unwrap();
    assert_eq!(contents(&server.read_resource("x:login").await.unwrap()), "the text of x:login");
    session.shutdown().await;
}

async fn whoever_is_not_asked_or_declines_is_told_what_was_wanted(binding: Binding) {
    let wanted =
        "the server answers `tools/call` only after the user has visited https://login.example (Log in)";
    for (user, asked, why) in [
        (None, 0, "no handler asks the user to"),
        (Some(User::new(true, ElicitationModes::new(true, false))), 0, "no handler asks the user to"),
        (Some(User::new(false, URLS)), 1, "the user declined"),
    ] {
        let place = Place::new(binding, json!({ "era": "legacy", "login": { "times": 1 } })).await;
        let session = match &user {
            Some(user) => connect(&place, user).await,
            None => place.server().await.0,
        };
        let error = login(&session).await.unwrap_err();
        assert_eq!(error.to_string(), format!("{wanted}; {why}"));
        assert!(!format!("{error:?}").contains("secret"), "{error:?}");
        let McpError::UrlElicitationRequired { elicitations, reason, .. } = error else { panic!("{error}") };
        assert_eq!(elicitations[0].url, "https://login.example/1?token=secret");
        assert_eq!(elicitations[0].place(), "https://login.example");
        assert_eq!(reason == NotVisited::Declined, asked == 1);
        assert_eq!((user.map_or(0, |user| user.asked().len()), place.count("tools/call")), (asked, 1));
        session.shutdown().await;
    }
}

async fn a_server_that_is_never_content_is_given_up(binding: Binding) {
    let place =
        Place::new(binding, json!({ "era": "legacy", "login": { "times": 100, "done": true } })).await;
    let user = User::new(true, URLS);
    let session = connect(&place, &user).await;
    let error = login(&session).await.unwrap_err();
    assert!(error.to_string().ends_with("; the user agreed, and the server refused again"), "{error}");
    assert_eq!((user.asked().len(), place.count("tools/call")), (3, 4));
    session.shutdown().await;
}

async fn mcp_neg_15_the_code_means_nothing_from_a_modern_server(binding: Binding) {
    let place = Place::new(binding, json!({ "era": "modern", "login": { "times": 1, "done": true } })).await;
    let user = User::new(true, ElicitationModes::new(true, true));
    let session = connect(&place, &user).await;
    let error = login(&session).await.unwrap_err();
    assert_eq!(error.to_string(), "the server answered `tools/call` with error -32042: scripted");
    assert_eq!((user.asked(), place.count("tools/call")), (vec![], 1));
    session.shutdown().await;
}
