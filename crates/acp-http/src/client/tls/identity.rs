//! The certificate that a client shows, and its key.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivatePkcs8KeyDer};

/// A certificate with those of its authorities, and its key.
#[derive(Clone)]
pub(super) struct Identity(Arc<Parts>);

struct Parts {
    #[cfg(feature = "tls-rustls-no-provider")]
    chain: Vec<CertificateDer<'static>>,
    #[cfg(feature = "tls-rustls-no-provider")]
    key: PrivatePkcs8KeyDer<'static>,
    #[cfg(all(feature = "tls-native", not(feature = "tls-rustls-no-provider")))]
    pem: [Vec<u8>; 2],
}

impl Identity {
    pub(super) fn new(certificate: &[u8], key: &[u8]) -> Result<Self, InvalidClientCertificate> {
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(certificate).collect();
        let chain = chain.map_err(|_| InvalidClientCertificate("the certificate is not PEM"))?;
        if chain.is_empty() {
            return Err(InvalidClientCertificate("there is no certificate in it"));
        }
        for certificate in &chain {
            super::library::check(certificate)
                .map_err(|()| InvalidClientCertificate("a certificate in it is malformed"))?;
        }
        let parsed = PrivatePkcs8KeyDer::from_pem_slice(key)
            .map_err(|_| InvalidClientCertificate("the key is not PEM of PKCS #8"))?;
        let parts = Parts {
            #[cfg(feature = "tls-rustls-no-provider")]
            chain,
            #[cfg(feature = "tls-rustls-no-provider")]
            key: parsed,
            #[cfg(all(feature = "tls-native", not(feature = "tls-rustls-no-provider")))]
            pem: [certificate.to_vec(), key.to_vec()],
        };
        #[cfg(not(feature = "tls-rustls-no-provider"))]
        drop(parsed);
        Ok(Self(Arc::new(parts)))
    }

    #[cfg(feature = "tls-rustls-no-provider")]
    pub(super) fn chain(&self) -> Vec<CertificateDer<'static>> {
        self.0.chain.clone()
    }

    #[cfg(feature = "tls-rustls-no-provider")]
    pub(super) fn key(&self) -> PrivatePkcs8KeyDer<'static> {
        self.0.key.clone_key()
    }

    /// Returns certificate and key in PEM.
    #[cfg(all(feature = "tls-native", not(feature = "tls-rustls-no-provider")))]
    pub(super) fn pem(&self) -> &[Vec<u8>; 2] {
        &self.0.pem
    }
}

/// The reason why [`TlsOptions::client_certificate`](super::TlsOptions::client_certificate) refused
/// its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidClientCertificate(&'static str);

impl fmt::Display for InvalidClientCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the client's certificate is not usable: {}", self.0)
    }
}

impl Error for InvalidClientCertificate {}
