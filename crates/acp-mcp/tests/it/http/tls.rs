//! Servers over https, and their certificates.

use std::sync::Arc;

use acp_mcp::{InvalidRootCertificates, McpError, McpSession, ServerStatus, TlsOptions};
use acp_types::v1::McpServer;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::script::Scripted;
use super::{builder, echo, http, sse, status};

/// Signs certificates.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    /// Creates a server with a certificate for a host, valid until the end of a year.
    fn server(&self, host: &str, until: i32) -> TlsAcceptor {
        let mut params = CertificateParams::new([host.to_owned()]).unwrap();
        params.not_after = date_time_ymd(until, 12, 31);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        TlsAcceptor::from(Arc::new(config.with_single_cert(vec![certificate.der().clone()], key).unwrap()))
    }

    fn trusted(&self) -> TlsOptions {
        TlsOptions::new().root_certificates(&self.pem).unwrap()
    }
}

async fn connect(server: McpServer, tls: TlsOptions) -> McpSession {
    builder().tls(tls).connect_all(&[server]).await
}

/// Installs a provider of cryptography, which rustls needs when it has none of its own.
#[cfg(all(feature = "tls-rustls-no-provider", not(feature = "tls-rustls")))]
pub fn install_provider() {
    // Another test may have been first.
    let _ = ring::default_provider().install_default();
}

#[tokio::test]
async fn a_server_is_reached_whose_authority_is_trusted() {
    let authority = Authority::new("ours");
    for (mode, server, expected) in [
        ("modern", http as fn(&str) -> McpServer, "modern 2026-07-28"),
        ("400", http, "legacy 2025-11-25"),
        ("sse", sse, "legacy 2024-11-05"),
    ] {
        let scripted = Scripted::start_tls(mode, authority.server("127.0.0.1", 4000)).await;
        let session = connect(server(&scripted.url), authority.trusted()).await;
        assert_eq!(status(&session), expected, "{mode}");
        assert_eq!(echo(&session).await, r#"{"a":1}"#, "{mode}");
        session.shutdown().await;
    }
}

#[tokio::test]
async fn a_server_that_proves_nothing_is_told_nothing() {
    let authority = Authority::new("ours");
    for (tls, trusted, expected) in [
        (
            authority.server("127.0.0.1", 4000),
            Authority::new("theirs").trusted(),
            "of an authority that is not trusted",
        ),
        (authority.server("example.com", 4000), authority.trusted(), "it is for another host"),
        (authority.server("127.0.0.1", 2001), authority.trusted(), "it has expired"),
    ] {
        for server in [http as fn(&str) -> McpServer, sse] {
            let scripted = Scripted::start_tls("modern", tls.clone()).await;
            let session = connect(server(&scripted.url), trusted.clone()).await;
            let ServerStatus::Failed(failure) = session.servers()[0].status() else { panic!("{expected}") };
            assert!(matches!(failure, McpError::Certificate { .. }), "{expected}: {failure:?}");
            let text = failure.to_string();
            assert!(text.starts_with("the server's certificate is not accepted: "), "{text}");
            // The messages of other libraries differ.
            assert!(cfg!(not(feature = "tls-rustls-no-provider")) || text.contains(expected), "{text}");
            assert!(scripted.exchanges().is_empty());
        }
    }
}

#[tokio::test]
async fn who_does_not_speak_tls_is_not_reached() {
    let server = Scripted::start("modern").await;
    let url = server.url.replace("http:", "https:");
    let session = connect(http(&url), Authority::new("ours").trusted()).await;
    let status = status(&session);
    assert!(
        status.starts_with("failed: the server cannot be reached: ") && !status.contains("scheme"),
        "{status}"
    );
    assert!(server.exchanges().is_empty());
}

#[test]
fn what_is_no_root_certificate_is_refused_at_once() {
    let good = Authority::new("ours").pem;
    let malformed = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let key = KeyPair::generate().unwrap().serialize_pem();
    for (pem, expected) in [
        (String::new(), Err("there is no certificate in it")),
        (key.clone(), Err("there is no certificate in it")),
        ("-----BEGIN CERTIFICATE-----\n%%\n-----END CERTIFICATE-----\n".to_owned(), Err("it is not PEM")),
        (format!("{good}{malformed}"), Err("a certificate in it is malformed")),
        (format!("{good}{key}{good}"), Ok(r"TlsOptions { roots: 2 }")),
    ] {
        let options = TlsOptions::new().root_certificates(&pem);
        let options = options.map(|options| format!("{options:?}"));
        let refused = |error: InvalidRootCertificates| error.to_string();
        let words = |words| format!("the root certificates are not usable: {words}");
        assert_eq!(options.map_err(refused), expected.map(str::to_owned).map_err(words), "{pem}");
    }
}
