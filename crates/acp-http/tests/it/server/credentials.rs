//! The ways to say who somebody is, and the end of that.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use acp_http::server::{Grant, Options, Principal, Refusal};
use acp_rpc::CancellationToken;
use futures_util::SinkExt;
use tokio_tungstenite::tungstenite::Message;

use super::lab::{INITIALIZE, Lab};
use super::websocket::{close_code, next, upgrade};

const NOTE: &str = r#"{"jsonrpc":"2.0","method":"_note"}"#;

/// Lets `alice` in until the token is cancelled.
fn until(end: &CancellationToken) -> impl Fn(&http::request::Parts) -> Result<Grant, Refusal> + use<> {
    let end = end.clone();
    move |_| match end.is_cancelled() {
        true => Err(Refusal::Unauthorized),
        false => Ok(Grant::new(Principal::new("alice")).revoked_by(end.clone())),
    }
}

#[tokio::test]
async fn rm_auth_04_the_end_of_credentials_ends_streams() {
    let end = CancellationToken::new();
    let mut lab =
        Lab::start(Options::new().authorize(until(&end)).token("new", Principal::new("alice"))).await;
    let id = lab.initialize().await;
    let mut stream = lab.get(&[&id]).await;
    let (_, mut socket) = upgrade(&lab, "").await;
    socket.send(Message::text(INITIALIZE)).await.unwrap();
    assert_eq!(next(&mut socket).await["id"], 0);
    end.cancel();
    assert!(stream.next().await.is_none());
    assert_eq!(close_code(&mut socket).await, 1008);
    lab.until("closed").await;
    // New messages are refused.
    assert_eq!(lab.post(&[&id], NOTE).await.status, 401);
    assert_eq!(lab.get(&[&id]).await.answer.status, 401);
    let (answer, _) = upgrade(&lab, "").await;
    assert!(answer.starts_with("http/1.1 401"), "{answer}");
    // The connection goes on with new credentials of its principal.
    let bearer = "authorization: Bearer new";
    let mut stream = lab.get(&[&id, bearer]).await;
    assert_eq!(lab.post(&[&id, bearer], r#"{"jsonrpc":"2.0","id":1,"method":"_echo"}"#).await.status, 202);
    assert_eq!(stream.next().await.unwrap().1["id"], 1);
}

#[tokio::test]
async fn rm_auth_04_credentials_end_by_the_clock() {
    let hook = |time: Duration| move |_: &_| Ok(Grant::new(Principal::new("alice")).valid_for(time));
    // They are over before they begin.
    let lab = Lab::start(Options::new().authorize(hook(Duration::ZERO))).await;
    assert_eq!(lab.post(&[], INITIALIZE).await.status, 401);
    // They end while a stream is open.
    let long = Options::new().authorize(hook(Duration::MAX));
    let lab = Lab::start(long).await;
    let id = lab.initialize().await;
    assert_eq!(lab.get(&[&id]).await.answer.status, 200);
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let lab = Lab::start(Options::new().authorize(move |_| {
        let grant = Grant::new(Principal::new("alice"));
        // The third request, which opens the stream, has little time.
        Ok(match counted.fetch_add(1, Ordering::Relaxed) {
            1 => grant.valid_for(Duration::from_millis(200)),
            _ => grant,
        })
    }))
    .await;
    let id = lab.initialize().await;
    let mut stream = lab.get(&[&id]).await;
    assert!(stream.next().await.is_none());
    assert_eq!(lab.get(&[&id]).await.answer.status, 200);
}

#[tokio::test]
async fn a_hook_may_wait_and_may_fail() {
    let options = Options::new().authorize_async(|parts| {
        let name = parts.headers.get("x-name").and_then(|name| name.to_str().ok()).map(str::to_owned);
        async move {
            tokio::task::yield_now().await;
            match name.as_deref() {
                None => Err(Refusal::Unauthorized),
                Some("broken") => Err(Refusal::Unavailable),
                Some("banned") => Err(Refusal::Forbidden),
                Some("slow") => std::future::pending().await,
                Some(name) => Ok(Principal::new(name)),
            }
        }
    });
    let lab = Lab::start(options.head_time(Duration::from_millis(100))).await;
    for (name, status) in [("alice", 200), ("banned", 403), ("broken", 503), ("slow", 503)] {
        assert_eq!(lab.post(&[&format!("x-name: {name}")], INITIALIZE).await.status, status, "{name}");
    }
    assert_eq!(lab.post(&[], INITIALIZE).await.status, 401);
}

/// A page of the origin of these tests, with a token.
const PAGE: [&str; 2] = ["origin: https://editor.example", "authorization: Bearer secret"];

fn pages() -> Options {
    let options = Options::new().token("secret", Principal::new("alice")).tickets("/acp/ticket");
    options.origin("https://editor.example").origin("https://other.example")
}

async fn ticket(lab: &Lab) -> String {
    let answer = lab.exchange("POST /acp/ticket", &PAGE, "").await;
    assert_eq!((answer.status, answer.header("cache-control")), (200, Some("no-store")));
    let body: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(body["expiresIn"], 60);
    body["ticket"].as_str().unwrap().to_owned()
}

async fn redeem(lab: &Lab, origin: &str, protocols: &str) -> String {
    upgrade(lab, &format!("{origin}sec-websocket-protocol: {protocols}\r\n")).await.0
}

#[tokio::test]
async fn rm_auth_05_a_page_opens_one_websocket_with_a_ticket() {
    const ORIGIN: &str = "origin: https://editor.example\r\n";
    let seen = Arc::new(Mutex::new(Vec::new()));
    let lab = Lab::start_watched(pages(), {
        let seen = Arc::clone(&seen);
        move |remote| seen.lock().unwrap().push(remote.principal.name().to_owned())
    })
    .await;
    // A browser asks before it sends a token.
    let asked = lab.exchange("OPTIONS /acp/ticket", &PAGE[..1], "").await;
    assert_eq!(asked.status, 204);
    let given = ticket(&lab).await;
    assert_eq!(given.len(), 22);
    let answer = redeem(&lab, ORIGIN, &format!("acp, acp.ticket.{given}")).await;
    assert!(answer.starts_with("http/1.1 101"), "{answer}");
    // rm-ws-04: the answer does not repeat the secret.
    assert!(answer.contains("sec-websocket-protocol: acp\r\n") && !answer.contains("ticket"), "{answer}");
    assert_eq!(*seen.lock().unwrap(), ["alice"]);
    // It is spent.
    let again = redeem(&lab, ORIGIN, &format!("acp, acp.ticket.{given}")).await;
    assert!(again.starts_with("http/1.1 401"), "{again}");
    // It belongs to a page, and a wrong one spends it.
    let given = ticket(&lab).await;
    for origin in ["origin: https://other.example\r\n", "", ORIGIN] {
        let answer = redeem(&lab, origin, &format!("acp, acp.ticket.{given}")).await;
        assert!(answer.starts_with("http/1.1 401"), "{origin}{answer}");
    }
    // Two of them are two stories.
    let (one, two) = (ticket(&lab).await, ticket(&lab).await);
    let answer = redeem(&lab, ORIGIN, &format!("acp, acp.ticket.{one}, acp.ticket.{two}")).await;
    assert!(answer.starts_with("http/1.1 401"), "{answer}");
    // It is for a WebSocket alone.
    let given = ticket(&lab).await;
    let protocol = format!("sec-websocket-protocol: acp.ticket.{given}");
    assert_eq!(lab.post(&[PAGE[0], &protocol], INITIALIZE).await.status, 401);
}

#[tokio::test]
async fn rm_auth_05_tickets_are_given_to_few() {
    let lab = Lab::start(pages().connections_per_principal(2)).await;
    for (head, status) in [(&PAGE[..1], 401), (&["origin: https://evil.example", PAGE[1]], 403)] {
        assert_eq!(lab.exchange("POST /acp/ticket", head, "").await.status, status);
    }
    let answer = lab.exchange("GET /acp/ticket", &PAGE, "").await;
    assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")));
    // As many as connections.
    ticket(&lab).await;
    ticket(&lab).await;
    assert_eq!(lab.exchange("POST /acp/ticket", &PAGE, "").await.status, 429);
    // The time of a ticket.
    let lab = Lab::start(pages().ticket_time(Duration::ZERO)).await;
    let answer = lab.exchange("POST /acp/ticket", &PAGE, "").await;
    let body: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    let protocols = format!("acp, acp.ticket.{}", body["ticket"].as_str().unwrap());
    let answer = redeem(&lab, "origin: https://editor.example\r\n", &protocols).await;
    assert!(answer.starts_with("http/1.1 401"), "{answer}");
    // Without the option neither the path nor the subprotocol exists.
    let options = Options::new().token("secret", Principal::new("alice")).origin("https://editor.example");
    let lab = Lab::start(options).await;
    assert_eq!(lab.exchange("POST /acp/ticket", &PAGE, "").await.status, 404);
}

#[tokio::test]
async fn rm_auth_05_a_ticket_ends_with_the_credentials_it_was_given_for() {
    let end = CancellationToken::new();
    let options = Options::new().tickets("/acp/ticket").origin("https://editor.example");
    let lab = Lab::start(options.authorize(until(&end))).await;
    let given = ticket(&lab).await;
    end.cancel();
    let answer =
        redeem(&lab, "origin: https://editor.example\r\n", &format!("acp, acp.ticket.{given}")).await;
    assert!(answer.starts_with("http/1.1 401"), "{answer}");
}

/// rm-auth-01: a token in the address is not looked at, so nobody gets used to it.
#[tokio::test]
async fn rm_auth_05_a_token_in_the_address_counts_for_nothing() {
    let lab = Lab::start(Options::new().token("secret", Principal::new("alice"))).await;
    let json = ["content-type: application/json"];
    for path in ["/acp?token=secret", "/acp?access_token=secret", "/acp?ticket=secret"] {
        assert_eq!(lab.exchange(&format!("POST {path}"), &json, INITIALIZE).await.status, 401, "{path}");
    }
}
