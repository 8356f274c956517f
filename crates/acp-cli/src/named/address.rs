//! Agents of other machines, by their address.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use acp_http::{Remote, TlsOptions};

use crate::named::error::NamedError;

/// The variable with the token, if no file is named.
pub(crate) const TOKEN: &str = "ACP_TOKEN";

/// The address of an agent, and the means to be let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) url: String,
    /// A file with a bearer token.
    pub(crate) token_file: Option<PathBuf>,
    /// A file with certificates that are trusted, too.
    pub(crate) tls_ca: Option<PathBuf>,
}

impl Address {
    /// Returns the way to the agent: a WebSocket, or HTTP with streams of events, as the scheme
    /// says.
    ///
    /// # Errors
    /// A file cannot be read, or is not what it should be.
    pub(crate) fn remote(&self) -> Result<Remote, NamedError> {
        let url = &self.url;
        // The library names the schemes that there are.
        let remote = if self.is_websocket() { acp_http::ws(url) } else { acp_http::http(url) };
        let remote = match self.token()? {
            Some(token) => remote.bearer(&token),
            None => remote,
        };
        let Some(file) = &self.tls_ca else { return Ok(remote) };
        let pem = fs::read(file).map_err(|error| NamedError::File { file: file.clone(), error })?;
        let tls = TlsOptions::new().root_certificates(pem);
        let tls = tls.map_err(|error| NamedError::Certificates { file: file.clone(), error })?;
        Ok(remote.tls(tls))
    }

    /// Returns true if the scheme says that it is a WebSocket.
    pub(crate) fn is_websocket(&self) -> bool {
        let scheme = self.url.split(':').next().unwrap_or_default();
        scheme.eq_ignore_ascii_case("ws") || scheme.eq_ignore_ascii_case("wss")
    }

    fn token(&self) -> Result<Option<String>, NamedError> {
        let Some(file) = &self.token_file else {
            return Ok(env::var(TOKEN).ok().filter(|token| !token.is_empty()));
        };
        read_tokens(file)?.into_iter().next().map(|(_, token)| Some(token)).ok_or_else(|| NamedError::Token {
            file: file.clone(),
            line: 1,
            problem: "there is no token in it",
        })
    }
}

/// Reads a file of tokens: a line for each, with the name of its principal before it if it has one.
/// Blank lines and those that begin with `#` are left out.
pub(crate) fn read_tokens(file: &Path) -> Result<Vec<(Option<String>, String)>, NamedError> {
    let text = fs::read_to_string(file).map_err(|error| NamedError::File { file: file.to_owned(), error })?;
    let mut tokens = Vec::new();
    for (line, words) in (1..).zip(text.lines()) {
        let words: Vec<&str> = words.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            [first, ..] if first.starts_with('#') => {}
            [token] => tokens.push((None, (*token).to_owned())),
            [name, token] => tokens.push((Some((*name).to_owned()), (*token).to_owned())),
            _ => {
                let problem = "a line has a token, or a name and a token";
                return Err(NamedError::Token { file: file.to_owned(), line, problem });
            }
        }
    }
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_tokens_with_names_and_without() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tokens");
        fs::write(&file, "# of 2026\n\n  secret  \r\nalice\tother\n").unwrap();
        let read = read_tokens(&file).unwrap();
        assert_eq!(read, [(None, "secret".to_owned()), (Some("alice".to_owned()), "other".to_owned())]);
        fs::write(&file, "one\na b c\n").unwrap();
        let error = read_tokens(&file).unwrap_err().to_string();
        assert!(error.contains("line 2") && !error.contains("a b c"), "{error}");
        let address = |text: &str| {
            fs::write(&file, text).unwrap();
            let url = "ws://localhost/acp".to_owned();
            Address { url, token_file: Some(file.clone()), tls_ca: None }.token()
        };
        assert_eq!(address("alice secret\nbob other").unwrap().as_deref(), Some("secret"));
        assert!(address("# none\n").is_err());
    }
}
