//! Conflicts between clients: a method that two of them serve is a mistake in the program.

use std::collections::HashMap;

use crate::Error;

/// The methods that the clients of a connection have registered.
#[derive(Debug, Default)]
pub(crate) struct Conflicts {
    /// The client that registers now; `None` for defaults, which any client replaces.
    client: Option<String>,
    /// The client of each method. If two clients share a method, its parts are in the name:
    /// `elicitation/create, form`.
    clients: HashMap<Box<str>, String>,
    /// The first method with two clients.
    twice: Option<(String, [String; 2])>,
}

impl Conflicts {
    /// Begins the registration of a client of this type.
    pub(crate) fn begin<C: ?Sized>(&mut self) {
        self.client = Some(without_paths(std::any::type_name::<C>()));
    }

    /// Registers this method for the client.
    pub(crate) fn claim(&mut self, method: &str) {
        let Some(client) = &self.client else { return };
        let is_part = |part: &str, of: &str| part.strip_prefix(of).is_some_and(|rest| rest.starts_with(", "));
        let overlaps = |other: &str| other == method || is_part(other, method) || is_part(method, other);
        let earlier = self.clients.iter().find(|(other, _)| overlaps(other)).map(|(_, earlier)| earlier);
        if let (Some(earlier), None) = (earlier, &self.twice) {
            self.twice = Some((method.to_owned(), [earlier.clone(), client.clone()]));
        }
        self.clients.insert(method.into(), client.clone());
    }

    /// Returns [`Error::ServedTwice`] if a method has two clients.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.twice.clone() {
            Some((method, clients)) => Err(Error::ServedTwice { method, clients }),
            None => Ok(()),
        }
    }
}

/// Returns the name of a type without the modules of it and its arguments.
fn without_paths(name: &str) -> String {
    let is_path = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    let mut short = String::new();
    let mut start = 0;
    for (end, letter) in name.char_indices().chain([(name.len(), ' ')]) {
        if is_path(letter) {
            continue;
        }
        let path = name.get(start..end).unwrap_or_default();
        short.push_str(path.rsplit("::").next().unwrap_or_default());
        if end < name.len() {
            short.push(letter);
        }
        start = end + letter.len_utf8();
    }
    short
}

#[cfg(test)]
mod tests {
    use super::without_paths;

    #[test]
    fn types_are_named_without_their_modules() {
        for (name, short) in [
            ("acp_client::host::fs::LocalFs", "LocalFs"),
            ("alloc::sync::Arc<editor::Editor<&str>>", "Arc<Editor<&str>>"),
            ("a::Router<(b::C, d::E)>", "Router<(C, E)>"),
            ("u8", "u8"),
        ] {
            assert_eq!(without_paths(name), short);
        }
    }
}
