//! The reasons why a certificate is not usable.

use std::error::Error;
use std::fmt;

/// The reason why [`Tls`](super::Tls) is not usable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TlsError {
    /// The chain is not PEM with certificates.
    Chain,
    /// The key is not a private key in PEM, or of a kind that the provider does not know.
    Key,
    /// The key does not belong to the certificate.
    Mismatch,
    /// The certificates of authorities are not PEM, or not usable.
    Authorities,
    /// The program has installed no provider of cryptography.
    NoProvider,
    /// The provider cannot speak TLS 1.2 and 1.3.
    Provider,
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Chain => {
                "the chain of certificates is not PEM with certificates, that of the server first"
            }
            Self::Key => "the key is not a private key in PEM of a kind that is known here",
            Self::Mismatch => "the key belongs to another certificate than the first one of the chain",
            Self::Authorities => "the authorities of client certificates are not PEM with certificates",
            Self::NoProvider => {
                "the program has installed no provider of cryptography for rustls: it should call \
                 `CryptoProvider::install_default` first, or be built with the feature `server-tls` of acp-http"
            }
            Self::Provider => "the provider of cryptography cannot speak TLS 1.2 and 1.3",
        })
    }
}

impl Error for TlsError {}
