//! TLS to the database.

use rustls::ClientConfig;
use rustls_platform_verifier::ConfigVerifierExt as _;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::error::PostgresError;

/// Returns the TLS of all connections. `sslmode` in the URL says if it is used, and it is by
/// default if the server offers it.
pub(crate) fn connector() -> Result<MakeRustlsConnect, PostgresError> {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Another thread may have installed one meanwhile, and that is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
    let config = ClientConfig::with_platform_verifier();
    Ok(MakeRustlsConnect::new(config.map_err(|error| PostgresError::Tls(error.to_string()))?))
}
