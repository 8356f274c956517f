//! Marks of the types whose JSON is that of version 2.

use acp_json::{FromNode, Map, Value};
use serde_core::Serialize;

use crate::Meta;

/// A type whose JSON is valid in version 2, and means there what the value means.
///
/// All types of this module have the mark. The generator compares the schemas of both versions, and
/// marks the types of [`v1`](crate::v1) for which it is true as well, down to the last member. So a
/// writer of messages of version 2 that takes nothing else stops to compile when the schemas part:
///
/// ```
/// use acp_types::v2::WritesV2;
///
/// fn write(value: &impl WritesV2) -> String {
///     acp_types::to_string(value)
/// }
///
/// write(&acp_types::v1::PlanEntry::new("Read", "high", "pending"));
/// ```
///
/// A tool call has another form in version 2:
///
/// ```compile_fail,E0277
/// # use acp_types::v2::WritesV2;
/// # fn write(value: &impl WritesV2) -> String {
/// #     acp_types::to_string(value)
/// # }
/// write(&acp_types::v1::ToolCall::new("t1", "Read"));
/// ```
///
/// A program can mark types of its own, which write what version 2 has.
#[diagnostic::on_unimplemented(
    message = "`{Self}` may be written in another form in version 2",
    note = "write its members, or a type that does; the schemas of both versions tell how they differ"
)]
pub trait WritesV2: Serialize {}

/// A type that reads the JSON of version 2: it loses nothing, and refuses what that version
/// refuses.
///
/// All types of this module have the mark, and those of [`v1`](crate::v1) that read their
/// counterpart like that. The generator finds them as it does for [`WritesV2`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` may lose something that version 2 has",
    note = "read the type of version 2; the schemas of both versions tell how they differ"
)]
pub trait ReadsV2: FromNode {}

macro_rules! in_every_version {
    ($($ty:ty),* $(,)?) => {$(
        impl WritesV2 for $ty {}
        impl ReadsV2 for $ty {}
    )*};
}

in_every_version!(bool, u16, u32, u64, i32, i64, f64, String, Value, Meta);

impl WritesV2 for str {}
impl<T: WritesV2 + ?Sized> WritesV2 for &T {}
impl<T: WritesV2 + ?Sized> WritesV2 for Box<T> {}
impl<T: WritesV2> WritesV2 for [T] {}
impl<T: WritesV2> WritesV2 for Vec<T> {}
impl<T: ReadsV2> ReadsV2 for Vec<T> {}
impl<T: WritesV2> WritesV2 for Map<T> {}
impl<T: ReadsV2> ReadsV2 for Map<T> {}
