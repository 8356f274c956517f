//! Attacks: pages of the web, foreign connections, floods.

use acp_http::server::{ListenError, Options, Principal, Refusal, Server};

use super::lab::{INITIALIZE, Lab};

#[tokio::test]
async fn pages_of_the_web_are_refused_on_every_verb() {
    let lab = Lab::start(Options::new()).await;
    let id = lab.initialize().await;
    let port = lab.address().port();
    let upgrade = ["connection: upgrade", "upgrade: websocket", "sec-websocket-version: 13"];
    let key = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==";
    let rows = [
        ("rm-cors-01", "origin: http://evil.example".to_owned()),
        ("rm-cors-01", format!("origin: http://127.0.0.1:{port}")),
        ("rm-cors-01", "origin: null".to_owned()),
        ("rm-cors-02", format!("host: evil.example:{port}")),
        ("rm-cors-02", "host: localhost:1".to_owned()),
        ("rm-cors-02", "host: localhost".to_owned()),
    ];
    for (rule, line) in &rows {
        for verb in ["GET", "POST", "DELETE", "OPTIONS", "PUT"] {
            let head = [line, id.as_str(), "content-type: application/json", "accept: */*"];
            let answer = lab.exchange(&format!("{verb} /acp"), &head, "").await;
            assert_eq!(answer.status, 403, "{rule}: {verb} {line}");
        }
        let head = [line.as_str(), upgrade[0], upgrade[1], upgrade[2], key];
        assert_eq!(lab.exchange("GET /acp", &head, "").await.status, 403, "{rule}: {line}");
    }
}

#[tokio::test]
async fn rm_cors_04_a_listed_origin_may_use_the_server() {
    let lab = Lab::start(Options::new().origin("https://editor.example")).await;
    let head = ["origin: https://editor.example"];
    let asked = lab.exchange("OPTIONS /acp", &head, "").await;
    assert_eq!(
        (asked.status, asked.header("access-control-allow-origin")),
        (204, Some("https://editor.example"))
    );
    assert!(asked.header("access-control-allow-headers").unwrap().contains("authorization"));
    assert_eq!(asked.header("vary"), Some("origin"));
    let answer = lab.post(&head, INITIALIZE).await;
    assert_eq!(answer.header("access-control-expose-headers"), Some("acp-connection-id, acp-session-id"));
    assert_eq!(lab.post(&["origin: https://other.example"], INITIALIZE).await.status, 403);
}

#[tokio::test]
async fn rm_auth_01_every_request_is_authenticated() {
    let options = Options::new()
        .token("right", Principal::new("alice"))
        .token("second", Principal::new("bob"))
        .token("", Principal::new("nobody"))
        .resource_metadata("https://agents.example/meta")
        .authorize(|parts| match parts.headers.get("x-banned") {
            Some(_) => Err(Refusal::Forbidden),
            None => Err::<Principal, _>(Refusal::Unauthorized),
        });
    let lab = Lab::start(options).await;
    // rm-auth-02
    for wrong in
        ["authorization: Bearer wrong", "authorization: Bearer ", "authorization: Basic right", "x: y"]
    {
        let answer = lab.post(&[wrong], INITIALIZE).await;
        let challenge = answer.header("www-authenticate");
        assert_eq!(
            (answer.status, challenge),
            (401, Some("Bearer resource_metadata=\"https://agents.example/meta\""))
        );
    }
    assert_eq!(lab.post(&["x-banned: 1"], INITIALIZE).await.status, 403);
    // rm-ck-03
    assert_eq!(lab.post(&["cookie: token=right; acp_replica=a"], INITIALIZE).await.status, 401);
    let (alice, bob) = ("authorization: Bearer right", "authorization: bearer second");
    let answer = lab.post(&[alice], INITIALIZE).await;
    let id = format!("acp-connection-id: {}", answer.header("acp-connection-id").unwrap());
    // rm-auth-03: for another principal the connection does not exist.
    for verb in ["POST", "GET", "DELETE"] {
        let line = format!("{verb} /acp");
        let body = if verb == "POST" { r#"{"jsonrpc":"2.0","method":"_x"}"# } else { "" };
        let json = "content-type: application/json";
        let foreign = lab.exchange(&line, &[bob, &id, json], body).await;
        let unknown = lab.exchange(&line, &[bob, "acp-connection-id: no", json], body).await;
        assert_eq!((foreign.status, &foreign.body), (404, &unknown.body), "{verb}");
        assert_eq!(lab.exchange(&line, &[&id, json], body).await.status, 401, "{verb}");
    }
    assert_eq!(lab.exchange("DELETE /acp", &[alice, &id], "").await.status, 202);
}

#[tokio::test]
async fn rm_cors_06_other_addresses_need_to_be_wanted() {
    let rows: [(Options, fn(&ListenError) -> bool); 3] = [
        (Options::new(), |error| matches!(error, ListenError::Insecure)),
        (Options::new().insecure(), |error| matches!(error, ListenError::Open)),
        (Options::new().insecure().open(), |error| matches!(error, ListenError::Hosts)),
    ];
    for (options, is_expected) in rows {
        let server = Server::new(options, |_, _| std::future::ready(()));
        assert!(is_expected(&server.listen("0.0.0.0:0").await.unwrap_err()));
    }
    let options = Options::new().insecure().open().host("agents.example");
    let server = Server::new(options, |_, _| std::future::ready(()));
    assert_ne!(server.listen("0.0.0.0:0").await.unwrap().address().port(), 0);
}

#[tokio::test]
async fn floods_of_connections_meet_a_limit() {
    type Set = fn(Options, usize) -> Options;
    let rows: [(Set, u16); 3] = [
        (Options::connections, 503),
        (Options::connections_per_principal, 429),
        (Options::connections_per_address, 429),
    ];
    for (set, status) in rows {
        let mut lab = Lab::start(set(Options::new(), 1)).await;
        let id = lab.initialize().await;
        let refused = lab.post(&[], INITIALIZE).await;
        assert_eq!((refused.status, refused.header("retry-after")), (status, Some("1")));
        assert_eq!(lab.exchange("DELETE /acp", &[&id], "").await.status, 202);
        lab.until("closed").await;
    }
}

#[tokio::test]
async fn ids_are_not_shown_whole() {
    let (sender, mut shown) = tokio::sync::mpsc::unbounded_channel();
    let server = Server::new(Options::new().token("secret", Principal::new("a")), move |_, remote| {
        let _ = sender.send((format!("{remote:?}"), format!("{}", remote.connection)));
        std::future::pending::<()>()
    });
    assert!(!format!("{server:?}").contains("secret"));
    let listening = server.listen("127.0.0.1:0").await.unwrap();
    let mut socket = tokio::net::TcpStream::connect(listening.address()).await.unwrap();
    let request = format!(
        "POST /acp HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer secret\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{INITIALIZE}",
        listening.address(),
        INITIALIZE.len()
    );
    tokio::io::AsyncWriteExt::write_all(&mut socket, request.as_bytes()).await.unwrap();
    let (debug, display) = super::lab::soon(shown.recv()).await.unwrap();
    assert!(display.len() == 8 && display.ends_with(".."), "{display}");
    assert!(debug.contains(&display) && !debug.contains("secret"), "{debug}");
}
