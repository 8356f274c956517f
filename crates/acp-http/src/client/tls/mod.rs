//! TLS: the certificates that servers over https must have.

#[cfg(all(feature = "tls-native", not(feature = "tls-rustls-no-provider")))]
mod native;
#[cfg(feature = "tls-rustls-no-provider")]
mod rustls;

mod identity;

use std::error::Error;
use std::fmt;
use std::io;

use reqwest::ClientBuilder;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

use self::identity::Identity;
pub use self::identity::InvalidClientCertificate;
#[cfg(all(feature = "tls-native", not(feature = "tls-rustls-no-provider")))]
use self::native as library;
#[cfg(feature = "tls-rustls-no-provider")]
use self::rustls as library;

/// The certificates that are trusted over https, and the client's own. The default is those that
/// the operating system trusts, and none of its own.
///
/// ```
/// # fn run(file: &[u8]) -> Result<(), acp_http::InvalidRootCertificates> {
/// let tls = acp_http::TlsOptions::new().root_certificates(file)?;
/// let remote = acp_http::ws("wss://agents.example/acp").tls(tls);
/// # Ok(()) }
/// # assert!(run(b"no certificate").is_err());
/// ```
#[derive(Clone, Default)]
pub struct TlsOptions {
    roots: Vec<CertificateDer<'static>>,
    identity: Option<Identity>,
}

impl TlsOptions {
    /// Creates the default options.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Trusts these root certificates as well, such as those of a company's own authority. `pem` is
    /// the content of a PEM file with one or more certificates.
    ///
    /// # Errors
    ///
    /// Fails when `pem` contains something else, or has no certificate.
    pub fn root_certificates(mut self, pem: impl AsRef<[u8]>) -> Result<Self, InvalidRootCertificates> {
        let before = self.roots.len();
        for certificate in CertificateDer::pem_slice_iter(pem.as_ref()) {
            let certificate = certificate.map_err(|_| InvalidRootCertificates("it is not PEM"))?;
            library::check(&certificate)
                .map_err(|()| InvalidRootCertificates("a certificate in it is malformed"))?;
            self.roots.push(certificate);
        }
        if self.roots.len() == before {
            return Err(InvalidRootCertificates("there is no certificate in it"));
        }
        Ok(self)
    }

    /// Shows a certificate to servers that ask for one. `certificate` is the content of a PEM file
    /// with the certificate, and behind it those of its authorities. `key` is the content of a PEM
    /// file with its private key, in the form PKCS #8.
    ///
    /// A key of another certificate is found out when it connects.
    ///
    /// # Errors
    ///
    /// Fails when one of the two is not such a file.
    pub fn client_certificate(
        mut self,
        certificate: impl AsRef<[u8]>,
        key: impl AsRef<[u8]>,
    ) -> Result<Self, InvalidClientCertificate> {
        self.identity = Some(Identity::new(certificate.as_ref(), key.as_ref())?);
        Ok(self)
    }

    /// Sets up a client with the TLS library of this build. If TLS is not needed, the client may
    /// trust no certificate. It may offer HTTP/2.
    pub(in crate::client) fn apply(
        &self,
        client: ClientBuilder,
        is_needed: bool,
        offers_two: bool,
    ) -> Result<ClientBuilder, String> {
        library::apply(client, &self.roots, self.identity.as_ref(), is_needed, offers_two)
    }
}

impl fmt::Debug for TlsOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsOptions").field("roots", &self.roots.len()).finish_non_exhaustive()
    }
}

/// The reason why [`TlsOptions::root_certificates`] refused its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidRootCertificates(&'static str);

impl fmt::Display for InvalidRootCertificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the root certificates are not usable: {}", self.0)
    }
}

impl Error for InvalidRootCertificates {}

/// Returns the reason why the server's certificate was not accepted, if the error is about that.
pub(in crate::client) fn rejection(error: &(dyn Error + 'static)) -> Option<String> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(problem) = library::rejection(error) {
            return Some(problem);
        }
        // The source of an I/O error is the source of the error that it carries, so that error
        // itself is looked at here.
        let carried = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        cause = match carried {
            Some(error) => Some(error),
            None => error.source(),
        };
    }
    None
}
