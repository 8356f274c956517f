//! TLS by the library of the operating system. On Linux that is OpenSSL.

use std::error::Error;

use reqwest::{Certificate, ClientBuilder};
use rustls_pki_types::CertificateDer;

use super::identity::Identity;

pub(super) fn check(certificate: &CertificateDer<'static>) -> Result<(), ()> {
    native_tls::Certificate::from_der(certificate).map(drop).map_err(drop)
}

/// Trusts the certificates that the operating system trusts, and `roots`, and shows `identity`.
/// reqwest offers the versions of HTTP itself.
pub(in crate::client) fn apply(
    client: ClientBuilder,
    roots: &[CertificateDer<'static>],
    identity: Option<&Identity>,
    _is_needed: bool,
    _offers_two: bool,
) -> Result<ClientBuilder, String> {
    let roots = roots.iter().map(|root| Certificate::from_der(root)).collect::<Result<Vec<_>, _>>();
    let roots = roots.map_err(|error| error.without_url().to_string())?;
    let client = client.tls_backend_native().tls_certs_merge(roots);
    let Some([certificate, key]) = identity.map(Identity::pem) else { return Ok(client) };
    let identity = reqwest::Identity::from_pkcs8_pem(certificate, key)
        .map_err(|error| format!("the client's certificate is not usable: {}", error.without_url()))?;
    Ok(client.identity(identity))
}

/// Recognises errors by their text: the libraries share no error kinds, but each mentions the
/// certificate.
pub(super) fn rejection(error: &(dyn Error + 'static)) -> Option<String> {
    let text = error.downcast_ref::<native_tls::Error>()?.to_string();
    text.to_ascii_lowercase().contains("certificate").then_some(text)
}
