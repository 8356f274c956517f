//! Extensions of MCP: their identifiers, and servers that do not have one.

use std::fmt;
use std::str::FromStr;

/// The identifier of an extension: a prefix of dotted labels, `/`, and a name, such as
/// `io.modelcontextprotocol/ui`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExtensionId(Box<str>);

impl ExtensionId {
    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Tells whether MCP itself defines the extension: the second label of the prefix is then
    /// `modelcontextprotocol` or `mcp`.
    #[must_use]
    pub fn is_official(&self) -> bool {
        let second = self.0.split(['.', '/']).nth(1);
        self.0.split('/').next().is_some_and(|prefix| prefix.contains('.'))
            && matches!(second, Some("modelcontextprotocol" | "mcp"))
    }
}

impl fmt::Display for ExtensionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for ExtensionId {
    type Err = InvalidExtensionId;

    fn from_str(text: &str) -> Result<Self, InvalidExtensionId> {
        let (prefix, name) =
            text.split_once('/').ok_or(InvalidExtensionId("it has no prefix before a `/`"))?;
        let is_label = |label: &str| {
            label.starts_with(|first: char| first.is_ascii_alphabetic())
                && label.ends_with(|last: char| last.is_ascii_alphanumeric())
                && label.chars().all(|char| char.is_ascii_alphanumeric() || char == '-')
        };
        if !prefix.split('.').all(is_label) {
            return Err(InvalidExtensionId("a label of its prefix is not letters, digits and inner hyphens"));
        }
        let is_name = name.starts_with(|first: char| first.is_ascii_alphanumeric())
            && name.ends_with(|last: char| last.is_ascii_alphanumeric())
            && name.chars().all(|char| char.is_ascii_alphanumeric() || "-_.".contains(char));
        if !is_name {
            return Err(InvalidExtensionId(
                "its name is not letters, digits and inner hyphens, underscores or dots",
            ));
        }
        Ok(Self(text.into()))
    }
}

/// The reason why a text is not an [`ExtensionId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidExtensionId(&'static str);

impl fmt::Display for InvalidExtensionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not the identifier of an MCP extension: {}", self.0)
    }
}

impl std::error::Error for InvalidExtensionId {}

/// The treatment of a server that does not have an extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnMissing {
    /// Use the server with the core protocol alone.
    Core,
    /// Do not use the server: it fails with
    /// [`McpError::MissingExtension`](crate::McpError::MissingExtension).
    Reject,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mcp_neg_17_identifiers_have_a_prefix_of_labels_and_a_name() {
        for good in ["io.modelcontextprotocol/ui", "com.example/my-ext_1.2", "x/y", "a-b.c/d"] {
            assert_eq!(good.parse::<ExtensionId>().unwrap().as_str(), good);
        }
        for bad in [
            "", "ui", "/ui", "a/", "1a.b/c", "a..b/c", "a-/c", "a.b/-c", "a.b/c-", "a b/c", "a.b/c/d",
            "a.b/ü",
        ] {
            assert!(bad.parse::<ExtensionId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn mcp_neg_17_the_second_label_says_whose_it_is() {
        for (id, official) in [
            ("io.modelcontextprotocol/ui", true),
            ("dev.mcp.x/y", true),
            ("com.example/mcp", false),
            ("mcp/y", false),
        ] {
            assert_eq!(id.parse::<ExtensionId>().unwrap().is_official(), official, "{id}");
        }
    }
}
