//! From what a client serves to what it tells the agent.

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

use crate::Handlers;

/// The capabilities of a client with these handlers.
pub(crate) fn capabilities(handlers: &Handlers) -> ClientCapabilities {
    let fs = FileSystemCapabilities::default()
        .read_text_file(handlers.serves(FsReadTextFile::NAME))
        .write_text_file(handlers.serves(FsWriteTextFile::NAME));
    // A terminal is only of use when all of it is there.
    let terminal = [
        TerminalCreate::NAME,
        TerminalOutput::NAME,
        TerminalWaitForExit::NAME,
        TerminalKill::NAME,
        TerminalRelease::NAME,
    ];
    // Notices and compactions arrive as events of the turn, and every kind of config option can be set, whatever the
    // handlers are.
    let config = SessionConfigOptionsCapabilities::new().boolean(BooleanConfigOptionCapabilities::new());
    let session = ClientSessionCapabilities::default()
        .notices(NoticeCapabilities::default())
        .compaction(CompactionCapabilities::default())
        .config_options(config);
    let capabilities = ClientCapabilities::default()
        .fs(fs)
        .terminal(terminal.iter().all(|method| handlers.serves(method)))
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
