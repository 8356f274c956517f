//! The strict reading of a schema file, before anything of it is kept.

use std::collections::BTreeSet;

use serde_json::Value;

use super::keywords::{Keyword, Object, Place, found};
use super::problem::{Pointer, Problem};
use super::rules;

/// Checks a parsed schema against the constructs that the generator understands.
///
/// A lax reader would lose fields silently, so an unknown keyword, a keyword in an unusual place, a
/// value of the wrong shape and a combination without a meaning are all problems. They are
/// collected.
pub(super) fn validate(file: &str, root: &Value) -> Result<(), Vec<Problem>> {
    let Some(root) = root.as_object() else {
        return Err(vec![Problem::of_file(file, "the document is not a JSON object")]);
    };
    let Some(definitions) = root.get("$defs").and_then(Value::as_object).filter(|defs| !defs.is_empty())
    else {
        return Err(vec![Problem::of_file(file, "no definitions under \"$defs\"; is this the schema file?")]);
    };
    let mut walker = Walker { file, definitions, problems: Vec::new() };
    walker.schema(root, &Pointer::root(), Place::Root, &BTreeSet::new());
    if walker.problems.is_empty() { Ok(()) } else { Err(walker.problems) }
}

/// Says in which way a schema is written that this keyword is not read in.
fn advice(keyword: &str, value: &Value) -> String {
    let instead = match (keyword, value) {
        ("enum", Value::Array(values)) if values.iter().all(Value::is_string) => {
            let arms = values.iter().map(|value| format!(r#"{{ "type": "string", "const": {value} }}"#));
            format!(
                r#"name the type under "$defs" and write "oneOf": [{}]"#,
                arms.collect::<Vec<_>>().join(", ")
            )
        }
        ("properties" | "required" | "oneOf" | "discriminator", _) => {
            r##"give the type a name under "$defs", and refer to it with "$ref""##.to_owned()
        }
        _ => "leave it out".to_owned(),
    };
    format!("{instead} (docs/SCHEMAS.md lists the keywords; xtask/src/schema/keywords.rs is their place)")
}

struct Walker<'a> {
    file: &'a str,
    definitions: &'a Object,
    problems: Vec<Problem>,
}

impl Walker<'_> {
    /// `outer` holds the properties that schemas around this one declare for the same JSON object.
    fn schema(&mut self, schema: &Object, at: &Pointer, place: Place, outer: &BTreeSet<String>) {
        let before = self.problems.len();
        for (name, value) in schema {
            self.keyword(name, value, &at.child(name), place);
        }
        let mut declared = outer.clone();
        rules::declared_properties(schema, self.definitions, &mut declared);
        // A keyword that is wrong by itself would break the rules over several keywords as well.
        if self.problems.len() == before {
            let scope = rules::Scope { definitions: self.definitions, declared: &declared, place };
            rules::check(schema, &scope, &mut |segments, message| {
                let at = segments.iter().fold(at.clone(), |at, segment| at.child(segment));
                self.problems.push(Problem::at(self.file, &at, message));
            });
        }
        self.nested(schema, at, &declared);
    }

    fn keyword(&mut self, name: &str, value: &Value, at: &Pointer, place: Place) {
        let Some(keyword) = Keyword::find(name) else {
            return self.report(at, format!("unknown keyword {name:?}; {}", advice(name, value)));
        };
        if !keyword.may_stand_in(place) {
            let message = format!("keyword {name:?} is not known in {place}; {}", advice(name, value));
            return self.report(at, message);
        }
        if let Some(mismatch) = keyword.shape.mismatch(value) {
            let refused = *value == Value::Bool(false) && name.ends_with("Properties");
            let way =
                if refused { "; leave it out: readers pass over members that they do not know" } else { "" };
            self.report(at, format!("wrong value for {name:?}: {mismatch}{way}"));
        }
    }

    fn nested(&mut self, schema: &Object, at: &Pointer, declared: &BTreeSet<String>) {
        for (name, value) in schema {
            let at = at.child(name);
            match (name.as_str(), value) {
                ("$defs", Value::Object(definitions)) => self.definitions(definitions, &at),
                ("properties", Value::Object(properties)) => {
                    let place =
                        if at.definition().is_some() { Place::Property } else { Place::EnvelopeProperty };
                    self.all(properties.iter(), &at, place, &BTreeSet::new());
                }
                ("anyOf" | "oneOf", Value::Array(arms)) => {
                    self.all(arms.iter().enumerate(), &at, Place::UnionArm, declared);
                }
                ("allOf", Value::Array(arms)) => {
                    self.all(arms.iter().enumerate(), &at, Place::Wrapper, declared);
                }
                ("items", Value::Object(schema)) => {
                    self.schema(schema, &at, Place::Element, &BTreeSet::new())
                }
                ("additionalProperties", Value::Object(schema)) => {
                    self.schema(schema, &at, Place::MapValue, &BTreeSet::new());
                }
                ("not", Value::Object(schema)) => self.schema(schema, &at, Place::Not, declared),
                _ => {}
            }
        }
    }

    fn definitions(&mut self, definitions: &Object, at: &Pointer) {
        for name in definitions.keys() {
            let first = name.chars().next();
            if !first.is_some_and(|c| c.is_ascii_uppercase())
                || !name.chars().all(|c| c.is_ascii_alphanumeric())
            {
                let message = "a definition name starts with a capital letter and holds ASCII letters and digits only, because it names a Rust type";
                self.report(&at.child(name), message);
            }
        }
        self.all(definitions.iter(), at, Place::Definition, &BTreeSet::new());
    }

    fn all<'v, K: std::fmt::Display>(
        &mut self,
        schemas: impl Iterator<Item = (K, &'v Value)>,
        at: &Pointer,
        place: Place,
        outer: &BTreeSet<String>,
    ) {
        for (key, schema) in schemas {
            let at = at.child(key);
            match schema {
                Value::Object(schema) => self.schema(schema, &at, place, outer),
                other => self.report(&at, format!("expected a schema object, found {}", found(other))),
            }
        }
    }

    fn report(&mut self, at: &Pointer, message: impl Into<String>) {
        self.problems.push(Problem::at(self.file, at, message));
    }
}
