//! Proxies that the environment names. The client of these tests is a process with such an
//! environment, because that of a process is one for all of its tests.

use std::net::SocketAddr;
use std::process::Stdio;

use acp_http::TlsOptions;
use acp_http::server::Options;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use crate::server::authority::Authority;
use crate::server::lab::Lab;

const WAY: &str = "ACP_TEST_WAY";
const URL: &str = "ACP_TEST_URL";
const ROOT: &str = "ACP_TEST_ROOT";

/// A proxy that leads everything to `target`, and tells the head of each request.
async fn proxy(target: SocketAddr) -> (SocketAddr, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (tell, heads) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let tell = tell.clone();
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(client.read_u8().await.unwrap());
                }
                let text = String::from_utf8(head).unwrap();
                let mut server = TcpStream::connect(target).await.unwrap();
                if text.starts_with("CONNECT") {
                    client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.unwrap();
                } else {
                    server.write_all(text.as_bytes()).await.unwrap();
                }
                let _ = tell.send(text);
                let _ = copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
    (address, heads)
}

/// The client: it connects, initializes and closes.
#[tokio::test]
#[ignore = "the other tests of this file run it with an environment"]
async fn client() {
    let (way, url) = (std::env::var(WAY).unwrap(), std::env::var(URL).unwrap());
    let mut remote = if way == "ws" { acp_http::ws(url) } else { acp_http::http(url) };
    if let Ok(root) = std::env::var(ROOT) {
        remote = remote.tls(TlsOptions::new().root_certificates(root).unwrap());
    }
    acp_client::connect(remote.bearer("secret")).await.unwrap().close().await;
}

/// Runs the client with an environment.
async fn run(environment: &[(&str, &str)]) -> bool {
    let mut client = std::process::Command::new(std::env::current_exe().unwrap());
    client.args(["--exact", "client::proxies::client", "--ignored"]);
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] {
        client.env_remove(name).env_remove(name.to_lowercase());
    }
    client.envs(environment.iter().copied()).stdin(Stdio::null());
    tokio::task::spawn_blocking(move || client.output().unwrap().status.success()).await.unwrap()
}

/// A name that nobody but the proxy can find.
const NAME: &str = "agents.invalid";

#[tokio::test]
async fn a_websocket_goes_through_a_tunnel() {
    let lab = Lab::start(Options::new().any_host()).await;
    let (address, mut heads) = proxy(lab.address()).await;
    let (proxy, url) = (format!("http://user:word@{address}"), format!("ws://{NAME}/acp"));
    assert!(run(&[("HTTP_PROXY", &proxy), (WAY, "ws"), (URL, &url)]).await);
    let head = heads.recv().await.unwrap().to_lowercase();
    assert!(head.starts_with("connect agents.invalid:80 http/1.1\r\nhost: agents.invalid:80\r\n"), "{head}");
    // The token is for the server, and the password is for the proxy.
    assert!(head.contains("proxy-authorization: basic dxnlcjp3b3jk") && !head.contains("secret"), "{head}");
}

#[tokio::test]
async fn http_goes_through_the_proxy() {
    let lab = Lab::start(Options::new().any_host()).await;
    let (address, mut heads) = proxy(lab.address()).await;
    let (proxy, url) = (format!("http://{address}"), format!("http://{NAME}/acp"));
    assert!(run(&[("HTTP_PROXY", &proxy), (WAY, "http"), (URL, &url)]).await);
    let head = heads.recv().await.unwrap();
    assert!(head.starts_with("POST http://agents.invalid/acp HTTP/1.1\r\n"), "{head}");
}

#[tokio::test]
async fn tls_goes_through_a_tunnel_by_each_way() {
    let authority = Authority::new("ours");
    let lab = Lab::start(Options::new().any_host().tls(authority.server())).await;
    let (address, mut heads) = proxy(lab.address()).await;
    let (proxy, server) = (format!("http://{address}"), lab.address());
    for way in ["ws", "http"] {
        let url = format!("https://{server}/acp");
        assert!(
            run(&[("HTTPS_PROXY", &proxy), (ROOT, &authority.pem), (WAY, way), (URL, &url)]).await,
            "{way}"
        );
        assert!(heads.recv().await.unwrap().starts_with(&format!("CONNECT {server} ")), "{way}");
    }
}

#[tokio::test]
async fn an_excepted_address_is_reached_without_the_proxy() {
    let lab = Lab::start(Options::new()).await;
    let (address, mut heads) = proxy(lab.address()).await;
    let (proxy, url) = (format!("http://{address}"), format!("http://{}/acp", lab.address()));
    for way in ["ws", "http"] {
        let environment =
            [("HTTP_PROXY", proxy.as_str()), ("NO_PROXY", "127.0.0.1"), (WAY, way), (URL, &url)];
        assert!(run(&environment).await, "{way}");
    }
    assert!(heads.try_recv().is_err());
}

#[tokio::test]
async fn a_tunnel_that_is_refused_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = format!("http://{}", listener.local_addr().unwrap());
    let refuses = tokio::spawn(async move {
        let (mut client, _) = listener.accept().await.unwrap();
        let refusal = b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n";
        let _ = client.read(&mut [0; 1024]).await;
        client.write_all(refusal).await.unwrap();
    });
    let url = format!("ws://{NAME}/acp");
    assert!(!run(&[("HTTP_PROXY", &proxy), (WAY, "ws"), (URL, &url)]).await);
    refuses.await.unwrap();
}
