//! From what a client serves to what it tells the agent.

use acp_types::method::Method;
use acp_types::v1::methods::{
    FsReadTextFile, FsWriteTextFile, TerminalCreate, TerminalKill, TerminalOutput, TerminalRelease,
    TerminalWaitForExit,
};
use acp_types::v1::{
    ClientCapabilities, ClientSessionCapabilities, CompactionCapabilities, FileSystemCapabilities,
    NoticeCapabilities,
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
    // Notices and compactions arrive as events of the turn, whatever the handlers are.
    let session = ClientSessionCapabilities::default()
        .notices(NoticeCapabilities::default())
        .compaction(CompactionCapabilities::default());
    ClientCapabilities::default()
        .fs(fs)
        .terminal(terminal.iter().all(|method| handlers.serves(method)))
        .session(session)
}
