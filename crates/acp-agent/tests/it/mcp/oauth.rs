//! Servers that require an authorization: the client shows the user the page.

use std::path::Path;

use acp_agent::mcp::OAuth;
use acp_agent::{Mcp, Result, StopReason, Turn, agent};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::mcp::{obey, options, said, session};
use crate::support::Wire;

struct Patient;

#[agent(mcp = options().authorization(OAuth::default()))]
impl Patient {
    async fn prompt(&self, turn: Turn, mcp: Mcp) -> Result<StopReason> {
        mcp.connections().authorized().await;
        obey(&turn, &mcp).await
    }
}

/// Starts an MCP server with an authorization server beside it, and returns its origin. It takes
/// one request for each connection.
async fn server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let place = origin.clone();
    tokio::spawn(async move {
        loop {
            let (mut socket, _) = listener.accept().await.unwrap();
            let (head, body) = request(&mut socket).await;
            let (status, headers, body) = answer(&place, &head, &body);
            let answer = format!(
                "HTTP/1.1 {status}\r\n{headers}Content-Type: application/json\r\nContent-Length: {}\r\n\
                 Connection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = socket.write_all(answer.as_bytes()).await;
        }
    });
    origin
}

async fn request(socket: &mut TcpStream) -> (String, String) {
    let mut text = String::new();
    loop {
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_ascii_lowercase();
            let length = head.split_once("content-length: ").map_or("0", |(_, rest)| rest);
            let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
            if body.len() >= length {
                return (head, body.to_owned());
            }
        }
        let mut bytes = [0; 4096];
        let read = socket.read(&mut bytes).await.unwrap();
        assert!(read > 0, "half a request: {text}");
        text += std::str::from_utf8(&bytes[..read]).unwrap();
    }
}

fn answer(origin: &str, head: &str, body: &str) -> (&'static str, String, String) {
    let path = head.split(' ').nth(1).unwrap();
    let (mut status, mut headers) = ("200 OK", String::new());
    let body = match path {
        "/.well-known/oauth-protected-resource/mcp" => {
            json!({"resource": format!("{origin}/mcp"), "authorization_servers": [origin]})
        }
        "/.well-known/oauth-authorization-server" => json!({
            "issuer": origin, "authorization_endpoint": format!("{origin}/authorize"),
            "token_endpoint": format!("{origin}/token"), "registration_endpoint": format!("{origin}/register"),
            "code_challenge_methods_supported": ["S256"],
        }),
        "/register" => json!({"client_id": "c", "redirect_uris": []}),
        "/token" if body.contains("code=good") => {
            json!({"access_token": "t", "token_type": "Bearer", "expires_in": 3600})
        }
        "/mcp" if head.contains("\r\nauthorization: bearer t\r\n") => {
            let request: Value = serde_json::from_str(body).unwrap();
            json!({"jsonrpc": "2.0", "id": request["id"], "result": result(&request["method"])})
        }
        "/mcp" => {
            status = "401 Unauthorized";
            let pointer = format!("{origin}/.well-known/oauth-protected-resource/mcp");
            headers = format!("WWW-Authenticate: Bearer resource_metadata=\"{pointer}\"\r\n");
            json!({})
        }
        _ => {
            status = "404 Not Found";
            json!({})
        }
    };
    (status, headers, body.to_string())
}

fn result(method: &Value) -> Value {
    match method.as_str().unwrap() {
        "server/discover" => json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "private",
            "capabilities": {"tools": {}},
        }),
        "tools/list" => json!({
            "resultType": "complete", "tools": [{"name": "echo", "inputSchema": {"type": "object"}}], "ttlMs": 0,
            "cacheScope": "private",
        }),
        _ => json!({"content": [{"type": "text", "text": "done"}]}),
    }
}

/// Opens a session with the server. Returns the connection, the session and the server's origin.
async fn open(elicitation: Value) -> (Wire, String, String) {
    let origin = server().await;
    let mut wire = Wire::connect(Patient, json!({"elicitation": elicitation})).await;
    let servers = json!([{"type": "http", "name": "web", "url": format!("{origin}/mcp"), "headers": []}]);
    let session = session(&mut wire, Path::new("/"), servers).await;
    (wire, session, origin)
}

/// Returns the value of a query field in the address of a page. Only colons and slashes are
/// decoded.
fn field(url: &str, name: &str) -> String {
    let (_, query) = url.split_once('?').unwrap();
    let fields = query.split('&').filter_map(|field| field.split_once('='));
    let value = fields.into_iter().find(|(found, _)| *found == name).unwrap().1;
    value.replace("%3A", ":").replace("%2F", "/")
}

#[tokio::test]
async fn the_client_shows_the_page_until_the_browser_is_back() {
    let (mut wire, session, origin) = open(json!({"url": {}})).await;
    let question = wire.asked("elicitation/create").await;
    let params = &question["params"];
    assert_eq!((&params["mode"], &params["sessionId"]), (&json!("url"), &json!(session)));
    assert_eq!(params["message"], format!("The MCP server `web` wants to be authorized at {origin}"));
    let url = params["url"].as_str().unwrap();
    assert!(url.starts_with(&format!("{origin}/authorize?")), "{url}");
    wire.answer(&question, json!({"action": "accept"})).await;
    // The browser returns to the agent.
    let back = format!("{}?code=good&state={}", field(url, "redirect_uri"), field(url, "state"));
    let (place, target) = back.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut browser = TcpStream::connect(place).await.unwrap();
    let request = format!("GET /{target} HTTP/1.1\r\nHost: {place}\r\n\r\n");
    browser.write_all(request.as_bytes()).await.unwrap();
    let done = wire.recv().await;
    assert_eq!(done["method"], "elicitation/complete");
    assert_eq!(done["params"]["elicitationId"], params["elicitationId"]);
    assert_eq!(said(&mut wire, &session, "call web__echo").await, "false done");
}

#[tokio::test]
async fn a_user_who_does_not_want_it_goes_on_without_the_server() {
    let (mut wire, session, _) = open(json!({"url": {}})).await;
    let question = wire.asked("elicitation/create").await;
    wire.answer(&question, json!({"action": "decline"})).await;
    let status = said(&mut wire, &session, "servers").await;
    assert_eq!(status, "web failed: the server was not authorized: the user declined");
}

#[tokio::test]
async fn a_client_that_shows_no_pages_is_not_asked() {
    let (mut wire, session, _) = open(json!({"form": {}})).await;
    let status = said(&mut wire, &session, "servers").await;
    assert_eq!(status, "web failed: the server was not authorized: the page could not be shown to the user");
}
