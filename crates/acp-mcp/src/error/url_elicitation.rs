//! Web pages that a server wants the user to visit.

use std::fmt;

/// The reason why a web page was not visited, or why the visit did not help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotVisited {
    /// The session has no [`Elicitation`](crate::Elicitation) that can show web pages.
    NobodyAsks,
    /// The user was asked and did not agree.
    Declined,
    /// The user agreed several times, and the server still wants more.
    NotEnough,
}

/// A web page that a legacy server wants the user to visit.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UrlElicitation {
    /// The server's id of the page.
    pub id: String,
    /// The address. It may contain credentials, so `Debug` and error messages show only
    /// [the place](Self::place).
    pub url: String,
    /// The server's words about the page.
    pub message: String,
}

impl UrlElicitation {
    /// Returns scheme, host and port of the address. Users should see them before they agree.
    #[must_use]
    pub fn place(&self) -> &str {
        let Some(scheme) = self.url.find("://") else { return "somewhere" };
        let host = self.url.get(scheme + 3..).unwrap_or_default();
        let length = host.find(['/', '?', '#', '\\']).unwrap_or(host.len());
        // A user name and a password before the host are not shown, because they could pass for a
        // host.
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
