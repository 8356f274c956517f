//! What the macro knows about the protocol.

use crate::generated::methods::METHODS;

/// A row of the operation table.
#[derive(Debug)]
pub(crate) struct Operation {
    /// The function's name, such as `new_session`.
    pub(crate) name: &'static str,
    /// The marker type in `op` of the library, and the variant of its `Operation`.
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
    pub(crate) const fn is_enabled(&self) -> bool {
        !self.unstable || cfg!(feature = "unstable")
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
    /// The marker type in `op` of the library of the request during which it is called.
    pub(crate) marker: &'static str,
    /// The method of that request.
    pub(crate) method: &'static str,
    /// What it does.
    pub(crate) doc: &'static str,
}

/// Every hook an agent may have.
pub(crate) const AGENT_HOOKS: &[Hook] = &[Hook {
    name: "auth_methods",
    marker: "Initialize",
    method: "initialize",
    doc: "Lists the ways to log in.",
}];
