//! The capabilities of a client, from the methods that it serves.

use acp_types::v1::{
    BooleanConfigOptionCapabilities, ClientCapabilities, ClientSessionCapabilities, CompactionCapabilities,
    ElicitationCapabilities, ElicitationFormCapabilities, ElicitationUrlCapabilities, NoticeCapabilities,
    SessionConfigOptionsCapabilities,
};

use crate::generated::capabilities::advertise;
use crate::{Error, Handlers, Operation};

/// Checks that these handlers can be those of one client.
///
/// # Errors
/// [`Error::ServedTwice`], [`Error::Incomplete`].
pub(crate) fn check(handlers: &Handlers) -> Result<(), Error> {
    let operations = Operation::ALL.iter().map(|operation| (operation.method(), operation.capability()));
    handlers.check(&operations).map_err(Error::of_conflict)
}

/// Returns the capabilities of a client with these handlers.
pub(crate) fn capabilities(handlers: &Handlers) -> ClientCapabilities {
    // These do not depend on handlers: notices and compactions arrive as events of the turn, and
    // every kind of config option can be set.
    let config = SessionConfigOptionsCapabilities::new().boolean(BooleanConfigOptionCapabilities::new());
    let session = ClientSessionCapabilities::default()
        .notices(NoticeCapabilities::default())
        .compaction(CompactionCapabilities::default())
        .config_options(config);
    let mut capabilities = ClientCapabilities::default().session(session);
    advertise(&mut capabilities, |operation| handlers.has(operation.method()));
    // It has parts, which are advertised one by one.
    capabilities.elicitation = elicitation(handlers);
    capabilities
}

fn elicitation(handlers: &Handlers) -> Option<ElicitationCapabilities> {
    let modes = handlers.elicits()?;
    let mut elicitation = ElicitationCapabilities::new();
    elicitation.form = modes.form.then(ElicitationFormCapabilities::new);
    elicitation.url = modes.url.then(ElicitationUrlCapabilities::new);
    Some(elicitation)
}
