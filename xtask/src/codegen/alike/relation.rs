//! The two ways in which the JSON of one type can be that of another.

use crate::codegen::ir::Type;

/// The use that is made of the earlier type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Its JSON is valid in the later version, and means the same.
    Written,
    /// It reads the later version's JSON: it loses nothing, and refuses what that refuses.
    Read,
}

impl Relation {
    /// Returns the side that has the JSON, and the side that has to take it.
    pub(super) fn giver_and_taker<T>(self, earlier: T, later: T) -> (T, T) {
        match self {
            Relation::Written => (earlier, later),
            Relation::Read => (later, earlier),
        }
    }
}

/// Returns true if `wide` has every number that `narrow` has.
pub(super) const fn has_all_numbers_of(wide: &Type, narrow: &Type) -> bool {
    matches!(
        (narrow, wide),
        (Type::U16, Type::U32 | Type::U64 | Type::I32 | Type::I64)
            | (Type::U32, Type::U64 | Type::I64)
            | (Type::I32, Type::I64)
    )
}
