//! Updates on their way to the client.

use acp_rpc::{Encode, EncodeError};

use crate::store::RecordedUpdate;
use crate::updates::settings::Settings;
use crate::wire::update::UpdateParams;

/// The params of a `session/update` on its way out. The settings are those of the update from the
/// moment at which it leaves.
pub(crate) struct OutgoingUpdate<'a> {
    settings: &'a Settings,
    form: Form<'a>,
}

enum Form<'a> {
    Plain(UpdateParams<'a>),
    /// An update that is recorded as it leaves.
    Recorded(RecordedUpdate<'a>),
}

impl<'a> OutgoingUpdate<'a> {
    pub(crate) const fn plain(settings: &'a Settings, params: UpdateParams<'a>) -> Self {
        OutgoingUpdate { settings, form: Form::Plain(params) }
    }

    pub(crate) const fn recorded(settings: &'a Settings, update: RecordedUpdate<'a>) -> Self {
        OutgoingUpdate { settings, form: Form::Recorded(update) }
    }
}

impl Encode for OutgoingUpdate<'_> {
    fn encode(&self, buffer: &mut Vec<u8>) -> Result<(), EncodeError> {
        match &self.form {
            Form::Plain(params) => params.encode(buffer),
            Form::Recorded(update) => update.encode(buffer),
        }
    }

    /// Notes the settings here, where nothing keeps the update from leaving any more. The client
    /// may act on it at once, and cannot have it yet.
    fn leaves(&self, json: &[u8]) -> Result<(), EncodeError> {
        match &self.form {
            Form::Plain(params) => {
                self.settings.observe(params.update());
                Ok(())
            }
            Form::Recorded(update) => {
                update.leaves(json, |update| self.settings.observe(update).then(|| self.settings.json()))
            }
        }
    }
}
