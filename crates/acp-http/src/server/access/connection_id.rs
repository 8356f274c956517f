//! The id of a connection.

use std::fmt;
use std::sync::Arc;

use http::HeaderValue;

/// The id of a connection: 128 random bits, behind the name of the replica if it has one.
///
/// Whoever has it can read and steer the connection, unless the server authenticates. So neither
/// `Debug` nor `Display` shows it whole.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ConnectionId(Arc<str>);

/// The characters of the random part, six bits each.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// The characters that logs show.
const SHOWN: usize = 6;

impl ConnectionId {
    /// Draws an id. Fails if the system has no random numbers.
    pub(crate) fn random(replica: Option<&str>) -> Option<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).ok()?;
        let mut bits = u128::from_le_bytes(bytes);
        let mut id = replica.map(|replica| format!("{replica}.")).unwrap_or_default();
        // 22 characters of 6 bits have room for 128 bits.
        for _ in 0..22 {
            let index = usize::try_from(bits & 63).unwrap_or_default();
            id.push(ALPHABET.get(index).copied().map_or('-', char::from));
            bits >>= 6;
        }
        Some(Self(id.into()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn header(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.0).ok()
    }
}

/// Shows the first characters of the random part.
impl fmt::Display for ConnectionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let random = self.0.rsplit('.').next().unwrap_or_default();
        write!(f, "{}..", random.get(..SHOWN).unwrap_or_default())
    }
}

impl fmt::Debug for ConnectionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConnectionId({self})")
    }
}
