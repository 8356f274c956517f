//! TLS to the database.

use std::io;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::ConfigVerifierExt as _;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::error::PostgresError;

/// The certificates of the authorities that sign those of databases. Without any, they are those
/// that the operating system trusts.
#[derive(Clone, Default)]
pub(crate) struct Roots(Option<Arc<RootCertStore>>);

impl Roots {
    /// Reads certificates as PEM.
    pub(crate) fn of_pem(pem: &[u8]) -> Result<Self, PostgresError> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(|error| PostgresError::Tls(error.to_string()))?;
            roots.add(certificate).map_err(|error| PostgresError::Tls(error.to_string()))?;
        }
        if roots.is_empty() {
            return Err(PostgresError::Tls("the PEM text has no certificate".to_owned()));
        }
        Ok(Roots(Some(Arc::new(roots))))
    }

    /// Returns the TLS of all connections. `sslmode` in the URL says if it is used, and it is by
    /// default if the server offers it.
    pub(crate) fn connector(&self) -> Result<MakeRustlsConnect, PostgresError> {
        if rustls::crypto::CryptoProvider::get_default().is_none() {
            // Another thread may have installed one meanwhile, and that is as good.
            let _ = rustls::crypto::ring::default_provider().install_default();
        }
        let config = match &self.0 {
            Some(roots) => {
                Ok(ClientConfig::builder().with_root_certificates(Arc::clone(roots)).with_no_client_auth())
            }
            None => ClientConfig::with_platform_verifier(),
        };
        Ok(MakeRustlsConnect::new(config.map_err(|error| PostgresError::Tls(error.to_string()))?))
    }
}

/// Returns the reason if a connection has failed because of TLS. Time does not mend that.
pub(crate) fn refusal(error: &tokio_postgres::Error) -> Option<PostgresError> {
    let source = std::error::Error::source(error)?.downcast_ref::<io::Error>()?;
    let refused = source.get_ref()?.downcast_ref::<rustls::Error>()?;
    Some(PostgresError::Tls(refused.to_string()))
}
