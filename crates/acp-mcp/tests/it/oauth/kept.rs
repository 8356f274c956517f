//! Credentials: their lifetime, and their store.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use acp_mcp::{CredentialStore, Credentials, McpError, OAuth};
use futures_util::future::{self, BoxFuture, FutureExt as _};
use serde_json::json;

use super::script::Script;
use super::user::User;
use super::world::World;
use super::{builder, call, connect, http, status};

/// Keeps text, as a file would.
#[derive(Clone, Default)]
pub struct Files(Arc<Mutex<HashMap<String, String>>>);

impl CredentialStore for Files {
    fn load<'a>(&'a self, resource: &'a str) -> BoxFuture<'a, Option<Credentials>> {
        let text = self.0.lock().unwrap().get(resource).cloned();
        future::ready(text.map(|text| serde_json::from_str(&text).unwrap())).boxed()
    }

    fn save<'a>(&'a self, resource: &'a str, credentials: Credentials) -> BoxFuture<'a, ()> {
        let text = serde_json::to_string(&credentials).unwrap();
        self.0.lock().unwrap().insert(resource.to_owned(), text);
        future::ready(()).boxed()
    }

    fn remove<'a>(&'a self, resource: &'a str) -> BoxFuture<'a, ()> {
        self.0.lock().unwrap().remove(resource);
        future::ready(()).boxed()
    }
}

#[tokio::test]
async fn a_store_saves_the_user_the_next_visit() {
    let script = Script { registration: json!({ "client_secret": true }), ..Script::default() };
    let (world, files) = (World::start(script).await, Files::default());
    for (before, pages, asks) in [
        ("nothing", 1, "authorization_code"),
        ("all is well", 0, ""),
        ("the token has ended", 0, "refresh_token"),
        ("all has ended", 1, "refresh_token authorization_code"),
    ] {
        match before {
            "the token has ended" => world.end_tokens(),
            "all has ended" => world.end_all(),
            _ => {}
        }
        let user = User::default();
        let oauth = OAuth::new(user.clone()).store(files.clone());
        let session = builder().authorization(oauth).connect_all(&[http(&world.url)]).await;
        if pages == 0 {
            assert_eq!(status(&session), "modern 2026-07-28", "{before}: no user is waited for");
        }
        session.authorized().await;
        assert_eq!(status(&session), "modern 2026-07-28", "{before}");
        assert_eq!(user.pages().len(), pages, "{before}");
        let log = world.log();
        let grants = log.iter().filter(|line| line.contains(" token ")).map(|line| {
            assert!(line.ends_with(" basic"), "{before}: {line}");
            line.split(' ').nth(2).unwrap()
        });
        assert_eq!(grants.collect::<Vec<_>>().join(" "), asks, "{before}");
        session.shutdown().await;
    }
    let kept = files.load(&world.url).await.unwrap();
    assert_eq!((kept.issuer(), kept.client_id()), (&*world.issuer(1), "client-of-1"));
    assert!(kept.expires_at().is_some() && kept.scopes().is_empty(), "{kept:?}");
}

#[tokio::test]
async fn a_token_that_ends_is_exchanged_before_the_server_refuses_it() {
    let world = World::start(Script { token: json!({ "expires_in": 0 }), ..Script::default() }).await;
    let user = User::default();
    let session = connect(&world, OAuth::new(user.clone())).await;
    world.change(|script| script.token = json!({}));
    world.log();
    for _ in 0..2 {
        assert_eq!(call(&session).await.unwrap(), "done");
    }
    assert_eq!(world.log(), ["1 token refresh_token client-of-1 none", "tools/call", "tools/call"]);
    assert_eq!(user.pages().len(), 1);
    session.shutdown().await;
}

#[tokio::test]
async fn a_token_that_the_server_refuses_is_exchanged_and_the_user_asked_only_if_that_is_refused() {
    let world = World::start(Script::default()).await;
    let user = User::default();
    let session = connect(&world, OAuth::new(user.clone())).await;
    world.end_tokens();
    assert_eq!(call(&session).await.unwrap(), "done");
    assert_eq!(user.pages().len(), 1);
    // A server that is not reached is not a reason to ask the user.
    world.end_tokens();
    world.change(|script| script.refresh_status = Some(500));
    let failure = call(&session).await.unwrap_err();
    assert!(matches!(failure, McpError::Authorization(_)), "{failure}");
    assert_eq!(user.pages().len(), 1);
    world.change(|script| script.refresh_status = None);
    assert_eq!(call(&session).await.unwrap(), "done", "it is there again");
    assert_eq!(user.pages().len(), 1);
    world.end_all();
    assert_eq!(call(&session).await.unwrap(), "done");
    assert_eq!(user.pages().len(), 2);
    session.shutdown().await;
}

#[tokio::test]
async fn nothing_of_one_authorization_server_is_shown_to_another() {
    let script = Script { registration: json!({ "client_secret": true }), ..Script::default() };
    let (world, files, user) = (World::start(script).await, Files::default(), User::default());
    let session = connect(&world, OAuth::new(user.clone()).store(files.clone())).await;
    // The server moves.
    world.change(|script| script.issuer = 1);
    world.end_tokens();
    world.log();
    assert_eq!(call(&session).await.unwrap(), "done");
    assert_eq!(
        world.log(),
        [
            "tools/call 401",
            "2 register tests",
            "2 authorize client-of-2",
            "2 token authorization_code  basic",
            "tools/call",
        ]
    );
    assert_eq!(files.load(&world.url).await.unwrap().issuer(), world.issuer(2));
    session.shutdown().await;
    // A later session knows that the stored credentials belong to another authorization server.
    world.change(|script| script.issuer = 0);
    world.end_all();
    let session = connect(&world, OAuth::new(user.clone()).store(files.clone())).await;
    assert_eq!(status(&session), "modern 2026-07-28");
    assert!(world.log().iter().all(|line| !line.contains("refresh_token")));
    session.shutdown().await;
}

#[tokio::test]
async fn what_another_process_has_kept_is_used() {
    let (world, files) = (World::start(Script::default()).await, Files::default());
    let users = [User::default(), User::default()];
    let mut sessions = Vec::new();
    for user in &users {
        sessions.push(connect(&world, OAuth::new(user.clone()).store(files.clone())).await);
    }
    world.end_tokens();
    for session in &sessions {
        assert_eq!(call(session).await.unwrap(), "done");
    }
    let log = world.log();
    assert_eq!(log.iter().filter(|line| line.contains("refresh_token")).count(), 1, "{log:?}");
    assert_eq!(users.map(|user| user.pages().len()), [1, 0]);
}
