//! Downloads: over https only, within limits.

use std::error::Error as _;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::LOCATION;
use reqwest::{Client, Response, Url, redirect};
use rustls::crypto::CryptoProvider;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

/// The number of redirects that are followed at most.
const MOST_REDIRECTS: usize = 5;
/// The time to reach a server.
const TO_CONNECT: Duration = Duration::from_secs(10);

/// The limits of a download.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) bytes: u64,
    /// The longest time in which nothing comes.
    pub(super) pause: Duration,
    /// The longest time of the whole.
    pub(super) whole: Option<Duration>,
}

/// Reads an address. It must be https; http is for servers of this machine. The error is the end of
/// a sentence about it.
pub(super) fn address(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("it must not have a user or a password".to_owned());
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_of_this_machine(&url) => Ok(url),
        _ => Err("it must begin with `https://`".to_owned()),
    }
}

fn is_of_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Downloads a file, and gives its pieces away. The error is the end of a sentence.
pub(super) async fn get(
    url: &Url,
    limits: Limits,
    mut take: impl FnMut(&[u8]) -> io::Result<()>,
) -> Result<(), String> {
    let whole = async {
        let mut answer = answer(url.clone(), limits).await?;
        if answer.content_length().is_some_and(|length| length > limits.bytes) {
            return Err(too_large(limits.bytes));
        }
        let mut room = limits.bytes;
        while let Some(piece) = answer.chunk().await.map_err(causes)? {
            room = room.checked_sub(piece.len() as u64).ok_or_else(|| too_large(limits.bytes))?;
            take(&piece).map_err(|error| error.to_string())?;
        }
        Ok(())
    };
    match limits.whole {
        Some(limit) => tokio::time::timeout(limit, whole)
            .await
            .unwrap_or_else(|_| Err(format!("it took longer than {} seconds", limit.as_secs()))),
        None => whole.await,
    }
}

fn too_large(bytes: u64) -> String {
    format!("it is larger than {bytes} bytes")
}

/// Follows redirects, to https only, and returns the answer with the file.
async fn answer(mut url: Url, limits: Limits) -> Result<Response, String> {
    for _ in 0..=MOST_REDIRECTS {
        let answer = client(&url, limits)?.get(url.clone()).send().await.map_err(causes)?;
        match answer.status().as_u16() {
            200 => return Ok(answer),
            301 | 302 | 303 | 307 | 308 => {
                let target = answer.headers().get(LOCATION).and_then(|target| target.to_str().ok());
                let target = target.and_then(|target| url.join(target).ok());
                let target = target.ok_or("the server redirects to nowhere")?;
                if target.scheme() != "https" {
                    return Err("the server redirects to an address that is not https".to_owned());
                }
                url = target;
            }
            status => return Err(format!("the server answers {status}")),
        }
    }
    Err(format!("the server redirects more than {MOST_REDIRECTS} times"))
}

fn client(url: &Url, limits: Limits) -> Result<Client, String> {
    let client = Client::builder()
        .user_agent(concat!("acp/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(TO_CONNECT)
        .read_timeout(limits.pause)
        .redirect(redirect::Policy::none())
        .referer(false);
    let is_secure = url.scheme() == "https";
    // A proxy has no way to a server of this machine.
    let client = if is_secure { client } else { client.no_proxy() };
    let client = client.tls_backend_preconfigured(tls(is_secure)?);
    client.build().map_err(causes)
}

/// Trusts the certificates that the operating system trusts. It is not asked where nothing is
/// encrypted.
fn tls(is_needed: bool) -> Result<ClientConfig, String> {
    let provider = provider()?;
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| error.to_string())?;
    let mut config = if is_needed {
        let verifier = Verifier::new(provider).map_err(|error| error.to_string())?;
        // This is the verifier of the system: nothing here is less safe than the default.
        builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth()
    } else {
        builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth()
    };
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

#[cfg(feature = "ring")]
#[expect(clippy::unnecessary_wraps, reason = "without ring it can fail")]
fn provider() -> Result<Arc<CryptoProvider>, String> {
    let default = || Arc::new(rustls::crypto::ring::default_provider());
    Ok(CryptoProvider::get_default().cloned().unwrap_or_else(default))
}

#[cfg(not(feature = "ring"))]
fn provider() -> Result<Arc<CryptoProvider>, String> {
    let missing = "this `acp` was built without the feature `ring`, so it has no TLS";
    CryptoProvider::get_default().cloned().ok_or_else(|| missing.to_owned())
}

/// Returns an error with its causes, without the address, which the message has already.
fn causes(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::{Limits, address, get};

    const LIMITS: Limits = Limits { bytes: 10, pause: Duration::from_secs(60), whole: None };

    /// Downloads the answer of a server, which never closes the connection by itself.
    async fn download(answer: &str, limits: Limits) -> Result<String, String> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = address(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        let serve = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = [0; 1024];
            let _ = stream.read(&mut head).await.unwrap();
            stream.write_all(answer.as_bytes()).await.unwrap();
            std::future::pending().await
        };
        let mut bytes = Vec::new();
        let take = |piece: &[u8]| {
            bytes.extend_from_slice(piece);
            Ok(())
        };
        tokio::select! {
            done = get(&url, limits, take) => done?,
            () = serve => {}
        }
        Ok(String::from_utf8(bytes).unwrap())
    }

    #[tokio::test]
    async fn a_download_keeps_to_its_limits() {
        let whole = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789";
        assert_eq!(download(whole, LIMITS).await.unwrap(), "0123456789");
        let told = "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n";
        let untold = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n012345\r\n5\r\n01234\r\n";
        for answer in [told, untold] {
            assert_eq!(download(answer, LIMITS).await.unwrap_err(), "it is larger than 10 bytes");
        }
        let short = Duration::from_millis(50);
        let cut = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01";
        for answer in ["", "HTTP/1.1 200 OK\r\n", cut] {
            let problem = download(answer, Limits { pause: short, ..LIMITS }).await.unwrap_err();
            assert!(problem.contains("timed out"), "{answer}: {problem}");
            let problem = download(answer, Limits { whole: Some(short), ..LIMITS }).await.unwrap_err();
            assert!(problem.contains("it took longer than"), "{answer}: {problem}");
        }
    }

    #[test]
    fn an_address_is_https_or_of_this_machine() {
        for text in
            ["https://list.example/a.json", "http://127.0.0.1:8/a", "http://[::1]:8/a", "http://localhost/a"]
        {
            assert!(address(text).is_ok(), "{text}");
        }
        for text in [
            "http://list.example/a",
            "http://localhost.example/a",
            "http://127.0.0.1.example/a",
            "http://127.0.0.1@list.example/a",
            "https://user@list.example/a",
            "https://user:secret@list.example/a",
            "ftp://list.example/a",
            "file:///etc/passwd",
            "list.json",
            "https://",
        ] {
            assert!(address(text).is_err(), "{text}");
        }
    }
}
