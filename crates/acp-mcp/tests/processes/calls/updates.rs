//! Reports of servers: updates of subscribed resources, and changes of lists.

use acp_mcp::{CallOptions, CloseReason, Event, HandlerGuard, McpError, McpSession, ResourceUpdate, Server};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::place::{Binding, Place};

super::cases! {
    updates_come_until_the_last_guard_is_dropped
    a_resource_that_is_refused_is_an_error
    mcp_neg_37_subscriptions_outlive_the_connection
    mcp_neg_51_a_broken_stream_is_opened_again_with_another_id
    a_server_that_is_away_for_a_while_has_refused_nothing
    a_subscription_that_is_lost_is_an_event
    changes_of_lists_reach_handlers_that_come_and_go
    resources_below_one_are_told_of_by_legacy_servers
    who_waits_for_a_server_that_ends_hears_of_it
}

const ERAS: [&str; 2] = ["modern", "legacy"];

async fn call(session: &McpSession, tool: &str, arguments: Value) {
    session.call_tool(&format!("fake__{tool}"), arguments, CallOptions::new()).await.unwrap();
}

/// Ends a process. A server at an address forgets its clients, and refuses the next message.
async fn end(session: &McpSession, binding: Binding) {
    call(session, "end", json!({})).await;
    if binding == Binding::Http {
        call(session, "echo", json!({})).await;
    }
}

type Heard = UnboundedReceiver<ResourceUpdate>;

async fn subscribe(server: &Server, uri: &str) -> Result<(HandlerGuard, Heard), McpError> {
    let (tell, heard) = unbounded_channel();
    let guard = server.on_resource_updated(uri, move |update| drop(tell.send(update.clone()))).await?;
    Ok((guard, heard))
}

async fn next(heard: &mut Heard) -> (String, bool) {
    let update = heard.recv().await.unwrap();
    assert_eq!(update.server, "fake");
    (update.uri, update.after_gap)
}

fn told(uri: &str) -> (String, bool) {
    (uri.to_owned(), false)
}

/// Returns true if the server was told that a resource is not of interest any more.
fn is_ended(messages: &[Value], era: &str) -> bool {
    let ends: &[_] =
        if era == "legacy" { &["resources/unsubscribe"] } else { &["notifications/cancelled", "(closed)"] };
    messages.iter().any(|message| ends.contains(&message["method"].as_str().unwrap_or_default()))
}

async fn updates_come_until_the_last_guard_is_dropped(binding: Binding) {
    for era in ERAS {
        // This is the only subscription, so the end of the stream is its end.
        let capabilities = json!({ "tools": {}, "resources": { "subscribe": true } });
        let place = Place::new(binding, json!({ "era": era, "capabilities": capabilities })).await;
        let (session, server) = place.server().await;
        let (first, mut heard) = subscribe(&server, "x:a").await.unwrap();
        let (second, mut heard_too) = subscribe(&server, "x:a").await.unwrap();
        call(&session, "touch", json!({ "uri": "x:other" })).await;
        call(&session, "touch", json!({ "uri": "x:a" })).await;
        assert_eq!(next(&mut heard).await, told("x:a"), "{era}");
        assert_eq!(next(&mut heard_too).await, told("x:a"), "{era}");
        drop(first);
        call(&session, "touch", json!({ "uri": "x:a" })).await;
        assert_eq!(next(&mut heard_too).await, told("x:a"), "{era}");
        assert_eq!(heard.recv().await, None, "{era}: the handler is gone");
        assert!(!is_ended(&place.messages(), era), "{era}: one is left");
        drop(second);
        place.until(|messages| is_ended(messages, era)).await;
        session.shutdown().await;
    }
}

async fn a_resource_that_is_refused_is_an_error(binding: Binding) {
    for (era, expected) in [
        ("legacy", "the server has no resource `x:no`"),
        (
            "modern",
            "the server's answer to `subscriptions/listen` is not valid: it does not accept the resource",
        ),
    ] {
        let place = Place::new(binding, json!({ "era": era, "refuses": "x:no" })).await;
        let (session, server) = place.server().await;
        let (_guard, mut heard) = subscribe(&server, "x:a").await.unwrap();
        for _ in 0..2 {
            assert_eq!(subscribe(&server, "x:no").await.unwrap_err().to_string(), expected, "{era}");
        }
        // The other subscription goes on.
        call(&session, "touch", json!({ "uri": "x:a" })).await;
        assert_eq!(next(&mut heard).await, told("x:a"), "{era}");
        session.shutdown().await;
    }
}

async fn mcp_neg_37_subscriptions_outlive_the_connection(binding: Binding) {
    for era in ERAS {
        let place = Place::new(binding, json!({ "era": era })).await;
        let (session, server) = place.server().await;
        let (_guard, mut heard) = subscribe(&server, "x:a").await.unwrap();
        let (tell, mut lists) = unbounded_channel();
        server.on_prompts_list_changed(move || tell.send(()).unwrap_or_default()).forget();
        end(&session, binding).await;
        assert_eq!(next(&mut heard).await, ("x:a".to_owned(), true), "{era}: something may be missed");
        lists.recv().await.unwrap();
        call(&session, "touch", json!({ "uri": "x:a" })).await;
        assert_eq!(next(&mut heard).await, told("x:a"), "{era}");
        session.shutdown().await;
    }
}

async fn mcp_neg_51_a_broken_stream_is_opened_again_with_another_id(binding: Binding) {
    let place = Place::new(binding, json!({ "era": "modern" })).await;
    let (session, server) = place.server().await;
    let (_guard, mut heard) = subscribe(&server, "x:a").await.unwrap();
    let before = place.messages();
    let listening = |message: &&Value| message["method"] == "subscriptions/listen";
    let last = before.iter().rfind(listening).unwrap();
    assert_eq!(last["params"]["notifications"]["resourceSubscriptions"], json!(["x:a"]));
    call(&session, "break", json!({})).await;
    assert_eq!(next(&mut heard).await, ("x:a".to_owned(), true));
    call(&session, "touch", json!({ "uri": "x:a" })).await;
    assert_eq!(next(&mut heard).await, told("x:a"));
    let after = place.messages();
    let again = after.iter().rfind(listening).unwrap();
    assert_eq!(again["params"]["notifications"], last["params"]["notifications"]);
    assert!(before.iter().all(|message| message["id"] != again["id"]), "the id is another: {again}");
    if let Some(site) = place.site() {
        assert!(!site.headers("subscriptions/listen").contains_key("last-event-id"), "nothing is resumed");
    }
    session.shutdown().await;
}

async fn a_server_that_is_away_for_a_while_has_refused_nothing(binding: Binding) {
    let place = Place::new(binding, json!({ "era": "modern" })).await;
    let Some(site) = place.site() else { return };
    let (session, server) = place.server().await;
    let (_guard, mut heard) = subscribe(&server, "x:a").await.unwrap();
    let mut events = session.events();
    site.be_away();
    call(&session, "break", json!({})).await;
    assert_eq!(next(&mut heard).await, ("x:a".to_owned(), true));
    // A subscription that is asked for while the server is away is refused.
    site.be_away();
    let error = subscribe(&server, "x:b").await.unwrap_err();
    assert_eq!(error.to_string(), "the server answered with HTTP 503");
    call(&session, "touch", json!({ "uri": "x:a" })).await;
    assert_eq!(next(&mut heard).await, told("x:a"));
    session.shutdown().await;
    drop((server, session));
    while let Some(event) = events.next().await {
        assert!(!matches!(event, Event::SubscriptionLost { .. }), "{event:?}");
    }
}

async fn a_subscription_that_is_lost_is_an_event(binding: Binding) {
    for era in ERAS {
        let place = Place::new(binding, json!({ "era": era, "refuses-then": "x:b" })).await;
        let (session, server) = place.server().await;
        let (_one, mut heard) = subscribe(&server, "x:a").await.unwrap();
        let (_other, mut lost) = subscribe(&server, "x:b").await.unwrap();
        let mut events = session.events();
        end(&session, binding).await;
        assert_eq!(next(&mut heard).await, ("x:a".to_owned(), true), "{era}");
        let uri = loop {
            match events.next().await.unwrap() {
                Event::SubscriptionLost { uri, .. } => break uri,
                _ => continue,
            }
        };
        assert_eq!(uri, "x:b", "{era}");
        assert!(lost.try_recv().is_err(), "{era}");
        session.shutdown().await;
    }
}

async fn changes_of_lists_reach_handlers_that_come_and_go(binding: Binding) {
    for era in ERAS {
        let place = Place::new(binding, json!({ "era": era })).await;
        let (session, server) = place.server().await;
        if era == "modern" {
            place
                .until(|messages| messages.iter().any(|message| message["method"] == "subscriptions/listen"))
                .await;
        }
        for list in ["tools", "prompts", "resources"] {
            let (tell, mut heard) = unbounded_channel();
            let handler = move || tell.send(()).unwrap_or_default();
            let guard = match list {
                "tools" => server.on_tools_list_changed(handler),
                "prompts" => server.on_prompts_list_changed(handler),
                _ => server.on_resources_list_changed(handler),
            };
            call(&session, "change", json!({ "list": list })).await;
            heard.recv().await.unwrap();
            drop(guard);
            assert_eq!(heard.recv().await, None, "{era} {list}: the handler is gone");
        }
        session.shutdown().await;
    }
}

async fn resources_below_one_are_told_of_by_legacy_servers(binding: Binding) {
    let place = Place::new(binding, json!({ "era": "legacy" })).await;
    let (session, server) = place.server().await;
    let (_guard, mut heard) = subscribe(&server, "x:a").await.unwrap();
    call(&session, "touch", json!({ "uri": "x:ab" })).await;
    call(&session, "touch", json!({ "uri": "x:a/b" })).await;
    assert_eq!(next(&mut heard).await, told("x:a/b"));
    session.shutdown().await;
}

/// Row 18 of the features of the C# SDK: an end with a reason.
async fn who_waits_for_a_server_that_ends_hears_of_it(binding: Binding) {
    let place = Place::new(binding, json!({ "era": "legacy" })).await;
    let (session, server) = place.server().await;
    let closing = tokio::spawn({
        let server = server.clone();
        async move { server.closed().await }
    });
    session.shutdown().await;
    assert_eq!(closing.await.unwrap(), CloseReason::Shutdown);
    if binding == Binding::Stdio {
        let session = place.builder().restarts(0).connect_all(&[place.entry()]).await;
        session.tools().await;
        call(&session, "end", json!({})).await;
        let reason = session.servers()[0].closed().await;
        assert!(
            matches!(&reason, CloseReason::Failed(McpError::Exited { status: Some(7), .. })),
            "{reason:?}"
        );
    }
}
