//! The checks of values for config options.

use std::fmt;

use crate::v1::ext::listed::Listed;
use crate::v1::{
    SessionConfigId, SessionConfigKind, SessionConfigOption, SessionConfigSelect, SessionConfigSelectOption,
    SessionConfigSelectOptions, SessionConfigValue, SessionConfigValueId,
};

/// A value that `session/set_config_option` [does not
/// take](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-cfg-09). `Display` continues a
/// sentence that begins with the [field](Self::field).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigOptionError {
    /// The session has no such config option.
    NoSuchOption {
        /// The options that it has.
        options: Vec<SessionConfigId>,
    },
    /// The option, a select, does not list the value.
    NoSuchValue {
        /// The option.
        option: SessionConfigId,
        /// The values that it lists.
        values: Vec<SessionConfigValueId>,
    },
    /// The option is a select, and the value is not an id.
    NotAnId {
        /// The option.
        option: SessionConfigId,
        /// The values that it lists.
        values: Vec<SessionConfigValueId>,
    },
    /// The option is a boolean, and the value is not.
    NotABoolean {
        /// The option.
        option: SessionConfigId,
    },
}

impl ConfigOptionError {
    /// Returns the member of the request that is at fault: `configId` or `value`.
    #[must_use]
    pub const fn field(&self) -> &'static str {
        match self {
            Self::NoSuchOption { .. } => "configId",
            Self::NoSuchValue { .. } | Self::NotAnId { .. } | Self::NotABoolean { .. } => "value",
        }
    }
}

impl fmt::Display for ConfigOptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchOption { options } => {
                write!(f, "is not a config option of the session: its options are {}", Listed(options))
            }
            Self::NoSuchValue { option, values } => {
                write!(f, "is not a value of config option `{option}`: its values are {}", Listed(values))
            }
            Self::NotAnId { option, values } => write!(
                f,
                "must be an id, because config option `{option}` is a select: its values are {}",
                Listed(values)
            ),
            Self::NotABoolean { option } => write!(
                f,
                "must be `true` or `false`, with `\"type\": \"boolean\"`: config option `{option}` is a boolean"
            ),
        }
    }
}

impl std::error::Error for ConfigOptionError {}

impl SessionConfigOption {
    /// Checks a value for the option `id` among the options of a session: the session has the
    /// option, and the option takes the value. Only the agent knows the values of an option whose
    /// kind this version of the protocol does not know.
    ///
    /// # Errors
    /// The option or the value does not exist, or the value is of another kind.
    pub fn check(
        options: &[Self],
        id: &SessionConfigId,
        value: &SessionConfigValue,
    ) -> Result<(), ConfigOptionError> {
        let Some(option) = options.iter().find(|option| option.id == *id) else {
            let options = options.iter().map(|option| option.id.clone()).collect();
            return Err(ConfigOptionError::NoSuchOption { options });
        };
        let option_id = || option.id.clone();
        match (&option.kind, value) {
            (SessionConfigKind::Select(select), SessionConfigValue::Boolean { .. }) => {
                Err(ConfigOptionError::NotAnId { option: option_id(), values: select.value_ids() })
            }
            (SessionConfigKind::Select(select), value) => {
                if value.as_id().is_some_and(|id| select.values().any(|known| known.value.as_str() == id)) {
                    return Ok(());
                }
                Err(ConfigOptionError::NoSuchValue { option: option_id(), values: select.value_ids() })
            }
            (SessionConfigKind::Boolean(_), SessionConfigValue::Boolean { .. })
            | (SessionConfigKind::Unknown(_), _) => Ok(()),
            (SessionConfigKind::Boolean(_), _) => Err(ConfigOptionError::NotABoolean { option: option_id() }),
        }
    }
}

impl SessionConfigSelect {
    /// Returns the values that the option lists, [with or without
    /// groups](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-cfg-16).
    pub fn values(&self) -> impl Iterator<Item = &SessionConfigSelectOption> {
        let (flat, groups) = match &self.options {
            SessionConfigSelectOptions::Ungrouped(options) => (options.as_slice(), [].as_slice()),
            SessionConfigSelectOptions::Grouped(groups) => ([].as_slice(), groups.as_slice()),
        };
        flat.iter().chain(groups.iter().flat_map(|group| &group.options))
    }

    fn value_ids(&self) -> Vec<SessionConfigValueId> {
        self.values().map(|option| option.value.clone()).collect()
    }
}
