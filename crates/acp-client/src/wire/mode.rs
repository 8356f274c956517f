//! The mode of a session.

use acp_rpc::Peer;
use acp_types::v1::{SessionConfigOption, SetSessionModeRequest};
#[cfg(feature = "v2")]
use acp_types::v1::{SessionConfigValue, SetSessionConfigOptionRequest};

use crate::Error;
use crate::wire::Wire;
use crate::wire::moment::Read;
#[cfg(feature = "v2")]
use crate::wire::v2;

impl Wire {
    /// Sets the mode. `options` are those of the session, among which version 2 has the modes: then
    /// the answer has all of them as they are now.
    pub(crate) async fn set_mode(
        self,
        peer: &Peer,
        request: SetSessionModeRequest,
        options: &[SessionConfigOption],
    ) -> Result<Option<Read<Vec<SessionConfigOption>>>, Error> {
        let (method, session) = (self.method::<SetSessionModeRequest>(), Some(&request.session_id));
        match self {
            Self::V1 => {
                let _ = options;
                let answer = peer.request(method, &request).await;
                let answer: Result<acp_types::v1::SetSessionModeResponse, _> = answer;
                answer.map(|_| None).map_err(|error| self.failed::<SetSessionModeRequest>(session, error))
            }
            #[cfg(feature = "v2")]
            Self::V2 => {
                let option = v2::config::mode_option(options);
                let (option, _) = option.ok_or(Error::NotOffered { method, capability: "configOptions" })?;
                let value = SessionConfigValue::Id { value: request.mode_id.as_str().into() };
                let mut set =
                    SetSessionConfigOptionRequest::new(request.session_id.clone(), option.clone(), value);
                set.meta = request.meta;
                let answer = self.ask_at(peer, &set.session_id, &set).await?;
                Ok(Some(Read { value: answer.value.config_options, at: answer.at }))
            }
        }
    }
}
