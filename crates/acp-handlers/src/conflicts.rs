//! Conflicts between handlers: mistakes in the program.

use std::collections::HashMap;
use std::fmt;

/// Handlers that cannot be those of one connection.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Conflict {
    /// A method has two handlers.
    ServedTwice {
        /// The method. If several handlers may share it, also the part.
        method: String,
        /// The types that have registered the handlers.
        by: [String; 2],
    },
    /// A capability stands for several methods, and only some of them have handlers.
    Incomplete {
        /// The capability.
        capability: &'static str,
        /// The methods that have no handler.
        missing: Vec<&'static str>,
    },
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ServedTwice { method, by: [first, second] } if first == second => {
                write!(f, "`{method}` has two handlers in `{first}`: leave one of them out")
            }
            Self::ServedTwice { method, by: [first, second] } => {
                write!(f, "`{method}` has handlers in `{first}` and `{second}`: leave one of them out")
            }
            Self::Incomplete { capability, missing } => {
                write!(
                    f,
                    "`{capability}` cannot be offered: serve `{}` as well, or none of it",
                    missing.join("`, `")
                )
            }
        }
    }
}

impl std::error::Error for Conflict {}

/// The methods that have been registered.
#[derive(Debug, Default)]
pub(crate) struct Conflicts {
    /// The type that registers now; `None` for defaults, which any other replaces.
    pub(crate) registrant: Option<String>,
    /// The type that registered each method, or each part of one: `elicitation/create, form`.
    registered: HashMap<Box<str>, String>,
    /// The first method with two handlers.
    twice: Option<(String, [String; 2])>,
}

impl Conflicts {
    pub(crate) fn begin<T: ?Sized>(&mut self) {
        self.registrant = Some(without_paths(std::any::type_name::<T>()));
    }

    /// Names the router that registers by its state: users do not write its context. Returns the
    /// type that registers through it, if a type does.
    pub(crate) fn begin_router_of<S>(&mut self) -> Option<String> {
        let outer = self.registrant.clone();
        if outer.is_some() {
            self.registrant = Some(format!("Router<{}>", without_paths(std::any::type_name::<S>())));
        }
        outer
    }

    pub(crate) fn claim(&mut self, method: &str) {
        let Some(registrant) = &self.registrant else { return };
        let is_part = |part: &str, of: &str| part.strip_prefix(of).is_some_and(|rest| rest.starts_with(", "));
        let overlaps = |other: &str| other == method || is_part(other, method) || is_part(method, other);
        let earlier = self.registered.iter().find(|(other, _)| overlaps(other)).map(|(_, earlier)| earlier);
        if let (Some(earlier), None) = (earlier, &self.twice) {
            self.twice = Some((method.to_owned(), [earlier.clone(), registrant.clone()]));
        }
        self.registered.insert(method.into(), registrant.clone());
    }

    pub(crate) fn check(&self) -> Result<(), Conflict> {
        match self.twice.clone() {
            Some((method, by)) => Err(Conflict::ServedTwice { method, by }),
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
