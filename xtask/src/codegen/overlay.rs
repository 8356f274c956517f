//! Our decisions about a version of the schema: `schema/overlay/vN.toml`.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use toml::{Table, Value};

use super::defect::fill;

/// Every section that the generator reads from an overlay; `docs/SCHEMAS.md` describes them.
pub const SECTIONS: [&str; 18] = [
    "arm_types",
    "arms",
    "capabilities",
    "client_operations",
    "counterparts",
    "default_tags",
    "defaults",
    "elsewhere",
    "flattened",
    "integers",
    "layout",
    "meaning",
    "members",
    "null",
    "operations",
    "patch",
    "shared",
    "variants",
];

/// The decisions, and which of them have been asked for: one that nobody asks for is stale.
#[derive(Debug)]
pub struct Overlay {
    table: Table,
    used: RefCell<BTreeSet<String>>,
}

impl Overlay {
    pub fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("in {}", path.display()))
    }

    pub fn parse(text: &str) -> Result<Self> {
        let table: Table = text.parse()?;
        for section in table.keys() {
            ensure!(
                SECTIONS.contains(&section.as_str()),
                "there is no section [{section}]; docs/SCHEMAS.md describes the sections: {}",
                SECTIONS.join(", ")
            );
        }
        Ok(Overlay { table, used: RefCell::default() })
    }

    /// Takes from another overlay what this one does not decide: for a schema that this one is too
    /// new for.
    #[must_use]
    pub fn or(mut self, other: Self) -> Self {
        fill(&mut self.table, other.table);
        self
    }

    /// The text at `[section] key`.
    pub fn text(&self, section: &str, key: &str) -> Option<&str> {
        self.section(section)?.get(key)?.as_str().inspect(|_| self.use_entry(&[section, key]))
    }

    /// The text at `[section.outer] key` or `outer = { key = … }`.
    pub fn nested(&self, section: &str, outer: &str, key: &str) -> Option<&str> {
        let text = self.section(section)?.get(outer)?.get(key)?.as_str();
        text.inspect(|_| self.use_entry(&[section, outer, key]))
    }

    /// Returns the texts of the list at `[section.outer] key`. Without a list there are none.
    pub fn nested_list(&self, section: &str, outer: &str, key: &str) -> Vec<&str> {
        let list = self.section(section).and_then(|table| table.get(outer)?.get(key)?.as_array());
        let texts = list.into_iter().flatten().filter_map(Value::as_str);
        texts.inspect(|text| self.use_entry(&[section, outer, key, text])).collect()
    }

    /// Tells whether `[section.outer]` says `key = true`.
    pub fn nested_flag(&self, section: &str, outer: &str, key: &str) -> bool {
        let flag = self.section(section).and_then(|table| table.get(outer)?.get(key)?.as_bool());
        flag.inspect(|_| self.use_entry(&[section, outer, key])) == Some(true)
    }

    /// Returns true if the list at `[section] key` has this item.
    pub fn lists(&self, section: &str, key: &str, item: &str) -> bool {
        let list = self.section(section).and_then(|table| table.get(key)).and_then(Value::as_array);
        let found = list.is_some_and(|list| list.iter().any(|entry| entry.as_str() == Some(item)));
        if found {
            self.use_entry(&[section, key, item]);
        }
        found
    }

    /// The key of `[section]` whose list has this item.
    pub fn list_with(&self, section: &str, item: &str) -> Option<&str> {
        let keys = self.section(section)?.as_table()?.keys();
        keys.map(String::as_str).find(|key| self.lists(section, key, item))
    }

    /// The keys of a section.
    pub fn keys(&self, section: &str) -> impl Iterator<Item = &str> {
        self.section(section)
            .and_then(Value::as_table)
            .into_iter()
            .flat_map(|table| table.keys().map(String::as_str))
    }

    /// The entries that have matched nothing.
    pub fn unused(&self) -> Vec<String> {
        let mut all = Vec::new();
        for (section, entries) in &self.table {
            leaves(&mut vec![section.as_str()], entries, &mut all);
        }
        let used = self.used.borrow();
        all.into_iter().filter(|entry| !used.contains(entry)).collect()
    }

    /// The overlay as TOML.
    pub fn to_toml(&self) -> Result<String> {
        Ok(toml::to_string(&self.table)?)
    }

    /// Fails when an entry has matched nothing.
    pub fn all_used(&self) -> Result<()> {
        let stale = self.unused();
        if stale.is_empty() {
            return Ok(());
        }
        bail!(
            "overlay entries that match nothing in the schema; remove or mend them:\n  {}",
            stale.join("\n  ")
        )
    }

    /// A section that is read is one of [`SECTIONS`], so that its description cannot be forgotten.
    fn section(&self, section: &str) -> Option<&Value> {
        assert!(SECTIONS.contains(&section), "[{section}] is read, but not listed");
        self.table.get(section)
    }

    fn use_entry(&self, path: &[&str]) {
        self.used.borrow_mut().insert(path.join(" / "));
    }
}

fn leaves<'a>(path: &mut Vec<&'a str>, value: &'a Value, all: &mut Vec<String>) {
    match value {
        Value::Table(table) => {
            for (key, value) in table {
                path.push(key);
                leaves(path, value, all);
                path.pop();
            }
        }
        Value::Array(items) => {
            for item in items.iter().filter_map(Value::as_str) {
                all.push(format!("{} / {item}", path.join(" / ")));
            }
        }
        _ => all.push(path.join(" / ")),
    }
}
