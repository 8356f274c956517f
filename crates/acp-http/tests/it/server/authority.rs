//! Certificates of these tests, and sockets with TLS.

use std::sync::Arc;

use acp_http::server::Tls;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::lab::{Lab, soon};

/// Signs certificates.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pub(crate) pem: String,
}

/// A certificate and its key, in PEM.
pub(crate) struct Pair {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    /// Signs a certificate of this name.
    pub(crate) fn sign(&self, host: &str, name: &str) -> Pair {
        let mut params = CertificateParams::new([host.to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap().pem();
        Pair { certificate, key: key.serialize_pem() }
    }

    pub(crate) fn server(&self) -> Tls {
        let pair = self.sign("127.0.0.1", "server");
        Tls::new(pair.certificate, pair.key).unwrap()
    }

    /// Opens a socket with TLS. It may fail at the latest when it is used.
    pub(crate) async fn open(
        &self,
        lab: &Lab,
        versions: &[&str],
        own: Option<&Pair>,
    ) -> std::io::Result<TlsStream<TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.pem.as_bytes()).unwrap()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config.with_safe_default_protocol_versions().unwrap().with_root_certificates(roots);
        let mut config = match own {
            None => config.with_no_client_auth(),
            Some(pair) => {
                let chain = vec![CertificateDer::from_pem_slice(pair.certificate.as_bytes()).unwrap()];
                let key = PrivateKeyDer::from_pem_slice(pair.key.as_bytes()).unwrap();
                config.with_client_auth_cert(chain, key).unwrap()
            }
        };
        config.alpn_protocols = versions.iter().map(|version| version.as_bytes().to_vec()).collect();
        let socket = TcpStream::connect(lab.address()).await?;
        let name = "127.0.0.1".try_into().unwrap();
        soon(TlsConnector::from(Arc::new(config)).connect(name, socket)).await
    }
}

/// Returns the version of HTTP that the two sides agreed on.
pub(crate) fn agreed(stream: &TlsStream<TcpStream>) -> Option<&str> {
    stream.get_ref().1.alpn_protocol().map(|version| std::str::from_utf8(version).unwrap())
}
