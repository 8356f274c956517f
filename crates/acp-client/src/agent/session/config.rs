//! The config options of a session, and how to set them.

use std::sync::Arc;

use acp_types::v1::{
    SessionConfigId, SessionConfigOption, SessionConfigValue, SessionConfigValueId,
    SetSessionConfigOptionRequest,
};

use crate::{Error, Session};

/// A value for a config option: a `bool`, the id of a choice, or a value of the protocol.
pub trait IntoConfigValue {
    /// Converts to the value.
    fn into_config_value(self) -> SessionConfigValue;
}

impl Session {
    /// Returns the current config options. The list is empty if the session has none.
    ///
    /// They change with [`set_config_option`](Self::set_config_option), and whenever the agent
    /// reports it. Such a report is also an [`Event::Config`](crate::Event::Config).
    #[must_use]
    pub fn config_options(&self) -> Arc<[SessionConfigOption]> {
        self.state().config.options().unwrap_or_default()
    }

    /// Sets one of the [`config_options`](Self::config_options) (`session/set_config_option`) and
    /// returns all of them, because setting one may change others. A `select` takes the id of one
    /// of its choices, a `boolean` takes a `bool`.
    ///
    /// ```no_run
    /// # async fn set(session: acp_client::Session) -> Result<(), acp_client::Error> {
    /// session.set_config_option("model", "large").await?;
    /// session.set_config_option("web_search", true).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::NotOffered`] if the session has no config options; [`Error::Argument`] if it does
    /// not have this one, [or the option does not have this
    /// value](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-cfg-09);
    /// [`Error::Unsupported`] for a kind of value that the version of the protocol does not have;
    /// [`Error::SessionClosed`]; the agent refused.
    pub async fn set_config_option(
        &self,
        option: impl Into<SessionConfigId>,
        value: impl IntoConfigValue,
    ) -> Result<Arc<[SessionConfigOption]>, Error> {
        let (option, value) = (option.into(), value.into_config_value());
        let method = self.agent().method::<SetSessionConfigOptionRequest>();
        self.check_open(method)?;
        let state = self.state();
        let options =
            state.config.options().ok_or(Error::NotOffered { method, capability: "configOptions" })?;
        SessionConfigOption::check(&options, &option, &value)
            .map_err(|error| Error::argument(method, error.field(), &error))?;
        self.agent().wire().check_value(&value, method)?;
        let request = SetSessionConfigOptionRequest::new(self.id().clone(), option, value);
        let answer = self.agent().wire().ask_at(self.agent().peer(), self.id(), &request).await?;
        state.config.set(answer.value.config_options, answer.at);
        Ok(self.config_options())
    }
}

impl IntoConfigValue for bool {
    fn into_config_value(self) -> SessionConfigValue {
        SessionConfigValue::Boolean { value: self }
    }
}

impl IntoConfigValue for SessionConfigValueId {
    fn into_config_value(self) -> SessionConfigValue {
        SessionConfigValue::Id { value: self }
    }
}

impl IntoConfigValue for &str {
    fn into_config_value(self) -> SessionConfigValue {
        SessionConfigValueId::from(self).into_config_value()
    }
}

impl IntoConfigValue for String {
    fn into_config_value(self) -> SessionConfigValue {
        SessionConfigValueId::from(self).into_config_value()
    }
}

impl IntoConfigValue for SessionConfigValue {
    fn into_config_value(self) -> SessionConfigValue {
        self
    }
}
