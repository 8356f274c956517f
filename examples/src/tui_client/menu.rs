//! A choice among items, in a box above everything else.

use acp_client::v1::{
    PermissionOptionKind, RequestPermissionRequest, SessionConfigKind, SessionConfigOption,
    SessionConfigSelect, SessionConfigSelectOption, SessionConfigSelectOptions, SessionConfigValue,
    SessionMode, SessionModeId,
};
use acp_client::{IntoConfigValue, PermissionAnswer};

use super::app::Effect;

/// Items, of which one is selected.
#[derive(Debug)]
pub struct Menu {
    /// The title.
    pub title: String,
    /// The items.
    pub items: Vec<Item>,
    /// The index of the selected item.
    pub selected: usize,
}

/// An item.
#[derive(Debug)]
pub struct Item {
    /// Its text.
    pub label: String,
    /// True for the current setting.
    pub is_current: bool,
    /// Its effect.
    pub effect: Effect,
}

impl Menu {
    /// Makes the menu of a permission request. At first a rejection is selected, or no answer if
    /// none is offered. A key that was meant for the input line must not consent.
    #[must_use]
    pub fn permission(number: u64, request: &RequestPermissionRequest) -> Self {
        use PermissionOptionKind::{RejectAlways, RejectOnce};
        let item = |label: &str, choice| Item {
            label: label.to_owned(),
            is_current: false,
            effect: Effect::Answer { number, choice },
        };
        let options = request.options.iter();
        let mut items: Vec<Item> = options
            .map(|option| item(&option.name, PermissionAnswer::Option(option.option_id.clone())))
            .collect();
        let rejects = |kind: &PermissionOptionKind| matches!(kind, RejectOnce | RejectAlways);
        let selected = request.options.iter().position(|option| rejects(&option.kind)).unwrap_or_else(|| {
            items.push(item("Cancel", PermissionAnswer::Cancelled));
            items.len() - 1
        });
        Self { title: "Permission".to_owned(), items, selected }
    }

    /// Makes the menu of the modes and config options of a session, or returns `None` if it has
    /// neither.
    #[must_use]
    pub fn settings(
        modes: &[SessionMode],
        mode: Option<&SessionModeId>,
        options: &[SessionConfigOption],
    ) -> Option<Self> {
        let modes = modes.iter().map(|listed| Item {
            label: format!("Mode: {}", listed.name),
            is_current: Some(&listed.id) == mode,
            effect: Effect::SetMode(listed.id.clone()),
        });
        let items: Vec<Item> = modes.chain(options.iter().flat_map(items)).collect();
        (!items.is_empty()).then(|| Self { title: "Settings".to_owned(), items, selected: 0 })
    }

    /// Selects the next item, or the one before.
    pub fn step(&mut self, forward: bool) {
        let last = self.items.len().saturating_sub(1);
        self.selected = if forward { (self.selected + 1).min(last) } else { self.selected.saturating_sub(1) };
    }

    /// Returns the effect of the selected item.
    #[must_use]
    pub fn choose(&self) -> Option<Effect> {
        self.items.get(self.selected).map(|item| item.effect.clone())
    }
}

fn items(option: &SessionConfigOption) -> Vec<Item> {
    let item = |value: &str, is_current, set: SessionConfigValue| Item {
        label: format!("{}: {value}", option.name),
        is_current,
        effect: Effect::SetOption(option.id.clone(), set),
    };
    match &option.kind {
        SessionConfigKind::Select(select) => choices(select)
            .into_iter()
            .map(|choice| {
                let is_current = choice.value == select.current_value;
                item(&choice.name, is_current, choice.value.clone().into_config_value())
            })
            .collect(),
        SessionConfigKind::Boolean(boolean) => [("on", true), ("off", false)]
            .map(|(name, value)| item(name, boolean.current_value == value, value.into_config_value()))
            .into(),
        // This program cannot set an option of this kind.
        _ => Vec::new(),
    }
}

fn choices(select: &SessionConfigSelect) -> Vec<&SessionConfigSelectOption> {
    match &select.options {
        SessionConfigSelectOptions::Ungrouped(options) => options.iter().collect(),
        SessionConfigSelectOptions::Grouped(groups) => {
            groups.iter().flat_map(|group| &group.options).collect()
        }
        _ => Vec::new(),
    }
}
