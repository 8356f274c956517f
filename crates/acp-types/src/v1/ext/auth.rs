//! The parts that every method to log in has, and the check of its id.

use std::fmt;

use crate::v1::ext::listed::Listed;
use crate::v1::{AuthMethod, AuthMethodAgent, AuthMethodId};

/// An id that `authenticate` [does not
/// take](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-auth-03). `Display` continues
/// a sentence that begins with `methodId`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthMethodError {
    /// The agent does not list such a method.
    NotListed {
        /// The methods that it lists for `authenticate`.
        methods: Vec<AuthMethodId>,
    },
    /// The method [runs in a
    /// terminal](https://github.com/acp-rs/acp/blob/main/docs/rules/v1.md#v1-auth-04).
    Terminal {
        /// The methods that the agent lists for `authenticate`.
        methods: Vec<AuthMethodId>,
    },
}

impl fmt::Display for AuthMethodError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (problem, methods) = match self {
            Self::NotListed { methods } => ("does not name a method that the agent lists", methods),
            Self::Terminal { methods } => ("names a method that is to be run in a terminal", methods),
        };
        write!(f, "{problem}: `authenticate` takes {}", Listed(methods))
    }
}

impl std::error::Error for AuthMethodError {}

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

    /// Checks that `authenticate` takes this id, if the agent lists these methods.
    ///
    /// # Errors
    /// The agent does not list the method, or it runs in a terminal.
    pub fn check(methods: &[Self], id: &AuthMethodId) -> Result<(), AuthMethodError> {
        let listed = methods.iter().find(|method| method.id().as_ref() == Some(id));
        let ids = || methods.iter().filter_map(Self::as_agent).map(|method| method.id).collect();
        match listed {
            Some(Self::Terminal(_)) => Err(AuthMethodError::Terminal { methods: ids() }),
            Some(_) => Ok(()),
            None => Err(AuthMethodError::NotListed { methods: ids() }),
        }
    }
}
