//! Config options, and modes, which are one of them.

use acp_types::v1::{
    SessionConfigKind, SessionConfigOption, SessionConfigSelectGroup, SessionConfigSelectOptions,
    SessionMode, SessionModeState,
};
use acp_types::v2::WritesV2;
use serde_core::ser::{Error as _, Serialize, SerializeMap as _, Serializer};

use super::as_is::{member, members, meta, optional};
use super::setup::mode_option;

/// All config options of a session. The first one stands for the modes, if the session has modes
/// and no option of the agent's own stands for them.
pub(in crate::wire) struct ConfigOptions<'a> {
    pub(in crate::wire) modes: Option<&'a SessionModeState>,
    pub(in crate::wire) options: &'a [SessionConfigOption],
}

impl WritesV2 for ConfigOptions<'_> {}

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
    member(&mut map, "configId", id)?;
    member(&mut map, "name", "Mode")?;
    member(&mut map, "category", "mode")?;
    member(&mut map, "type", "select")?;
    member(&mut map, "currentValue", state.current_mode_id.as_str())?;
    member(&mut map, "options", &Modes(&state.available_modes))?;
    meta(&mut map, state.meta.as_ref())?;
    map.end()
}

fn config_option<S: Serializer>(option: &SessionConfigOption, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    member(&mut map, "configId", &option.id)?;
    member(&mut map, "name", &option.name)?;
    optional(&mut map, "description", option.description.as_ref())?;
    optional(&mut map, "category", option.category.as_ref())?;
    match &option.kind {
        SessionConfigKind::Select(select) => {
            member(&mut map, "type", "select")?;
            member(&mut map, "currentValue", &select.current_value)?;
            match &select.options {
                SessionConfigSelectOptions::Ungrouped(options) => member(&mut map, "options", options)?,
                SessionConfigSelectOptions::Grouped(groups) => {
                    member(&mut map, "options", &Groups(groups))?;
                }
                _ => return Err(S::Error::custom("this kind of choice has no form in version 2")),
            }
        }
        SessionConfigKind::Boolean(boolean) => {
            member(&mut map, "type", "boolean")?;
            members(&mut map, boolean)?;
        }
        SessionConfigKind::Unknown(kind) => kind.write("type", &mut map)?,
        _ => return Err(S::Error::custom("this kind of option has no form in version 2")),
    }
    meta(&mut map, option.meta.as_ref())?;
    map.end()
}

struct Groups<'a>(&'a [SessionConfigSelectGroup]);

impl WritesV2 for Groups<'_> {}

impl Serialize for Groups<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Group))
    }
}

struct Group<'a>(&'a SessionConfigSelectGroup);

impl Serialize for Group<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        member(&mut map, "groupId", &self.0.group)?;
        member(&mut map, "name", &self.0.name)?;
        member(&mut map, "options", &self.0.options)?;
        meta(&mut map, self.0.meta.as_ref())?;
        map.end()
    }
}

struct Modes<'a>(&'a [SessionMode]);

impl WritesV2 for Modes<'_> {}

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
        member(&mut map, "value", self.0.id.as_str())?;
        member(&mut map, "name", &self.0.name)?;
        optional(&mut map, "description", self.0.description.as_ref())?;
        meta(&mut map, self.0.meta.as_ref())?;
        map.end()
    }
}
