//! The certificate of a client.

use std::fmt;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use x509_parser::prelude::{FromDer as _, X509Certificate};

/// The certificate that a client has shown, in the extensions of its requests. One of the
/// authorities of [`Tls`](super::Tls) has signed it, and the client has the key.
///
/// ```
/// use acp_http::server::{ClientCertificate, Options, Principal, Refusal};
///
/// let options = Options::new().authorize(|parts| {
///     let certificate = parts.extensions.get::<ClientCertificate>().ok_or(Refusal::Unauthorized)?;
///     match certificate.common_name().as_deref() {
///         Some("alice") => Ok(Principal::new("alice")),
///         _ => Err(Refusal::Forbidden),
///     }
/// });
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ClientCertificate(Arc<[u8]>);

impl ClientCertificate {
    pub(super) fn new(der: &[u8]) -> Self {
        Self(der.into())
    }

    /// Returns the certificate in DER.
    #[must_use]
    pub fn der(&self) -> &[u8] {
        &self.0
    }

    /// Returns the SHA-256 of the certificate, in 64 hexadecimal digits.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        Sha256::digest(&self.0).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns the common name of its subject, if it has exactly one. It is only as good as the
    /// authority that signed it.
    #[must_use]
    pub fn common_name(&self) -> Option<String> {
        let (_, certificate) = X509Certificate::from_der(&self.0).ok()?;
        let mut names = certificate.subject().iter_common_name();
        let name = names.next()?.as_str().ok()?.to_owned();
        names.next().is_none().then_some(name)
    }
}

/// Shows the fingerprint.
impl fmt::Debug for ClientCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ClientCertificate").field(&self.fingerprint()).finish()
    }
}
