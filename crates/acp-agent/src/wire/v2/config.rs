//! Config options, and modes, which are one of them.

use acp_json::Record as _;
use acp_types::v1::{
    SessionConfigKind, SessionConfigOption, SessionConfigSelectGroup, SessionConfigSelectOptions,
    SessionMode, SessionModeState,
};
use serde_core::ser::{Serialize, SerializeMap as _, Serializer};

use super::meta::meta;
use super::setup::mode_option;

/// All config options of a session. The first one stands for the modes, if the session has modes
/// and no option of the agent's own stands for them.
pub(in crate::wire) struct ConfigOptions<'a> {
    pub(in crate::wire) modes: Option<&'a SessionModeState>,
    pub(in crate::wire) options: &'a [SessionConfigOption],
}

impl Serialize for ConfigOptions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let modes = self.modes.and_then(|state| Some(Entry::Modes(mode_option(self.options)?, state)));
        serializer.collect_seq(modes.into_iter().chain(self.options.iter().map(Entry::Option)))
    }
}

enum Entry<'a> {
    /// The option of this id, which stands for the modes.
    Modes(&'static str, &'a SessionModeState),
    Option(&'a SessionConfigOption),
}

impl Serialize for Entry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Entry::Modes(id, state) => modes(id, state, serializer),
            Entry::Option(option) => config_option(option, serializer),
        }
    }
}

fn modes<S: Serializer>(id: &str, state: &SessionModeState, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("configId", id)?;
    map.serialize_entry("name", "Mode")?;
    map.serialize_entry("category", "mode")?;
    map.serialize_entry("type", "select")?;
    map.serialize_entry("currentValue", &state.current_mode_id)?;
    map.serialize_entry("options", &Modes(&state.available_modes))?;
    meta(&mut map, state.meta.as_ref())?;
    map.end()
}

fn config_option<S: Serializer>(option: &SessionConfigOption, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("configId", &option.id)?;
    map.serialize_entry("name", &option.name)?;
    if let Some(description) = &option.description {
        map.serialize_entry("description", description)?;
    }
    if let Some(category) = &option.category {
        map.serialize_entry("category", category)?;
    }
    match &option.kind {
        SessionConfigKind::Select(select) => {
            map.serialize_entry("type", "select")?;
            map.serialize_entry("currentValue", &select.current_value)?;
            match &select.options {
                SessionConfigSelectOptions::Grouped(groups) => {
                    map.serialize_entry("options", &Groups(groups))?;
                }
                ungrouped => map.serialize_entry("options", ungrouped)?,
            }
        }
        kind => kind.write(&mut map)?,
    }
    meta(&mut map, option.meta.as_ref())?;
    map.end()
}

struct Groups<'a>(&'a [SessionConfigSelectGroup]);

impl Serialize for Groups<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Group))
    }
}

struct Group<'a>(&'a SessionConfigSelectGroup);

impl Serialize for Group<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("groupId", &self.0.group)?;
        map.serialize_entry("name", &self.0.name)?;
        map.serialize_entry("options", &self.0.options)?;
        meta(&mut map, self.0.meta.as_ref())?;
        map.end()
    }
}

struct Modes<'a>(&'a [SessionMode]);

impl Serialize for Modes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Mode))
    }
}

/// A mode, as a value of the option that stands for the modes.
struct Mode<'a>(&'a SessionMode);

impl Serialize for Mode<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("value", &self.0.id)?;
        map.serialize_entry("name", &self.0.name)?;
        if let Some(description) = &self.0.description {
            map.serialize_entry("description", description)?;
        }
        meta(&mut map, self.0.meta.as_ref())?;
        map.end()
    }
}
