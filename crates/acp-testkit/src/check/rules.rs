//! The rules as the checker uses them, from the data of the rule book.

use std::fmt;
use std::sync::OnceLock;

use toml::{Table, Value};

use super::version::Version;

/// The data of versions 1 and 2.
const BOOKS: [&str; 2] = [include_str!("../../rules/v1.toml"), include_str!("../../rules/v2.toml")];

/// A rule of the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// Its id, such as `v1-turn-02`.
    pub id: String,
    /// The rule in a sentence or few.
    pub text: String,
    /// The title of its area.
    pub area: String,
    /// The word that the specification uses.
    pub strength: Strength,
    /// The capability or situation without which it does not apply.
    pub gate: Option<String>,
    /// True if it binds agents.
    pub binds_agent: bool,
    /// True if it binds clients.
    pub binds_client: bool,
    /// True if somebody can break it.
    pub binding: bool,
    /// How a breach shows on the wire. `None` for a rule that cannot be seen there.
    pub seen: Option<String>,
    /// The reason why the checker does not judge agents by it, although it can be seen.
    pub unchecked: Option<String>,
    /// The reason why the checker does not judge clients by it, although it can be seen.
    pub unchecked_of_clients: Option<String>,
}

/// The word that the specification uses for a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Strength {
    /// MUST and MUST NOT.
    Must,
    /// SHOULD and SHOULD NOT. A breach is a warning.
    Should,
    /// A definition. A breach counts like one of a MUST.
    Fact,
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Strength::Must => "MUST",
            Strength::Should => "SHOULD",
            Strength::Fact => "fact",
        })
    }
}

impl Rule {
    /// Returns all rules of versions 1 and 2, in the order of the rule book.
    #[must_use]
    pub fn all() -> &'static [Self] {
        static ALL: OnceLock<Vec<Rule>> = OnceLock::new();
        ALL.get_or_init(|| {
            let books = BOOKS.iter().filter_map(|book| book.parse::<Table>().ok());
            books.flat_map(|book| read(&book)).collect()
        })
    }

    /// Finds a rule by its id.
    #[must_use]
    pub fn find(id: &str) -> Option<&'static Self> {
        Self::all().iter().find(|rule| rule.id == id)
    }

    /// Returns true if it is a rule of this version.
    #[must_use]
    pub fn is_of(&self, version: Version) -> bool {
        self.id
            .strip_prefix('v')
            .is_some_and(|id| id.split('-').next() == Some(&version.number().to_string()))
    }

    /// Returns true if a checker of agents over stdio is expected to judge it: it binds agents, it
    /// is stable, somebody can break it, it shows on the wire, and it is not about another
    /// transport.
    #[must_use]
    pub fn is_checkable(&self) -> bool {
        self.binds_agent
            && self.binding
            && self.seen.as_deref().is_some_and(|seen| !seen.starts_with("a client"))
            && !self.id.starts_with("v1-u-")
            && !self.id.starts_with("v2-u-")
            && !self.id.starts_with("v1-http-")
    }

    /// Returns true if a checker of clients over stdio is expected to judge it: it binds clients,
    /// it is stable, somebody can break it, it shows on the wire, and it is not about another
    /// transport.
    #[must_use]
    pub fn is_checkable_of_clients(&self) -> bool {
        self.binds_client
            && self.binding
            && self.seen.is_some()
            && !self.id.starts_with("v1-u-")
            && !self.id.starts_with("v2-u-")
            && !self.id.starts_with("v1-http-")
    }
}

fn read(table: &Table) -> Vec<Rule> {
    let mut rules = Vec::new();
    for area in list(table, "area") {
        let title = text(area, "title");
        rules.extend(list(area, "rule").map(|rule| read_rule(&title, rule)));
    }
    rules
}

fn read_rule(area: &str, rule: &Table) -> Rule {
    let optional = |name| rule.get(name).and_then(Value::as_str).map(str::to_owned);
    let binds = rule.get("binds").and_then(Value::as_array);
    let of = |name| binds.is_some_and(|sides| sides.iter().any(|side| side.as_str() == Some(name)));
    Rule {
        id: text(rule, "id"),
        text: text(rule, "text"),
        area: area.to_owned(),
        strength: match text(rule, "strength").as_str() {
            "must" | "must-not" => Strength::Must,
            "fact" => Strength::Fact,
            _ => Strength::Should,
        },
        gate: optional("gate"),
        binds_agent: of("agent"),
        binds_client: of("client"),
        binding: text(rule, "force") == "binding",
        seen: optional("seen"),
        unchecked: optional("unchecked"),
        unchecked_of_clients: optional("unchecked-of-clients"),
    }
}

fn list<'a>(table: &'a Table, name: &str) -> impl Iterator<Item = &'a Table> {
    table.get(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_table)
}

fn text(table: &Table, name: &str) -> String {
    table.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}
