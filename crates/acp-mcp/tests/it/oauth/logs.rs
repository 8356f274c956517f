//! Logs and `Debug` output contain no secrets.

use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex};

use acp_mcp::{CredentialStore as _, OAuth, OAuthClient};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::script::Script;
use super::user::User;
use super::world::World;
use super::{call, connect, status};

/// Everything that is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl Visit for Log {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        writeln!(self.0.lock().unwrap(), "{field}: {value:?}").unwrap();
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut self.clone());
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut self.clone());
    }

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn nothing_secret_is_logged_or_shown() {
    let log = Log::default();
    let _logging = tracing::subscriber::set_default(log.clone());
    let mut shown = String::new();
    for token in [
        json!({}),
        json!({ "error": "invalid_grant", "error_description": true }),
        json!({ "id_token": "access-1-x" }),
    ] {
        let registration = json!({ "client_secret": true });
        let world = World::start(Script { token, registration, ..Script::default() }).await;
        let user = User::default();
        let oauth = OAuth::new(user.clone())
            .client("https://other.example", OAuthClient::new("c").secret("secret-1-x"));
        let session = connect(&world, oauth.clone()).await;
        world.end_tokens();
        let outcome = call(&session).await;
        world.end_all();
        let again = call(&session).await;
        writeln!(
            shown,
            "{oauth:?} {session:?} {} {outcome:?} {again:?} {:?}",
            status(&session),
            user.pages()
        )
        .unwrap();
        let mut events = session.events();
        session.shutdown().await;
        drop(session);
        while let Some(event) = events.next().await {
            writeln!(shown, "{event:?}").unwrap();
        }
        assert!(world.secrets().len() >= 8);
        shown += &log.0.lock().unwrap();
        for secret in world.secrets() {
            assert!(!shown.contains(&secret), "{secret}: {shown}");
        }
    }
    assert!(shown.contains("oauth-authorization-server"), "there is something in the log: {shown}");
    let world = World::start(Script::default()).await;
    let (files, user) = (super::kept::Files::default(), User::default());
    let _session = connect(&world, OAuth::new(user).store(files.clone())).await;
    let kept = files.load(&world.url).await.unwrap();
    let text = serde_json::to_string(&kept).unwrap();
    assert!(text.contains("access-1-") || text.contains("access-"), "a store gets it all");
    assert!(!format!("{kept:?}").contains("access-"));
}
