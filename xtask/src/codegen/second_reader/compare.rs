//! Two readings side by side.

use super::reading::{Facts, OutOfScope, Reading};

#[derive(Debug)]
pub(super) struct Comparison {
    /// How many statements both make.
    pub same: usize,
    /// One line for each that they do not.
    pub differences: Vec<String>,
}

pub(super) fn compare(ours: &Reading, typify: &Reading, out_of_scope: &[OutOfScope]) -> Comparison {
    let mut compared = Comparison { same: 0, differences: Vec::new() };
    let none = Facts::default();
    for (name, facts) in ours {
        let Some(theirs) = typify.get(name) else {
            compared.differences.push(format!("  {name}: emitted, but typify makes no such type"));
            continue;
        };
        let skipped: Vec<&str> = of(name, out_of_scope).collect();
        compared.types(name, facts, theirs, &skipped);
    }
    for name in typify.keys().filter(|name| !ours.contains_key(*name)) {
        compared.differences.push(format!("  {name}: typify makes this type, but it was not emitted"));
    }
    for scope in out_of_scope {
        // An exception must except something, or it hides what comes later.
        let facts = ours.get(&scope.definition).unwrap_or(&none);
        if !facts.0.contains_key(&scope.fact) {
            compared
                .differences
                .push(format!("  {}: {} is out of scope, but not emitted", scope.definition, scope.fact));
        }
    }
    compared
}

impl Comparison {
    fn types(&mut self, name: &str, ours: &Facts, theirs: &Facts, skipped: &[&str]) {
        for (about, says) in &ours.0 {
            match theirs.0.get(about) {
                _ if skipped.contains(&about.as_str()) => {}
                Some(others) if others == says => self.same += 1,
                others => self.differ(name, about, says, others.map_or("nothing", String::as_str)),
            }
        }
        for (about, says) in &theirs.0 {
            if !ours.0.contains_key(about) {
                self.differ(name, about, "nothing", says);
            }
        }
    }

    fn differ(&mut self, name: &str, about: &str, ours: &str, theirs: &str) {
        self.differences.push(format!("  {name}, {about}: emitted {ours}; typify reads {theirs}"));
    }
}

fn of<'s>(name: &'s str, out_of_scope: &'s [OutOfScope]) -> impl Iterator<Item = &'s str> {
    out_of_scope.iter().filter(move |scope| scope.definition == name).map(|scope| scope.fact.as_str())
}
