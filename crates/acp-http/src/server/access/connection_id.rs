//! The id of a connection.

use std::fmt;
use std::sync::Arc;

use http::HeaderValue;

use super::secret;

/// The id of a connection: 128 random bits, behind the name of the replica if it has one.
///
/// Whoever has it can read and steer the connection, unless the server authenticates. So neither
/// `Debug` nor `Display` shows it whole.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ConnectionId(Arc<str>);

/// The characters that logs show.
const SHOWN: usize = 6;

impl ConnectionId {
    /// Draws an id. Fails if the system has no random numbers.
    pub(crate) fn random(replica: Option<&str>) -> Option<Self> {
        let random = secret::draw()?;
        let id = replica.map_or_else(|| random.clone(), |replica| format!("{replica}.{random}"));
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
