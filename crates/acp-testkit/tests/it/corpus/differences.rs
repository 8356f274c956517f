//! Where reading is meant to differ from what the JSON Schema says. The corpus must show every difference
//! that [`v1`](super::v1) and [`v2`](super::v2) list, and no other.

/// A way in which readers depart from the JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    /// An unknown value of a closed enum is kept. The lists grow with every release, and a peer that is one
    /// release ahead must not be cut off.
    UnknownValueKept,
    /// An unknown tag of a closed union is kept with all its members, for the same reason.
    UnknownVariantKept,
    /// A malformed variant with a known tag is refused, although an arm without a tag would take it: a broken
    /// terminal login must not come out as one that the agent does by itself.
    KnownTagIsStrict,
    /// A tag that is no string is refused, although an arm without a tag does not look at it.
    TagIsText,
    /// Without a tag, the member that only one arm requires decides. The JSON Schema tries all arms.
    MemberDecides,
    /// An integer beyond the type that `format` names is refused, or read as a double where the union has an
    /// arm for those. To a validator `format` is a remark.
    IntegerFits,
    /// A payload whose members are all optional may be a bare `null` (rule v1-rpc-23), and so in v2.
    WholeNull,
    /// A text or list that is shorter than `minLength` or `minItems` is taken as it is: a notice without a title is no
    /// reason to lose the notice. Whoever writes one is asked to keep to the bounds.
    BoundsUnchecked,
}

#[cfg(feature = "schemars")]
impl Rule {
    /// Whether the JSON Schema that a type gives of itself takes the reader's side, where the canonical one
    /// takes a value that readers refuse: what such a schema accepts, the type is to read. In all else it is
    /// the canonical one. Leniency is not in it, as it tells writers what to write; and the range of an integer
    /// is in its `format`, as everywhere in `schemars`.
    pub(crate) const fn narrows_type_schemas(self) -> bool {
        matches!(self, Rule::KnownTagIsStrict | Rule::TagIsText | Rule::MemberDecides)
    }
}

/// A difference, and the definitions that show it; those that only the unstable schema has count only there.
pub(crate) struct Difference {
    pub(crate) rule: Rule,
    pub(crate) definitions: &'static [&'static str],
}

/// What the schema of a version has no mark for: taken from the rules of the protocol, not from the generator.
pub(crate) struct Facts {
    pub(crate) version: &'static str,
    /// Payloads that may be `null` as a whole.
    pub(crate) whole_null: &'static [&'static str],
    /// Members whose `null` is not the same as their absence, by definition.
    pub(crate) three_states: &'static [(&'static str, &'static [&'static str])],
    /// What the absence of an enum means where the schema has no `default` for it.
    pub(crate) implicit_defaults: &'static [(&'static str, &'static str)],
    pub(crate) differences: &'static [Difference],
}

impl Facts {
    pub(crate) fn has_three_states(&self, definition: &str, member: &str) -> bool {
        self.three_states.iter().any(|(name, members)| *name == definition && members.contains(&member))
    }

    /// Every difference, and every fact that is one.
    pub(crate) fn listed(&self) -> impl Iterator<Item = (Rule, &'static str)> {
        let listed = self.differences.iter();
        let listed =
            listed.flat_map(|difference| difference.definitions.iter().map(|name| (difference.rule, *name)));
        listed.chain(self.whole_null.iter().map(|name| (Rule::WholeNull, *name)))
    }

    /// Every definition that is named.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        let members = self.three_states.iter().map(|(name, _)| *name);
        let enums = self.implicit_defaults.iter().map(|(name, _)| *name);
        self.listed().map(|(_, name)| name).chain(members).chain(enums)
    }
}
