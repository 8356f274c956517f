//! Commands, which are tagged here (rule `v2-cmd-01`).

use acp_json::Record as _;
use acp_types::v1::{AvailableCommand, AvailableCommandInput, UnstructuredCommandInput};
use serde_core::ser::{Serialize, SerializeMap as _, Serializer};

use super::meta::meta;

/// A list of commands.
pub(super) struct Commands<'a>(pub(super) &'a [AvailableCommand]);

impl Serialize for Commands<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Command))
    }
}

struct Command<'a>(&'a AvailableCommand);

impl Serialize for Command<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "command")?;
        map.serialize_entry("name", &self.0.name)?;
        map.serialize_entry("description", &self.0.description)?;
        if let Some(AvailableCommandInput::Unstructured(input)) = &self.0.input {
            map.serialize_entry("input", &TextInput(input))?;
        }
        meta(&mut map, self.0.meta.as_ref())?;
        map.end()
    }
}

struct TextInput<'a>(&'a UnstructuredCommandInput);

impl Serialize for TextInput<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", "text")?;
        self.0.write(&mut map)?;
        map.end()
    }
}
