//! Config options, and the modes that version 2 has among them.

use acp_json::Map;
use acp_types::v1::{
    SessionConfigBoolean, SessionConfigId, SessionConfigKind, SessionConfigOption,
    SessionConfigOptionCategory, SessionConfigSelect, SessionConfigSelectGroup, SessionConfigSelectOption,
    SessionConfigSelectOptions, SessionMode, SessionModeState,
};
use acp_types::{UnknownVariant, v2};

/// Decodes the options of a session.
pub(super) fn options(options: Vec<v2::SessionConfigOption>) -> Vec<SessionConfigOption> {
    options.into_iter().map(option).collect()
}

fn option(option: v2::SessionConfigOption) -> SessionConfigOption {
    let mut read = SessionConfigOption::new(option.config_id, option.name, kind(option.kind));
    read.description = option.description;
    read.category = option.category.as_ref().map(category);
    read.meta = option.meta;
    read
}

fn kind(kind: v2::SessionConfigKind) -> SessionConfigKind {
    match kind {
        v2::SessionConfigKind::Select(choice) => {
            SessionConfigSelect::new(choice.current_value, select(choice.options)).into()
        }
        v2::SessionConfigKind::Boolean(choice) => SessionConfigBoolean::new(choice.current_value).into(),
        v2::SessionConfigKind::Unknown(unknown) => SessionConfigKind::Unknown(unknown),
        other => SessionConfigKind::Unknown(UnknownVariant::new(other.tag(), Map::default())),
    }
}

fn select(options: v2::SessionConfigSelectOptions) -> SessionConfigSelectOptions {
    match options {
        v2::SessionConfigSelectOptions::Ungrouped(values) => {
            values.into_iter().map(value).collect::<Vec<_>>().into()
        }
        v2::SessionConfigSelectOptions::Grouped(groups) => {
            let group = |group: v2::SessionConfigSelectGroup| {
                let values: Vec<_> = group.options.into_iter().map(value).collect();
                let mut read = SessionConfigSelectGroup::new(group.group_id, group.name, values);
                read.meta = group.meta;
                read
            };
            groups.into_iter().map(group).collect::<Vec<_>>().into()
        }
        // The forms are two.
        _ => Vec::<SessionConfigSelectOption>::new().into(),
    }
}

fn value(value: v2::SessionConfigSelectOption) -> SessionConfigSelectOption {
    let mut read = SessionConfigSelectOption::new(value.value, value.name);
    read.description = value.description;
    read.meta = value.meta;
    read
}

fn category(category: &v2::SessionConfigOptionCategory) -> SessionConfigOptionCategory {
    SessionConfigOptionCategory::from(category.as_str())
}

/// Returns the option that has the modes of the session: the first choice of category `mode`.
pub(in crate::wire) fn mode_option(
    options: &[SessionConfigOption],
) -> Option<(&SessionConfigId, &SessionConfigSelect)> {
    options.iter().find_map(|option| match &option.kind {
        SessionConfigKind::Select(choice) if option.category == Some(SessionConfigOptionCategory::Mode) => {
            Some((&option.id, &**choice))
        }
        _ => None,
    })
}

/// Returns the modes of the session, if an option has them.
pub(in crate::wire) fn modes(options: &[SessionConfigOption]) -> Option<SessionModeState> {
    let (_, choice) = mode_option(options)?;
    let mode = |value: &SessionConfigSelectOption| {
        let mut mode = SessionMode::new(value.value.as_str(), value.name.clone());
        mode.description = value.description.clone();
        mode
    };
    let modes: Vec<_> = match &choice.options {
        SessionConfigSelectOptions::Ungrouped(values) => values.iter().map(mode).collect(),
        SessionConfigSelectOptions::Grouped(groups) => {
            groups.iter().flat_map(|group| &group.options).map(mode).collect()
        }
        _ => Vec::new(),
    };
    Some(SessionModeState::new(choice.current_value.as_str(), modes))
}
