//! A second reading of the canonical schema: slow, plain, and without code of the generated types.
//!
//! It gives the *normal form* of a value. The types must write this form:
//!
//! * members that the schema does not know are gone, except in variants that are kept as unknown;
//! * an optional member that is `null` is gone, unless `null` means something of its own (three
//!   states);
//! * an optional member that cannot be `null` is gone when it equals its default: the default of
//!   the schema, an empty list or map, or the implicit default of an enum;
//! * `1.0` for an integer is `1`, and `1` for a double is `1.0`; where either may stand, the
//!   spelling is kept;
//! * a malformed value of a lenient member is gone, or empty where the member is required, and so
//!   are malformed items of lenient lists.

mod union;

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};

use super::differences::{Facts, Rule};
use super::shape::{
    Definitions, arms, flag, is_any, is_nullable, json_type, properties, reference, requires,
};

/// The liberties that a reading takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// It accepts what a validator accepts.
    Schema,
    /// It also follows the schema's own `x-deserialize` hints.
    Lenient,
    /// It also follows the intended differences.
    Reader,
    /// It accepts what a validator accepts by the JSON Schema that a type gives of itself: no
    /// hints, and only the differences that narrow the schema.
    #[cfg(feature = "schemars")]
    TypeSchema,
}

impl Mode {
    fn is_lenient(self) -> bool {
        matches!(self, Mode::Lenient | Mode::Reader)
    }

    /// Returns true if values are refused that readers refuse on purpose.
    fn narrows(self) -> bool {
        !matches!(self, Mode::Schema | Mode::Lenient)
    }
}

pub(crate) struct Reading<'s> {
    definitions: &'s Definitions,
    facts: &'static Facts,
    mode: Mode,
    /// The differences that this reading has used, each with its definition.
    pub(crate) used: BTreeSet<(Rule, &'s str)>,
}

type Members = Map<String, Json>;

impl<'s> Reading<'s> {
    pub(crate) fn new(definitions: &'s Definitions, facts: &'static Facts, mode: Mode) -> Self {
        Reading { definitions, facts, mode, used: BTreeSet::new() }
    }

    /// Returns the normal form of a value, or `None` if it is refused.
    pub(crate) fn definition(&mut self, name: &str, value: &Json) -> Option<Json> {
        let (name, schema) = self.definitions.get_key_value(name)?;
        if value.is_null() && self.mode == Mode::Reader && self.facts.whole_null.contains(&name.as_str()) {
            self.used.insert((Rule::WholeNull, name));
            return Some(Json::Object(Map::new()));
        }
        self.node(name, schema, value)
    }

    /// `owner` is the definition that the schema is a part of.
    fn node(&mut self, owner: &'s str, schema: &'s Json, value: &Json) -> Option<Json> {
        if schema.get("properties").is_none()
            && let Some(name) = reference(schema)
        {
            return self.definition(name, value);
        }
        if schema.get("properties").is_some() {
            return self.object(owner, schema, value);
        }
        if let Some(arms) = arms(schema) {
            return self.union(owner, schema, arms, value);
        }
        match json_type(schema) {
            None => Some(value.clone()),
            Some("null") => value.is_null().then_some(Json::Null),
            Some("boolean") => value.as_bool().map(Json::from),
            Some("string") => self.text(owner, schema, value),
            Some("integer") => self.integer(owner, schema, value),
            Some("number") => Self::number(schema, value),
            Some("array") => self.list(owner, schema, value),
            Some("object") => match schema.get("additionalProperties") {
                Some(members) => self.map(owner, members, value),
                None => self.object(owner, schema, value),
            },
            Some(other) => panic!("{owner}: no reading for the type {other}"),
        }
    }

    fn object(&mut self, owner: &'s str, schema: &'s Json, value: &Json) -> Option<Json> {
        let from = value.as_object()?;
        let mut out = self.members(owner, schema, from)?;
        if self.mode.is_lenient() && schema.get("additionalProperties") == Some(&Json::Bool(true)) {
            // The schema allows members that it does not name.
            let others = from.iter().filter(|(name, _)| properties(schema).all(|(own, _)| own != *name));
            out.extend(others.map(|(name, value)| (name.clone(), value.clone())));
        }
        Some(Json::Object(out))
    }

    /// Reads the members of an object, and of the union that lies flat in it.
    fn members(&mut self, owner: &'s str, schema: &'s Json, from: &Members) -> Option<Members> {
        let mut out = match arms(schema) {
            Some(arms) => self.variant(owner, schema, arms, from)?,
            None => Map::new(),
        };
        for (name, member) in properties(schema) {
            if let Some(value) = self.member(owner, name, member, requires(schema, name), from)? {
                out.insert(name.to_owned(), value);
            }
        }
        Some(out)
    }

    /// Returns `Some(None)` for a value that is read and not written.
    fn member(
        &mut self,
        owner: &'s str,
        name: &str,
        schema: &'s Json,
        required: bool,
        from: &Members,
    ) -> Option<Option<Json>> {
        let lenient = self.mode.is_lenient() && flag(schema, "x-deserialize-default-on-error");
        let null_is_default = self.mode.is_lenient() && flag(schema, "x-deserialize-default-on-null");
        let default = || required.then(|| Json::Array(Vec::new()));
        let Some(value) = from.get(name) else { return (!required).then_some(None) };
        if value.is_null() && self.facts.has_three_states(owner, name) {
            return Some(Some(Json::Null));
        }
        if value.is_null() && !required && is_nullable(schema) {
            return Some(None);
        }
        if value.is_null() && (lenient || null_is_default) {
            return Some(default());
        }
        match self.node(owner, schema, value) {
            Some(value) if !required && !is_nullable(schema) && self.is_default(schema, &value) => Some(None),
            Some(value) => Some(Some(value)),
            None => lenient.then(default),
        }
    }

    fn is_default(&self, schema: &'s Json, value: &Json) -> bool {
        if let Some(default) = schema.get("default") {
            let normal = Reading::new(self.definitions, self.facts, Mode::Reader).node("", schema, default);
            return normal.as_ref() == Some(value);
        }
        let implicit = reference(schema)
            .and_then(|name| self.facts.implicit_defaults.iter().find(|(definition, _)| *definition == name));
        match implicit {
            Some((_, default)) => value == default,
            None => {
                value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(Map::is_empty)
            }
        }
    }

    fn text(&mut self, owner: &'s str, schema: &Json, value: &Json) -> Option<Json> {
        let text = value.as_str()?;
        // No schema requires more than one character.
        self.bounded(owner, !(text.is_empty() && schema.get("minLength").is_some()))?;
        Some(Json::from(text))
    }

    /// Readers accept values that are too short.
    fn bounded(&mut self, owner: &'s str, within: bool) -> Option<()> {
        if within {
            return Some(());
        }
        if self.mode != Mode::Reader {
            return None;
        }
        self.used.insert((Rule::BoundsUnchecked, owner));
        Some(())
    }

    fn number(schema: &Json, value: &Json) -> Option<Json> {
        is_within(schema, value.as_number()?).then_some(())?;
        value.as_f64().map(Json::from)
    }

    fn integer(&mut self, owner: &'s str, schema: &Json, value: &Json) -> Option<Json> {
        let number = value.as_number()?;
        let exact = number.as_i128().or_else(|| exact_integer(number.as_f64()?));
        let is_integer = exact.is_some() || number.as_f64().is_some_and(|number| number.fract() == 0.0);
        let is_within = is_within(schema, number);
        if !is_integer || !is_within {
            return None;
        }
        if self.mode != Mode::Reader {
            return Some(exact.and_then(json_integer).unwrap_or_else(|| value.clone()));
        }
        let (least, most) = match schema.get("format").and_then(Json::as_str) {
            Some("uint16") => (0, i128::from(u16::MAX)),
            Some("uint32") => (0, i128::from(u32::MAX)),
            Some("uint64") => (0, i128::from(u64::MAX)),
            Some("int32") => (i128::from(i32::MIN), i128::from(i32::MAX)),
            Some("int64") => (i128::from(i64::MIN), i128::from(i64::MAX)),
            other => panic!("{owner}: no range for the integer format {other:?}"),
        };
        if let Some(exact) = exact.filter(|exact| (least..=most).contains(exact)) {
            return json_integer(exact);
        }
        self.used.insert((Rule::IntegerFits, owner));
        None
    }

    fn list(&mut self, owner: &'s str, schema: &'s Json, value: &Json) -> Option<Json> {
        let items = schema.get("items").expect("the canonical schema types every list");
        let skip = self.mode.is_lenient() && flag(schema, "x-deserialize-skip-invalid-items");
        let mut out = Vec::new();
        let from = value.as_array()?;
        // No schema requires more than one item.
        self.bounded(owner, !(from.is_empty() && schema.get("minItems").is_some()))?;
        for item in from {
            match self.node(owner, items, item) {
                Some(item) => out.push(item),
                None if skip => {}
                None => return None,
            }
        }
        Some(Json::Array(out))
    }

    fn map(&mut self, owner: &'s str, schema: &'s Json, value: &Json) -> Option<Json> {
        let members = value.as_object()?;
        if schema == &Json::Bool(true) || is_any(schema) {
            return Some(value.clone());
        }
        let read = members.iter().map(|(name, value)| Some((name.clone(), self.node(owner, schema, value)?)));
        read.collect::<Option<Members>>().map(Json::Object)
    }
}

fn is_within(schema: &Json, number: &serde_json::Number) -> bool {
    let below = |bound: &Json| number.as_f64() < bound.as_f64();
    let above = |bound: &Json| number.as_f64() > bound.as_f64();
    !schema.get("minimum").is_some_and(below) && !schema.get("maximum").is_some_and(above)
}

/// Returns true for a float that stands for exactly one integer.
fn exact_integer(number: f64) -> Option<i128> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "the bound is checked first")]
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i128)
}

fn json_integer(number: i128) -> Option<Json> {
    u64::try_from(number).map(Json::from).or_else(|_| i64::try_from(number).map(Json::from)).ok()
}
