//! Web pages that a server wants the user to visit.

use std::fmt;

/// Why a web page was not visited, or to no avail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotVisited {
    /// The session has no [`Elicitation`](crate::Elicitation) that asks by web pages.
    NobodyAsks,
    /// The user was asked, and did not agree.
    Declined,
    /// The user agreed, several times, and the server wants more.
    NotEnough,
}

/// A web page that a legacy server wants the user to visit.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UrlElicitation {
    /// The server's id of it.
    pub id: String,
    /// The address. It may hold credentials: neither `Debug` nor the message of an error shows more than
    /// [the place](Self::place).
    pub url: String,
    /// The server's words about it.
    pub message: String,
}

impl UrlElicitation {
    /// Scheme, host and port of the address: what a user should look at before agreeing.
    #[must_use]
    pub fn place(&self) -> &str {
        let Some(scheme) = self.url.find("://") else { return "somewhere" };
        let host = self.url.get(scheme + 3..).unwrap_or_default();
        let length = host.find(['/', '?', '#', '\\']).unwrap_or(host.len());
        // A user name and password before the host are not for showing, and would pass for one.
        if host.get(..length).is_none_or(|host| host.is_empty() || host.contains('@')) {
            return "somewhere";
        }
        self.url.get(..scheme + 3 + length).unwrap_or("somewhere")
    }
}

impl fmt::Debug for UrlElicitation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place();
        f.debug_struct("UrlElicitation")
            .field("place", &place)
            .field("message", &self.message)
            .finish_non_exhaustive()
    }
}
