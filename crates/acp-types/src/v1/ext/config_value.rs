//! Shorter ways to read and make values of config options.

use crate::v1::{SessionConfigKind, SessionConfigOption, SessionConfigValue};

impl SessionConfigValue {
    /// Returns the id in the value of a `select` option. [A string of an unknown type is an
    /// id](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-cfg-15), too.
    #[must_use]
    pub fn as_id(&self) -> Option<&str> {
        match self {
            Self::Id { value } => Some(value.as_str()),
            Self::Unknown(unknown) => unknown.members().get("value")?.as_str(),
            Self::Boolean { .. } => None,
        }
    }

    /// Returns the state in the value of a `boolean` option.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Boolean { value } => Some(*value),
            Self::Id { .. } | Self::Unknown(_) => None,
        }
    }
}

impl SessionConfigOption {
    /// Returns the current value, as `session/set_config_option` would set it. Kinds that this
    /// version of the protocol does not know have none.
    #[must_use]
    pub fn current_value(&self) -> Option<SessionConfigValue> {
        match &self.kind {
            SessionConfigKind::Select(select) => {
                Some(SessionConfigValue::Id { value: select.current_value.clone() })
            }
            SessionConfigKind::Boolean(boolean) => {
                Some(SessionConfigValue::Boolean { value: boolean.current_value })
            }
            SessionConfigKind::Unknown(_) => None,
        }
    }
}
