//! Commands, which are tagged here (rule `v2-cmd-01`).

use acp_types::v1::{AvailableCommand, AvailableCommandInput, UnstructuredCommandInput};
use acp_types::v2::WritesV2;
use serde_core::ser::{Serialize, SerializeMap as _, Serializer};

use super::as_is::{member, meta};

/// A list of commands.
pub(super) struct Commands<'a>(pub(super) &'a [AvailableCommand]);

impl WritesV2 for Commands<'_> {}

impl Serialize for Commands<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Command))
    }
}

struct Command<'a>(&'a AvailableCommand);

impl Serialize for Command<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        member(&mut map, "type", "command")?;
        member(&mut map, "name", &self.0.name)?;
        member(&mut map, "description", &self.0.description)?;
        if let Some(AvailableCommandInput::Unstructured(input)) = &self.0.input {
            member(&mut map, "input", &TextInput(input))?;
        }
        meta(&mut map, self.0.meta.as_ref())?;
        map.end()
    }
}

struct TextInput<'a>(&'a UnstructuredCommandInput);

impl WritesV2 for TextInput<'_> {}

impl Serialize for TextInput<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        member(&mut map, "type", "text")?;
        member(&mut map, "hint", &self.0.hint)?;
        meta(&mut map, self.0.meta.as_ref())?;
        map.end()
    }
}
