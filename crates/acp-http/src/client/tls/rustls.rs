//! TLS by rustls.

use std::error::Error;
use std::sync::Arc;

use reqwest::ClientBuilder;
use rustls::crypto::CryptoProvider;
use rustls::{CertificateError, ClientConfig, RootCertStore};
use rustls_pki_types::CertificateDer;
use rustls_platform_verifier::Verifier;

use super::identity::Identity;

/// Returns the provider that the program has installed, or else ring.
#[cfg(feature = "tls-rustls")]
fn provider() -> Result<Arc<CryptoProvider>, String> {
    let default = || Arc::new(rustls::crypto::ring::default_provider());
    Ok(CryptoProvider::get_default().cloned().unwrap_or_else(default))
}

#[cfg(not(feature = "tls-rustls"))]
fn provider() -> Result<Arc<CryptoProvider>, String> {
    CryptoProvider::get_default().cloned().ok_or_else(|| {
        "the program has installed no provider of cryptography for rustls: it should call \
         `CryptoProvider::install_default` first, or be built with the feature `tls-rustls` of acp-http"
            .to_owned()
    })
}

pub(super) fn check(certificate: &CertificateDer<'static>) -> Result<(), ()> {
    RootCertStore::empty().add(certificate.clone()).map_err(drop)
}

/// Trusts the certificates that the operating system trusts, and `roots`, and shows `identity`.
///
/// reqwest needs a configuration even if nothing is encrypted. In that case it trusts no
/// certificate, and the operating system is not asked.
pub(in crate::client) fn apply(
    client: ClientBuilder,
    roots: &[CertificateDer<'static>],
    identity: Option<&Identity>,
    is_needed: bool,
    offers_two: bool,
) -> Result<ClientBuilder, String> {
    let mut config = config(roots, identity, is_needed)?;
    if offers_two {
        // reqwest leaves a configuration as it is.
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    }
    Ok(client.tls_backend_preconfigured(config))
}

fn config(
    roots: &[CertificateDer<'static>],
    identity: Option<&Identity>,
    is_needed: bool,
) -> Result<ClientConfig, String> {
    let provider = provider()?;
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| error.to_string())?;
    let builder = if is_needed {
        let verifier = Verifier::new_with_extra_roots(roots.iter().cloned(), provider);
        let verifier = verifier.map_err(|error| error.to_string())?;
        // A verifier that does not verify would be dangerous. This one is the verifier of the
        // system.
        builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier))
    } else {
        builder.with_root_certificates(RootCertStore::empty())
    };
    match identity {
        None => Ok(builder.with_no_client_auth()),
        Some(identity) => builder
            .with_client_auth_cert(identity.chain(), identity.key().into())
            .map_err(|error| format!("the client's certificate is not usable: {error}")),
    }
}

pub(super) fn rejection(error: &(dyn Error + 'static)) -> Option<String> {
    let rustls::Error::InvalidCertificate(problem) = error.downcast_ref()? else { return None };
    Some(match problem {
        CertificateError::UnknownIssuer => {
            "it is of an authority that is not trusted here; one of your own goes into \
             `TlsOptions::root_certificates`"
                .to_owned()
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "it has expired".to_owned(),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "it is not valid yet".to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "it is for another host".to_owned()
        }
        other => other.to_string(),
    })
}
