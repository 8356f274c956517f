//! Addresses that a server must not make the client fetch.

use std::net::IpAddr;

use acp_mcp::OAuth;
use serde_json::json;

use super::script::Script;
use super::user::User;
use super::world::World;
use super::{builder, connect, http, status};

const FAILED: &str = "failed: the server was not authorized: ";

#[tokio::test]
async fn a_server_of_this_machine_names_places_of_this_machine_and_of_the_internet() {
    // Addresses of every kind, in every notation.
    for host in [
        "10.255.255.1",
        "192.168.255.1",
        "100.64.0.1",
        "169.254.169.254",
        "0.0.0.0",
        "0xa9fea9fe",
        "[::ffff:10.255.255.1]",
        "[fd00::1]",
        "[fe80::1]",
        "[::]",
    ] {
        for (endpoint, was_asked) in [("token_endpoint", true), ("registration_endpoint", false)] {
            let metadata = json!({ endpoint: format!("http://{host}:9/x") });
            let world = World::start(Script { metadata, ..Script::default() }).await;
            let user = User::default();
            let session = connect(&world, OAuth::new(user.clone())).await;
            let status = status(&session);
            let expected = format!("{FAILED}what is published about it leads to `");
            assert!(status.starts_with(&expected), "{host} as {endpoint}: {status}");
            assert_eq!(!user.pages().is_empty(), was_asked, "{host} as {endpoint}");
            session.shutdown().await;
        }
    }
    let other = "[::1]:9".parse::<std::net::SocketAddr>().unwrap();
    let metadata = json!({ "token_endpoint": format!("http://{other}/x") });
    let world = World::start(Script { metadata, ..Script::default() }).await;
    let status = status(&connect(&world, OAuth::new(User::default())).await);
    let unreachable =
        "the authorization server gave no token: it cannot be reached, or its answer is not valid";
    assert_eq!(status, format!("{FAILED}{unreachable}"), "{other} is asked");
    assert!(matches!(other.ip(), IpAddr::V6(ip) if ip.is_loopback()));
}

#[cfg(feature = "__tls")]
mod https {
    use std::sync::Arc;

    use acp_mcp::{McpSession, TlsOptions};
    use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::crypto::ring;
    use tokio_rustls::rustls::pki_types::PrivateKeyDer;

    use super::*;

    /// Returns the TLS of a server on this machine, and options that trust it.
    fn tls() -> (TlsAcceptor, TlsOptions) {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let trusted = TlsOptions::new().root_certificates(params.self_signed(&key).unwrap().pem()).unwrap();
        let issuer = Issuer::new(params, key);
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &issuer).unwrap().der().clone();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        (TlsAcceptor::from(Arc::new(config.with_single_cert(vec![certificate], key).unwrap())), trusted)
    }

    #[tokio::test]
    async fn a_server_of_https_has_no_issuer_of_http() {
        #[cfg(all(feature = "tls-rustls-no-provider", not(feature = "tls-rustls")))]
        let _ = ring::default_provider().install_default();
        let (acceptor, trusted) = tls();
        // The metadata is correct, but is served from the wrong address.
        let secure = json!({
            "authorization_endpoint": "https://127.0.0.1/authorize",
            "token_endpoint": "https://127.0.0.1/token",
            "registration_endpoint": "https://127.0.0.1/register",
        });
        let world = World::start_with(Script { metadata: secure, ..Script::default() }, Some(acceptor)).await;
        let (user, oauth) = (User::default(), OAuth::new(User::default()));
        let builder: acp_mcp::Builder = builder();
        let session: McpSession =
            builder.tls(trusted).authorization(oauth).connect_all(&[http(&world.url)]).await;
        session.authorized().await;
        let insecure = "the `issuer` of the authorization server is not an https address";
        assert_eq!(status(&session), format!("{FAILED}{insecure}"));
        assert_eq!(user.pages().len(), 0);
        assert_eq!(world.log().iter().filter(|line| !line.contains("401")).count(), 0);
    }
}
