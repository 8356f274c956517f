//! The integration tests of this crate, one program: a module per subject.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    unreachable_pub,
    reason = "a test fails by panicking"
)]

mod capabilities;
#[cfg(feature = "sse")]
mod http;
#[cfg(all(feature = "stdio", feature = "sse"))]
mod logged;
#[cfg(all(feature = "tls-rustls-no-provider", not(feature = "tls-rustls")))]
mod no_provider;
#[cfg(all(feature = "oauth", feature = "sse"))]
mod oauth;
#[cfg(feature = "provider")]
mod over_acp;
mod rules;
#[cfg(any(feature = "sse", feature = "provider"))]
mod support;
