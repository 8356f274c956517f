//! TLS of the listener.

mod acceptor;
mod client_certificate;
mod error;

use std::fmt;
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::server::WebPkiClientVerifier;
use rustls::sign::CertifiedKey;
use rustls::{RootCertStore, ServerConfig};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};

pub(crate) use self::acceptor::Acceptor;
use self::acceptor::Current;
pub use self::client_certificate::ClientCertificate;
pub use self::error::TlsError;

/// The certificate of a server, and the client certificates that it asks for.
///
/// The listener then speaks HTTP/2 and HTTP/1.1 over TLS, as the client chooses. Clones are one
/// certificate. The cryptography is the provider that the program has installed, or else ring
/// (feature `server-tls`).
///
/// ```no_run
/// use acp_http::server::{Options, Tls};
/// # fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let tls = Tls::new(std::fs::read("chain.pem")?, std::fs::read("key.pem")?)?;
/// let options = Options::new().tls(tls.clone()).host("agents.example");
/// // When there is a new certificate:
/// tls.replace(std::fs::read("chain.pem")?, std::fs::read("key.pem")?)?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Tls {
    provider: Arc<CryptoProvider>,
    current: Arc<Current>,
    authorities: RootCertStore,
    requires_certificate: bool,
}

impl Tls {
    /// Creates the settings from PEM: the chain of certificates, with that of the server first, and
    /// its private key (PKCS #8, PKCS #1 or SEC1).
    ///
    /// # Errors
    ///
    /// Fails if one of them is not usable, or they do not belong together.
    pub fn new(chain: impl AsRef<[u8]>, key: impl AsRef<[u8]>) -> Result<Self, TlsError> {
        let provider = provider()?;
        let current = Arc::new(Current::new(certified(chain.as_ref(), key.as_ref(), &provider)?));
        Ok(Self { provider, current, authorities: RootCertStore::empty(), requires_certificate: false })
    }

    /// Replaces the certificate and its key, for sockets that are opened from now on.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new). The old ones then stay.
    pub fn replace(&self, chain: impl AsRef<[u8]>, key: impl AsRef<[u8]>) -> Result<(), TlsError> {
        self.current.set(certified(chain.as_ref(), key.as_ref(), &self.provider)?);
        Ok(())
    }

    /// Asks clients for a certificate that one of these authorities has signed. Clients
    /// without one are not let in.
    ///
    /// The certificate says nothing by itself: [`Options::authorize`](super::Options::authorize)
    /// finds it as a [`ClientCertificate`] in the extensions of a request, and tells whose it is.
    ///
    /// # Errors
    ///
    /// Fails if `pem` is not PEM with certificates of authorities.
    pub fn require_client_certificate(mut self, pem: impl AsRef<[u8]>) -> Result<Self, TlsError> {
        self.trust(pem.as_ref())?;
        self.requires_certificate = true;
        Ok(self)
    }

    /// Asks clients for a certificate, as
    /// [`require_client_certificate`](Self::require_client_certificate) does, and takes those
    /// without one as well. A certificate of another authority is refused.
    ///
    /// # Errors
    ///
    /// Fails if `pem` is not PEM with certificates of authorities.
    pub fn accept_client_certificate(mut self, pem: impl AsRef<[u8]>) -> Result<Self, TlsError> {
        self.trust(pem.as_ref())?;
        Ok(self)
    }

    fn trust(&mut self, pem: &[u8]) -> Result<(), TlsError> {
        for authority in certificates(pem).map_err(|()| TlsError::Authorities)? {
            self.authorities.add(authority).map_err(|_| TlsError::Authorities)?;
        }
        Ok(())
    }

    /// Returns the acceptor of a listener.
    pub(crate) fn acceptor(&self) -> Result<Acceptor, TlsError> {
        let builder = ServerConfig::builder_with_provider(Arc::clone(&self.provider));
        let builder = builder.with_safe_default_protocol_versions().map_err(|_| TlsError::Provider)?;
        let builder = if self.authorities.is_empty() {
            builder.with_no_client_auth()
        } else {
            let (roots, provider) = (Arc::new(self.authorities.clone()), Arc::clone(&self.provider));
            let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider);
            let verifier =
                if self.requires_certificate { verifier } else { verifier.allow_unauthenticated() };
            builder.with_client_cert_verifier(verifier.build().map_err(|_| TlsError::Authorities)?)
        };
        let mut config = builder.with_cert_resolver(Arc::clone(&self.current) as _);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Acceptor::new(config))
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Tls");
        shown.field("authorities", &self.authorities.len());
        shown.field("requires_certificate", &self.requires_certificate).finish_non_exhaustive()
    }
}

/// Returns the provider that the program has installed, or else ring.
#[cfg(feature = "server-tls")]
fn provider() -> Result<Arc<CryptoProvider>, TlsError> {
    let default = || Arc::new(rustls::crypto::ring::default_provider());
    Ok(CryptoProvider::get_default().cloned().unwrap_or_else(default))
}

#[cfg(not(feature = "server-tls"))]
fn provider() -> Result<Arc<CryptoProvider>, TlsError> {
    CryptoProvider::get_default().cloned().ok_or(TlsError::NoProvider)
}

fn certified(chain: &[u8], key: &[u8], provider: &CryptoProvider) -> Result<CertifiedKey, TlsError> {
    let chain = certificates(chain).map_err(|()| TlsError::Chain)?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| TlsError::Key)?;
    CertifiedKey::from_der(chain, key, provider).map_err(|error| match error {
        rustls::Error::InconsistentKeys(_) => TlsError::Mismatch,
        rustls::Error::InvalidCertificate(_) => TlsError::Chain,
        _ => TlsError::Key,
    })
}

/// Reads one certificate or more.
fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, ()> {
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    certificates.ok().filter(|certificates| !certificates.is_empty()).ok_or(())
}
