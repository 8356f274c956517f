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

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};

use super::differences::{Facts, Rule};
use super::shape::{
    Definitions, arms, deciding_member, flag, is_any, is_nullable, is_object_union, json_type, json_type_is,
    own_properties, properties, reference, requires, tag, tag_of,
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

    fn union(&mut self, owner: &'s str, schema: &'s Json, arms: &'s [Json], value: &Json) -> Option<Json> {
        if arms.iter().all(|arm| json_type(arm) == Some("string")) {
            return self.enum_value(owner, arms, value);
        }
        if arms.iter().all(|arm| json_type(arm) == Some("integer")) {
            // Every integer enum has an arm for all other integers.
            return self.integer(owner, arms.last()?, value);
        }
        if is_object_union(self.definitions, arms) && !arms.iter().any(|arm| json_type(arm) == Some("null")) {
            return self.object(owner, schema, value);
        }
        let first_item = value.as_array().and_then(|items| items.first());
        if self.mode == Mode::Reader
            && let Some(item) = first_item
            && arms.iter().all(|arm| arm.get("items").is_some())
            && let Some(arm) = arms.iter().rev().find(|arm| self.decides(arms, arm, item))
        {
            return self.node(owner, arm, value);
        }
        // The spelling chooses between an integer and a number.
        let spelt = |arm: &&Json| json_type(arm) != Some("integer") || !value.is_f64() || !has_number(arms);
        arms.iter().filter(spelt).find_map(|arm| self.node(owner, arm, value))
    }

    /// Returns true if an item of a list has the member that decides for this arm.
    fn decides(&self, arms: &[Json], arm: &Json, item: &Json) -> bool {
        deciding_member(self.definitions, arms, arm).is_some_and(|member| item.get(member).is_some())
    }

    fn enum_value(&mut self, owner: &'s str, arms: &[Json], value: &Json) -> Option<Json> {
        let text = value.as_str()?;
        let known = arms.iter().any(|arm| arm.get("const").is_none_or(|known| known == text));
        if !known {
            if self.mode != Mode::Reader {
                return None;
            }
            self.used.insert((Rule::UnknownValueKept, owner));
        }
        Some(value.clone())
    }

    /// Reads the members of the right arm of a union of objects.
    fn variant(
        &mut self,
        owner: &'s str,
        schema: &'s Json,
        arms: &'s [Json],
        from: &Members,
    ) -> Option<Members> {
        let Some(tag) = tag(arms) else { return self.untagged(owner, schema, arms, from) };
        let of_tag = |arm: &'s Json| arm.get("properties").and_then(|own| own.get(tag));
        let untagged = arms.iter().find(|arm| of_tag(arm).is_none());
        let without_tag =
            untagged.or(arms.iter().find(|arm| of_tag(arm).is_some_and(|tag| json_type_is(tag, "null"))));
        // The tag may be a member that is read leniently itself.
        let lenient = schema
            .get("properties")
            .and_then(|own| own.get(tag))
            .is_some_and(|tag| self.mode.is_lenient() && flag(tag, "x-deserialize-default-on-error"));
        match from.get(tag) {
            Some(Json::String(text)) => match arms.iter().find(|arm| tag_of(arm, tag) == Some(text)) {
                Some(arm) => match self.attempt(owner, arm, from) {
                    Some(mut read) => {
                        read.insert(tag.to_owned(), Json::from(text.as_str()));
                        Some(read)
                    }
                    None => self.fall_through(Rule::KnownTagIsStrict, owner, untagged, from),
                },
                None => self.unknown(owner, schema, arms, untagged, from),
            },
            None | Some(Json::Null) => self.attempt(owner, without_tag?, from),
            Some(_) if lenient => self.attempt(owner, without_tag?, from),
            Some(_) => self.fall_through(Rule::TagIsText, owner, untagged, from),
        }
    }

    /// Reads a variant with an unknown tag: everything but the object's own members is kept as it
    /// is.
    fn unknown(
        &mut self,
        owner: &'s str,
        schema: &Json,
        arms: &'s [Json],
        untagged: Option<&'s Json>,
        from: &Members,
    ) -> Option<Members> {
        let own = |name: &str| own_properties(schema).any(|(own, _)| own == name);
        let kept = from.iter().filter(|(name, _)| !own(name));
        let mut out: Members = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
        match (arms.iter().find(|arm| arm.get("not").is_some()), untagged) {
            (Some(fallback), _) => self.typed(owner, fallback, from, &mut out)?,
            // It must be valid as the arm without a tag.
            (None, Some(untagged)) => drop(self.attempt(owner, untagged, from)?),
            (None, None) if self.mode != Mode::Reader => return None,
            (None, None) => drop(self.used.insert((Rule::UnknownVariantKept, owner))),
        }
        Some(out)
    }

    /// The JSON Schema tries the arm without a tag next; readers refuse.
    fn fall_through(
        &mut self,
        rule: Rule,
        owner: &'s str,
        untagged: Option<&'s Json>,
        from: &Members,
    ) -> Option<Members> {
        let read = self.attempt(owner, untagged?, from)?;
        if self.mode.narrows() {
            self.used.insert((rule, owner));
            return None;
        }
        Some(read)
    }

    /// Reads the typed part of an arm for unknown tags: the members and the union that all arms
    /// share. It is written in normal form.
    fn typed(&mut self, owner: &'s str, arm: &'s Json, from: &Members, out: &mut Members) -> Option<()> {
        for (name, schema) in properties(arm) {
            out.remove(name);
            if let Some(value) = self.member(owner, name, schema, requires(arm, name), from)? {
                out.insert(name.to_owned(), value);
            }
        }
        let Some(arms) = arms(arm) else { return Some(()) };
        let read = self.untagged(owner, arm, arms, from)?;
        let chosen = arms.iter().find(|arm| {
            deciding_member(self.definitions, arms, arm).is_some_and(|member| read.contains_key(member))
        });
        let target = chosen.and_then(reference).and_then(|name| self.definitions.get(name));
        for (name, _) in target.into_iter().flat_map(properties) {
            out.remove(name);
        }
        out.extend(read);
        Some(())
    }

    /// `schema` contains the arms. `oneOf` requires exactly one to fit.
    fn untagged(
        &mut self,
        owner: &'s str,
        schema: &Json,
        arms: &'s [Json],
        from: &Members,
    ) -> Option<Members> {
        let exclusive = schema.get("oneOf").is_some();
        let mut validator = Reading::new(self.definitions, self.facts, Mode::Schema);
        if exclusive && arms.iter().filter_map(|arm| validator.attempt(owner, arm, from)).count() > 1 {
            return None;
        }
        let by_schema = arms.iter().find_map(|arm| self.attempt(owner, arm, from));
        if !self.mode.narrows() {
            return by_schema;
        }
        let has = |arm: &&Json| {
            deciding_member(self.definitions, arms, arm).is_some_and(|member| from.contains_key(member))
        };
        let several = arms.iter().filter(has).count() > 1;
        let arm = arms.iter().find(has).or(arms.last()).filter(|_| !(exclusive && several));
        let read = arm.and_then(|arm| self.attempt(owner, arm, from));
        if read.is_none() && by_schema.is_some() {
            self.used.insert((Rule::MemberDecides, owner));
        }
        read
    }

    /// Reads the members of one arm, without its tag.
    fn attempt(&mut self, owner: &'s str, arm: &'s Json, from: &Members) -> Option<Members> {
        if let Some(name) = reference(arm) {
            let (name, target) = self.definitions.get_key_value(name)?;
            return self.members(name, target, from);
        }
        let mut out = Map::new();
        let is_tag = |schema: &Json| schema.get("const").is_some() || json_type_is(schema, "null");
        for (name, schema) in properties(arm).filter(|(_, schema)| !is_tag(schema)) {
            if let Some(value) = self.member(owner, name, schema, requires(arm, name), from)? {
                out.insert(name.to_owned(), value);
            }
        }
        Some(out)
    }
}

fn has_number(arms: &[Json]) -> bool {
    arms.iter().any(|arm| json_type(arm) == Some("number"))
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
