//! Changes of files: the files, and a patch where one can be made.

use acp_types::v1::Diff;
use serde_core::ser::{Serialize, SerializeMap, Serializer};

use super::git_patch::git_patch;
use super::meta::meta;

/// Writes the members of a change.
pub(super) fn write_diff<M: SerializeMap>(diff: &Diff, map: &mut M) -> Result<(), M::Error> {
    map.serialize_entry("changes", &[Change(diff)])?;
    if let Some(text) = git_patch(&diff.path, diff.old_text.as_deref(), &diff.new_text) {
        map.serialize_entry("patch", &Patch { text })?;
    }
    meta(map, diff.meta.as_ref())
}

struct Change<'a>(&'a Diff);

impl Serialize for Change<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let operation = if self.0.old_text.is_some() { "modify" } else { "add" };
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("operation", operation)?;
        map.serialize_entry("path", &self.0.path)?;
        map.serialize_entry("fileType", "text")?;
        map.end()
    }
}

struct Patch {
    text: String,
}

impl Serialize for Patch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("format", "git_patch")?;
        map.serialize_entry("text", &self.text)?;
        map.end()
    }
}
