//! What every way to log in has, whatever its kind.

use crate::v1::{AuthMethod, AuthMethodAgent, AuthMethodId};

impl AuthMethod {
    /// The method as one that the agent carries out by itself: kinds that this version of the protocol does
    /// not know count as such (rule `v1-auth-02`). `None` for terminal methods.
    #[must_use]
    pub fn as_agent(&self) -> Option<AuthMethodAgent> {
        match self {
            Self::Agent(method) => Some((**method).clone()),
            // The reader has made sure that the members do.
            Self::Unknown(method) => method.read_as().ok(),
            Self::Terminal(_) => None,
        }
    }

    /// What `authenticate` names it by. `None` only for an unknown kind that was built by hand without one.
    #[must_use]
    pub fn id(&self) -> Option<AuthMethodId> {
        match self {
            Self::Terminal(method) => Some(method.id.clone()),
            _ => self.as_agent().map(|method| method.id),
        }
    }
}
