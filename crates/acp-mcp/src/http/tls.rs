//! TLS by rustls.

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;

/// Trusts whom the operating system trusts; the cryptography is that of the program, or of ring when it has not chosen.
///
/// reqwest wants one also when nothing is going to be encrypted: then it trusts nobody, and the system is not asked.
pub(super) fn config(is_needed: bool) -> Result<ClientConfig, rustls::Error> {
    let provider =
        CryptoProvider::get_default().cloned().unwrap_or_else(|| Arc::new(ring::default_provider()));
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let builder = if is_needed {
        builder.with_platform_verifier()?
    } else {
        builder.with_root_certificates(RootCertStore::empty())
    };
    Ok(builder.with_no_client_auth())
}
