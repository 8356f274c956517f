//! Intended differences between the readers and the JSON Schema. The corpus must show every
//! difference that [`v1`](super::v1) and [`v2`](super::v2) list, and no other.

/// A way in which readers depart from the JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    /// An unknown value of a closed enum is kept. The lists grow with every release, and a peer
    /// that is one release ahead must not be cut off.
    UnknownValueKept,
    /// An unknown tag of a closed union is kept with all its members, for the same reason.
    UnknownVariantKept,
    /// A malformed variant with a known tag is refused, although an arm without a tag would accept
    /// it. A broken terminal login must not become a login that the agent carries out by itself.
    KnownTagIsStrict,
    /// A tag that is not a string is refused, although an arm without a tag does not look at it.
    TagIsText,
    /// Without a tag, a member decides that only one arm requires. The JSON Schema tries all arms.
    MemberDecides,
    /// An integer that does not fit the type in `format` is refused, or read as a double where the
    /// union has an arm for doubles. A validator ignores `format`.
    IntegerFits,
    /// A payload whose members are all optional may be a bare `null` (rule v1-rpc-23), in v2 as
    /// well.
    WholeNull,
    /// A text or list that is shorter than `minLength` or `minItems` is accepted: a notice without
    /// a title should not be lost. Writers are asked to keep to the bounds.
    BoundsUnchecked,
}

#[cfg(feature = "schemars")]
impl Rule {
    /// Returns true if the JSON Schema that a type gives of itself refuses such a value, as the
    /// readers do, although the canonical schema accepts it. A type reads every value that its own
    /// schema accepts. In all other respects that schema equals the canonical one: it does not
    /// include leniency, because it tells writers what to write, and the range of an integer is in
    /// its `format`, as everywhere in `schemars`.
    pub(crate) const fn narrows_type_schemas(self) -> bool {
        matches!(self, Rule::KnownTagIsStrict | Rule::TagIsText | Rule::MemberDecides)
    }
}

/// A difference, and the definitions that show it. Definitions of the unstable schema count only
/// with that.
pub(crate) struct Difference {
    pub(crate) rule: Rule,
    pub(crate) definitions: &'static [&'static str],
}

/// Facts without a mark in the schema. They come from the rules of the protocol, not from the
/// generator.
pub(crate) struct Facts {
    pub(crate) version: &'static str,
    /// Payloads that may be `null` as a whole.
    pub(crate) whole_null: &'static [&'static str],
    /// Members whose `null` is not the same as their absence, by definition.
    pub(crate) three_states: &'static [(&'static str, &'static [&'static str])],
    /// The meaning of an absent enum, where the schema has no `default` for it.
    pub(crate) implicit_defaults: &'static [(&'static str, &'static str)],
    pub(crate) differences: &'static [Difference],
}

impl Facts {
    pub(crate) fn has_three_states(&self, definition: &str, member: &str) -> bool {
        self.three_states.iter().any(|(name, members)| *name == definition && members.contains(&member))
    }

    /// Returns every difference, and every fact that is a difference.
    pub(crate) fn listed(&self) -> impl Iterator<Item = (Rule, &'static str)> {
        let listed = self.differences.iter();
        let listed =
            listed.flat_map(|difference| difference.definitions.iter().map(|name| (difference.rule, *name)));
        listed.chain(self.whole_null.iter().map(|name| (Rule::WholeNull, *name)))
    }

    /// Returns every definition that is named.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        let members = self.three_states.iter().map(|(name, _)| *name);
        let enums = self.implicit_defaults.iter().map(|(name, _)| *name);
        self.listed().map(|(_, name)| name).chain(members).chain(enums)
    }
}
