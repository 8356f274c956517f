//! From the names of the wire to those of Rust.

/// `sessionUpdate`, `agent_message_chunk`, `date-time`, `baseURL` -> its words in lower case.
fn words(wire: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    let mut chars = wire.chars().peekable();
    while let Some(c) = chars.next() {
        // A capital begins a word, but inside of an abbreviation only if it is the last one.
        let begins = c.is_ascii_uppercase()
            && (!before.is_ascii_uppercase() || chars.peek().is_some_and(char::is_ascii_lowercase));
        if (begins || !c.is_ascii_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_ascii_alphanumeric() {
            word.push(c.to_ascii_lowercase());
        }
        before = c;
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Returns true if Rust takes the text as a name. Its own words, such as `type`, are not names.
#[must_use]
pub fn is_name(text: &str) -> bool {
    syn::parse_str::<syn::Ident>(text).is_ok()
}

/// The name of a type, variant or marker.
#[must_use]
pub fn pascal(wire: &str) -> String {
    let capital = |word: String| word[..1].to_ascii_uppercase() + &word[1..];
    words(wire).into_iter().map(capital).collect()
}

/// The name of a field or function.
#[must_use]
pub fn snake(wire: &str) -> String {
    words(wire).join("_")
}

/// The name of a marker: the method's words, without the `$/` of protocol-level methods.
#[must_use]
pub fn marker(method: &str) -> String {
    pascal(method)
}

/// The name of the variant that keeps what is not known: another one where the protocol has a value
/// of that name.
#[must_use]
pub fn fallback<'n>(mut known: impl Iterator<Item = &'n str>) -> &'static str {
    if known.any(|name| name == "Unknown") { "Other" } else { "Unknown" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wire_names_become_rust_names() {
        let cases = [
            ("sessionUpdate", "SessionUpdate", "session_update"),
            ("agent_message_chunk", "AgentMessageChunk", "agent_message_chunk"),
            ("date-time", "DateTime", "date_time"),
            ("_meta", "Meta", "meta"),
            ("$/cancel_request", "CancelRequest", "cancel_request"),
            ("fs/read_text_file", "FsReadTextFile", "fs_read_text_file"),
            ("baseURL", "BaseUrl", "base_url"),
            ("HTTPStatus2", "HttpStatus2", "http_status2"),
            ("_acme.dev/deployAll", "AcmeDevDeployAll", "acme_dev_deploy_all"),
        ];
        for (wire, type_name, field) in cases {
            assert_eq!((pascal(wire).as_str(), snake(wire).as_str()), (type_name, field), "{wire}");
        }
    }
}
