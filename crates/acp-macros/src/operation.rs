//! What the macro knows about the protocol.

use crate::generated::methods::METHODS;
use crate::generated::operations::OPERATIONS;

/// A row of the operation table.
#[derive(Debug)]
pub(crate) struct Operation {
    /// The function's name, such as `new_session`.
    pub(crate) name: &'static str,
    /// The marker type in `acp_agent::op`, and the variant of `acp_agent::Operation`.
    pub(crate) marker: &'static str,
    /// The protocol method, such as `session/new`.
    pub(crate) method: &'static str,
    /// What it does.
    pub(crate) doc: &'static str,
    /// The capability that stands for it.
    pub(crate) capability: Option<&'static str>,
    /// Whether it is not answered.
    pub(crate) notification: bool,
    /// Whether it takes the feature `unstable`.
    pub(crate) unstable: bool,
}

impl Operation {
    /// The operation whose function has this name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        OPERATIONS.iter().find(|operation| operation.name == name)
    }

    /// The operation that this method asks for.
    pub(crate) fn of_method(method: &str) -> Option<&'static Self> {
        OPERATIONS.iter().find(|operation| operation.method == method)
    }

    /// Those that are there with the features of this build.
    pub(crate) fn enabled() -> impl Iterator<Item = &'static Self> {
        OPERATIONS.iter().filter(|operation| operation.is_enabled())
    }

    pub(crate) const fn is_enabled(&self) -> bool {
        !self.unstable || cfg!(feature = "unstable")
    }

    /// The operations that the same capability stands for.
    pub(crate) fn siblings(&self) -> impl Iterator<Item = &'static Self> {
        let capability = self.capability;
        OPERATIONS.iter().filter(move |other| capability.is_some() && other.capability == capability)
    }
}

/// A row of the method table.
#[derive(Debug)]
pub(crate) struct Method {
    /// The name on the wire.
    pub(crate) name: &'static str,
    /// The marker type in `acp_types::v1::methods`.
    pub(crate) marker: &'static str,
    /// Who handles it.
    pub(crate) side: Side,
}

impl Method {
    /// The methods of this name: two, where there is a request and a notification.
    pub(crate) fn named(name: &str) -> impl Iterator<Item = &'static Self> {
        METHODS.iter().filter(move |method| method.name == name)
    }

    /// The method of a marker.
    pub(crate) fn of_marker(marker: &str) -> Option<&'static Self> {
        METHODS.iter().find(|method| method.marker == marker)
    }
}

/// Who handles a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Agent,
    Client,
    Both,
    Proxy,
}

/// A function without a method of its own: the library calls it while it answers one.
#[derive(Debug)]
pub(crate) struct Hook {
    /// The function's name.
    pub(crate) name: &'static str,
    /// The marker type in `acp_agent::op` of the request during which it is called.
    pub(crate) marker: &'static str,
    /// The method of that request.
    pub(crate) method: &'static str,
    /// What it does.
    pub(crate) doc: &'static str,
}

/// Every hook an agent may have.
pub(crate) const HOOKS: &[Hook] = &[Hook {
    name: "auth_methods",
    marker: "Initialize",
    method: "initialize",
    doc: "Lists the ways to log in.",
}];
