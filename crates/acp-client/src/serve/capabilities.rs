//! The capabilities of a client, from the methods that it serves.

use acp_types::method::Method;
use acp_types::v1::methods::{
    FsReadTextFile, FsWriteTextFile, TerminalCreate, TerminalKill, TerminalOutput, TerminalRelease,
    TerminalWaitForExit,
};
use acp_types::v1::{
    BooleanConfigOptionCapabilities, ClientCapabilities, ClientSessionCapabilities, CompactionCapabilities,
    ElicitationCapabilities, ElicitationFormCapabilities, ElicitationUrlCapabilities, FileSystemCapabilities,
    NoticeCapabilities, SessionConfigOptionsCapabilities,
};

use crate::{Error, Handlers};

/// The methods of terminals. The capability stands for all of them.
const TERMINAL: [&str; 5] = [
    TerminalCreate::NAME,
    TerminalOutput::NAME,
    TerminalWaitForExit::NAME,
    TerminalKill::NAME,
    TerminalRelease::NAME,
];

/// Checks that these handlers can be those of one client.
///
/// # Errors
/// [`Error::ServedTwice`], [`Error::Incomplete`].
pub(crate) fn check(handlers: &Handlers) -> Result<(), Error> {
    handlers.conflicts.check()?;
    let missing: Vec<_> = TERMINAL.into_iter().filter(|method| !handlers.serves(method)).collect();
    if missing.is_empty() || missing.len() == TERMINAL.len() {
        return Ok(());
    }
    Err(Error::Incomplete { capability: "terminal", missing })
}

/// Returns the capabilities of a client with these handlers.
pub(crate) fn capabilities(handlers: &Handlers) -> ClientCapabilities {
    let fs = FileSystemCapabilities::default()
        .read_text_file(handlers.serves(FsReadTextFile::NAME))
        .write_text_file(handlers.serves(FsWriteTextFile::NAME));
    // These do not depend on handlers: notices and compactions arrive as events of the turn, and
    // every kind of config option can be set.
    let config = SessionConfigOptionsCapabilities::new().boolean(BooleanConfigOptionCapabilities::new());
    let session = ClientSessionCapabilities::default()
        .notices(NoticeCapabilities::default())
        .compaction(CompactionCapabilities::default())
        .config_options(config);
    let capabilities = ClientCapabilities::default()
        .fs(fs)
        .terminal(TERMINAL.iter().all(|method| handlers.serves(method)))
        .session(session);
    match elicitation(handlers) {
        Some(elicitation) => capabilities.elicitation(elicitation),
        None => capabilities,
    }
}

fn elicitation(handlers: &Handlers) -> Option<ElicitationCapabilities> {
    let modes = handlers.elicits()?;
    let mut elicitation = ElicitationCapabilities::new();
    elicitation.form = modes.form.then(ElicitationFormCapabilities::new);
    elicitation.url = modes.url.then(ElicitationUrlCapabilities::new);
    Some(elicitation)
}
