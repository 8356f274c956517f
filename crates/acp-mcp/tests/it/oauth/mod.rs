//! Servers that want an authorization by OAuth: scripted ones, with two authorization servers.

mod addresses;
mod kept;
mod logs;
mod problems;
mod script;
mod user;
mod world;

use std::time::Duration;

use acp_mcp::{
    AuthorizationError, CallOptions, Implementation, McpError, McpSession, OAuth, OAuthClient, Redirect,
    ServerStatus, Timeouts,
};
use acp_types::v1::{HttpHeader, McpServer, McpServerHttp, McpServerSse};
use serde_json::{Value, json};

use self::script::Script;
use self::user::User;
use self::world::World;

const LONG: Duration = Duration::from_secs(60);
const DOCUMENT: &str = "https://client.example/metadata.json";

fn builder() -> acp_mcp::Builder {
    let timeouts = Timeouts::default().probe(LONG).initialize(LONG).connect(LONG * 2).authorization(LONG);
    McpSession::builder(Implementation::new("tests", "0")).timeouts(timeouts)
}

fn http(url: &str) -> McpServer {
    McpServerHttp::new("web", url, []).into()
}

async fn connect(world: &World, oauth: OAuth) -> McpSession {
    let session = builder().authorization(oauth).connect_all(&[http(&world.url)]).await;
    session.authorized().await;
    session
}

fn status(session: &McpSession) -> String {
    match session.servers()[0].status() {
        ServerStatus::Connected(info) => format!("{} {}", info.era, info.version),
        ServerStatus::Failed(error) => format!("failed: {error}"),
        status => format!("{status:?}"),
    }
}

async fn call(session: &McpSession) -> Result<String, McpError> {
    session.call_tool("web__echo", json!({}), CallOptions::new()).await.map(|outcome| outcome.text())
}

#[tokio::test]
async fn the_authorization_server_is_found_wherever_it_is_published() {
    let script = Script::default;
    for (name, script) in [
        ("the refusal says where", script()),
        ("at a place of its own", Script { resource_path: "/else/where.json", ..script() }),
        ("at the place for the path", Script { points: false, ..script() }),
        (
            "at the place for the whole server",
            Script { points: false, resource_path: "/.well-known/oauth-protected-resource", ..script() },
        ),
        ("as OpenID", Script { metadata_path: "/.well-known/openid-configuration", ..script() }),
        (
            "an issuer with a path",
            Script {
                issuer_path: "/tenant",
                metadata_path: "/.well-known/oauth-authorization-server/tenant",
                ..script()
            },
        ),
        (
            "OpenID with a path",
            Script {
                issuer_path: "/tenant",
                metadata_path: "/tenant/.well-known/openid-configuration",
                ..script()
            },
        ),
    ] {
        let (world, user) = (World::start(script).await, User::default());
        let session = connect(&world, OAuth::new(user.clone())).await;
        assert_eq!(status(&session), "modern 2026-07-28", "{name}");
        assert_eq!(call(&session).await.unwrap(), "done", "{name}");
        let page = &user.pages()[0];
        assert_eq!((page.server.as_str(), page.issuer.as_str()), ("web", &*world.issuer(1)), "{name}");
        let log = [
            "server/discover 401",
            "1 register tests",
            "1 authorize client-of-1",
            "1 token authorization_code client-of-1 none",
            "server/discover",
            "tools/list",
            "tools/call",
        ];
        // A client that looks for the metadata asks the server itself.
        let seen = world.log().into_iter().filter(|line| line != "GET 401");
        assert_eq!(seen.collect::<Vec<_>>(), log, "{name}");
        session.shutdown().await;
    }
}

#[tokio::test]
async fn clients_are_who_they_are_by_what_there_is() {
    let document = || OAuth::new(User::default()).client_metadata_url(DOCUMENT);
    let reads = json!({ "client_id_metadata_document_supported": true });
    let secret = json!({ "client_secret": true });
    let post = json!({ "token_endpoint_auth_methods_supported": ["client_secret_post"] });
    let (none, some) = (json!({}), |issuer: String| {
        document().client(issuer, OAuthClient::new("known").secret("its secret"))
    });
    let world = |metadata: &Value, registration: &Value| {
        World::start(Script {
            metadata: metadata.clone(),
            registration: registration.clone(),
            ..Script::default()
        })
    };
    let named = OAuth::new(User::default()).client_name("An Agent");
    for (name, world, oauth, log) in [
        ("a name", world(&none, &none).await, named, "register An Agent, client-of-1, none"),
        (
            "a document that is read",
            world(&reads, &none).await,
            document(),
            "https://client.example/metadata.json, none",
        ),
        (
            "a document that is not",
            world(&none, &none).await,
            document(),
            "register tests, client-of-1, none",
        ),
        ("a secret", world(&none, &secret).await, document(), "register tests, client-of-1, basic"),
        (
            "a secret in the form",
            world(&post, &secret).await,
            document(),
            "register tests, client-of-1, post",
        ),
    ] {
        let session = connect(&world, oauth).await;
        assert_eq!(who(&world), log, "{name}");
        session.shutdown().await;
    }
    for (name, metadata, slash, log) in [
        ("known", &reads, "", "known, basic"),
        ("known, and a slash more", &reads, "/", "known, basic"),
        ("known in the form", &post, "", "known, post"),
        ("known to another", &none, "x", "register tests, client-of-1, none"),
    ] {
        let world = world(metadata, &none).await;
        let session = connect(&world, some(format!("{}{slash}", world.issuer(1)))).await;
        assert_eq!(who(&world), log, "{name}");
        session.shutdown().await;
    }
}

/// The client that an authorization server was shown.
fn who(world: &World) -> String {
    let log = world.log();
    let words = log.iter().filter_map(|line| {
        let (line, is_page) = (line.strip_prefix("1 ")?, line.contains("authorize"));
        match line.split_once(' ')? {
            ("register", _) => Some(line.to_owned()),
            (_, client) if is_page => Some(client.trim().to_owned()),
            (_, how) => how.rsplit(' ').next().map(str::to_owned),
        }
    });
    words.collect::<Vec<_>>().join(", ")
}

#[tokio::test]
async fn scopes_are_those_that_are_needed() {
    let published = json!({ "scopes_supported": ["read", "list"] });
    let offline = json!({ "scopes_supported": ["read", "offline_access"] });
    let script = |scope, resource: &Value, metadata: &Value| Script {
        scope,
        resource: resource.clone(),
        metadata: metadata.clone(),
        ..Script::default()
    };
    let none = json!({});
    for (name, script, asked) in [
        ("named by the refusal", script(Some("read"), &published, &none), "read"),
        ("published", script(None, &published, &none), "read list"),
        ("nothing is said", script(None, &none, &none), "ours"),
        ("there is a scope for refresh tokens", script(Some("read"), &none, &offline), "read offline_access"),
        ("what others need is not a reason", script(Some("read"), &none, &published), "read"),
    ] {
        let (world, user) = (World::start(script).await, User::default());
        let session = connect(&world, OAuth::new(user.clone()).scopes(["ours"])).await;
        assert_eq!(status(&session), "modern 2026-07-28", "{name}");
        assert_eq!(user.pages()[0].scopes.join(" "), asked, "{name}");
        session.shutdown().await;
    }
}

#[tokio::test]
async fn a_call_that_needs_more_gets_it_on_top_of_what_there_is() {
    let world =
        World::start(Script { scope: Some("read"), call_needs: Some("write"), ..Script::default() }).await;
    let user = User::default();
    let session = connect(&world, OAuth::new(user.clone())).await;
    for _ in 0..2 {
        assert_eq!(call(&session).await.unwrap(), "done");
    }
    let asked: Vec<_> = user.pages().iter().map(|page| page.scopes.join(" ")).collect();
    assert_eq!(asked, ["read", "write read"]);
    session.shutdown().await;
}

#[tokio::test]
async fn a_server_that_never_has_enough_asks_the_user_a_few_times_only() {
    let wants = |scope: &str| Err(AuthorizationError::Scopes { scopes: vec![scope.to_owned()] });
    for (name, script, pages, expected) in [
        (
            "always the same",
            Script {
                scope: Some("all"),
                call_needs: Some("all"),
                token: json!({ "scope": "all" }),
                is_forgetful: true,
                ..Script::default()
            },
            1,
            wants("all"),
        ),
        (
            "always another",
            Script { call_needs: Some("more"), insatiable: true, ..Script::default() },
            4,
            wants("more-12"),
        ),
        (
            "what it does not get",
            Script { call_needs: Some("more"), token: json!({ "scope": "less" }), ..Script::default() },
            4,
            wants("more"),
        ),
    ] {
        let (world, user) = (World::start(script).await, User::default());
        let session = connect(&world, OAuth::new(user.clone())).await;
        let outcome = call(&session).await;
        assert_eq!(outcome, expected.map_err(McpError::from), "{name}");
        assert_eq!(user.pages().len(), pages, "{name}");
        session.shutdown().await;
    }
    // And a server that accepts no token at all.
    let world = World::start(Script { takes_none: true, ..Script::default() }).await;
    let user = User::default();
    let session = connect(&world, OAuth::new(user.clone())).await;
    let expected = "failed: the server was not authorized: the server refuses the token that was made for it";
    assert_eq!((status(&session).as_str(), user.pages().len()), (expected, 1));
}

#[tokio::test]
async fn browsers_come_back_in_more_than_one_way() {
    let world = World::start(Script::default()).await;
    let elsewhere = Redirect::Elsewhere { uri: "https://agent.example/back".to_owned() };
    let user = User::who("paste");
    let session = connect(&world, OAuth::new(user.clone()).redirect(elsewhere)).await;
    assert_eq!(status(&session), "modern 2026-07-28");
    assert_eq!(user.pages()[0].redirect_uri, "https://agent.example/back");
    assert!(!user.pages()[0].returns_here);
    // A user with a browser elsewhere pastes its address.
    let user = User::who("paste");
    let session = connect(&world, OAuth::new(user.clone())).await;
    assert_eq!(status(&session), "modern 2026-07-28");
    assert!(user.pages()[0].redirect_uri.starts_with("http://127.0.0.1:") && user.pages()[0].returns_here);
    // A closure is an authorizer, too.
    let oauth = OAuth::new(|_| async { acp_mcp::AuthorizerAnswer::Declined });
    assert!(status(&connect(&world, oauth).await).contains("the user declined"));
}

#[tokio::test]
async fn one_page_is_shown_however_many_wait_and_nobody_else_waits() {
    let (world, other) = (World::start(Script::default()).await, World::start(Script::default()).await);
    let header = HttpHeader::new("Authorization", "Bearer none");
    let plain: McpServer = McpServerHttp::new("other", &other.url, [header]).into();
    let user = User::who("wait");
    let oauth = OAuth::new(user.clone());
    let mut sessions = Vec::new();
    for _ in 0..3 {
        let servers = [http(&world.url), plain.clone()];
        let session = builder().authorization(oauth.clone()).connect_all(&servers).await;
        // Neither of these waits for the user, and a header of the configuration is all there is
        // for a server.
        assert!(session.tools().await.is_empty());
        assert!(matches!(session.servers()[0].status(), ServerStatus::Authorizing), "{}", status(&session));
        let refused = session.servers()[1].status().failure().cloned();
        assert!(matches!(refused, Some(McpError::AuthRequired { status: 401, .. })), "{refused:?}");
        sessions.push(session);
    }
    user.go_on();
    for session in &sessions {
        session.authorized().await;
        assert_eq!(call(session).await.unwrap(), "done");
    }
    // All tokens end at once.
    world.end_all();
    let calls = futures_util::future::join_all(sessions.iter().map(call));
    let (outcomes, ()) = tokio::join!(calls, async { user.go_on() });
    assert!(outcomes.iter().all(|outcome| outcome.as_deref() == Ok("done")), "{outcomes:?}");
    assert_eq!(user.pages().len(), 2);
    for session in sessions {
        session.shutdown().await;
    }
}

#[tokio::test]
async fn what_is_begun_goes_on_for_whoever_still_waits() {
    let (world, user) = (World::start(Script::default()).await, User::who("wait"));
    let oauth = OAuth::new(user.clone());
    let (first, second) = (builder().authorization(oauth.clone()), builder().authorization(oauth));
    let first = first.connect_all(&[http(&world.url)]).await;
    let second = second.connect_all(&[http(&world.url)]).await;
    first.shutdown().await;
    user.go_on();
    second.authorized().await;
    assert_eq!((status(&second).as_str(), user.pages().len()), ("modern 2026-07-28", 1));
    second.shutdown().await;
}

#[tokio::test]
async fn servers_of_2024_11_05_are_authorized_as_well() {
    let (world, user) = (World::start(Script { is_sse: true, ..Script::default() }).await, User::default());
    let server = McpServerSse::new("web", &world.url, []).into();
    let session = builder().authorization(OAuth::new(user.clone())).connect_all(&[server]).await;
    session.authorized().await;
    assert_eq!((status(&session).as_str(), user.pages().len()), ("legacy 2024-11-05", 1));
    world.end_tokens();
    assert_eq!(call(&session).await.unwrap(), "done");
    assert_eq!(user.pages().len(), 1, "the token was refreshed");
    session.shutdown().await;
}

#[tokio::test]
async fn without_an_authorizer_the_error_says_what_to_do() {
    let world = World::start(Script::default()).await;
    let session = builder().connect_all(&[http(&world.url)]).await;
    let expected = "failed: the server wants credentials (HTTP 401): give it a header `Authorization`, or the \
                    session an authorization by OAuth";
    assert_eq!(status(&session), expected);
    assert_eq!(world.log(), ["server/discover 401"]);
}
