//! The answer of an authorization server in the address that it sends the browser to.

use reqwest::Url;

use crate::error::AuthorizationError;
use crate::error::shortened;

/// The parameters of a redirect.
#[derive(Default)]
pub(super) struct Callback {
    code: Option<String>,
    state: Option<String>,
    issuer: Option<String>,
    error: Option<String>,
}

/// The values that the redirect of one authorization must have.
pub(super) struct Expected<'a> {
    pub(super) state: &'a str,
    pub(super) issuer: &'a str,
    /// True when the authorization server has declared that it names itself.
    pub(super) names_issuer: bool,
}

impl Callback {
    pub(super) fn parse(address: &str) -> Option<Self> {
        let url = Url::parse(address.trim()).ok()?;
        let mut callback = Self::default();
        for (name, value) in url.query_pairs() {
            let place = match &*name {
                "code" => &mut callback.code,
                "state" => &mut callback.state,
                "iss" => &mut callback.issuer,
                "error" => &mut callback.error,
                _ => continue,
            };
            // Parameters must not be repeated (RFC 6749, section 3.1).
            if place.replace(value.into_owned()).is_some() {
                return None;
            }
        }
        Some(callback)
    }

    pub(super) fn has_state(&self, state: &str) -> bool {
        self.state.as_deref() == Some(state)
    }

    /// Returns the code, and the issuer if it is named. State and issuer are checked first, because
    /// until then even an error may come from somebody else (RFC 9207, section 2.4).
    pub(super) fn code(
        self,
        expected: &Expected<'_>,
    ) -> Result<(String, Option<String>), AuthorizationError> {
        if !self.has_state(expected.state) {
            return Err(AuthorizationError::State);
        }
        let is_other = self.issuer.as_deref().is_some_and(|issuer| issuer != expected.issuer);
        if is_other || (expected.names_issuer && self.issuer.is_none()) {
            let received = self.issuer.map(|issuer| shortened(&issuer));
            return Err(AuthorizationError::Issuer { expected: expected.issuer.to_owned(), received });
        }
        if let Some(error) = self.error {
            return Err(AuthorizationError::Refused { error: word(&error) });
        }
        let code = self.code.filter(|code| !code.is_empty()).ok_or(AuthorizationError::State)?;
        Ok((code, self.issuer))
    }
}

/// Returns an error code of OAuth, which is a short word. Other text is not repeated.
fn word(error: &str) -> String {
    let is_word = error.len() <= 64
        && error.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if is_word { error.to_owned() } else { "unknown".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPECTED: Expected<'_> = Expected { state: "s", issuer: "https://as.example", names_issuer: false };

    fn read(query: &str, names_issuer: bool) -> Result<String, String> {
        let callback =
            Callback::parse(&format!("http://127.0.0.1:1/callback?{query}")).ok_or("unreadable")?;
        let code = callback.code(&Expected { names_issuer, ..EXPECTED });
        code.map(|(code, _)| code).map_err(|error| error.to_string())
    }

    #[test]
    fn nothing_is_believed_before_state_and_issuer_are_right() {
        let other = "%3A%2F%2Fas.example";
        for (query, names_issuer, expected) in [
            ("code=c&state=s".to_owned(), false, Ok("c")),
            (format!("code=c&state=s&iss=https{other}"), false, Ok("c")),
            (format!("code=c&state=s&iss=https{other}"), true, Ok("c")),
            ("code=c&state=s".to_owned(), true, Err("no issuer")),
            // Not even a slash more.
            (format!("code=c&state=s&iss=https{other}%2F"), false, Err("`https://as.example/`")),
            (format!("code=c&state=s&iss=http{other}"), true, Err("`http://as.example`")),
            ("code=c&state=other".to_owned(), false, Err("another authorization")),
            ("code=c".to_owned(), false, Err("another authorization")),
            ("code=&state=s".to_owned(), false, Err("another authorization")),
            ("code=c&code=d&state=s".to_owned(), false, Err("unreadable")),
            ("error=access_denied&state=s".to_owned(), false, Err("`access_denied`")),
            ("error=access_denied&state=s".to_owned(), true, Err("no issuer")),
            ("error=access_denied".to_owned(), false, Err("another authorization")),
            ("error=Look+here%3A+secret&state=s".to_owned(), false, Err("`unknown`")),
        ] {
            match (read(&query, names_issuer), expected) {
                (Ok(code), Ok(expected)) => assert_eq!(code, expected, "{query}"),
                (Err(error), Err(expected)) => assert!(error.contains(expected), "{query}: {error}"),
                (outcome, expected) => panic!("{query}: {outcome:?}, not {expected:?}"),
            }
        }
    }
}
