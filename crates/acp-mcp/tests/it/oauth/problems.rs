//! Authorizations that fail, and their errors.

use std::time::Duration;

use acp_mcp::{OAuth, Redirect, Timeouts};
use serde_json::json;

use super::script::Script;
use super::user::User;
use super::world::World;
use super::{builder, connect, http, status};

const FAILED: &str = "failed: the server was not authorized: ";

/// The error of a server. `ISSUER` stands for the authorization server.
async fn failure(script: Script, user: &User) -> (World, String) {
    let world = World::start(script).await;
    let session = connect(&world, OAuth::new(user.clone())).await;
    let status = status(&session).replace(&world.issuer(1), "ISSUER");
    let failure = status.strip_prefix(FAILED).unwrap_or(&status).to_owned();
    session.shutdown().await;
    (world, failure)
}

#[tokio::test]
async fn nobody_is_sent_to_an_authorization_server_that_is_not_right() {
    let script = Script::default;
    for (script, expected) in [
        (
            Script { points: false, resource_path: "/nowhere", ..script() },
            "it names no authorization server: give it a header `Authorization`",
        ),
        (
            Script { metadata_path: "/nowhere", ..script() },
            "its metadata is not usable: there is none at ISSUER",
        ),
        (
            Script { resource: json!({ "resource": "https://evil.example/mcp" }), ..script() },
            "its metadata is about another resource, `https://evil.example/mcp`",
        ),
        (
            Script { metadata: json!({ "issuer": "https://evil.example" }), ..script() },
            "the authorization server is `ISSUER/`, and `https://evil.example` answered",
        ),
        (
            Script { metadata: json!({ "issuer": null }), ..script() },
            "the authorization server is `ISSUER/`, and the answer names no issuer",
        ),
        (
            Script { metadata: json!({ "code_challenge_methods_supported": ["plain"] }), ..script() },
            "the authorization server does not offer PKCE with S256",
        ),
        (
            Script { metadata: json!({ "authorization_endpoint": "javascript:alert(1)" }), ..script() },
            "the `authorization_endpoint` of the authorization server is not an https address",
        ),
        (
            Script { metadata: json!({ "token_endpoint": "file:///token" }), ..script() },
            "the `token_endpoint` of the authorization server is not an https address",
        ),
        (
            Script { metadata: json!({ "registration_endpoint": null }), ..script() },
            "the authorization server `ISSUER` registers no clients: register one there, and give its id to \
             `OAuth::client`",
        ),
        (
            Script {
                registration: json!({ "error": "invalid_redirect_uri", "error_description": "words of theirs" }),
                ..script()
            },
            "the authorization server did not register a client: invalid_redirect_uri",
        ),
    ] {
        let user = User::default();
        let (world, failure) = failure(script, &user).await;
        assert_eq!(failure, expected);
        assert_eq!(user.pages().len(), 0, "{expected}");
        assert!(world.log().iter().all(|line| !line.contains("token")), "{expected}");
    }
}

#[tokio::test]
async fn what_comes_back_has_to_be_of_this_authorization() {
    let names = json!({ "authorization_response_iss_parameter_supported": true });
    let script = |redirect, names: bool| Script {
        redirect,
        metadata: json!({ "authorization_response_iss_parameter_supported": names }),
        ..Script::default()
    };
    let evil = "the authorization server is `ISSUER`, and `https://evil.example` answered";
    let none = "the authorization server is `ISSUER`, and the answer names no issuer";
    let other = "the browser came back from another authorization";
    let refused = "the authorization server refused with `access_denied`";
    for (script, user, expected) in [
        (script("iss=right", true), User::default(), "modern 2026-07-28"),
        (script("iss=right", false), User::default(), "modern 2026-07-28"),
        (script("", false), User::default(), "modern 2026-07-28"),
        (script("iss=wrong", true), User::default(), evil),
        (script("iss=wrong", false), User::default(), evil),
        (script("", true), User::default(), none),
        (script("error=access_denied", false), User::default(), refused),
        (script("error=access_denied", true), User::default(), none),
        (script("", false), User::who("paste another"), other),
        (script("", false), User::who("paste nonsense"), other),
        (script("", false), User::who("decline"), "the user declined"),
        (script("", false), User::who("away"), "the page could not be shown to the user"),
        (script("", false), User::who("panic"), "the page could not be shown to the user"),
    ] {
        let (world, failure) = failure(script, &user).await;
        assert_eq!(failure, expected, "{names}");
        let is_exchanged = world.log().iter().any(|line| line.contains("token"));
        assert_eq!(is_exchanged, expected.starts_with("modern"), "{expected}");
    }
}

#[tokio::test]
async fn tokens_have_to_be_bearer_tokens() {
    let token = |token| Script { token, ..Script::default() };
    for (script, expected) in [
        (
            token(json!({ "error": "invalid_grant", "error_description": true })),
            "the authorization server gave no token: invalid_grant",
        ),
        (
            token(json!({ "token_type": "DPoP" })),
            "the authorization server gave no token: it is not a bearer token",
        ),
        (
            token(json!({ "access_token": null })),
            "the authorization server gave no token: it cannot be reached, or its answer is not valid",
        ),
    ] {
        let (_, failure) = failure(script, &User::default()).await;
        assert_eq!(failure, expected);
    }
}

#[tokio::test]
async fn users_have_a_time_limit_of_their_own() {
    let world = World::start(Script::default()).await;
    let user = User::who("never");
    let timeouts = Timeouts::default().authorization(Duration::from_millis(300));
    let builder = builder().timeouts(timeouts).authorization(OAuth::new(user.clone()));
    let session = builder.connect_all(&[http(&world.url)]).await;
    session.authorized().await;
    assert_eq!(status(&session), format!("{FAILED}the user did not finish it within 300ms"));
}

#[tokio::test]
async fn a_browser_can_only_come_back_to_where_somebody_is() {
    let world = World::start(Script::default()).await;
    let elsewhere = Redirect::Elsewhere { uri: "https://agent.example/back".to_owned() };
    let session = connect(&world, OAuth::new(User::who("open only")).redirect(elsewhere)).await;
    assert_eq!(status(&session), format!("{FAILED}the page could not be shown to the user"));
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = taken.local_addr().unwrap().port();
    let session = connect(&world, OAuth::new(User::default()).redirect(Redirect::Loopback { port })).await;
    let status = status(&session);
    assert!(
        status.starts_with(&format!("{FAILED}the browser cannot come back to this program: ")),
        "{status}"
    );
}
