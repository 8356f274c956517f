//! Types of one version whose JSON is that of a later version: written by the one, it is valid in
//! the other and means the same, or read by the one, nothing of the other is lost.
//!
//! A type is made of others, so the answer holds down to the last member. Which members differ in
//! meaning by their absence or by `null` is known from the overlays of both versions, as for the
//! types themselves.

mod object;
mod relation;
mod stable;
mod union;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail, ensure};

use super::ir::{Definition, Kind, Peek, Schema, StringEnum, Type};
use super::overlay::Overlay;
pub use relation::Relation;

/// A type of the earlier version, and what of its JSON is the later version's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alike {
    pub name: String,
    /// Only the unstable schema has it.
    pub unstable: bool,
    pub written: bool,
    pub read: bool,
}

/// The types of `first` whose JSON is that of `second`. The overlay of `second` names the pairs of
/// other names in `[counterparts]`, and in `[meaning]` the types that look the same and mean
/// something else.
///
/// # Errors
/// Fails on a pair of which a type does not exist, and on a meaning that makes no difference.
pub fn find(first: &Schema, second: &Schema, overlay: &Overlay) -> Result<Vec<Alike>> {
    let pairs = Pairs::new(first, second, overlay)?;
    let holding = |relation| -> Result<BTreeSet<String>> {
        let all = pairs.holding(first, second, relation);
        let (first, second) = (stable::of(first), stable::of(second));
        let stable = pairs.holding(&first, &second, relation);
        // A type that both features have must be the same with and without the unstable parts.
        let is_there = |name: &String| !find_in(&first, name) || stable.contains(name);
        Ok(all.into_iter().filter(is_there).collect())
    };
    let (written, read) = (holding(Relation::Written)?, holding(Relation::Read)?);
    let alike = first.definitions.iter().map(|definition| Alike {
        name: definition.name.clone(),
        unstable: definition.unstable,
        written: written.contains(&definition.name),
        read: read.contains(&definition.name),
    });
    Ok(alike.filter(|alike| alike.written || alike.read).collect())
}

fn find_in(schema: &Schema, name: &str) -> bool {
    schema.definitions.iter().any(|definition| definition.name == name)
}

/// The names of the later version's types, by those of the earlier one's.
struct Pairs {
    names: BTreeMap<String, String>,
    /// Types of the earlier version that mean something else.
    other_meaning: BTreeSet<String>,
}

impl Pairs {
    fn new(first: &Schema, second: &Schema, overlay: &Overlay) -> Result<Self> {
        let both = first.definitions.iter().map(|definition| definition.name.clone());
        let both = both.filter(|name| find_in(second, name));
        let mut names: BTreeMap<String, String> = both.map(|name| (name.clone(), name)).collect();
        for earlier in overlay.keys("counterparts") {
            let later = overlay.text("counterparts", earlier).unwrap_or_default();
            ensure!(find_in(first, earlier), "[counterparts]: there is no earlier type {earlier}");
            ensure!(find_in(second, later), "[counterparts]: there is no later type {later}");
            names.insert(earlier.to_owned(), later.to_owned());
        }
        let mut pairs = Pairs { names, other_meaning: BTreeSet::new() };
        let listed = first.definitions.iter().map(|definition| definition.name.clone());
        let listed: BTreeSet<String> =
            listed.filter(|name| overlay.lists("meaning", "types", name)).collect();
        let relations = [Relation::Written, Relation::Read];
        let structure = relations.map(|relation| pairs.holding(first, second, relation));
        for name in &listed {
            if !structure.iter().any(|same| same.contains(name)) {
                bail!("[meaning]: {name} differs by its structure, so the entry can go");
            }
        }
        pairs.other_meaning = listed;
        Ok(pairs)
    }

    /// The types for which the relation holds: all, without those that contradict it.
    fn holding(&self, first: &Schema, second: &Schema, relation: Relation) -> BTreeSet<String> {
        let of = |schema: &Schema| -> Definitions {
            let all = schema.definitions.iter();
            all.map(|definition| (definition.name.clone(), definition.clone())).collect()
        };
        let (first, second) = (of(first), of(second));
        let mut holding: BTreeSet<String> = self.names.keys().cloned().collect();
        holding.retain(|name| !self.other_meaning.contains(name));
        loop {
            let comparison = Comparison {
                relation,
                names: &self.names,
                holding: &holding,
                first: &first,
                second: &second,
            };
            let still = holding.iter().filter(|name| {
                let pair = first.get(*name).zip(self.names.get(*name).and_then(|later| second.get(later)));
                pair.is_some_and(|(earlier, later)| comparison.definition(earlier, later))
            });
            let still: BTreeSet<String> = still.cloned().collect();
            if still.len() == holding.len() {
                return holding;
            }
            holding = still;
        }
    }
}

/// A comparison of two definitions, as long as those that they are made of hold.
struct Comparison<'c> {
    relation: Relation,
    names: &'c BTreeMap<String, String>,
    holding: &'c BTreeSet<String>,
    first: &'c Definitions,
    second: &'c Definitions,
}

type Definitions = BTreeMap<String, Definition>;

impl Comparison<'_> {
    fn definition(&self, earlier: &Definition, later: &Definition) -> bool {
        if self.relation == Relation::Read && earlier.whole_null != later.whole_null {
            return false;
        }
        match (&earlier.kind, &later.kind) {
            (Kind::Object(earlier), Kind::Object(later)) => self.object(earlier, later),
            (Kind::Newtype(earlier), Kind::Newtype(later)) => self.ty(earlier, later),
            (Kind::StringEnum(earlier), Kind::StringEnum(later)) => self.strings(earlier, later),
            (
                Kind::IntegerEnum { values: earlier, repr: earlier_repr },
                Kind::IntegerEnum { values: later, repr: later_repr },
            ) => {
                let numbers = |values: &[super::ir::IntegerValue]| -> BTreeSet<i64> {
                    values.iter().map(|value| value.wire).collect()
                };
                let (earlier, later) = self.relation.giver_and_taker(numbers(earlier), numbers(later));
                earlier.is_subset(&later) && self.ty(earlier_repr, later_repr)
            }
            (Kind::Tagged(earlier), Kind::Tagged(later)) => self.tagged(earlier, later),
            (Kind::Untagged(earlier), Kind::Untagged(later)) => self.untagged(earlier, later),
            _ => false,
        }
    }

    /// Compares enums of strings. Unknown values are kept by the types of either version.
    fn strings(&self, earlier: &StringEnum, later: &StringEnum) -> bool {
        let values = |strings: &StringEnum| -> BTreeSet<String> {
            strings.values.iter().map(|value| value.wire.clone()).collect()
        };
        let (from, to) = self.relation.giver_and_taker(values(earlier), values(later));
        from.is_subset(&to)
    }

    fn ty(&self, earlier: &Type, later: &Type) -> bool {
        match (plain(earlier, self.first), plain(later, self.second)) {
            (Type::Ref(earlier), Type::Ref(later)) => self.named(earlier, later),
            (Type::List(earlier), Type::List(later)) | (Type::Map(earlier), Type::Map(later)) => {
                self.ty(earlier, later)
            }
            (Type::Any, Type::Ref(later)) => self.relation == Relation::Written && self.takes_any(later),
            (earlier, later) => {
                let (from, to) = self.relation.giver_and_taker(earlier, later);
                from == to || relation::has_all_numbers_of(to, from)
            }
        }
    }

    /// Returns true if a type of the later version is a union with an arm for any JSON.
    fn takes_any(&self, later: &str) -> bool {
        let kind = self.second.get(later).map(|definition| &definition.kind);
        matches!(kind, Some(Kind::Untagged(union)) if union.by == Peek::MemberOrAny)
    }

    fn named(&self, earlier: &str, later: &str) -> bool {
        self.holding.contains(earlier) && self.names.get(earlier).is_some_and(|name| name == later)
    }
}

/// The type without the name that a string, a number or any JSON may have.
fn plain<'t>(ty: &'t Type, definitions: &'t Definitions) -> &'t Type {
    let Type::Ref(name) = ty else { return ty };
    match definitions.get(name).map(|definition| &definition.kind) {
        Some(Kind::Newtype(inner)) => plain(inner, definitions),
        _ => ty,
    }
}
