//! The macro's knowledge of the protocol.

use crate::generated::methods::METHODS;

/// A row of the operation table.
#[derive(Debug)]
pub(crate) struct Operation {
    /// The function's name, such as `new_session`.
    pub(crate) name: &'static str,
    /// The marker type in `op` of the library, and the name of the variant of its `Operation`.
    pub(crate) marker: &'static str,
    /// The protocol method, such as `session/new`.
    pub(crate) method: &'static str,
    /// A sentence about its effect.
    pub(crate) doc: &'static str,
    /// The capability that announces it.
    pub(crate) capability: Option<&'static str>,
    /// True for a notification.
    pub(crate) notification: bool,
    /// True if it needs the feature `unstable`.
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
    /// The side that handles it.
    pub(crate) side: Side,
}

impl Method {
    /// Returns the methods of this name: two, where a request and a notification share it.
    pub(crate) fn named(name: &str) -> impl Iterator<Item = &'static Self> {
        METHODS.iter().filter(move |method| method.name == name)
    }

    /// Returns the method of a marker.
    pub(crate) fn of_marker(marker: &str) -> Option<&'static Self> {
        METHODS.iter().find(|method| method.marker == marker)
    }
}

/// The side that handles a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Agent,
    Client,
    Both,
    Proxy,
}

/// A function without a method of its own. The library calls it while it answers a request.
#[derive(Debug)]
pub(crate) struct Hook {
    /// The function's name.
    pub(crate) name: &'static str,
    /// The marker type in `op` of the library, of the request during which it is called.
    pub(crate) marker: &'static str,
    /// The method of that request.
    pub(crate) method: &'static str,
    /// A sentence about its effect.
    pub(crate) doc: &'static str,
}
