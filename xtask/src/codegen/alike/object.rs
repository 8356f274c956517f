//! Objects: which members one may leave out, and what that means.

use serde_json::{Value as Json, json};

use super::{Comparison, Definitions, Relation};
use crate::codegen::ir::{Field, Kind, Object, OnError, Presence, Type};

impl Comparison<'_> {
    pub(super) fn object(&self, earlier: &Object, later: &Object) -> bool {
        let unions = match (&earlier.union, &later.union) {
            (None, None) => true,
            (Some(earlier), Some(later)) => self.named(&earlier.type_name, &later.type_name),
            _ => false,
        };
        unions && earlier.others == later.others && self.fields(&earlier.fields, &later.fields)
    }

    pub(super) fn fields(&self, earlier: &[Field], later: &[Field]) -> bool {
        let known = earlier.iter().all(|field| {
            let same = later.iter().find(|other| other.wire == field.wire);
            same.is_some_and(|other| self.field(field, other))
        });
        let others = later.iter().filter(|field| !earlier.iter().any(|other| other.wire == field.wire));
        known && others.into_iter().all(|field| self.relation == Relation::Written && !is_needed(field))
    }

    fn field(&self, earlier: &Field, later: &Field) -> bool {
        let absence = match (&earlier.presence, &later.presence) {
            (Presence::Default(_), Presence::Default(_)) => {
                default_of(earlier, self.first) == default_of(later, self.second)
            }
            (Presence::Required, _) if self.relation == Relation::Written => true,
            // Nobody writes the `null` that a reader takes for an absent member.
            (Presence::Optional, Presence::Patch) => self.relation == Relation::Written,
            (earlier, later) => earlier == later,
        };
        absence
            && self.ty(&earlier.ty, &later.ty)
            && match self.relation {
                Relation::Written => later.bounds.iter().all(|bound| is_met(bound, earlier)),
                Relation::Read => is_read(earlier, later),
            }
    }
}

pub(super) const fn is_needed(field: &Field) -> bool {
    matches!(field.presence, Presence::Required | Presence::RequiredNullable)
}

/// Readers check the range of numbers, and nothing else.
fn is_read(earlier: &Field, later: &Field) -> bool {
    let range = |field: &Field| -> Vec<_> {
        let bounds = field.bounds.iter().filter(|(keyword, _)| matches!(*keyword, "minimum" | "maximum"));
        bounds.cloned().collect()
    };
    let lenient = |field: &Field| field.on_error == OnError::Default;
    lenient(earlier) == lenient(later)
        && earlier.skip_items == later.skip_items
        && range(earlier) == range(later)
}

/// Returns true if every value of the field is within the bound. A format says of a text what its
/// description says as well.
fn is_met(bound: &(&'static str, Json), field: &Field) -> bool {
    bound.0 == "format" || field.bounds.contains(bound)
}

/// The meaning of the member's absence.
fn default_of(field: &Field, definitions: &Definitions) -> Option<Json> {
    let Presence::Default(stated) = &field.presence else { return None };
    let implicit = match &field.ty {
        Type::Bool => Some(json!(false)),
        Type::List(_) => Some(json!([])),
        Type::Map(_) => Some(json!({})),
        Type::Ref(name) => match definitions.get(name).map(|definition| &definition.kind) {
            Some(Kind::StringEnum(strings)) => strings.default.clone().map(Json::from),
            _ => None,
        },
        _ => None,
    };
    stated.clone().or(implicit)
}
