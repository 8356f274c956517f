//! Unions, with and without a tag.

use super::object::is_needed;
use super::{Comparison, Relation};
use crate::codegen::ir::{Field, Kind, Payload, Tagged, Unknown, Untagged, Variant};

impl Comparison<'_> {
    pub(super) fn tagged(&self, earlier: &Tagged, later: &Tagged) -> bool {
        let (from, to) = self.relation.giver_and_taker(&earlier.variants, &later.variants);
        let variants = from.iter().all(|variant| {
            to.iter().find(|other| other.wire == variant.wire).is_some_and(|other| {
                let (earlier, later) = self.relation.giver_and_taker(variant, other);
                self.variant(earlier, later)
            })
        });
        let default = match (&earlier.default, &later.default) {
            (None, None) => true,
            (Some(earlier), Some(later)) => self.variant(earlier, later),
            (None, Some(_)) => self.relation == Relation::Written,
            (Some(_), None) => false,
        };
        let reading = self.relation == Relation::Written
            || (earlier.lenient == later.lenient && earlier.default_tag == later.default_tag);
        variants && default && reading && earlier.tag == later.tag && self.unknown(earlier, later)
    }

    fn unknown(&self, earlier: &Tagged, later: &Tagged) -> bool {
        match (&earlier.unknown, &later.unknown) {
            (Unknown::Keep, Unknown::Keep) => true,
            (Unknown::KeepAsDefault, Unknown::KeepAsDefault) => true,
            (Unknown::KeepWith(earlier), Unknown::KeepWith(later)) => self.object(earlier, later),
            _ => false,
        }
    }

    fn variant(&self, earlier: &Variant, later: &Variant) -> bool {
        match (&earlier.payload, &later.payload) {
            (Payload::None, Payload::None) => true,
            (Payload::None, later) if self.relation == Relation::Written => self.may_be_empty(later),
            (Payload::Ref { name: earlier, .. }, Payload::Ref { name: later, .. }) => {
                self.named(earlier, later)
            }
            (Payload::Inline(earlier), Payload::Inline(later)) => self.fields(earlier, later),
            _ => false,
        }
    }

    /// Returns true if a payload of the later version may be without all of its members.
    fn may_be_empty(&self, payload: &Payload) -> bool {
        let has_needed = |fields: &[Field]| fields.iter().any(is_needed);
        match payload {
            Payload::None => true,
            Payload::Inline(fields) => !has_needed(fields),
            Payload::Ref { name, .. } => match self.second.get(name).map(|definition| &definition.kind) {
                Some(Kind::Object(object)) => object.union.is_none() && !has_needed(&object.fields),
                _ => false,
            },
        }
    }

    /// Compares unions without a tag. The later one may have more arms for a writer, at the end.
    pub(super) fn untagged(&self, earlier: &Untagged, later: &Untagged) -> bool {
        let arms = earlier.arms.iter().zip(&later.arms).all(|(earlier, later)| {
            let types = match (&earlier.ty, &later.ty) {
                (None, None) => true,
                (Some(earlier), Some(later)) => self.ty(earlier, later),
                _ => false,
            };
            let (from, to) = self.relation.giver_and_taker(&earlier.bounds, &later.bounds);
            types && earlier.member == later.member && to.iter().all(|bound| from.contains(bound))
        });
        let is_whole = match self.relation {
            Relation::Written => earlier.arms.len() <= later.arms.len(),
            Relation::Read => {
                earlier.arms.len() == later.arms.len()
                    && (earlier.by, earlier.exclusive) == (later.by, later.exclusive)
            }
        };
        arms && is_whole
    }
}
