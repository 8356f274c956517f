//! Changes of files: the files, and a patch where one can be made.

use acp_types::v1::Diff;
use acp_types::v2::WritesV2;
use serde_core::ser::{Serialize, SerializeMap, Serializer};

use super::as_is::{member, meta, optional};
use super::git_patch::git_patch;

/// Writes the members of a change.
pub(super) fn write_diff<M: SerializeMap>(diff: &Diff, map: &mut M) -> Result<(), M::Error> {
    member(map, "changes", &[Change(diff)][..])?;
    let patch = git_patch(&diff.path, diff.old_text.as_deref(), &diff.new_text);
    optional(map, "patch", patch.map(|text| Patch { text }).as_ref())?;
    meta(map, diff.meta.as_ref())
}

struct Change<'a>(&'a Diff);

impl WritesV2 for Change<'_> {}

impl Serialize for Change<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let operation = if self.0.old_text.is_some() { "modify" } else { "add" };
        let mut map = serializer.serialize_map(Some(3))?;
        member(&mut map, "operation", operation)?;
        member(&mut map, "path", &self.0.path)?;
        member(&mut map, "fileType", "text")?;
        map.end()
    }
}

struct Patch {
    text: String,
}

impl WritesV2 for Patch {}

impl Serialize for Patch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        member(&mut map, "format", "git_patch")?;
        member(&mut map, "text", &self.text)?;
        map.end()
    }
}
