//! TLS: the certificate of the server, those of clients, and the versions of HTTP behind it.

use acp_http::TlsOptions;
use acp_http::server::{ClientCertificate, ListenError, Options, Principal, Refusal, Server, Tls, TlsError};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use super::authority::{Authority, agreed};
use super::http2::Http2;
use super::lab::{INITIALIZE, Lab, soon};

const JSON: &str = "content-type: application/json";
const UPGRADE: [&str; 4] = [
    "connection: upgrade",
    "upgrade: websocket",
    "sec-websocket-version: 13",
    "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
];

#[tokio::test]
async fn rm_h2_02_tls_offers_both_versions_of_http() {
    let authority = Authority::new("ours");
    let lab = Lab::start(Options::new().tls(authority.server())).await;
    // v1-http-03: the client that knows both gets HTTP/2.
    let socket = authority.open(&lab, &["h2", "http/1.1"], None).await.unwrap();
    assert_eq!(agreed(&socket), Some("h2"));
    let mut client = Http2::over(socket, lab.address()).await;
    assert_eq!(client.post(&[], INITIALIZE).await.status, 200);
    for versions in [&["http/1.1"] as &[&str], &[]] {
        let socket = authority.open(&lab, versions, None).await.unwrap();
        assert_eq!(agreed(&socket), versions.first().copied());
        let answer = lab.exchange_over(socket, "POST /acp", &[JSON], INITIALIZE).await;
        assert_eq!(answer.status, 200);
    }
    // rm-h2-03
    let socket = authority.open(&lab, &["http/1.1"], None).await.unwrap();
    let (answer, _) = super::websocket::upgrade_over(socket, &lab, "").await;
    assert!(answer.starts_with("http/1.1 101"), "{answer}");
    // Without TLS there is nothing.
    let mut plain = TcpStream::connect(lab.address()).await.unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut plain, b"GET /acp HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    let _ = soon(plain.read_to_end(&mut answer)).await;
    assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
}

#[tokio::test]
async fn our_client_reaches_it_by_each_way() {
    let authority = Authority::new("ours");
    let lab = Lab::start(Options::new().tls(authority.server())).await;
    let address = lab.address();
    for remote in
        [acp_http::ws(format!("wss://{address}/acp")), acp_http::http(format!("https://{address}/acp"))]
    {
        let trusted = TlsOptions::new().root_certificates(&authority.pem).unwrap();
        let agent = acp_client::connect(remote.clone().tls(trusted)).await.unwrap();
        agent.close().await;
        let other = TlsOptions::new().root_certificates(Authority::new("theirs").pem).unwrap();
        assert!(acp_client::connect(remote.tls(other)).await.is_err());
    }
}

#[tokio::test]
async fn rm_auth_02_a_client_certificate_names_a_principal() {
    let authority = Authority::new("ours");
    let (alice, bob) = (authority.sign("alice", "alice"), authority.sign("bob", "bob"));
    let stranger = Authority::new("theirs").sign("alice", "alice");
    let hook = |parts: &http::request::Parts| {
        let certificate = parts.extensions.get::<ClientCertificate>().ok_or(Refusal::Unauthorized)?;
        assert_eq!(certificate.fingerprint().len(), 64);
        assert!(format!("{certificate:?}").contains(&certificate.fingerprint()));
        match certificate.common_name().as_deref() {
            Some("alice") => Ok(Principal::new("alice")),
            _ => Err(Refusal::Forbidden),
        }
    };
    for is_required in [true, false] {
        let tls = authority.server();
        let tls = match is_required {
            true => tls.require_client_certificate(&authority.pem),
            false => tls.accept_client_certificate(&authority.pem),
        };
        let lab = Lab::start(Options::new().tls(tls.unwrap()).authorize(hook)).await;
        let rows = [
            (Some(&alice), Some(200)),
            (Some(&bob), Some(403)),
            (None, Some(401).filter(|_| !is_required)),
            (Some(&stranger), None),
        ];
        for (own, status) in rows {
            let Ok(mut socket) = authority.open(&lab, &["http/1.1"], own).await else {
                assert_eq!(status, None);
                continue;
            };
            if let Some(status) = status {
                let answer = lab.exchange_over(socket, "POST /acp", &[JSON], INITIALIZE).await;
                assert_eq!(answer.status, status, "{is_required}");
            } else {
                // In TLS 1.3 the server judges after the client believes that it is through.
                assert!(soon(socket.read_u8()).await.is_err(), "{is_required}");
            }
        }
    }
}

/// The client shows its certificate by each way.
#[tokio::test]
async fn our_client_shows_its_certificate() {
    let authority = Authority::new("ours");
    let tls = authority.server().require_client_certificate(&authority.pem).unwrap();
    let lab = Lab::start(Options::new().tls(tls)).await;
    let address = lab.address();
    let (own, stranger) = (authority.sign("alice", "alice"), Authority::new("theirs").sign("alice", "alice"));
    for remote in
        [acp_http::ws(format!("wss://{address}/acp")), acp_http::http(format!("https://{address}/acp"))]
    {
        let trusted = TlsOptions::new().root_certificates(&authority.pem).unwrap();
        let with = |pair: &super::authority::Pair| {
            let tls = trusted.clone().client_certificate(&pair.certificate, &pair.key).unwrap();
            acp_client::connect(remote.clone().tls(tls))
        };
        with(&own).await.unwrap().close().await;
        assert!(with(&stranger).await.is_err());
        assert!(acp_client::connect(remote.clone().tls(trusted.clone())).await.is_err());
        // The key of another certificate.
        let mixed =
            super::authority::Pair { certificate: own.certificate.clone(), key: stranger.key.clone() };
        let error = with(&mixed).await.unwrap_err().to_string();
        assert!(error.contains("the client's certificate is not usable"), "{error}");
    }
    for (certificate, key) in
        [(&String::new(), &own.key), (&own.key, &own.key), (&own.certificate, &own.certificate)]
    {
        assert!(TlsOptions::new().client_certificate(certificate, key).is_err());
    }
}

/// rm-h2-04: over TLS the two sides agree on HTTP/2, and on HTTP/1.1 for a WebSocket.
#[tokio::test]
async fn our_client_agrees_on_a_version_of_http() {
    let authority = Authority::new("ours");
    let lab = Lab::start(Options::new().tls(authority.server()).require_http2()).await;
    let tls = TlsOptions::new().root_certificates(&authority.pem).unwrap();
    let address = lab.address();
    for remote in
        [acp_http::ws(format!("wss://{address}/acp")), acp_http::http(format!("https://{address}/acp"))]
    {
        acp_client::connect(remote.tls(tls.clone())).await.unwrap().close().await;
    }
}

#[tokio::test]
async fn a_certificate_is_replaced() {
    let (first, second) = (Authority::new("first"), Authority::new("second"));
    let tls = first.server();
    let lab = Lab::start(Options::new().tls(tls.clone())).await;
    assert!(second.open(&lab, &[], None).await.is_err());
    let kept = first.open(&lab, &["http/1.1"], None).await.unwrap();
    let pair = second.sign("127.0.0.1", "server");
    tls.replace(&pair.certificate, &pair.key).unwrap();
    assert!(first.open(&lab, &[], None).await.is_err());
    second.open(&lab, &[], None).await.unwrap();
    // One that is not usable changes nothing.
    assert_eq!(tls.replace(&pair.certificate, "").unwrap_err(), TlsError::Key);
    second.open(&lab, &[], None).await.unwrap();
    assert_eq!(lab.exchange_over(kept, "POST /acp", &[JSON], INITIALIZE).await.status, 200);
}

#[tokio::test]
async fn certificates_that_are_not_usable_are_named() {
    let authority = Authority::new("ours");
    let (one, other) = (authority.sign("a", "a"), authority.sign("b", "b"));
    let rows = [
        ("", one.key.as_str(), TlsError::Chain),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", &one.key, TlsError::Chain),
        (&one.certificate, "", TlsError::Key),
        (&one.certificate, &one.certificate, TlsError::Key),
        (&one.certificate, &other.key, TlsError::Mismatch),
    ];
    for (chain, key, expected) in rows {
        let error = Tls::new(chain, key).unwrap_err();
        assert_eq!(error, expected, "{chain}");
        assert!(!error.to_string().is_empty());
    }
    let tls = Tls::new(one.certificate, one.key).unwrap();
    assert!(!format!("{tls:?}").contains("PRIVATE"), "{tls:?}");
    assert_eq!(tls.clone().require_client_certificate("").unwrap_err(), TlsError::Authorities);
    assert_eq!(tls.accept_client_certificate("x").unwrap_err(), TlsError::Authorities);
}

#[tokio::test]
async fn rm_cors_06_tls_may_leave_this_machine() {
    let options = Options::new().tls(Authority::new("ours").server()).open().host("agents.example");
    let server = Server::new(options.clone(), |_, _| std::future::ready(()));
    server.listen("0.0.0.0:0").await.unwrap();
    let options = Options::new().tls(Authority::new("ours").server());
    let server = Server::new(options, |_, _| std::future::ready(()));
    assert!(matches!(server.listen("0.0.0.0:0").await.unwrap_err(), ListenError::Open));
}

#[tokio::test]
async fn require_http2_leaves_one_way_to_http_1() {
    let lab = Lab::start(Options::new().require_http2().health("/health".to_owned())).await;
    for verb in ["POST", "GET", "DELETE", "PUT"] {
        let answer = lab.exchange(&format!("{verb} /acp"), &[JSON], "").await;
        assert_eq!((answer.status, answer.code()), (505, Some(-32600)), "{verb}");
    }
    assert_eq!(lab.exchange("GET /health", &[], "").await.status, 200);
    let socket = TcpStream::connect(lab.address()).await.unwrap();
    let (answer, _) = super::websocket::upgrade_over(socket, &lab, "").await;
    assert!(answer.starts_with("http/1.1 101"), "{answer}");
    // An upgrade that is not one has no way around the switch.
    assert_eq!(lab.exchange("POST /acp", &UPGRADE, INITIALIZE).await.status, 505);
    let mut client = Http2::connect(lab.address()).await;
    assert_eq!(client.post(&[], INITIALIZE).await.status, 200);
}
