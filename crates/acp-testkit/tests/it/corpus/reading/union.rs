//! Reading unions: the choice of an arm, and the members of that arm.

use serde_json::{Map, Value as Json};

use super::super::differences::Rule;
use super::super::shape::{
    arms, deciding_member, flag, is_object_union, json_type, json_type_is, own_properties, properties,
    reference, requires, tag, tag_of,
};
use super::{Members, Mode, Reading};

impl<'s> Reading<'s> {
    pub(super) fn union(
        &mut self,
        owner: &'s str,
        schema: &'s Json,
        arms: &'s [Json],
        value: &Json,
    ) -> Option<Json> {
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
    pub(super) fn variant(
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
