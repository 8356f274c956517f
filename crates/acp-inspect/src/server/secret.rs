//! Secrets that this side makes up.

use std::io;

use subtle::ConstantTimeEq;

/// A secret of 256 random bits, as 64 hexadecimal digits.
pub(super) struct Secret(String);

impl Secret {
    /// Draws a secret. Fails if the system has no random numbers.
    pub(super) fn draw() -> io::Result<Self> {
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Returns its text.
    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Compares a text with it, in a time that tells nothing.
    pub(super) fn is(&self, text: &str) -> bool {
        self.0.as_bytes().ct_eq(text.as_bytes()).into()
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}
