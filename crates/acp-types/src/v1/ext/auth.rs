//! The parts that every method to log in has.

use crate::v1::{AuthMethod, AuthMethodAgent, AuthMethodId};

impl AuthMethod {
    /// Returns the method as one that the agent carries out by itself, or `None` for terminal
    /// methods. [Unknown kinds count as agent
    /// methods](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-auth-02).
    #[must_use]
    pub fn as_agent(&self) -> Option<AuthMethodAgent> {
        match self {
            Self::Agent(method) => Some((**method).clone()),
            // The reader has checked that the members do.
            Self::Unknown(method) => method.read_as().ok(),
            Self::Terminal(_) => None,
        }
    }

    /// Returns the id that `authenticate` takes. It is `None` only for an unknown kind that was
    /// built by hand without an id.
    #[must_use]
    pub fn id(&self) -> Option<AuthMethodId> {
        match self {
            Self::Terminal(method) => Some(method.id.clone()),
            _ => self.as_agent().map(|method| method.id),
        }
    }
}
