//! What the macro knows about an operation.

/// A row of the operation table.
#[derive(Debug)]
pub(crate) struct Operation {
    /// The function's name, such as `new_session`.
    pub(crate) name: &'static str,
    /// The marker type in `acp_agent::op`, and the variant of `acp_agent::Operation`.
    pub(crate) marker: &'static str,
    /// The protocol method, such as `session/new`.
    pub(crate) method: &'static str,
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
}

/// Every hook an agent may have.
pub(crate) const HOOKS: &[Hook] =
    &[Hook { name: "auth_methods", marker: "Initialize", method: "initialize" }];
